"""What was measured of classes of service, held against what they are promised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gatepass.base.errors import NotProven
from gatepass.results.record import MIDDLE_OF, Measurement, figure, measured, required
from gatepass.scenarios.objectives.figures import CLOCKS_UNKNOWN, Figure, Shown
from gatepass.scenarios.objectives.sent import Sent
from gatepass.verdict.judgement import FAIL, WITHOUT, Rig, conclude, decide, misses

BOTH_WAYS = 2.0
"""A round trip longer than twice what is allowed one way is too long on one of its ways."""
CLOSE_SHARE = 0.1
"""Of a threshold: what misses it by no more is sent again before it counts."""
IN_FULL = 3
"""Figures that are told with all that speaks for them; of more there are only the figures."""


def is_close(held: Measurement) -> bool:
    """Whether a figure misses its threshold by so little that a moment's stall may be why."""
    limit = held.threshold
    if limit is None or decide(held, limit, held.relation) != FAIL:
        return False
    return abs(held.value - limit) <= CLOSE_SHARE * limit


def taken(
    figure: Figure, shown: Shown, sent: Sent, again: Callable[[], Sequence[Sent]]
) -> Measurement:
    """A figure; where it misses its threshold by little, the middle one of several.

    Args:
        figure, shown: what is measured, and of which class and way.
        sent: what was sent first.
        again: sends the same an even number of times more; called where it is needed.
    """
    first = figure(shown, sent)
    if not is_close(first):
        return first
    return middle_of([first, *(figure(shown, other) for other in again())])


def middle_of(several: Sequence[Measurement]) -> Measurement:
    """The one in the middle, with the values of all.

    Args:
        several: of one thing, an odd number of them.
    """
    middle = sorted(several, key=lambda one: one.value)[len(several) // 2]
    facts = middle.facts | {MIDDLE_OF: len(several)}
    return replace(middle, trials=tuple(one.value for one in several), facts=facts)


class Beside:
    """The same classes on the path without the gateway, sent where a figure misses its limit.

    Args:
        send: sends them there, once; None where there is no such path.
        figure: of what was sent.
        shown: of which class and way.
    """

    controls: Sequence[float] | None = None

    def __init__(self, send: Callable[[], Sent] | None, figure: Figure, shown: Shown) -> None:
        self._send, self._figure, self._shown = send, figure, shown
        self._alone: Measurement | None = None

    def limits(self, held: Measurement) -> str:
        """Why the rig itself could have caused it; empty where it could not."""
        if self._send is None:
            return (
                f"{WITHOUT} was not measured, so a slow test set-up cannot be distinguished from "
                "a slow gateway. Give both endpoints a direct_address in the testbed file."
            )
        self._alone = self._figure(self._shown, self._send())
        if misses(self._alone):  # a rig is suspected sooner than a gateway is blamed
            return (
                f"{WITHOUT} shows {measured(self._alone)} as well. Run again when nothing else is "
                "running on the endpoints."
            )
        return ""

    def compared(self) -> str:
        """What was seen there, as a sentence."""
        return f"{WITHOUT} shows {measured(self._alone)}." if self._alone else ""


@dataclass(frozen=True)
class Held:
    """A figure of one class, one way, with what the rig itself shows.

    Attributes:
        measurement: with its threshold; one without is told and held against nothing.
        beside: see `Beside`; None where the rig could not cause that it is missed.
    """

    measurement: Measurement
    beside: Beside | None


def conclude_all(held: Sequence[Held]) -> None:
    """Return where each is as promised; raise for every other verdict, with all that are not.

    Raises:
        AssertionError: the gateway misses some.
        NotProven: it misses none, and about some the rig cannot tell.
    """
    failed, unproven = [], []
    for one in held:
        if one.measurement.threshold is None:
            continue
        try:
            _conclude(one)
        except AssertionError as miss:
            failed.append((one.measurement, str(miss)))
        except NotProven as unknown:
            unproven.append((one.measurement, str(unknown.reason)))
    if failed:
        raise AssertionError(_in_words(failed))
    if unproven:
        raise NotProven(_in_words(unproven))


def _in_words(those: Sequence[tuple[Measurement, str]]) -> str:
    """The first in full, the others by their figures: nobody reads a dozen sentences alike."""
    told = [sentence for _, sentence in those[:IN_FULL]]
    if others := [one for one, _ in those[IN_FULL:]]:
        figures = (f"{one.subject}, {figure(one.value)} {one.unit}" for one in others)
        told.append(f"The same of: {'; '.join(figures)}.")
    return " ".join(told)


def _conclude(one: Held) -> None:
    held, beside = one.measurement, one.beside
    if beside is None:
        conclude(held, Rig(()), str)
    elif held.facts.get("there_and_back"):
        _of_round_trips(held, beside)
    elif (error := held.facts.get("clock_error_ms")) == CLOCKS_UNKNOWN:
        raise NotProven(
            f"{_told(held)} The endpoints' clocks were set meanwhile, or went unevenly: have both "
            "keep time (NTP)."
        )
    elif error is not None:
        _by_clocks(held, float(error), beside)
    else:
        conclude(held, beside, beside.compared)


def _of_round_trips(held: Measurement, beside: Beside) -> None:
    limit = held.threshold
    told = f"{_told(held)} The endpoints' clocks do not agree, so it is there and back."
    if held.value <= limit:
        return
    if held.value <= BOTH_WAYS * limit:
        raise NotProven(f"{told} One way it may be within its limit: have both keep time (NTP).")
    _fail(told, held, beside)


def _by_clocks(held: Measurement, error_ms: float, beside: Beside) -> None:
    if held.value + error_ms <= held.threshold:
        return
    told = f"{_told(held)} The endpoints' clocks agree to within {error_ms:g} ms."
    if held.value - error_ms <= held.threshold:
        raise NotProven(f"{told} That is too close to call: have both keep time (NTP, PTP).")
    _fail(told, held, beside)


def _fail(told: str, held: Measurement, beside: Beside) -> None:
    if limit := beside.limits(held):
        raise NotProven(f"{told} {limit}")
    raise AssertionError(f"{told} {beside.compared()}")


def _told(held: Measurement) -> str:
    return f"{held.subject}: {measured(held)}; promised is {required(held)}."
