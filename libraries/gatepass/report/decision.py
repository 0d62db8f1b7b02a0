"""The five answers that a reader of the certificate's first page looks for.

Whether the gateway may be handed over, why, how sure that is, what was not tested, and what to do
next and who does it. Each in one sentence without the terms of the trade.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from gatepass.report.evidence import MOST_ITEMS
from gatepass.report.phrases import capital, filled, shortened
from gatepass.report.promises import PromiseTable
from gatepass.report.reasons import in_words, not_run, promised, reasons, with_unit
from gatepass.report.untested import Untested
from gatepass.report.wording import Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, NOT_PROVEN, PASS, REJECTED, Measurement
from gatepass.verdict.order_error import order_error

MOST_UNTESTED = 3
LONGEST_CALL = 120
"""Letters of further options."""
_HOST_CAUSES = ("gateway CPU", "gateway memory")
"""What the owner of the hypervisor can mend."""


@dataclass(frozen=True)
class Step:
    """What is to be done next.

    Attributes:
        who: does it.
        what: in a sentence.
        call: the exact call, where there is one.
    """

    who: str
    what: Markup
    call: str = ""


@dataclass(frozen=True)
class Decision:
    """The answers.

    Attributes:
        grade: by what kind of test the verdict was reached, to stand beside it.
        why, sure, untested: a sentence or two.
        steps: at least one.
    """

    grade: Markup
    why: Markup
    sure: Markup
    untested: Markup
    steps: list[Step]


def decision(
    outcome: Outcome, table: PromiseTable, left_out: list[Untested], words: Wording
) -> Decision:
    """The answers of a run.

    Args:
        outcome: of the run.
        table: its figures beside the promises.
        left_out: what else was not tested.
        words: of the page's language.
    """
    return Decision(
        grade=_grade(outcome, words),
        why=_why(outcome, table, words),
        sure=_sure(outcome, table, words),
        untested=_untested(outcome, table, left_out, words),
        steps=list(_steps(outcome, words)),
    )


def _grade(outcome: Outcome, words: Wording) -> Markup:
    texts, profile = words["decision"], group(outcome.run, "profile")
    name = profile.get("name")
    if not name:
        return Markup()
    known = texts["grades"].get(name)
    return escape(known) if known else filled(texts["grade_of"], name=words.as_it_stands(str(name)))


def _why(outcome: Outcome, table: PromiseTable, words: Wording) -> Markup:
    texts = words["decision"]
    if outcome.verdict != APPROVED:
        return _why_not(outcome, words)
    closest = _closest(table)
    if closest is None:
        return filled(texts["approved_by_checks"], count=words.number(outcome.count(PASS)))
    name, held = closest
    return filled(
        texts["approved"],
        count=words.number(figures(table)),
        promise=name,
        proven=with_unit(held, held.relation == "at least", words),
        promised=promised(held, words),
    )


def _why_not(outcome: Outcome, words: Wording) -> Markup:
    """The gravest cause, and how many more there are."""
    first, *others = reasons(outcome)
    if not_run(first):
        planned = words.number(len(outcome.checks))
        count = words.number(len(first.checks))
        text = filled(words["decision"]["not_run"], count=count, planned=planned)
    else:
        text = in_words(first, words, MOST_ITEMS)
    if not others:
        return text
    more = filled(words["decision"]["and_more"], count=words.number(len(others)))
    return text + " " + more


def figures(table: PromiseTable) -> int:
    """How many figures are held against a promise."""
    return sum(len(promise.measured) for promise in table.every)


def _closest(table: PromiseTable) -> tuple[str, Measurement] | None:
    """The tier's promise that is reached with the least to spare; of users, all there were came."""
    rows = [
        (row.measurement.margin_percent, promise.name, row.measurement)
        for promise in table.promises
        for row in promise.measured
        if row.measurement and row.measurement.margin_percent is not None
        and row.measurement.tried is None
    ]
    return min(rows, key=lambda row: row[0])[1:] if rows else None


