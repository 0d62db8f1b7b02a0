"""What of a run is for outside: for the customer, and for the artifacts of a pipeline.

This is the one list of it. Everything else stays where the run was made: configurations, policies
and sessions of the gateway, what was seen on it and on the endpoints where a check did not pass,
journals, the testbed's file. A certificate links to some of that; where the link leads, a page says
so. A file names what a sealed run has left behind, so that `verify` tells it from what is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.base.paths import ORDERS
from gatepass.proof.folder import INPUTS, LEFT_BEHIND, SUMS, sealed

FOR_OUTSIDE = (
    *("certificate.html", "certificate.pdf", "certificate-signed.pdf", "study-*.html"),
    *("report.html", "log.html", "output.xml", "xunit.xml"),
    *("results.json", "trials.csv", "flows.csv", "trials/*.json", "evidence/*.jsonl"),
    *(f"{INPUTS}/order.yaml", f"{INPUTS}/service_catalogue.yaml", f"{INPUTS}/profiles.yaml"),
    *(f"{INPUTS}/provider.yaml", f"{INPUTS}/program.sha256", f"{INPUTS}/before.json"),
    *(SUMS, f"{SUMS}.*"),
    *("fleet.html", "fleet.json"),
)
"""Names of files in the folder of a run, or of a fleet; those of its orders are the same."""
STAND_IN = """\
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Not handed over</title>
<p>What the gateway and the endpoints showed here stays with those who carried out the test. The
certificate and the report say what follows from it.</p></html>
"""
"""The page where a link leads to what stays."""
_LINKED = "failures/**/index.html"


def is_for_outside(name: PurePosixPath) -> bool:
    """Whether a file goes out.

    Args:
        name: relative to the folder of its run, or of its fleet.
    """
    parts = name.parts[2:] if name.parts[:1] == (ORDERS,) else name.parts
    wanted = (PurePosixPath(pattern).parts for pattern in FOR_OUTSIDE)
    return any(len(one) == len(parts) and all(map(fnmatchcase, parts, one)) for one in wanted)


def export(folder: Path, target: Path) -> int:
    """Copy what is for outside of a run, or of a fleet.

    Args:
        folder: of the run.
        target: its folder outside; it is made where something goes there.

    Returns:
        How many files were copied.

    Raises:
        OSError: one cannot be read or written.
    """
    copied = 0
    for path in _files(folder):
        name = path.relative_to(folder)
        if is_for_outside(PurePosixPath(name)):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
            copied += 1
            if path.name == SUMS:
                _note(path.parent, (target / name).parent)
    for path in folder.glob(_LINKED) if copied else ():
        _stand_in(target / path.relative_to(folder))
    for path in folder.glob(f"{ORDERS}/*/{_LINKED}") if copied else ():
        _stand_in(target / path.relative_to(folder))
    return copied


def left_behind(folder: Path) -> set[str]:
    """What stayed behind when a run was exported, and is here as that left it.

    Args:
        folder: of the run; one that was never exported has left nothing behind.
    """
    try:
        names = contents(folder / LEFT_BEHIND).decode("utf-8").splitlines()
    except (OSError, ValueError):
        return set()
    inside = {name for name in names if not is_for_outside(PurePosixPath(name))}
    return {name for name in inside if _is_absent(folder / name)}


def _is_absent(path: Path) -> bool:
    try:
        return contents(path) == STAND_IN.encode()
    except OSError:
        return not path.exists()


def _files(folder: Path) -> Iterator[Path]:
    """Regular files, and none that a link leads to."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _note(run: Path, target: Path) -> None:
    """Name what the list of a sealed run has, and does not go out."""
    try:
        names = [name for name in sealed(run) if not is_for_outside(PurePosixPath(name))]
    except InputError:
        return  # `verify` tells of the list
    text = "".join(f"{name}\n" for name in names)
    (target / LEFT_BEHIND).write_text(text, encoding="utf-8", newline="\n")


def _stand_in(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STAND_IN, encoding="utf-8", newline="\n")
