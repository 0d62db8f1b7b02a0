"""Runs and series of figures, as they come out of the record."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from gatepass.base.phrase import Phrase, from_json
from gatepass.results.promises import named, of_rig


@dataclass(frozen=True)
class RecordedRun:
    """One run of the record.

    Attributes:
        run: its name in the record (see `store.name_of`).
        started: ISO 8601 with the zone; empty where it is not known.
        verdict: of the order.
        reasons: why it was not approved.
        counts: how many checks ended with each verdict.
        order, customer, tier, serial, version, profile: empty where they are not known.
        facts: what figures may differ by (see `store.facts_of`).
        output: where its ``output.xml`` lay when it was added.
    """

    run: str
    started: str
    verdict: str
    reasons: tuple[str, ...]
    counts: dict[str, int]
    order: str
    customer: str
    tier: str
    serial: str
    version: str
    profile: str
    facts: dict[str, Any]
    output: str


@dataclass(frozen=True)
class Point:
    """A figure of one run.

    Attributes:
        run: in which it was measured.
        value: the mean of its trials.
        half_width: of its confidence interval; None where it has none.
        trials: the figure of each trial.
        threshold, relation: what it was held against.
    """

    run: RecordedRun
    value: float
    half_width: float | None
    trials: tuple[float, ...]
    threshold: float | None
    relation: str


@dataclass(frozen=True)
class Trend:
    """A promise under the same conditions, of one gateway, run by run."""

    identity: str
    conditions: Phrase
    unit: str
    layer: str
    points: tuple[Point, ...]

    @property
    def promise(self) -> str:
        """In a reader's words: "Stateful throughput"."""
        return named(self.identity)

    @property
    def name(self) -> str:
        """In a reader's words: "Stateful throughput, 1 policy, NAT off"."""
        return ", ".join(str(part) for part in (self.promise, self.conditions) if part)

    @property
    def baseline(self) -> bool:
        """Whether it is of the path without the gateway, so of the rig alone."""
        return of_rig(self.identity)

    def of(self, run: str) -> Point | None:
        """The figure of a run; None where it did not measure it."""
        return next((point for point in self.points if point.run.run == run), None)


def runs(connection: sqlite3.Connection) -> list[RecordedRun]:
    """All runs in order of time."""
    counts: dict[str, dict[str, int]] = {}
    counted = "SELECT run, verdict, count(*) AS number FROM checks GROUP BY run, verdict"
    for row in connection.execute(counted):
        counts.setdefault(row["run"], {})[row["verdict"]] = row["number"]
    return [
        RecordedRun(
            run=row["run"],
            started=row["started"] or "",
            verdict=row["verdict"],
            reasons=tuple(json.loads(row["reasons"])),
            counts=counts.get(row["run"], {}),
            order=row["order_name"] or "",
            customer=row["customer"] or "",
            tier=row["tier"] or "",
            serial=row["serial"] or "",
            version=row["version"] or "",
            profile=row["profile"] or "",
            facts=json.loads(row["facts"]),
            output=row["output"],
        )
        for row in connection.execute("SELECT * FROM runs ORDER BY started_s, run")
    ]


def series(connection: sqlite3.Connection, chosen: list[RecordedRun]) -> list[Trend]:
    """The figures of these runs that are held against something, and those of the rig.

    Args:
        connection: of the record.
        chosen: of one gateway, in order of time.
    """
    points: dict[tuple[str, Phrase, str, str], dict[str, Point]] = {}
    for run in chosen:
        wanted = "SELECT * FROM measurements WHERE run = ? ORDER BY position"
        for row in connection.execute(wanted, (run.run,)):
            if row["threshold"] is None and not of_rig(row["promise"]):
                continue
            # as values: 225 and 225.0 are one condition, and two texts
            conditions = from_json(json.loads(row["conditions"]))
            key = (row["promise"], conditions, row["unit"], row["layer"])
            points.setdefault(key, {})[run.run] = Point(
                run,
                row["value"],
                row["half_width"],
                tuple(json.loads(row["trials"])),
                row["threshold"],
                row["relation"],
            )
    return [Trend(*key, tuple(found.values())) for key, found in points.items()]
