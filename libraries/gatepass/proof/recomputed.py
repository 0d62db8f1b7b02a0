"""A run's record held against what it was made of: inputs, trial files, figures, verdicts.

Everything that follows from something else in the run's folder is made again and compared, so that
who alters a figure has to alter all that it follows from as well. Against somebody who does that
only a signature helps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import stdev
from typing import Any

from gatepass.base.digests import digests, has_digest, read_list
from gatepass.base.errors import InputError, NotProven
from gatepass.base.paths import ROOT
from gatepass.endpoint import iperf
from gatepass.inputs import load_catalogue, load_order, load_profile
from gatepass.inputs.yaml_file import read_yaml
from gatepass.proof import kept_inputs
from gatepass.proof.delays_and_losses import (
    Trials,
    delays,
    is_delay,
    is_loss,
    losses,
    rule_of,
)
from gatepass.proof.folder import INPUTS, proof
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.promises import PROMISES
from gatepass.results.record import PASS, Measurement
from gatepass.results.trial import Trial
from gatepass.stats.intervals import Interval, interval
from gatepass.verdict.judgement import PASS as GOOD
from gatepass.verdict.judgement import decide

_FIGURES = 4
"""Decimals with which a trial's rate is noted."""
_DIGITS = 7
"""Significant ones of a measurement."""
_OF_IPERF = ("client", "server")
_OF_TRIALS = ("TCP goodput", "UDP payload")
"""Layers of figures that stand on trials, each with a number and files."""


def contradictions(
    outcome: Outcome, folder: Path, probes: Trials, same_program: bool
) -> Iterator[str]:
    """What does not follow from what it is said to follow from, each in a sentence.

    Args:
        outcome: what the run's ``output.xml`` tells.
        folder: of the run.
        probes: its trials of delays.
        same_program: whether this copy of Gatepass is the one that made the run; another one may
            read its input files otherwise.
    """
    told = {"decided": group(outcome.run, INPUTS), "was collected in": outcome.files}
    for what, content in told.items():
        if not content:
            yield (
                f"the record does not tell what {what} the run: it did not come to its end, or the "
                "record was changed."
            )
    yield from _files(outcome, folder)
    yield from _decided_by(outcome, folder, same_program)
    rule = rule_of(outcome, folder) if same_program else None
    yield from delays(outcome, probes, rule)
    for check in outcome.checks:
        trials = _trials_of(check, folder)
        yield from losses(check, trials, rule) if rule else ()
        yield from _rates(check, trials)
        yield from _counted(check, _rates_of(check, trials, folder))
        yield from _figures(check, trials, outcome)
        yield from _promised(check, outcome)
        yield from _verdict(check)


def recomputed(outcome: Outcome, probes: Trials, same_program: bool) -> int:
    """How many figures are made again from their trials; see `contradictions`."""
    kept = same_program and bool(probes)
    return sum(
        one.level is not None or (same_program and is_loss(one)) or (kept and is_delay(one))
        for check in outcome.checks
        for one in check.measurements
    )


def _files(outcome: Outcome, folder: Path) -> Iterator[str]:
    """Files that the record names."""
    for name, digest in outcome.files.items():
        path = folder / name
        if not path.is_file():
            yield f"{name} is missing, which the run has collected."
        elif not has_digest(path, digest):
            yield f"{name} was changed after the run had collected it."
    there = {path.relative_to(folder).as_posix() for path in proof(folder)}
    for name in sorted(there - outcome.files.keys()):
        if name.startswith(("trials/", f"{INPUTS}/")):
            yield f"{name} was added: the run has not collected it."


def _decided_by(outcome: Outcome, folder: Path, same_program: bool) -> Iterator[str]:
    """Order, tier and profile, as the kept files have them."""
    for name, digest in group(outcome.run, INPUTS).items():
        path = folder / INPUTS / name
        if path.is_file() and not has_digest(path, digest):
            yield f"{INPUTS}/{name} is not the file that decided the run."
    try:
        again = _facts(folder / INPUTS, str(group(outcome.run, "profile").get("name", "")))
    except InputError as error:
        if same_program:
            yield f"what was ordered cannot be read again from {INPUTS}: {error}"
        return
    for about, of_file in again.items():
        told = group(outcome.run, about)
        known = of_file.keys() if same_program else of_file.keys() & told.keys()
        for key in (key for key in of_file if key in known and told.get(key) != of_file[key]):
            yield (
                f"the record says of the {about}: {key} is {_short(told.get(key))}. By the files "
                f"that decided the run it is {_short(of_file[key])}."
            )


def _facts(kept: Path, profile: str) -> dict[str, dict[str, Any]]:
    order = load_order(kept / kept_inputs.ORDER, load_catalogue(kept / kept_inputs.CATALOGUE))
    facts = dict(kept_inputs.facts_of(order, load_profile(kept / kept_inputs.PROFILES, profile)))
    provider = kept / kept_inputs.PROVIDER
    facts["provider"] = read_yaml(provider).data if provider.is_file() else {}
    facts["provider"].pop("logo", None)  # a file beside the original
    return json.loads(json.dumps(facts))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _trials_of(check: Check, folder: Path) -> dict[int, Trial]:
    """The trials of a check whose files are there, by number."""
    found = {}
    for noted in check.trials:
        number = noted.get("number")
        if isinstance(number, int) and (trial := _from_file(folder, number)):
            found[number] = trial
    return found


