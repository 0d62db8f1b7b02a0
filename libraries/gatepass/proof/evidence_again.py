"""Observations made again from the answers that a run has kept, by the functions that decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gatepass.base.errors import NotProven
from gatepass.proof.findings import Findings
from gatepass.results.kept_answers import Kept, file_of, read
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import PASS, Evidence
from gatepass.scenarios.answers import CLAIMS, KINDS


def look(outcome: Outcome, folder: Path, found: Findings, same_program: bool) -> None:
    """Hold each observation against its answer.

    Args:
        outcome: what the run's ``output.xml`` tells.
        folder: of the run.
        found: takes what comes out.
        same_program: whether this copy of Gatepass is the one that made the run. Another one may
            have kept less, or kinds that nobody knows any more; it is not accused of that.
    """
    answers = _Answers()
    for one in read(folder, KINDS):
        if isinstance(one, Kept):
            found.wrong += answers.add(one)
        elif same_program:
            found.wrong.append(f"{one}.")
        else:
            found.open.append(one)
    found.wrong += answers.contradictions()
    for check in outcome.checks:
        found.wrong += _of_check(check, answers, same_program)
    observed = [one for check in outcome.checks for one in check.evidence]
    again = sum(one.answer in answers.by_number for one in observed)
    if again:
        found.seen.append(f"observations, made again from the answers that were kept: {again}")
    if without := len(observed) - again:
        found.open.append(
            f"Of {len(observed)} observations {without} could not be made again: the record keeps "
            "no answers that they follow from"
        )


class _Answers:
    """All that a run has kept, by number."""

    def __init__(self) -> None:
        self.by_number: dict[int, Kept] = {}

    def add(self, kept: Kept) -> Iterator[str]:
        """One more; what is wrong with where it stands, in sentences."""
        if kept.number in self.by_number:
            yield f"{kept.file} holds an answer {kept.number}, and there is another one already."
        if kept.file != file_of(kept.chapter, kept.check):
            yield f"{kept.file} holds an answer that another check was given: {kept.check}."
        self.by_number[kept.number] = kept

    def contradictions(self) -> Iterator[str]:
        """What in them does not agree with the rest, in sentences."""
        last = max(self.by_number, default=0)
        if missing := sorted(set(range(1, last + 1)) - self.by_number.keys()):
            numbers = ", ".join(map(str, missing[:_MOST]))
            yield f"{len(missing)} of {last} answers are missing, such as {numbers}."
        common: dict[str, object] = {}
        for one in self.by_number.values():
            yield from (f"{_named(one)}: {what}." for what in one.answer.contradictions())
            for key, value in one.answer.of_run().items():
                if common.setdefault(key, value) != value:
                    yield f"{_named(one)}: its {key} is {value}, and before it is {common[key]}."


_MOST = 5
"""Numbers that are told."""


def _of_check(check: Check, answers: _Answers, same_program: bool) -> Iterator[str]:
    own = {
        number
        for number, one in answers.by_number.items()
        if (one.chapter, one.check) == (check.chapter, check.name)
    }
    followed: set[int] = set()
    for seen in check.evidence:
        if seen.answer is None:
            if same_program and seen.holds and seen.claim.name in CLAIMS:
                yield f"{check.name}: no answer is kept that this follows from: {seen.claim}."
            continue
        if seen.answer in followed or seen.answer not in own:
            yield (
                f"{check.name}: answer {seen.answer} of its own is not there, which this follows "
                f"from: {seen.claim}."
            )
            continue
        followed.add(seen.answer)
        yield from _made_again(check, seen, answers.by_number[seen.answer], same_program)
    if check.verdict == PASS and (rest := sorted(own - followed)):
        yield (
            f"{check.name} is recorded as passed, and answer {rest[0]}, which it was given, is "
            "followed by no observation."
        )


def _made_again(check: Check, seen: Evidence, kept: Kept, same_program: bool) -> Iterator[str]:
    try:
        again = replace(kept.answer.evidence(), answer=seen.answer)
    except (NotProven, ValueError, KeyError, TypeError, StopIteration):
        yield f"{_named(kept)}: nothing follows from it; recorded is: {seen.claim}."
        return
    if again.holds is not seen.holds:
        recorded, made = ("so", "not so") if seen.holds else ("not so", "so")
        yield (
            f"{check.name}: “{seen.claim}” is recorded as {recorded}; by {_named(kept)} it is "
            f"{made}: {again.observed}"
        )
    elif same_program and again != seen:
        yield (
            f"{check.name}: “{seen.claim}: {seen.observed}” is recorded; {_named(kept)} makes "
            f"“{again.claim}: {again.observed}”."
        )


def _named(kept: Kept) -> str:
    return f"answer {kept.number} in {kept.file}"
