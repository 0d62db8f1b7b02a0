"""Files that an input file names: where they lie and whether they can be used."""

import contextlib
import errno
import os
import stat
from pathlib import Path


def path_from(folder: Path, name: str) -> Path:
    """The file that a name means, from the folder of the file in which the name stands."""
    path = Path(name)
    with contextlib.suppress(RuntimeError):  # `~name` of no user is a file like any other
        path = path.expanduser()
    return (folder / path).absolute()


def trouble_with(path: Path) -> str:
    """What keeps a file from being read, as the end of a sentence; nothing if all is well."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return "is not a regular file"
        if status.st_size == 0:
            return "is empty"
        return "" if os.access(path, os.R_OK) else "may not be read by this user"
    except FileNotFoundError:
        return "does not exist"
    except (OSError, ValueError):
        return "cannot be reached"


LARGEST_MIB = 512
"""More than any file has that a run writes, or is given."""


def contents(path: Path, most_mib: int = LARGEST_MIB) -> bytes:
    """All bytes of a file that has an end.

    Raises:
        OSError: it cannot be read, is no regular file (a pipe would be waited for), or is larger
            than anything that a run writes.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    if status.st_size > most_mib * 2**20:
        raise OSError(errno.EFBIG, f"it is larger than {most_mib} MiB")
    return path.read_bytes()
