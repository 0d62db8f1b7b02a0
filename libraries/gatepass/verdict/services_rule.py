"""How often downloads through a gateway that inspects them are repeated."""

from __future__ import annotations

from gatepass.verdict.judgement import Rule

FEWEST = 3
"""Trials of a kind; two would give an interval that only chance makes narrow."""


def repeated(rule: Rule, fewest: int) -> Rule:
    """As many as are asked for, and up to four times as many until they decide.

    Args:
        rule: of the run.
        fewest: trials.
    """
    return rule.of_trials(fewest, 4 * fewest)


def at_once(rule: Rule, count: int) -> Rule:
    """Rates of which all were taken before the first look at any.

    Args:
        rule: of the run.
        count: of them.
    """
    return rule.of_trials(count, count)
