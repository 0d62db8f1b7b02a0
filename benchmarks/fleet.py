"""Four orders side by side, and alone: time of what talks, figures of what measures.

What talks is timed beside the one order of the highest tier. Figures are held against those of each
order alone; as two runs of one order differ as well, so are those of each order alone once more.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import show, spread
from gatepass.base.paths import ROOT
from gatepass.fleet.call import LAB_ORDERS
from gatepass.results.outcome import Outcome, read
from gatepass.results.record import Measurement
from listeners.Turns import MEASURING, WAITING

SIDE_BY_SIDE = 4
_TALKING = tuple(word for tag in sorted({*MEASURING, WAITING}) for word in ("--exclude", tag))
_FIGURES = tuple(word for tag in sorted(MEASURING) for word in ("--include", tag))


def main(args: Namespace) -> None:
    """Both parts, each with the orders alone first and then all at once."""
    orders = sorted(LAB_ORDERS.glob("*.yaml"))[:SIDE_BY_SIDE]
    times = args.times or 1
    alone_s: list[float] = []
    together_s: list[float] = []
    for _ in range(times):
        alone_s.append(_elapsed_s(_run(orders[-1:], args.profile, _TALKING)))
        together_s.append(_elapsed_s(_run(orders, args.profile, _TALKING)))
    ratios = [together / alone for together, alone in zip(together_s, alone_s, strict=True)]
    print("What only talks, without the labs' own set-up:\n")
    show(
        ("one alone, s", f"{SIDE_BY_SIDE} side by side, s", "ratio"),
        [(spread(alone_s, 1), spread(together_s, 1), spread(ratios))],
    )
    alone = _each_alone(orders, args.profile)
    together = dict(_run(orders, args.profile, _FIGURES))
    again = _each_alone(orders, args.profile)
    print("Figures, mean ± half of the 95 % interval:\n")
    rows = _rows(alone, together)
    show(("order", "figure", "alone", "in the fleet", "apart", "both intervals", ""), rows)
    print(
        f"{_further(rows)} of {len(rows)} lie further apart than that; between two runs of each "
        f"order alone it is {_further(_rows(alone, again))}."
    )


def _each_alone(orders: Sequence[Path], profile: str) -> dict[str, Outcome]:
    return {name: one for order in orders for name, one in _run([order], profile, _FIGURES)}


def _further(rows: Sequence[tuple[object, ...]]) -> int:
    return sum(bool(row[-1]) for row in rows)


def _run(orders: Sequence[Path], profile: str, robot: Sequence[str]) -> list[tuple[str, Outcome]]:
    """The outcome of each of these orders, run at once in labs of their own."""
    with tempfile.TemporaryDirectory() as folder:
        chosen, results = Path(folder, "orders"), Path(folder, "results")
        chosen.mkdir()
        for order in orders:
            shutil.copy(order, chosen)
        words = [str(ROOT / "run.sh"), "--orders", str(chosen), "--lab-gateways", str(len(orders))]
        done = subprocess.run(
            [*words, "--profile", profile, "--", *robot],
            env={**os.environ, "GATEPASS_RESULTS": str(results)},
            capture_output=True,
            text=True,
            check=False,
        )
        outputs = sorted(results.glob("fleet-*/orders/*/output.xml"))
        if len(outputs) != len(orders):
            sys.exit(f"not every order has results:\n{done.stdout}{done.stderr}")
        return [(output.parent.name, read(output)) for output in outputs]


def _elapsed_s(ended: Sequence[tuple[str, Outcome]]) -> float:
    """All began at once, so the longest is how long they took together."""
    return max(outcome.elapsed_s for _, outcome in ended)


def _rows(alone: dict[str, Outcome], together: dict[str, Outcome]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for name, outcome in alone.items():
        others = {check.name: check for check in together[name].checks}
        for check in outcome.checks:
            pairs = zip(check.measurements, others[check.name].measurements, strict=False)
            rows += [
                (name, f"{check.name}: {one.promise}, {one.conditions}", *_compared(one, other))
                for one, other in pairs
                if None not in (one.half_width, other.half_width)  # one trial has no spread
            ]
    return rows


def _compared(one: Measurement, other: Measurement) -> tuple[str, ...]:
    wide = one.half_width + other.half_width
    apart = abs(one.value - other.value)
    return (
        f"{one.value:,.1f} ± {one.half_width:,.1f} {one.unit}",
        f"{other.value:,.1f} ± {other.half_width:,.1f} {other.unit}",
        f"{apart:,.2f}",
        f"{wide:,.2f}",
        "further apart" if apart > wide else "",
    )
