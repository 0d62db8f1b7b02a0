"""A run's record held against what it was made of: inputs, trial files, figures, verdicts.

Everything that follows from something else in the run's folder is made again and compared, so that
who alters a figure has to alter all that it follows from as well. Against somebody who does that
only a signature helps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gatepass.base.chapters import short
from gatepass.base.digests import digests, has_digest, read_list
from gatepass.base.errors import InputError
from gatepass.base.paths import ROOT
from gatepass.inputs import load_catalogue, load_order, load_profile
from gatepass.inputs.yaml_file import read_yaml
from gatepass.proof import kept_inputs
from gatepass.proof.delays_and_losses import (
    Trials,
    delays,
    is_delay,
    is_loss,
    losses,
    profile_of,
)
from gatepass.proof.downloads import downloads_of, rates_of_downloads, transfers
from gatepass.proof.folder import INPUTS, proof
from gatepass.proof.levels import levels
from gatepass.proof.means import figures, rates, told_beside
from gatepass.proof.outside import left_behind
from gatepass.proof.queue_delays import is_beside_tcp, queue_delays
from gatepass.proof.set_aside import left_out, set_aside
from gatepass.proof.trial_files import disagreements, files_of
from gatepass.results.facts import group
from gatepass.results.kept_answers import FOLDER as EVIDENCE
from gatepass.results.outcome import Check, Outcome
from gatepass.results.promises import PROMISES
from gatepass.results.record import PASS
from gatepass.verdict.judgement import HEADROOM, Rule, decide, figures_of
from gatepass.verdict.judgement import PASS as GOOD


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
    profile = profile_of(outcome, folder)
    run_rule = Rule.of(profile, figures_of(outcome.run)) if profile else None
    rule = run_rule if same_program else None
    yield from delays(outcome, probes, rule)
    beside = _beside(outcome, folder)
    knows = f"{INPUTS}/{kept_inputs.TESTBED}" not in left_behind(folder)  # which paths are which
    for check in outcome.checks:
        files = files_of(check, folder, profile)
        trials = {number: one.trial for number, one in files.items()}
        in_study = short(check.chapter) == "studies"
        yield from disagreements(check, files, {} if in_study else beside)
        downloaded = downloads_of(check, folder)
        yield from transfers(check, downloaded, beside) if knows else ()
        yield from losses(check, trials, rule) if rule else ()
        yield from rates(check, trials, folder)
        yield from figures(check, trials, outcome)
        if profile and run_rule:
            yield from levels(check, run_rule, profile, same_program)
        if profile and rule:
            yield from told_beside(check, trials, rule, profile)
            yield from set_aside(check, trials, probes, folder)
            if not in_study:
                yield from rates_of_downloads(check, downloaded, rule, profile)
                if knows:
                    yield from queue_delays(check, probes, folder, profile, beside)
        if knows and not in_study:
            yield from left_out(check, frozenset(beside), trials)
        yield from _promised(check, outcome)
        yield from _verdict(check)


def _beside(outcome: Outcome, folder: Path) -> dict[str, float]:
    """Mbit/s that are asked for at most on the paths without the gateway, by their addresses."""
    try:
        kept = read_yaml(folder / INPUTS / kept_inputs.TESTBED).data
    except InputError:
        return {}  # the list of files has told that, or it stayed behind
    server = group(kept, "endpoints", "server")
    promised = group(outcome.run, "tier").get(PROMISES["stateful_throughput"].tier)
    asked = HEADROOM * promised if isinstance(promised, float | int) else math.inf
    addresses = (server.get(key) for key in ("direct_address", "direct_address6"))
    return {str(address): asked for address in addresses if address}


def recomputed(outcome: Outcome, probes: Trials, same_program: bool) -> int:
    """How many figures are made again from their trials; see `contradictions`."""
    kept = same_program and bool(probes)
    return sum(
        one.level is not None
        or (same_program and (is_loss(one) or is_beside_tcp(one)))
        or (kept and is_delay(one))
        for check in outcome.checks
        for one in check.measurements
    )


def _files(outcome: Outcome, folder: Path) -> Iterator[str]:
    """Files that the record names."""
    away = left_behind(folder)
    for name, digest in outcome.files.items():
        path = folder / name
        if name in away:
            continue
        if not path.is_file():
            yield f"{name} is missing, which the run has collected."
        elif not has_digest(path, digest):
            yield f"{name} was changed after the run had collected it."
    there = {path.relative_to(folder).as_posix() for path in proof(folder)}
    for name in sorted(there - outcome.files.keys()):
        if name.startswith(("trials/", f"{INPUTS}/", f"{EVIDENCE}/")):
            yield f"{name} was added: the run has not collected it."


def _decided_by(outcome: Outcome, folder: Path, same_program: bool) -> Iterator[str]:
    """Order, tier and profile, as the kept files have them."""
    for name, digest in group(outcome.run, INPUTS).items():
        path = folder / INPUTS / name
        if path.is_file() and not has_digest(path, digest):
            yield f"{INPUTS}/{name} is not the file that decided the run."
    try:
        again = facts_of(folder / INPUTS, str(group(outcome.run, "profile").get("name", "")))
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


def facts_of(kept: Path, profile: str) -> dict[str, dict[str, Any]]:
    """What a run's record tells of order, tier, profile and provider, by the kept files.

    Args:
        kept: the folder of the run's inputs.
        profile: its name.

    Raises:
        InputError: a file cannot be read.
    """
    order = load_order(kept / kept_inputs.ORDER, load_catalogue(kept / kept_inputs.CATALOGUE))
    facts = dict(kept_inputs.facts_of(order, load_profile(kept / kept_inputs.PROFILES, profile)))
    provider = kept / kept_inputs.PROVIDER
    facts["provider"] = read_yaml(provider).data if provider.is_file() else {}
    facts["provider"].pop("logo", None)  # a file beside the original
    return json.loads(json.dumps(facts))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _promised(check: Check, outcome: Outcome) -> Iterator[str]:
    """What is held against the tier is the tier's own figure, and in the promise's own way."""
    tier = group(outcome.run, "tier")
    for one in check.measurements:
        if (promise := PROMISES.get(one.promise)) is None:
            continue
        for key in ("relation", "unit"):
            told, own = getattr(one, key), getattr(promise, key)
            if told != own:
                subject = f"{check.name}: {one.subject}"
                yield f"{subject} has the {key} “{told}”; the promise's is “{own}”."
        promised = tier.get(promise.tier) if promise.tier else None
        if not isinstance(promised, float | int):
            continue
        if one.threshold is None:
            if not promise.option and short(check.chapter) != "studies":
                yield (
                    f"{check.name}: {one.subject} is held against nothing; the tier promises "
                    f"{promised:g}."
                )
        elif not math.isclose(one.threshold, promised):
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

    Where the run does not tell of what its program was made, that list is the file.

    Args:
        folder: of the run.
    """
    try:
        then = read_list((folder / INPUTS / kept_inputs.PROGRAM).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"{INPUTS}/{kept_inputs.PROGRAM}"
    now = digests(ROOT, kept_inputs.program())
    return next((name for name in sorted(then | now) if then.get(name) != now.get(name)), "")
