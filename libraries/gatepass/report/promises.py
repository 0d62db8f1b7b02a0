"""The certificate's figures: each promise beside what was measured, under each condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from gatepass.base.phrase import say
from gatepass.report.evidence import broken, broken_in_words
from gatepass.report.phrases import capital, target, told
from gatepass.report.published import reference
from gatepass.report.wording import Wording, digits, most_digits
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.promises import PROMISES, of_rig
from gatepass.results.record import FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS, Measurement
from gatepass.verdict.judgement import PASS as DECIDED
from gatepass.verdict.judgement import decide, figure_verdict

NOT_TESTED = "not tested"
FOR_COMPARISON = "for comparison"
_WORST_FIRST = (FAIL, NOT_PROVEN, PASS)


TIER = {name: promise for name, promise in PROMISES.items() if promise.tier}
"""What a tier may promise, by identity."""


@dataclass(frozen=True)
class MeasurementRow:
    """One measurement; or, with `why` and no measurement, a check that has none.

    The verdict of a measurement is the figure's own. What else its check found stands in a row of
    its own, with `beside`: the figure is reached, and what it was measured under did not hold.
    `published` is the published figure for the same method, empty where there is none; `target`
    is where a check leads that did not pass.
    """

    conditions: str
    verdict: str
    promised: str = ""
    measured: str = ""
    spread: str = ""
    margin: str = ""
    trials: str = ""
    layer: str = ""
    published: str = ""
    why: str = ""
    measurement: Measurement | None = None
    beside: bool = False
    target: str = ""


@dataclass(frozen=True)
class PromiseRows:
    """A promise with a row for each of the conditions under which it was measured.

    Attributes:
        identity: one of `PROMISES`.
        name: for the reader.
        promised: with its unit, where the tier promises it; else empty.
        rows: of checks that measured it, and of checks that should have.
        compared: rows of figures that are held against nothing.
        why: why there is no row at all.
    """

    identity: str
    name: str
    promised: str
    rows: tuple[MeasurementRow, ...]
    compared: tuple[MeasurementRow, ...] = ()
    why: str = ""

    @property
    def verdict(self) -> str:
        """The worst of its rows."""
        found = {row.verdict for row in self.rows}
        return next((verdict for verdict in _WORST_FIRST if verdict in found), NOT_TESTED)

    @property
    def measured(self) -> list[MeasurementRow]:
        """The rows with a figure, the least favourable first."""

        def favour(row: MeasurementRow) -> tuple[int, float]:
            margin = row.measurement.margin_percent
            return _WORST_FIRST.index(row.verdict), 0.0 if margin is None else margin

        return sorted((row for row in self.rows if row.measurement), key=favour)

    @property
    def open(self) -> list[MeasurementRow]:
        """The rows without a figure."""
        return [row for row in self.rows if not row.measurement and not row.beside]

    @property
    def beside(self) -> list[MeasurementRow]:
        """The rows of checks that found something wrong beside a figure that is reached."""
        return [row for row in self.rows if row.beside]

    @property
    def detailed(self) -> bool:
        """Whether its conditions have more to tell than its one row in the main table."""
        rows = [*self.measured, *self.compared]
        return len(rows) > 1 or any(row.published for row in rows)


@dataclass(frozen=True)
class PromiseTable:
    """All promises, and which checks they were told from.

    Attributes:
        promises: those of the tier, in the catalogue's order.
        others: what else was held against a figure, and what is told for comparison.
        covered: the checks that the table covers, by position in the outcome.
        confidences: of the intervals in the table.
        goodput: whether a figure of the table is TCP goodput.
    """

    promises: tuple[PromiseRows, ...]
    others: tuple[PromiseRows, ...]
    covered: frozenset[int]
    confidences: tuple[float, ...]
    goodput: bool

    @property
    def every(self) -> tuple[PromiseRows, ...]:
        """All of them."""
        return self.promises + self.others

    @property
    def untested(self) -> list[str]:
        """Names of the promises that nothing was measured of."""
        return [promise.name for promise in self.promises if not promise.rows]


@dataclass(frozen=True)
class _Found:
    position: int
    check: Check
    measurement: Measurement


def promise_table(outcome: Outcome, words: Wording) -> PromiseTable:
    """Hold what the tier promises beside what the checks measured."""
    found = [
        _Found(position, check, measurement)
        for position, check in enumerate(outcome.checks)
        for measurement in check.measurements
        if not of_rig(measurement.promise)
    ]
    covered = {entry.position for entry in found if entry.measurement.threshold is not None}
    rows = _Rows(outcome, words)
    promises, others = [], []
    for name, promise in TIER.items():
        own = [entry for entry in found if entry.measurement.promise == name]
        about = {c.chapter for c in outcome.checks if promise.tags <= _tags(c)}
        silent = {
            position: check
            for position, check in enumerate(outcome.checks)
            if position not in covered and (promise.tags <= _tags(check) or _not_run(check, about))
        }
        if figure := tier_figure(outcome, name, words):
            promises.append(_tier_promise(name, figure, own, silent, rows))
            covered |= _undecided(silent).keys()
            if not promises[-1].rows:
                covered |= _left_out(silent).keys()
        elif own:
            others.append(rows.promise(name, own))
        found = [entry for entry in found if entry not in own]
    for name in dict.fromkeys(entry.measurement.promise for entry in found):
        own = [entry for entry in found if entry.measurement.promise == name]
        others.append(rows.promise(name, own))
    shown = [m for check in outcome.checks for m in check.measurements if m.threshold is not None]
    return PromiseTable(
        tuple(promises),
        tuple(others),
        frozenset(covered),
        tuple(sorted({m.confidence for m in shown if m.half_width is not None})),
        any(m.layer == "TCP goodput" for m in shown),
    )


def missed(measurement: Measurement) -> bool:
    """Whether its interval does not lie on the good side of its threshold."""
    if measurement.threshold is None:
        return False
    return decide(measurement, measurement.threshold, measurement.relation) != DECIDED


def promise_name(promise: str, words: Wording) -> str:
    """What the page calls a promise; of one that nobody knows, its own words."""
    return words.say(say(promise)) if promise in PROMISES else promise


def tier_figure(outcome: Outcome, promise: str, words: Wording) -> str:
    """What the tier promises, with its unit; empty where it promises nothing."""
    value = group(outcome.run, "tier").get(PROMISES[promise].tier)
    if value is None:
        return ""
    return f"{words.number(value)} {words.unit_name(PROMISES[promise].unit)}"


def ordered_option(outcome: Outcome, option: str) -> bool:
    """Whether the order includes an option; a promise that needs none is always included."""
    return not option or bool(group(outcome.run, "order", "options").get(option))


def _tier_promise(
    promise: str, figure: str, own: list[_Found], silent: dict[int, Check], rows: _Rows
) -> PromiseRows:
    words = rows.words
    open_checks = _undecided(silent)
    if own or open_checks:
        without = tuple(
            MeasurementRow(
                check.name, check.verdict, figure, why=why(check, words), target=target(check)
            )
            for check in open_checks.values()
        )
        return rows.promise(promise, own, figure, without)
    if reasons := dict.fromkeys(why(check, words) for check in _left_out(silent).values()):
        cell = Markup(" ").join(reasons)
    elif not ordered_option(rows.outcome, PROMISES[promise].option):
        cell = escape(words["option_not_ordered"])
    else:
        cell = escape(words["no_check"])
    return PromiseRows(promise, promise_name(promise, words), figure, (), why=cell)


@dataclass(frozen=True)
class _Rows:
    """Makes the rows of a table."""

    outcome: Outcome
    words: Wording

    def promise(
        self,
        promise: str,
        own: list[_Found],
        promised: str = "",
        without: tuple[MeasurementRow, ...] = (),
    ) -> PromiseRows:
        decimals = {
            unit: most_digits(e.measurement for e in own if e.measurement.unit == unit)
            for unit in {entry.measurement.unit for entry in own}
        }
        made = [self._row(entry, decimals[entry.measurement.unit]) for entry in own]
        held = tuple(row for row in made if row.verdict != FOR_COMPARISON)
        compared = tuple(row for row in made if row.verdict == FOR_COMPARISON)
        name = promise_name(promise, self.words)
        beside = tuple(self._beside(own))
        return PromiseRows(promise, name, promised, held + beside + without, compared)

    def _beside(self, own: list[_Found]) -> Iterator[MeasurementRow]:
        """A row for each check that did not pass although all its figures are reached."""
        for check in {entry.position: entry.check for entry in own}.values():
            if check.verdict in (FAIL, NOT_PROVEN) and not any(map(missed, check.measurements)):
                name = self.words.named("checks", check.name)
                yield MeasurementRow(
                    name,
                    check.verdict,
                    why=why(check, self.words),
                    beside=True,
                    target=target(check),
                )

    def _row(self, entry: _Found, decimals: int) -> MeasurementRow:
        measurement, words = entry.measurement, self.words
        decimals = min(decimals, digits(measurement) + 1)  # hardly more than it bears
        spread, margin = measurement.half_width, measurement.margin_percent
        threshold, none = measurement.threshold, words["none"]
        published = reference(group(self.outcome.run, "published"), measurement)
        return MeasurementRow(
            conditions=words.say(measurement.conditions) or entry.check.name,
            verdict=figure_verdict(measurement, entry.check.verdict) or FOR_COMPARISON,
            promised=none if threshold is None else words.bound(threshold, measurement.relation),
            measured=words.number(measurement.value, decimals),
            spread=f"± {words.number(spread, decimals)}" if spread else none,
            margin=none if margin is None else f"{words.signed(margin)} %",
            trials=words.number(len(measurement.trials)),
            layer=words.unit(measurement),
            published=words.number(published["value"]) if published else "",
            measurement=measurement,
            target="" if entry.check.verdict == PASS else target(entry.check),
        )


def _undecided(checks: dict[int, Check]) -> dict[int, Check]:
    return {at: check for at, check in checks.items() if check.verdict in (FAIL, NOT_PROVEN)}


def why(check: Check, words: Wording) -> Markup:
    """Why a check ended as it did: what happened instead of its claim, or else its message.

    Args:
        check: that did not pass.
        words: of the page's language.
    """
    if check.said:
        return words.sentence(check.said)
    if check.verdict == FAIL and (seen := broken(check)[:1]):
        return broken_in_words(seen, words) + " " + capital(told(seen[0].observed, words))
    return capital(told(check.message, words))


def _left_out(checks: dict[int, Check]) -> dict[int, Check]:
    return {at: check for at, check in checks.items() if check.verdict == NOT_APPLICABLE}


def _not_run(check: Check, chapters: set[str]) -> bool:
    """Whether a check is known from the plan alone, which has no tags, in one of these chapters."""
    return check.verdict == NOT_PROVEN and not check.tags and check.chapter in chapters


def _tags(check: Check) -> set[str]:
    return {_normal(tag) for tag in check.tags}


def _normal(tag: str) -> str:
    """Robot takes tags that differ in case, spaces and underscores only as the same."""
    return "".join(sign for sign in tag.casefold() if sign not in " _-")
