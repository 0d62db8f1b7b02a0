"""Two runs beside each other: whose figures differ by more than runs differ anyway, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gatepass.base.chapters import called_now
from gatepass.history.changes import SURE, by_chance
from gatepass.history.differences import differences
from gatepass.history.series import Point, RecordedRun
from gatepass.history.steps import step
from gatepass.history.store import facts_of
from gatepass.results.record import PASS
from gatepass.serve.folder import Run, checks_of


@dataclass(frozen=True)
class Figure:
    """A figure of one run, and its verdict; of a run of before that of its check."""

    point: Point
    verdict: str


@dataclass(frozen=True)
class Pair:
    """A figure of both runs.

    Attributes:
        name: promise and conditions in words.
        unit, layer: of both.
        one, other: None where that run has none.
    """

    name: str
    unit: str
    layer: str
    one: Figure | None
    other: Figure | None

    @property
    def held(self) -> Point | None:
        """The newer of both that is held against a promise."""
        held = (figure.point for figure in (self.other, self.one) if figure)
        return next((point for point in held if point.threshold is not None), None)

    @property
    def step(self) -> str:
        """From the one to the other, in words; empty where one of them is missing."""
        if not (self.one and self.other):
            return ""
        one, other = self.one.point, self.other.point
        return step(one.value, other.value, self.unit, one.half_width)

    @property
    def differs(self) -> bool:
        """Whether by more than two runs of an unchanged gateway do (docs/history.md)."""
        both = self.one and self.other
        return bool(both) and by_chance([self.one.point], [self.other.point], self.unit) < SURE


@dataclass(frozen=True)
class Turned:
    """A check that ended otherwise."""

    chapter: str
    name: str
    one: str
    other: str
    message: str


@dataclass(frozen=True)
class Comparison:
    """Two runs beside each other.

    Attributes:
        turned: checks that ran in both and ended otherwise.
        alone: how many checks ran in one of the two only, the first and the second.
        pairs: the figures of both.
        differences: what else was different, in phrases.
    """

    turned: list[Turned]
    alone: tuple[int, int]
    pairs: list[Pair]
    differences: list[str]


def compare(one: Run, other: Run) -> Comparison:
    """Put two ended runs beside each other; what is told as different goes from one to other."""
    first, second = _Side.of(one), _Side.of(other)
    return Comparison(
        list(_turned(first, second)),
        (len(first.ran.keys() - second.ran.keys()), len(second.ran.keys() - first.ran.keys())),
        _pairs(first, second),
        differences(first.recorded, second.recorded),
    )


@dataclass(frozen=True)
class _Side:
    """One of the two, with its checks."""

    recorded: RecordedRun
    checks: list[dict[str, Any]]

    @classmethod
    def of(cls, run: Run) -> _Side:
        return cls(_recorded(run), checks_of(run))

    @property
    def ran(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The checks that ran, by chapter and name."""
        return {
            (called_now(check["chapter"]), check["name"]): check
            for check in self.checks
            if check.get("ran", True)
        }


def _recorded(run: Run) -> RecordedRun:
    document = run.document
    gateway, profile = document["gateway"], document["profile"]
    return RecordedRun(
        run=run.name,
        started=run.started,
        verdict=run.state,
        reasons=tuple(document["reasons"]),
        counts=document["counts"],
        order=run.order,
        customer=run.customer,
        tier=run.tier,
        serial=run.gateway,
        version=str(gateway.get("version") or ""),
        profile=str(profile.get("name") or ""),
        facts=facts_of(document),
        output=str(run.folder),
    )


def _turned(one: _Side, other: _Side) -> Iterator[Turned]:
    before = one.ran
    for key, check in other.ran.items():
        both = [before.get(key, check), check]
        verdicts = [each["verdict"] for each in both]
        if verdicts[0] != verdicts[1]:
            told = next(each["message"] for each in reversed(both) if each["verdict"] != PASS)
            yield Turned(*key, *verdicts, told)


def _pairs(one: _Side, other: _Side) -> list[Pair]:
    before, after = _figures(one), _figures(other)
    return [
        Pair(*said, before.get(key), after.get(key)) for key, said in _named(other, one).items()
    ]


def _named(*sides: _Side) -> dict[tuple, tuple[str, str, str]]:
    """Words, unit and layer of all figures by their identity, as the first side has them."""
    found: dict[tuple, tuple[str, str, str]] = {}
    for side in sides:
        for check in side.checks:
            for measured in check["measurements"]:
                words = ", ".join(
                    part for part in (measured["promise"], measured["conditions"]) if part
                )
                found.setdefault(_key(measured), (words, measured["unit"], measured["layer"]))
    return found


def _figures(side: _Side) -> dict[tuple, Figure]:
    return {
        _key(measured): Figure(
            _point(measured, side.recorded), measured.get("verdict", check["verdict"]) or ""
        )
        for check in side.checks
        for measured in check["measurements"]
        if measured["value"] is not None
    }


def _key(measured: dict[str, Any]) -> tuple:
    identity = measured["identity"]
    conditions = json.dumps(identity["conditions"], sort_keys=True)
    return identity["promise"], conditions, measured["unit"], measured["layer"]


def _point(measured: dict[str, Any], run: RecordedRun) -> Point:
    return Point(
        run,
        measured["value"],
        measured["half_width"],
        tuple(trial for trial in measured["trials"] if trial is not None),
        measured["threshold"],
        measured["relation"],
    )
