"""Holds suite and lab against what is published about FortiOS, and prints what differs.

    PYTHONPATH=libraries:.:tests python -m conformity [--collection FOLDER SDK LIMITS] [RECORDING …]

With --collection the facts are collected anew (see `collect`). Each RECORDING is a conversation of
`./run.sh --record-api` with a real gateway or the lab's, named …-RELEASE.jsonl or .jsonl.gz; then
these alone are held. Exit status: 0 where nothing differs but what is listed, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from .collect import collect
from .drive import hold_all, is_listed
from .facts import Facts
from .mismatch import Found
from .suite import hold, recorded


def main() -> int:
    """Hold and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collection", nargs=3, type=Path, metavar=("FOLDER", "SDK", "LIMITS"))
    parser.add_argument("recordings", nargs="*", type=Path, metavar="RECORDING")
    told = parser.parse_args()
    facts = Facts(_collected(*told.collection) if told.collection else None)
    if told.recordings:
        return _shown("suite", _of_recordings(facts, told.recordings), set())
    lab, suite = hold_all(facts)
    listed = {one for one in lab.releases if is_listed(one.table, one.attribute, one.kind)}
    return _shown("lab", lab, listed) | _shown("suite", suite, set())


def _collected(folder: Path, sdk: Path, limits: Path) -> dict:
    return collect(folder, sdk, json.loads(limits.read_text(encoding="utf-8")))


def _of_recordings(facts: Facts, files: list[Path]) -> Found:
    found = Found()
    for file in files:
        release = re.search(r"-(\d+\.\d+\.\d+)\.jsonl", file.name)
        if release is None:
            sys.exit(f"{file}: name it …-RELEASE.jsonl, such as conversation-7.4.8.jsonl.")
        calls = recorded(file)
        found.held += len(calls)
        found.add(hold(facts, release[1], calls), release[1])
    return found


def _shown(side: str, found: Found, listed: set) -> int:
    others = [one for one in found.releases if one not in listed]
    what = "attributes" if side == "lab" else "calls"
    print(f"{side}: {found.held:,} {what} held, {len(others)} mismatches, {len(listed)} listed")
    for line in found.lines():
        print(f"  {line}")
    return int(bool(others))


if __name__ == "__main__":
    sys.exit(main())
