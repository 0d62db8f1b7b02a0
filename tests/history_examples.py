"""Runs for the record, as `results.document` tells them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from certificate_checks import throughput
from certificate_examples import DIGEST, approved
from gatepass.history import store
from gatepass.history.series import Point, RecordedRun, Trend
from gatepass.report.results_json import document
from gatepass.results.outcome import Outcome
from said import words

SERIAL = "FGVM02TM24001234"
FIRST = datetime(2026, 3, 2, 8, 0, tzinfo=timezone(timedelta(hours=2)))


def outcome(
    number: int,
    mbps: Sequence[float] = (309.0,),
    serial: str = SERIAL,
    shaper: float = 320.0,
    run: dict | None = None,
    **gateway: object,
) -> Outcome:
    """The run of a day.

    Args:
        number: of the day, from 0.
        mbps: throughput with 1 policy, 100 policies, …
        serial: of the gateway.
        shaper: its shaper's rate, Mbit/s.
        run: further facts of the run.
        gateway: further facts of the gateway.
    """
    told = approved(serial=serial, **gateway)
    started = FIRST + timedelta(days=number)
    told.run |= {
        "run_id": f"{started:%Y%m%d-%H%M%S}-{serial[-4:]}",
        "started": started.isoformat(timespec="seconds"),
        "gateway_settings": {
            "shapers": [
                {"name": "sgw-200", "mbps": shaper, "guaranteed_mbps": 0, "policies": [1, 2]}
            ]
        },
        "order": told.run["order"] | {"shaper": None},
        **(run or {}),
    }
    kept = [check for check in told.checks if check.chapter == "Before the test"]
    return replace(
        told,
        checks=kept
        + [throughput(10**power, False, value, 0.7) for power, value in enumerate(mbps)],
    )


def added(record: Path, *outcomes: Outcome) -> None:
    """Add runs to a record."""
    for one in outcomes:
        store.add(record, document(one, DIGEST), record.parent / one.run["run_id"] / "output.xml")


def series(
    figures: Sequence[Sequence[float]],
    unit: str = "Mbit/s",
    threshold: float = 300.0,
    relation: str = "at least",
) -> Trend:
    """A series with these trials of each run."""
    points = tuple(
        Point(_run(number), sum(trials) / len(trials), None, tuple(trials), threshold, relation)
        for number, trials in enumerate(figures)
    )
    return Trend("stateful_throughput", words("1 policy, NAT off"), unit, "TCP goodput", points)


def simulated(
    chance: random.Random, runs: int, between: float, within: float, trials: int = 3
) -> Trend:
    """A series without a change.

    Args:
        chance: with a seed.
        runs: how many.
        between, within: standard deviation between the runs, and between the trials of one, as a
            share of the figure.
        trials: of each run.
    """
    return series(
        [
            [rate + chance.gauss(0, within * 300) for _ in range(trials)]
            for rate in (chance.gauss(300, between * 300) for _ in range(runs))
        ]
    )


def _run(number: int) -> RecordedRun:
    started = (FIRST + timedelta(days=number)).isoformat()
    return RecordedRun(
        f"run-{number}", started, "approved", (), {}, "lab", "", "SGW-200", SERIAL, "v7.4.8",
        "quick", {}, "",
    )  # fmt: skip
