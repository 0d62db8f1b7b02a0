"""Rates of downloads, made again from what the files of their trials have of each transfer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gatepass.inputs.profile import Profile
from gatepass.proof.figures import differs
from gatepass.proof.levels import FILE_CONTENT, rule_of
from gatepass.results.downloads import OFF, ON, DownloadTrial
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import Measurement
from gatepass.verdict.disturbance import conduct_of
from gatepass.verdict.downloads import measured
from gatepass.verdict.judgement import Rule
from gatepass.verdict.services_rule import LARGE_FILE

_MIB = 2**20
_DECIMALS = 4
"""With which a trial's rate is noted."""


def is_download(one: Measurement) -> bool:
    """Whether a figure is a rate of downloads."""
    return one.layer == FILE_CONTENT


def downloads_of(check: Check, folder: Path) -> dict[int, DownloadTrial]:
    """The trials of a check that have left a file of downloads, by number, as they ran.

    Args:
        check: in which they ran.
        folder: of the run.
    """
    found = {}
    for noted in check.trials:
        number = noted.get("number")
        path = folder / "trials" / f"{number:03d}-downloads.json" if _is(number) else None
        if path is None or not path.is_file():
            continue
        try:
            trial = DownloadTrial.of(json.loads(path.read_text(encoding="utf-8")), number)
            found[number] = replace(trial, conduct=conduct_of(noted.get("hosts", {})))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue  # its digest in the record tells of a file that was changed
    return dict(sorted(found.items()))


def _is(number: object) -> bool:
    return isinstance(number, int)


def transfers(
    check: Check, trials: Mapping[int, DownloadTrial], beside: Collection[str]
) -> Iterator[str]:
    """Trials that are noted otherwise than their files tell, each in a sentence.

    Args:
        check: in which they ran.
        trials: of it (`downloads_of`).
        beside: addresses of paths that the gateway is no part of.
    """
    for noted in check.trials:
        trial = trials.get(noted.get("number", 0))
        if trial is None:
            continue
        about = f"{check.name}: trial {trial.number}"
        if noted.get("mbps") != round(trial.mbps, _DECIMALS):
            yield (
                f"{about} is recorded with {_rate(noted.get('mbps'))} Mbit/s of file content; its "
                f"file tells {trial.mbps:.{_DECIMALS}f}."
            )
        if beside and (trial.role in (ON, OFF)) == (noted.get("to") in beside):
            yield f"{about} went to {noted.get('to')}, and its file tells of another path."
    for one in filter(is_download, check.measurements):
        yield from _sizes(check, one, trials)


def _rate(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "no"


def _sizes(check: Check, one: Measurement, trials: Mapping[int, DownloadTrial]) -> Iterator[str]:
    """Each trial of a large file brought that file, once."""
    mib = one.conditions.part("mib")
    if one.conditions.name != LARGE_FILE or not isinstance(mib, int):
        return
    for number in one.numbers:
        trial = trials.get(number)
        if trial and (trial.whole.bytes, trial.whole.files) != (mib * _MIB, 1):
            yield (
                f"{check.name}: trial {number} brought {trial.whole.bytes:,} bytes by its file, "
                f"and a file of {mib} MiB was asked for."
            )


def rates_of_downloads(
    check: Check, trials: Mapping[int, DownloadTrial], rule: Rule, profile: Profile
) -> Iterator[str]:
    """Rates of downloads that do not follow from their trials, each in a sentence.

    Args:
        check: of a run that this copy of Gatepass made.
        trials: of it (`downloads_of`).
        rule: of the run.
        profile: of the run.
    """
    for one in filter(is_download, check.measurements):
        made_of = rule_of(one, rule, profile)
        if not any(number in trials for number in one.numbers):
            yield f"{check.name}: {one.subject} is of downloads, and no file tells of them."
            continue
        every = list(trials.values())
        again = measured(one.promise, one.conditions, every, made_of, one.threshold)
        if different := differs(one, again):
            yield (
                f"{check.name}: {one.subject} is recorded with figures that the downloads in the "
                f"files of its trials do not make ({different})."
            )


def not_kept(outcome: Outcome, folder: Path) -> str:
    """That rates of downloads could not be made again, as a remark; empty where all could.

    Args:
        outcome: of a run that another copy of Gatepass made, which may not have kept its downloads.
        folder: of the run.
    """
    rates = [
        check for check in outcome.checks if any(map(is_download, check.measurements))
    ]
    if all(downloads_of(check, folder) for check in rates):
        return ""
    return "The run kept no files of its downloads, so that their rates could not be made again"
