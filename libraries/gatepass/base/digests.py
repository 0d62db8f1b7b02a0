"""SHA-256 of files, in lists as ``sha256sum`` writes and checks them."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path

from gatepass.base.files import LARGEST_MIB

_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def digest_of(path: Path) -> str:
    """SHA-256 of a file, hexadecimal.

    Raises:
        OSError: it cannot be read, or is larger than anything that a run writes.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST_MIB * 2**20:
            raise OSError(errno.EFBIG, f"it is larger than {LARGEST_MIB} MiB")
        return file_digest(file, "sha256").hexdigest()


def has_digest(path: Path, digest: str) -> bool:
    """Whether a file can be read, and is the one with this digest."""
    try:
        return digest_of(path) == digest
    except OSError:
        return False


def digests(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """The digest of each file, by its path from the folder on, in the order of the paths.

    Raises:
        OSError: one cannot be read.
    """
    return {name: digest_of(folder / name) for name in sorted(_names(folder, files))}


def _names(folder: Path, files: Iterable[Path]) -> Iterable[str]:
    return (file.relative_to(folder).as_posix() for file in files)


def as_list(named: dict[str, str]) -> str:
    """The text of a list."""
    return "".join(f"{digest}  {name}\n" for name, digest in named.items())


def read_list(text: str) -> dict[str, str]:
    """The digests of a list, by the names of their files.

    Raises:
        ValueError: a line is none of such a list.
    """
    found = [_LINE.fullmatch(line) for line in text.splitlines()]
    if not all(found):
        line = found.index(None) + 1
        raise ValueError(f"its line {line} is none that sha256sum writes")
    return {one[2]: one[1] for one in found if one}
