"""When RFC 9411 takes what was seen in a sustain phase as valid, and what that took to show.

Section 4.3.4 (phases) and the test results validation criteria of 7.1.3 and 7.3.3. That the rate be
steady SHOULD hold there. It qualifies the figure; the promise is judged by the figure's own bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from gatepass.stats.quantiles import special

SUSTAIN_S = 300
"""Recommended; longer trials of one kind show nothing more."""
LONGEST_WINDOW_S = 1.0
"""In which the rate is looked at; the RFC has figures taken more often than every 2 s."""
UNSTEADY_PERCENT = 5.0
"""The rate of forwarding should deviate by less."""
FAILED = 1e-5
"""Less than this share of all transactions may fail: 0.001 %."""


def deviation_percent(rates: Sequence[float]) -> float:
    """By how much the rate of a window differed at most from the mean of all, in per cent.

    Args:
        rates: of windows of equal length, at least one, of any unit.
    """
    mean = fmean(rates)
    return max(abs(rate - mean) for rate in rates) / mean * 100 if mean else 0.0


def too_many(failed: int, attempted: int) -> bool:
    """Whether more transactions failed than the RFC allows of so many."""
    return failed > 0 and failed >= attempted * FAILED


def failing_at_most(failed: int, attempted: int, confidence: float) -> float:
    """The largest share of failures that what was seen leaves room for.

    The upper bound of a Poisson count, which for rare failures is that of the binomial (none of
    300,000 shows less than 0.001 % at 95 %: the rule of three).

    Args:
        failed, attempted: transactions, of which at least one was attempted.
        confidence: one-sided, 0.95 for 95 %.
    """
    return min(1.0, float(special().gammaincinv(failed + 1, confidence)) / attempted)


def failures_in_words(failed: int, attempted: int, confidence: float) -> str:
    """How many failed, and what that shows of the RFC's 0.001 %, in two sentences."""
    if not attempted:
        return "No attempt was made."
    most = failing_at_most(failed, attempted, confidence)
    shown = "demonstrated" if most < FAILED else "not demonstrated by so few attempts"
    if too_many(failed, attempted):
        shown = "not met"
    return (
        f"{failed:,} of {attempted:,} failed, so at most {most * 100:.2g} % do "
        f"({confidence * 100:g} %). RFC 9411's less than 0.001 % is {shown}."
    )


def steadiness_in_words(percent: float) -> str:
    """What the deviation of the rate means, in one sentence."""
    if percent < UNSTEADY_PERCENT:
        return f"The rate deviated by {percent:.1f} % at most; RFC 9411's less than 5 % is met."
    return (
        f"RFC 9411's 5 % not met: the rate deviated by {percent:.1f} % in the sustain phase, so "
        "this is no figure by RFC 9411."
    )
