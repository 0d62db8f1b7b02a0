"""The chain of runs: each names the records before it, so that none can vanish unseen.

Runs of a fleet begin side by side after the same one, and the next run names all of them: a chain
that parts and joins again, as the history of a version control system does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from gatepass.base.digests import digest_of, has_digest
from gatepass.base.paths import FLEET, ORDERS, results_of, run_folder, run_name
from gatepass.proof.findings import Findings
from gatepass.proof.folder import INPUTS, SUMS
from gatepass.report.results_json import NAME as RESULTS

BEFORE = "before.json"
_NAMED_AS_A_RUN = re.compile(r"\d{8}-\d{6}-")
"""What the name of a run's folder begins with, unless somebody has given it another one."""
_SEALING = timedelta(minutes=5)
"""How long a run may print and seal after its last check."""
_MOST = 64
"""So many are named at most; more have no follower only where many fleets ran side by side."""


@dataclass(frozen=True)
class Link:
    """A record that another one names.

    Attributes:
        run: as it is called.
        sha256: of its list, hexadecimal.
    """

    run: str
    sha256: str


def keep(folder: Path) -> None:
    """Write down which records a run that begins comes after.

    Raises:
        OSError: a record cannot be read, or the links not be written.
    """
    heads = _heads(results_of(folder))[-_MOST:]
    links = [asdict(one) for one in heads]
    (folder / INPUTS).mkdir(exist_ok=True)
    (folder / INPUTS / BEFORE).write_text(json.dumps(links, indent=1) + "\n", encoding="utf-8")


def _heads(results: Path) -> list[Link]:
    """The records that none comes after, the oldest first."""
    records = [Link(run_name(folder), digest_of(folder / SUMS)) for folder in _sealed(results)]
    named = {link.sha256 for folder in _sealed(results) for link in before(folder)}
    return [one for one in records if one.sha256 not in named]


def _sealed(results: Path) -> Sequence[Path]:
    inside = f"{FLEET}*/{ORDERS}/*/{SUMS}"
    found = [path.parent for pattern in (f"*/{SUMS}", inside) for path in results.glob(pattern)]
    return sorted(found)


def before(folder: Path) -> Sequence[Link]:
    """The records that a run names; none where it names them in no way that can be read."""
    try:
        links = json.loads((folder / INPUTS / BEFORE).read_text(encoding="utf-8"))
        return [Link(one["run"], one["sha256"]) for one in links]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def missing(results: Path) -> Iterator[str]:
    """What is not as the runs after it have seen it, each in a sentence.

    Args:
        results: the folder of all runs.
    """
    for folder in _sealed(results):
        for link in before(folder):
            of = run_folder(results, link.run)
            if not (of / SUMS).is_file():
                yield f"Run {link.run} is missing: {run_name(folder)} came after it, and names it."
            elif not has_digest(of / SUMS, link.sha256):
                yield (
                    f"The record of run {link.run} was changed: {run_name(folder)}, which came "
                    "after it, names another check sum."
                )


def look(folder: Path, run: str, found: Findings) -> None:
    """Where a run stands among those that are there with it.

    Args:
        folder: of the run.
        run: what it is called, by its own record.
        found: what is added to.
    """
    try:
        results = results_of(folder.resolve())
        name = run_name(folder.resolve())
    except (IndexError, ValueError):
        return
    if run and name != run:
        other = f"The folder is called {name}; the run in it is {run}"
        if _NAMED_AS_A_RUN.match(Path(name).name):
            found.wrong.append(f"{other}.")
        else:
            found.open.append(other)
    there = []
    for link in before(folder):
        sums = run_folder(results, link.run) / SUMS
        if not sums.is_file():
            found.open.append(f"It came after run {link.run}, which is not here")
        elif has_digest(sums, link.sha256):
            there.append(link.run)
        else:
            found.wrong.append(
                f"The record of run {link.run} was changed after {name}, which came after it, was "
                "begun."
            )
    if there:
        found.seen.append(f"its place after {', '.join(there[:3])}")
    if strange := _not_named(results, folder.resolve()):
        found.open.append(
            f"It names none of the runs that lie beside it and had ended before it began "
            f"({', '.join(strange[:3])}): it was made somewhere else, or they were"
        )


def _not_named(results: Path, folder: Path) -> list[str]:
    """Runs that had ended when this one began, and that neither it nor those before it name.

    Nothing follows where one of those that are named is missing: it may have named them.
    """
    began, _ = _span(folder)
    if began is None:
        return []
    named: set[Path] = set()
    new = {folder}
    while new:
        named |= new
        new = {run_folder(results, link.run) for one in new for link in before(one)} - named
        if not all((one / SUMS).is_file() for one in new):
            return []
    others = {one: _span(one)[1] for one in _sealed(results) if one not in named}
    return [run_name(one) for one, ended in others.items() if ended and ended + _SEALING < began]


def _span(folder: Path) -> tuple[datetime | None, datetime | None]:
    """When a run began and ended, as its results tell; None where they do not."""
    try:
        run = json.loads((folder / RESULTS).read_text(encoding="utf-8"))["run"]
        began = datetime.fromisoformat(run["started"]).astimezone()
        return began, began + timedelta(seconds=float(run["duration_s"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None, None
