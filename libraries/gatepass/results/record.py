"""What a run writes down while it works: facts, measurements, evidence, the restoration.

Each record is one line of JSON behind a prefix in a log message of ``output.xml``. So it survives
rebot and pabot's merge, needs no second file, and the certificate can be made from ``output.xml``
alone, years later (see `outcome`).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields
from typing import Any

from gatepass.base.phrase import NOTHING, Phrase, from_json
from gatepass.results import schema1
from gatepass.results.promises import named
from gatepass.results.shapes import Facts, held_against
from gatepass.results.study import StudyTable
from gatepass.stats.intervals import share

PREFIX = "gatepass-data "
LEVEL, LIBRARY = "DEBUG", "Gatepass"
"""Of the messages that are records: Robot's level, and the library whose keyword wrote them."""

PASS, FAIL = "pass", "fail"
NOT_PROVEN, NOT_APPLICABLE = "not proven", "not applicable"
APPROVED, REJECTED = "approved", "rejected"
NOT_SO = ": not the case. "
"""In a message, between a claim that does not hold and what was seen instead."""


@dataclass(frozen=True)
class Measurement:
    """A figure with all that makes it arguable.

    Attributes:
        promise: one of `PROMISES`.
        conditions: what varied, such as the size of the rule set; `NOTHING` where nothing did.
        value: the mean of the trials, in `unit`.
        unit: "Mbit/s", "%", …
        layer: where the figure stands: "TCP goodput", "UDP payload"; empty where there is none.
        half_width: half of the confidence interval; None with fewer than two trials.
        confidence: of that interval, 0.95 for 95 %.
        trials: the figure of each trial, in the order they ran.
        threshold: what `value` is held against; None for an informational figure (a baseline).
        relation: "at least" or "at most".
        baseline: mean of the path without the gateway, same unit and layer; None if not measured.
        observed: whether `value` is what was seen itself, a count or a longest time, and no
            estimate: it is held against the threshold as it stands, and has no spread.
        tried: of a count, how many could have come about; None for everything else.
        facts: further figures with their units in the names, such as ``{"retransmits": 12}``.
        series: the rate over time of the median trial, one figure an interval, at most 60; empty
            where the trials have no intervals.
        series_interval_s: length of such an interval; None without a series.
        level: one-sided, of each bound, where `value` and `half_width` are a mean and Student's t
            at that level (see `gatepass.stats.intervals`); None where another rule made them.
        fail_half_width: of the wider interval whose bounds a fail takes, so that not even one of
            all the order's figures fails by chance more often than the confidence says; None
            where it is the same interval, as in records of before.
        fail_level: its level, as `level` is of the other.
        fail_error: the chance that this figure alone fails although it only just reaches its
            threshold; None where that is no matter of chance, or not known.
        numbers: of its trials in the run, as their files in ``trials/`` are called; empty where the
            record does not tell.
    """

    promise: str
    conditions: Phrase
    value: float
    unit: str
    layer: str = ""
    half_width: float | None = None
    confidence: float = 0.95
    trials: tuple[float, ...] = ()
    threshold: float | None = None
    relation: str = "at least"
    baseline: float | None = None
    observed: bool = False
    tried: int | None = None
    facts: dict[str, float | int | str | None] = field(default_factory=dict)
    series: tuple[float, ...] = ()
    series_interval_s: float | None = None
    level: float | None = None
    fail_half_width: float | None = None
    fail_level: float | None = None
    fail_error: float | None = None
    numbers: tuple[int, ...] = ()

    @property
    def subject(self) -> str:
        """What it is of: "Stateful throughput, 1000 policies, NAT on"."""
        return ", ".join(part for part in (named(self.promise), str(self.conditions)) if part)

    @property
    def lower(self) -> float:
        """Lower bound of the confidence interval; minus infinity where there is none."""
        return self._end(-1, self.half_width)

    @property
    def upper(self) -> float:
        """Upper bound of the confidence interval; infinity where there is none."""
        return self._end(1, self.half_width)

    @property
    def fail_lower(self) -> float:
        """The lower bound that a fail takes."""
        return self._end(-1, self._fail_width)

    @property
    def fail_upper(self) -> float:
        """The upper bound that a fail takes."""
        return self._end(1, self._fail_width)

    @property
    def _fail_width(self) -> float | None:
        return self.half_width if self.fail_half_width is None else self.fail_half_width

    def _end(self, sign: int, width: float | None) -> float:
        """One end of an interval: no rate, time or count is below 0, no share above 100 %."""
        if self.observed:
            return self.value
        if width is None:
            return sign * math.inf
        end = self.value + sign * width
        if sign < 0:
            return max(end, min(0.0, self.value))
        return min(end, max(100.0, self.value)) if self.unit == "%" else end

    @property
    def margin_percent(self) -> float | None:
        """By how much the value is on the good side of its threshold, in per cent of that."""
        return margin_percent(self.value, self.threshold, self.relation)


def margin_percent(value: float, threshold: float | None, relation: str) -> float | None:
    """By how much a figure is on the good side of its threshold, in per cent of that.

    Args:
        value, threshold: of one unit.
        relation: "at least" or "at most".

    Returns:
        None where there is no threshold, or one of 0.
    """
    if not threshold:
        return None
    difference = (value - threshold) / threshold * 100
    return difference if relation == "at least" else -difference


@dataclass(frozen=True)
class Evidence:
    """An independent observation that the traffic took the path claimed.

    Attributes:
        claim: what should be.
        observed: what was seen, with figures.
        holds: whether it was so.
        answer: number of the kept answer that it follows from (see `kept_answers`); None where
            nothing was kept that it could be made of again.
    """

    claim: Phrase
    observed: str
    holds: bool
    answer: int | None = None


