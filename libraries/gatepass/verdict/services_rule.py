"""How often downloads through a gateway that inspects them are repeated."""

from __future__ import annotations

from gatepass.base.phrase import Phrase
from gatepass.verdict.judgement import Rule

FEWEST = 3
"""Trials of a kind; two would give an interval that only chance makes narrow."""
WITH, WITHOUT = "services_throughput", "throughput_without_services"
"""The rates that are measured, by their promises."""
LARGE_FILE, MIX = "download", "mix"
"""Conditions under which they are, by the names of their phrases."""


def rule_of(promise: str, conditions: Phrase, rule: Rule, downloads: int) -> Rule:
    """After which the trials of such a rate are repeated.

    With services on as many as are asked for, and up to four times as many until they decide. Of a
    mix all parts are of one phase, and with services off all trials ran before the first look.

    Args:
        promise, conditions: of the rate.
        rule: of the run.
        downloads: of a large file that the profile asks for, each way.
    """
    objects = max(FEWEST, rule.min_trials)
    if promise == WITHOUT:
        return _at_once(rule, downloads)
    if conditions.name == MIX:
        return _at_once(rule, 2 * objects)
    fewest = downloads if conditions.name == LARGE_FILE else objects
    return rule.of_trials(fewest, 4 * fewest)


def _at_once(rule: Rule, count: int) -> Rule:
    return rule.of_trials(count, count)