def _sure(outcome: Outcome, table: PromiseTable, words: Wording) -> Markup:
    """How often such a verdict is wrong, over all figures; on how many trials the rates stand."""
    texts = words["decision"]
    unseen = filled(texts["unseen"], elapsed=words.duration(outcome.elapsed_s))
    error = order_error(one for check in outcome.checks for one in check.measurements)
    if error is None:
        told = texts["sure_by_facts" if outcome.verdict == REJECTED else "no_estimate"]
        return escape(told) + " " + unseen
    if outcome.verdict == REJECTED and not error.by_chance:
        return escape(texts["sure_by_facts"]) + " " + unseen
    kind = {APPROVED: "sure", REJECTED: "sure"}.get(outcome.verdict, "sure_undecided")
    if error.rejection is None:  # of a run of before
        kind = "sure_approval" if outcome.verdict == APPROVED else "sure_each"
    about = {"count": words.number(error.figures), "one_in": words.number(error.one_in)}
    return Markup(" ").join([filled(texts[kind], **about), *_stands(outcome, table, words), unseen])


def _stands(outcome: Outcome, table: PromiseTable, words: Wording) -> Iterator[Markup]:
    """How many trials the tier's rates stand on, how long those of the profile last."""
    seconds = group(outcome.run, "profile").get("trial_s")
    counts = [
        len(row.measurement.trials)
        for promise in table.promises
        for row in promise.measured
        if row.measurement and row.measurement.half_width is not None
    ]
    if counts and isinstance(seconds, int | float):
        about = {"fewest": words.number(min(counts)), "seconds": words.number(seconds)}
        yield filled(words["decision"]["stands"], **about)


def _untested(
    outcome: Outcome, table: PromiseTable, left_out: list[Untested], words: Wording
) -> Markup:
    texts = words["decision"]
    names = [escape(name) for name in table.untested] + [one.what for one in left_out]
    if left_out := sum(check.not_run for check in outcome.checks):
        text = filled(texts["checks_not_run"], count=words.number(left_out))
        if arguments := outcome.run.get("robot_arguments"):
            typed = shortened(" ".join(map(str, arguments)), words, LONGEST_CALL)
            text += filled(texts["by_the_call"], arguments=typed)
        names.insert(0, text)
    if not names:
        return escape(texts["all_tested"])
    shown = Markup("; ").join(names[:MOST_UNTESTED])
    if len(names) > MOST_UNTESTED:
        shown += filled(texts["more_untested"], count=words.number(len(names) - MOST_UNTESTED))
    return capital(shown) + "."


def _steps(outcome: Outcome, words: Wording) -> Iterator[Step]:
    texts = words["decision"]
    who, what = texts["who"], texts["steps"]
    if outcome.verdict == APPROVED:
        yield Step(who["both"], escape(what["sign"]))
        return
    if outcome.changed_by_others:
        yield _test_again("alone", outcome, words)
        return
    if outcome.restoration is not None and not outcome.restoration.identical:
        call = f"./run.sh restore {outcome.run.get('run_id', '')}".strip()
        yield Step(who["network"], escape(what["restore"]), call)
    if outcome.verdict == REJECTED:
        causes = {cause.name for check in outcome.checks for cause in check.causes[:1]}
        if causes & {*_HOST_CAUSES}:
            yield Step(who["host"], escape(what["host"]))
        if "licence" in causes:
            yield Step(who["provider"], escape(what["licence"]))
        yield Step(who["network"], escape(what["mend"]))
        yield _test_again("again", outcome, words)
        return
    unproven = [check for check in outcome.checks if check.verdict == NOT_PROVEN]
    ran = any(not check.not_run for check in unproven)
    yield _test_again("rig" if ran else "whole", outcome, words)


def _test_again(how: str, outcome: Outcome, words: Wording) -> Step:
    """To test again, with the call of a whole run like this one.

    Args:
        how: key of the step's text.
        outcome: of the run.
        words: of the page's language.
    """
    texts = words["decision"]
    what = escape(texts["steps"][how])
    if outcome.lab:
        what += " " + escape(texts["steps"]["in_lab"])
    return Step(texts["who"]["quality"], what, _call(outcome))


def _call(outcome: Outcome) -> str:
    call = group(outcome.run, "call")
    files = ("order",) if outcome.lab else ("order", "testbed")  # a lab's is made anew each time
    words = [f"--{name} {call[name]}" for name in files if call.get(name)]
    profile = group(outcome.run, "profile").get("name")
    return " ".join(["./run.sh", *words, *([f"--profile {profile}"] if profile else [])])


def signers(outcome: Outcome, words: Wording) -> str:
    """What the signatures at the end of the page mean."""
    if outcome.verdict == APPROVED:
        return words["sections"]["signatures"]
    return words["decision"]["seen"]
