"""What of a run's folder is proof, and the list that seals it.

``SHA256SUMS`` is what coreutils' ``sha256sum -c`` reads, so that nobody needs Gatepass to hold the
files against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gatepass.base.digests import as_list, digests, read_list
from gatepass.base.errors import InputError
from gatepass.base.files import contents

SUMS = "SHA256SUMS"
SIGNATURE, TIMESTAMP = f"{SUMS}.sig", f"{SUMS}.tsr"
ATTESTATION = f"{SUMS}.intoto.jsonl"
"""What the run signs itself when it ends; a signature that is made later stands beside it."""
CERTIFICATE = "certificate.pdf"
SIGNED_PDF = "certificate-signed.pdf"
"""The certificate with a signature in it: beside the sealed one, which so stays what it was."""
INPUTS = "inputs"
_GOES_ON = ("journal.jsonl", "endpoints.jsonl", "console.txt", "worker.txt", "progress.jsonl")
"""Files that are written to after the end of a run: restoring a gateway, a fleet's workers."""
LEFT_BEHIND = "left-behind.txt"
"""Names what stayed behind when a run was exported; see `outside`."""
_AFTER = (SUMS, SIGNATURE, TIMESTAMP, ATTESTATION, SIGNED_PDF, LEFT_BEHIND)
_OUTPUTS = ("output.xml", "log.html", "report.html", "xunit.xml")
"""Robot's own, which are not whole before the run has ended."""


def proof(folder: Path) -> Iterator[Path]:
    """All files of a run that prove something.

    Args:
        folder: of the run.
    """
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and path.name not in (*_GOES_ON, *_AFTER):
            yield path


def raw(folder: Path) -> dict[str, str]:
    """The digests of what a run has collected so far, by file; for its own record.

    Raises:
        OSError: a file cannot be read.
    """
    return digests(folder, (path for path in proof(folder) if path.name not in _OUTPUTS))


def seal(folder: Path) -> Path:
    """Write the list of all that proves something; an older one is replaced.

    Raises:
        OSError: a file cannot be read, or the list not written.
    """
    target = folder / SUMS
    target.write_text(as_list(digests(folder, proof(folder))), encoding="utf-8", newline="\n")
    return target


def sealed(folder: Path) -> dict[str, str]:
    """The digests that a run was sealed with, by file.

    Raises:
        InputError: there is no such list, or it is damaged.
    """
    path = folder / SUMS
    try:
        return read_list(contents(path).decode("utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder}: there is no {SUMS}, so this run was never sealed. Name its certificate: "
            f"./run.sh verify {folder / 'certificate.html'}."
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"{path}: this is no list of sha256sum: {why}. Take it from a copy."
        ) from None