@dataclass(frozen=True)
class Cause:
    """What probably caused a missed or undecided figure; no part of the verdict.

    Attributes:
        name: of the kind: "shaper", "gateway CPU", "endpoint CPU", "segment size", "loss", …
        sentence: what was seen, with figures; begins small unless `name` is "unknown".
        weight: how well it explains the shortfall, 0 to 1; the best of a check comes first.
        promise, conditions: of the measurement that it is about.
    """

    name: str
    sentence: str
    weight: float
    promise: str = ""
    conditions: Phrase = NOTHING


@dataclass(frozen=True)
class Reason:
    """Why checks are not applicable.

    Attributes:
        message: of the check, as Robot has it.
        said: the same for every language.
    """

    message: str
    said: Phrase


@dataclass(frozen=True)
class Restoration:
    """Whether the gateway's configuration is back as it was before the run.

    Attributes:
        identical: the configuration compares equal to the one saved before the first change.
        differences: lines that differ, secrets masked, at most a screenful.
        left: objects of the run that could not be removed.
        problem: why it could not be told or undone; empty where all went well.
        others: objects that somebody else has added, changed or removed meanwhile, in sentences.
    """

    identical: bool
    differences: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    problem: str = ""
    others: tuple[str, ...] = ()


KINDS = {
    "measurement": Measurement,
    "evidence": Evidence,
    "cause": Cause,
    "reason": Reason,
    "restoration": Restoration,
    "study": StudyTable,
    "trial": dict,
    "files": dict,
    "run": dict,
}


MIDDLE_OF = "middle_of"
"""The fact that tells of how many observations a value is the one in the middle."""
SCHEMA = 2
"""Of the records; 1 held English sentences where there are phrases now."""
_PHRASES = ("claim", "conditions", "said")


def dump(kind: str, content: object) -> str:
    """One log message for a record. `kind` is a key of KINDS."""
    body = dict(content) if isinstance(content, dict) else _fields(content)
    head = {"kind": kind, "schema": SCHEMA}
    return PREFIX + json.dumps(head | body, ensure_ascii=False, sort_keys=True)


def _fields(content: object) -> dict[str, Any]:
    values = {one.name: getattr(content, one.name) for one in fields(content)}
    return {
        key: value.as_json() if isinstance(value, Phrase) else value
        for key, value in values.items()
    }


def parse(message: str) -> tuple[str, object] | None:
    """The kind and content of a log message, or None where it is not a record."""
    if not message.startswith(PREFIX):
        return None
    body = json.loads(message[len(PREFIX) :])
    if not isinstance(body, dict):
        raise ValueError("a record is no group of values")
    kind, schema = body.pop("kind"), body.pop("schema", 1)
    if schema < SCHEMA:
        body = schema1.converted(kind, body)
    build = KINDS[kind]
    if kind == "run":
        held_against(Facts, body)
    if build is dict:
        return kind, body
    lists = {key: tuple(value) for key, value in body.items() if isinstance(value, list)}
    phrases = {key: from_json(body[key]) for key in _PHRASES if key in body}
    return kind, held_against(build, body | lists | phrases)


def is_own(level: str, library: str | None) -> bool:
    """Whether a message was written where records are, so that it may be one.

    What else stands in a log may repeat words of a device, and so begin as a record does.

    Args:
        level: of the message.
        library: that has the keyword which wrote it; none of Robot's own and of user keywords.
    """
    return level == LEVEL and (library == LIBRARY or library in schema1.LIBRARIES)


def figure(value: float, half_width: float | None = None) -> str:
    """A number with the digits that its spread supports: 287 ± 4, 308.1 ± 0.3, 19 800 ± 150."""
    spread = half_width or abs(value) / 100
    finest = 4 if half_width else 2
    decimals = min(finest, max(0, math.ceil(-math.log10(spread)))) if spread > 0 else 0
    text = f"{value:,.{decimals}f}"
    if half_width:
        text += f" ± {half_width:,.{decimals}f}"
    return text.replace(",", "\u202f") + (", each time the same" if half_width == 0 else "")


def measured(measurement: Measurement) -> str:
    """The figure with its unit, confidence, trials and layer, as every message gives it."""
    if measurement.observed:
        return _seen(measurement)
    count = len(measurement.trials)
    aside = measurement.facts.get("set_aside")
    beside = f" and {aside} set aside" if aside else ""
    how = [f"{count} trial{'' if count == 1 else 's'}{beside}", measurement.layer]
    if measurement.half_width is not None:
        how.insert(0, f"{measurement.confidence * 100:g} %")
    qualifiers = ", ".join(part for part in how if part)
    return f"{figure(measurement.value, measurement.half_width)} {measurement.unit} ({qualifiers})"


def _seen(measurement: Measurement) -> str:
    """What was seen once; of a count also what follows for the next time."""
    unit = measurement.unit
    if measurement.tried is None:
        times = measurement.facts.get(MIDDLE_OF)
        how = f"the middle of {times}" if times else "one observation, which has no spread"
        return f"{figure(measurement.value)} {unit} ({how})"
    count, tried = round(measurement.value), measurement.tried
    low, high = share(count, tried, measurement.confidence)
    return (
        f"{count:,} of {tried:,} {unit} (one observation, {measurement.confidence * 100:g} %: "
        f"{low * 100:.1f} to {high * 100:.1f} % of such attempts succeed)"
    )


def required(measurement: Measurement) -> str:
    """The threshold in words: "at least 300 Mbit/s"; empty for an informational figure."""
    if measurement.threshold is None:
        return ""
    return f"{measurement.relation} {measurement.threshold:g} {measurement.unit}"
