"""How long a whole run takes beside the traffic that it measures."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections import defaultdict
from pathlib import Path

from benchmarks.bench_lab import labs
from benchmarks.table import show, spread
from gatepass.results.outcome import Outcome, read


def main(args: Namespace) -> None:
    """Whole runs with a profile against one lab; wall time over traffic time."""
    times = args.times or 1
    walls, traffics, ratios = [], [], []
    chapters: dict[str, float] = defaultdict(float)
    begun = time.monotonic()
    with labs() as (lab,):
        built_s = time.monotonic() - begun
        for _ in range(times):
            begun = time.monotonic()
            done = lab.python(
                *("-m", "gatepass", "run", "--testbed", str(lab.testbed_file)),
                *("--profile", args.profile),
            )
            walls.append(time.monotonic() - begun)
            folder = lab.last_run
            outcome = read(folder / "output.xml")
            print(f"{outcome.verdict}, {len(outcome.checks)} checks, exit code {done.returncode}")
            traffics.append(traffic_s(folder / "trials") + transfers_s(outcome))
            ratios.append(walls[-1] / traffics[-1])
            for check in outcome.checks:
                chapters[check.chapter] += check.elapsed_s / times
    print()
    show(
        ("profile", "wall time, s", "traffic time, s", "wall / traffic"),
        [(args.profile, spread(walls, 1), spread(traffics, 1), spread(ratios))],
    )
    show(("chapter", "s"), [(name, f"{seconds:.1f}") for name, seconds in chapters.items()])
    print(f"Building the lab took {built_s:.1f} s and is not in the wall time.")


def transfers_s(outcome: Outcome) -> float:
    """Seconds in which files were downloaded for a figure."""
    return sum(
        float(measurement.facts.get("transfer_seconds", 0))
        for check in outcome.checks
        for measurement in check.measurements
    )


def traffic_s(trials: Path) -> float:
    """Seconds in which traffic was sent, slow starts included, of all trials of a run."""
    total = 0.0
    for path in trials.glob("*-client.json"):
        intervals = json.loads(path.read_text())["intervals"]
        total += sum(part["sum"]["seconds"] for part in intervals)
    return total
