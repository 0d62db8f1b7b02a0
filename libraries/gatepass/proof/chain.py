"""The chain of runs: each names the records before it, so that none can vanish unseen.

Runs of a fleet begin side by side after the same one, and the next run names all of them: a chain
that parts and joins again, as the history of a version control system does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gatepass.base.digests import digest_of, has_digest
from gatepass.base.paths import FLEET, ORDERS, results_of, run_folder, run_name
from gatepass.proof.folder import INPUTS, SUMS

BEFORE = "before.json"
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
