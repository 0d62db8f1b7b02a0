"""The least favourable figure of an order, and what its margin says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gatepass.base.phrase import say
from gatepass.fleet.outcome import OrderRow
from gatepass.history import steps
from gatepass.report.phrases import join
from gatepass.report.promises import TIER
from gatepass.report.wording import Wording
from gatepass.results.outcome import Check, Outcome
from gatepass.results.promises import PROMISES
from gatepass.results.record import APPROVED, Measurement
from gatepass.verdict.judgement import FAIL, PASS, UNDECIDED, decide

_WORST_FIRST = (FAIL, UNDECIDED, PASS)


@dataclass(frozen=True)
class Worst:
    """The least favourable figure of an order.

    Attributes:
        check: that measured it.
        measurement: it.
        decision: of its own bound: pass, fail or undecided.
    """

    check: Check
    measurement: Measurement
    decision: str

    @property
    def margin(self) -> str:
        """How far it is on the good side of what was promised, in words."""
        one = self.measurement
        if one.tried is not None:
            return f"{one.value:g} of {one.threshold:g}"
        return steps.margin(one.value, one.threshold, one.relation, one.unit)


def worst(outcome: Outcome) -> Worst | None:
    """The least favourable figure of a run; None without one that is held against something.

    One that misses its promise comes first, then one that is not decided, then the one with the
    least room, whatever its kind.
    """
    held = _held(outcome)
    # Of users and tunnels no more are tried than were promised: where all of them were there,
    # that tells nothing of the room left.
    open_ended = [one for one in held if not _counted_all(one.measurement)]
    return min(open_ended or held, key=_favour, default=None)


def worst_of_each(rows: Iterable[OrderRow]) -> dict[str, dict[str, Worst]]:
    """The least favourable figure of each order by promise and order's name.

    Args:
        rows: the orders.

    Returns:
        The promises of a tier, and any other that an order misses or does not decide.
    """
    found: dict[str, dict[str, Worst]] = {}
    for row in rows:
        for one in sorted(_held(row.outcome) if row.outcome else (), key=_favour):
            found.setdefault(one.measurement.promise, {}).setdefault(row.name, one)
    return {
        promise: found[promise]
        for promise in PROMISES
        if promise in found
        and (promise in TIER or any(one.decision != PASS for one in found[promise].values()))
    }


def in_words(outcome: Outcome, words: Wording) -> tuple[str, str]:
    """What the column says: the margin, and of which figure it is; empty without a figure.

    Where an order is not approved although each of its figures is on the good side, the margin of
    one of them would say otherwise: then it stands behind.
    """
    found = worst(outcome)
    if not found:
        return "", ""
    one = found.measurement
    what = join([str(say(one.promise)), str(one.conditions) or found.check.name])
    about = f"{what}: {words.figure(one)}, {words.bound(one.threshold, one.relation)}"
    if found.decision == UNDECIDED:
        return "not decided", about
    if found.decision == PASS and outcome.verdict != APPROVED:
        return "no figure missed", f"least margin {found.margin}: {about}"
    return found.margin, about


def _held(outcome: Outcome) -> list[Worst]:
    """All figures that are held against something."""
    return [
        Worst(check, measured, decide(measured, measured.threshold, measured.relation))
        for check in outcome.checks
        for measured in check.measurements
        if measured.threshold is not None
    ]


def _favour(one: Worst) -> tuple[int, float]:
    measured = one.measurement
    room = steps.room(measured.value, measured.threshold, measured.relation)
    return _WORST_FIRST.index(one.decision), room


def _counted_all(measurement: Measurement) -> bool:
    return measurement.tried is not None and measurement.value == measurement.threshold
