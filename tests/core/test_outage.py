"""An outage at a moment, held against its limit and against what other paths show."""

from __future__ import annotations

import pytest

from gatepass.base.errors import NotProven
from gatepass.endpoint.pulse import Gap, Pulses
from gatepass.scenarios.site_to_site.outage import Outage, around, conclude, longest

NONE, SHORT, LONG = Outage(0, 20), Outage(40, 20), Outage(1340, 20)


def test_gaps_near_a_moment_are_told_from_others() -> None:
    early, touching, late = Gap(100, 0.02), Gap(194.5, 0.6), Gap(206.5, 0.5)
    near, elsewhere = around(Pulses(900, 800, (early, touching, late)), (200, 201), 5)
    assert near == (touching,) and elsewhere == (early, late)
    assert longest(near, 0.02) == Outage(600, 20)
    assert longest((), 0.02) == NONE


def test_it_is_told_to_within_a_pulse() -> None:
    assert (SHORT.least, SHORT.most) == (20, 60)
    assert (NONE.least, NONE.most) == (0, 20)


@pytest.mark.parametrize("inside", [NONE, SHORT])
def test_a_short_one_passes(inside: Outage) -> None:
    conclude("Outage", inside, LONG, LONG, 60)


def test_more_than_a_second_fails_however_long_was_looked_at() -> None:
    """At 1 % of 135 s it was allowed."""
    with pytest.raises(AssertionError, match=r"1340 ± 20 ms .*, which has no spread"):
        conclude("Outage", LONG, NONE, SHORT, 60)


@pytest.mark.parametrize(
    ("inside", "outside", "elsewhere", "words"),
    [
        (LONG, Outage(80, 20), NONE, "path without a tunnel there were 80 ± 20 ms"),
        (LONG, NONE, Outage(80, 20), "away from that moment, there were 80 ± 20 ms"),
        (Outage(60, 20), NONE, NONE, "too close to call"),
    ],
)
def test_what_may_have_another_cause_is_not_proven(
    inside: Outage, outside: Outage, elsewhere: Outage, words: str
) -> None:
    with pytest.raises(NotProven, match=words):
        conclude("Outage", inside, outside, elsewhere, 60)


def test_a_limit_under_the_resolution_is_never_passed() -> None:
    with pytest.raises(NotProven, match="too close"):
        conclude("Outage", NONE, NONE, NONE, 10)


def test_a_sender_that_stands_still_cannot_tell_that_a_path_was_open() -> None:
    pulses = Pulses(900, 900, (), (Gap(200.2, 0.0, 1.3),))
    near, _ = around(pulses, (200, 200), 5)
    inside = longest(near, 0.02)
    assert (inside.ms, inside.least, inside.most) == (0, 0, 1300)
    with pytest.raises(NotProven, match="The client stood still and sent nothing during a part"):
        conclude("Outage", inside, NONE, NONE, 60)


def test_nor_is_its_own_standstill_an_outage() -> None:
    """One pulse was lost, and the next was sent a second later."""
    inside = longest((Gap(200, 0.02, 1.04),), 0.02)
    assert (inside.least, inside.most) == (0, 1040)
    with pytest.raises(NotProven, match="1040 ms, so the interruption may have lasted longer"):
        conclude("Outage", inside, NONE, NONE, 60)


def test_a_pulse_that_is_a_little_late_changes_nothing() -> None:
    assert longest((Gap(200, 0.04, 0.07),), 0.02) == SHORT
