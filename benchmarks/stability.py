"""How the verdict on one gateway holds on a quiet machine and beside other programs.

The chapters that measure rates run again and again against one lab: undisturbed, with every core
taken in bursts, and with one core taken throughout. A sound gateway must never be rejected, and one
that is set 3 % below its tier must never be approved. Of checks that measure in the same way, one
after the other, the first and the last run: two minutes a run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.bench_lab import BenchLab, labs
from benchmarks.table import show, spread
from gatepass.results.outcome import read
from gatepass.results.record import FAIL, NOT_PROVEN, PASS

CHECKS = (
    *("The test set-up before.*", "The tier's ceiling.*", "The test set-up after.*"),
    *("Stateful firewall.*.One Policy, Without NAT", "Stateful firewall.*.1000 Policies, With NAT"),
    "Stateful firewall.*.Hardly Any Packet Is Lost",
    *("Security services.*.HTTP Downloads", "Security services.*.Objects Of 16 KB Over HTTP"),
    "Security services.*.A Mix Of Applications",
)
HOW_MANY = 11
"""Checks that these names stand for: a name that fits none would be left out without a word."""
BURST_S = 2.0
BELOW = ("shaper-below-tier", "percent=93.2")
"""Of the lab's 326 Mbit/s: TCP goodput of 291 Mbit/s, 3 % below the tier's 300."""

# On and off in turns: all of BURST_S, or throughout without a second argument.
_TAKER = """
import sys, time
begun = time.monotonic()
while True:
    if len(sys.argv) > 1 and (time.monotonic() - begun) // float(sys.argv[1]) % 2:
        time.sleep(0.01)
"""


def main(args: Namespace) -> None:
    """Runs of each kind, `--times` of a sound gateway (10 unless given), a third of one below."""
    sound = args.times or 10
    loads = {
        "quiet": (),
        "every core in bursts of 2 s": (str(BURST_S),) * (os.cpu_count() or 1),
        "one core throughout": ("",),
    }
    rows = []
    with labs() as (lab,):
        for gateway, fault, times in (
            ("sound", (), sound),
            ("3 % below its tier", BELOW, max(1, sound // 3)),
        ):
            if fault:
                lab.must("lab", "fault", *fault, "--lab", "bench")
            for load, takers in loads.items():
                verdicts: Counter[str] = Counter()
                walls = []
                for _ in range(times):
                    with taken(takers):
                        begun = time.monotonic()
                        verdict, words = _run(lab, args.profile)
                        walls.append(time.monotonic() - begun)
                    verdicts[verdict] += 1
                    print(f"{gateway}, {load}: {verdict}", *words, sep="\n- ", flush=True)
                counts = (verdicts[one] for one in ("approved", "not proven", "rejected"))
                rows.append((gateway, load, times, *counts, spread(walls, 0)))
    print()
    show(("gateway", "load", "runs", "approved", "not proven", "rejected", "s a run"), rows)


def _run(lab: BenchLab, profile: str) -> tuple[str, list[str]]:
    """The verdict on the checks that ran, and why it is not approved."""
    chosen = [word for name in CHECKS for word in ("--test", f"*.{name}")]
    lab.python(
        *("-m", "gatepass", "run", "--testbed", str(lab.testbed_file), "--profile", profile),
        *("--", *chosen),
    )
    folder = lab.last_run
    checks = [one for one in read(folder / "output.xml").checks if one.elapsed_s]
    if len(checks) != HOW_MANY:
        raise SystemExit(f"stability: {len(checks)} checks ran in place of {HOW_MANY}; see CHECKS.")
    found = {check.verdict for check in checks}
    words = [
        f"{check.name}: {check.verdict}: {check.message[:160]}"
        for check in checks
        if check.verdict in (FAIL, NOT_PROVEN)
    ]
    if FAIL in found:
        return "rejected", words
    return ("approved" if found == {PASS} else "not proven"), words


@contextmanager
def taken(takers: tuple[str, ...]) -> Iterator[None]:
    """Have programs take the processors for as long as the block lasts, a session each.

    Args:
        takers: one for each: the length of its bursts in seconds; empty for throughout.
    """
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", _TAKER, *([burst] if burst else [])], start_new_session=True
        )
        for burst in takers
    ]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()
