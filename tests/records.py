"""Records of real runs, for tests of what is made of them: tests/data/records.

`python tests/records.py RUN NAME [FOLDER]` keeps the record of the run in the folder RUN as
NAME.xml.xz, without the paths of the machine that it ran on.
"""

from __future__ import annotations

import lzma
import re
import sys
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from gatepass.report.certificate import render
from gatepass.results.outcome import Outcome, read

FOLDER = Path(__file__).parent / "data" / "records"
FAULTY = FOLDER / "faulty"
"""Of runs with two or three faults at once."""
NAMES = sorted(path.name.removesuffix(".xml.xz") for path in FOLDER.glob("*.xml.xz"))
ROOT = "/srv/gatepass"
"""Where every record says that the project lay."""
_SUITES = re.compile(rb'<suite [^>]*source="([^"]+)/suites"')
_LARGEST = 9 | lzma.PRESET_EXTREME


def xml(name: str) -> bytes:
    """The output.xml of a record.

    Args:
        name: one of `NAMES`.
    """
    return lzma.decompress((FOLDER / f"{name}.xml.xz").read_bytes())


def faulty(name: str, folder: Path) -> Outcome:
    """What the record of a run with several faults tells.

    Args:
        name: of its file in `FAULTY`.
        folder: for its output.xml.
    """
    output = folder / f"{name}.xml"
    output.write_bytes(lzma.decompress((FAULTY / f"{name}.xml.xz").read_bytes()))
    return read(output)


def outcome(name: str, folder: Path) -> Outcome:
    """What a record tells.

    Args:
        name: one of `NAMES`.
        folder: for its output.xml.
    """
    output = folder / f"{name}.xml"
    output.write_bytes(xml(name))
    return read(output)


def page(name: str, language: str, folder: Path) -> str:
    """The certificate of a record, had its order asked for a language.

    Args:
        name: one of `NAMES`.
        language: a code.
        folder: for its output.xml.
    """
    known, digest = _known(name, folder)
    order = known.run["order"] | {"language": language}
    return render(replace(known, run=known.run | {"order": order}), digest)


@cache
def _known(name: str, folder: Path) -> tuple[Outcome, str]:
    return outcome(name, folder), sha256(xml(name)).hexdigest()


def keep(run: Path, name: str, folder: Path | None = None) -> Path:
    """Keep the record of a run.

    Args:
        run: its folder.
        name: that it is to have.
        folder: where it is kept; that of all unless given.
    """
    told = (run / "output.xml").read_bytes()
    found = _SUITES.search(told)
    if found is None:
        raise SystemExit(f"{run}: no suites that tell where the project lay")
    for path, instead in ((found[1], ROOT), (bytes(run.resolve().parent), f"{ROOT}/results")):
        told = told.replace(path, instead.encode())
    kept = (folder or FOLDER) / f"{name}.xml.xz"
    kept.write_bytes(lzma.compress(told, preset=_LARGEST))
    return kept


if __name__ == "__main__":
    print(keep(Path(sys.argv[1]), sys.argv[2], *map(Path, sys.argv[3:4])))