def _from_file(folder: Path, number: int) -> Trial | None:
    """A trial as iperf3's own reports tell it; None where there are none."""
    paths = [folder / "trials" / f"{number:03d}-{side}.json" for side in _OF_IPERF]
    try:
        sent, received = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
        return iperf.parse(sent, received)
    except (OSError, ValueError, NotProven):
        return None


def _rates(check: Check, trials: Mapping[int, Trial]) -> Iterator[str]:
    """The rate of each trial."""
    for noted in check.trials:
        trial, told = trials.get(noted.get("number", 0)), noted.get("mbps")
        if trial and isinstance(told, float | int) and told != round(trial.mbps, _FIGURES):
            yield (
                f"{check.name}: trial {noted['number']} is recorded with {told:g} Mbit/s; its "
                f"files tell {trial.mbps:.{_FIGURES}f}."
            )


def _rates_of(check: Check, trials: Mapping[int, Trial], folder: Path) -> list[float]:
    """The rates of all trials that left a file, Mbit/s; of datagrams of our own as noted."""
    noted = [
        one["mbps"]
        for one in check.trials
        if isinstance(one.get("number"), int)
        and one["number"] not in trials
        and isinstance(one.get("mbps"), float | int)
        and any((folder / "trials").glob(f"{one['number']:03d}-*"))
    ]
    return [trial.mbps for trial in trials.values()] + noted


def _counted(check: Check, rates: Sequence[float]) -> Iterator[str]:
    """Every trial that a rate counts left a file."""
    for one in check.measurements:
        if one.unit != "Mbit/s" or one.layer not in _OF_TRIALS:
            continue
        for figure in one.trials:
            if not any(_same(figure, rate) for rate in rates):
                yield (
                    f"{check.name}: {one.subject} counts a trial of {figure:g} Mbit/s, and no "
                    "file tells of one."
                )


def _figures(check: Check, trials: Mapping[int, Trial], outcome: Outcome) -> Iterator[str]:
    """Each mean and its bounds."""
    for one in check.measurements:
        if one.level is not None and one.trials:
            yield from _made_again(check, one, _samples(one, trials, outcome))


def _samples(one: Measurement, trials: Mapping[int, Trial], outcome: Outcome) -> Sequence[float]:
    """What the interval is made of: the trials, or the intervals of long ones."""
    if group(outcome.run, "profile").get("sampling") != "intervals":
        return one.trials
    of_it = [trial for trial in trials.values() if any(_same(x, trial.mbps) for x in one.trials)]
    return [rate for trial in of_it for rate in trial.intervals] or one.trials


def _made_again(check: Check, one: Measurement, samples: Sequence[float]) -> Iterator[str]:
    again = interval(samples, one.confidence, one.level, one.fail_level)
    told = Interval(one.value, one.half_width, fail_half_width=one.fail_half_width)
    fails = (told.fail_half_width or 0.0, again.fail_half_width or 0.0)
    widths = (told.half_width or 0.0, again.half_width or 0.0)
    # trials and figures are noted with seven digits, so that they are known no more closely; of few
    # trials a small difference of one makes a large one of their interval
    spread = stdev(samples) if len(samples) > 1 else 0.0
    leverage = max(widths[1], fails[1]) / spread if spread else 0.0
    nearly = max(abs(told.mean), *widths, *fails) * (10 + leverage) * 10.0 ** (1 - _DIGITS)
    apart = (told.mean - again.mean, widths[0] - widths[1], fails[0] - fails[1])
    if max(map(abs, apart)) > nearly:
        yield (
            f"{check.name}: {one.subject} is recorded as {_figure(told)} {one.unit}; its trials "
            f"make {_figure(again)}."
        )


def _figure(value: Interval) -> str:
    mean = f"{value.mean:.{_DIGITS}g}"
    return mean if value.half_width is None else f"{mean} ± {value.half_width:.{_DIGITS}g}"


def _same(told: float, figure: float) -> bool:
    """Whether a figure is another one with fewer digits."""
    return math.isclose(told, figure, rel_tol=5 * 10.0**-_DIGITS, abs_tol=6e-4)


def _promised(check: Check, outcome: Outcome) -> Iterator[str]:
    """What is held against the tier is the tier's own figure."""
    tier = group(outcome.run, "tier")
    for one in check.measurements:
        figure = PROMISES[one.promise].tier if one.promise in PROMISES else None
        promised = tier.get(figure) if figure else None
        if one.threshold is None or not isinstance(promised, float | int):
            continue
        if not math.isclose(one.threshold, promised):
            yield (
                f"{check.name}: {one.subject} is held against {one.threshold:g} {one.unit}; the "
                f"tier promises {promised:g}."
            )


def _verdict(check: Check) -> Iterator[str]:
    """A pass stands on figures that reach their promises, and on evidence that holds."""
    if check.verdict != PASS:
        return
    for one in check.measurements:
        if one.threshold is not None and decide(one, one.threshold, one.relation) != GOOD:
            yield (
                f"{check.name} is recorded as passed, and {one.subject} does not reach its "
                "promise."
            )
    for evidence in check.evidence:
        if not evidence.holds:
            yield f"{check.name} is recorded as passed, and this does not hold: {evidence.claim}."


def other_program(folder: Path) -> str:
    """Which file of this copy of Gatepass is another one than at the run; empty where none is.

    Args:
        folder: of the run.
    """
    try:
        then = read_list((folder / INPUTS / kept_inputs.PROGRAM).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    now = digests(ROOT, kept_inputs.program())
    return next((name for name in sorted(then | now) if then.get(name) != now.get(name)), "")
