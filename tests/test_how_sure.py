"""How sure a verdict is: one number for the whole order, where chance has a part in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from certificate_examples import approved, in_language, not_proven
from certificate_reader import parsed, text
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_PROVEN, PASS
from said import evidence

SHARE = 0.025 / 132
LABELS = {"en": "How sure", "fi": "Kuinka varmaa", "sv": "Hur säkert"}


def told(outcome: Outcome, language: str = "en") -> str:
    """What page 1 says of it."""
    page = parsed(in_language(language, outcome))
    answers = zip(page.iterfind(".//dt"), page.iterfind(".//dd"), strict=False)
    return next(text(answer) for name, answer in answers if text(name) == LABELS[language])


def today(outcome: Outcome, **change: float) -> Outcome:
    """The same run with figures as they are recorded now."""
    outcome.checks = [
        replace(
            check,
            measurements=[
                replace(one, fail_half_width=one.half_width, fail_error=SHARE, **change)
                if one.threshold is not None and one.half_width is not None
                else one
                for one in check.measurements
            ],
        )
        for check in outcome.checks
    ]
    return outcome


def failing(outcome: Outcome, value: float | None) -> Outcome:
    """The same, in which one check failed: with a figure of so many Mbit/s, or by what it saw."""
    found = next(check for check in outcome.checks if check.measurements[-1:] and check.evidence)
    (one,) = found.measurements
    found.verdict = FAIL
    if value is None:
        found.evidence = [evidence("The test policy counted at least the bytes", "nothing", False)]
    else:
        found.measurements = [replace(one, value=value)]
    return outcome


@pytest.mark.parametrize(
    ("language", "number"),
    [
        ("en", "Over all figures together (7) this verdict is wrong at most once in 40 tests"),
        ("fi", "Kaikkien lukujen (7) osalta yhteensä tämä tulos on väärä enintään kerran"),
        ("sv", "För alla värden tillsammans (7) är utfallet fel högst en gång på 40 test"),
    ],
)
def test_one_number_for_all_figures(language: str, number: str) -> None:
    assert told(today(approved()), language).startswith(number)
    assert told(failing(today(approved()), 250.0), language).startswith(number)


@pytest.mark.parametrize(
    ("language", "narrowed"),
    [
        ("en", "What led to this verdict was observed directly, so it is no matter of chance."),
        ("fi", "Tulokseen johtanut seikka havaittiin suoraan,"),
        ("sv", "Det som ledde till utfallet iakttogs direkt"),
    ],
)
def test_what_was_observed_is_no_matter_of_chance(language: str, narrowed: str) -> None:
    assert told(failing(today(approved()), None), language).startswith(narrowed)


def test_where_nothing_was_decided_no_verdict_is_called_wrong() -> None:
    outcome = today(approved())
    outcome.checks.append(Check("Handover", "One", NOT_PROVEN, "The rig was busy."))
    assert "No verdict was reached. Over the figures that were measured (7), one" in told(outcome)
    assert told(not_proven())


def test_more_figures_than_the_plan_held_make_the_number_smaller() -> None:
    outcome = today(approved())
    outcome.checks = [
        replace(check, measurements=[replace(one, fail_error=0.025) if one.fail_error else one
                                     for one in check.measurements])
        for check in outcome.checks
    ]  # fmt: skip
    assert "at most once in 5 tests" in told(outcome)
    assert PASS in {check.verdict for check in outcome.checks}
