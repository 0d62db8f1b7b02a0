"""Which trials count for nobody, and why: by what the record tells of the hosts meanwhile.

A trial that was set aside has to have been, by the limits of `verdict.disturbance` and of
`verdict.delay_trials`, and each other one of a check that passed has to be counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gatepass.proof.delays_and_losses import Trials
from gatepass.proof.figures import same
from gatepass.proof.levels import OF_TRIALS
from gatepass.results.datagrams import Carried
from gatepass.results.delays import DelayTrial
from gatepass.results.outcome import Check
from gatepass.results.record import PASS, Measurement
from gatepass.results.trial import Trial
from gatepass.verdict.delay_trials import disturbed
from gatepass.verdict.disturbance import conduct_of, disturbance, disturbed_by


def set_aside(
    check: Check, trials: Mapping[int, Trial], probes: Trials, folder: Path
) -> Iterator[str]:
    """Trials that were set aside for another reason than their hosts give, each in a sentence.

    Args:
        check: whose trials they are.
        trials: of iperf3, by number.
        probes: of delays.
        folder: of the run.
    """
    for noted in check.trials:
        if "set_aside" not in noted or not isinstance(noted.get("hosts"), dict):
            continue
        try:
            again = _disturbance(noted, trials, probes, folder)
        except (OSError, TypeError, AttributeError, KeyError, ValueError):
            again = "nobody knows"
        told = noted["set_aside"]
        if told != again:
            yield (
                f"{check.name}: trial {noted.get('number', 'without a number')} is recorded as "
                f"{_as_told(told)}; by what its hosts did it is {_as_told(again)}."
            )


def _as_told(why: object) -> str:
    return f"set aside, as {why}" if why else "one that counts"


def _disturbance(
    noted: Mapping[str, Any], trials: Mapping[int, Trial], probes: Trials, folder: Path
) -> str:
    number, hosts = noted.get("number", 0), conduct_of(noted["hosts"])
    if number in trials:
        return disturbance(noted_trial(noted, trials[number]))
    if number in probes:
        path = folder / "trials" / f"{number:03d}-delays.json"
        load = json.loads(path.read_text(encoding="utf-8")).get("load")
        sent = Carried.of(load, ()) if load else None
        carried_by = noted.get("carried_by", "")
        return disturbed(DelayTrial(probes[number], sent, hosts, carried_by=carried_by))
    return disturbed_by(hosts)


def noted_trial(noted: Mapping[str, Any], trial: Trial) -> Trial:
    """A trial of iperf3 with what the record alone tells of it.

    Args:
        noted: by the record.
        trial: as its files tell it.

    Raises:
        TypeError: the record tells of no hosts that way.
    """
    return replace(
        trial,
        conduct=conduct_of(noted.get("hosts", {})),
        wire_mbps=noted.get("wire_mbps"),
        client_waited_s=noted.get("client_waited_s"),
        server_waited_s=noted.get("server_waited_s"),
        began=0.0,
        ended=noted.get("lasted_s", 0.0),
    )


def left_out(check: Check, beside: frozenset[str], trials: Mapping[int, Trial]) -> Iterator[str]:
    """Trials of a check which should be counted and are not, or the other way round.

    In one that did not pass the last of them may have come to no figure any more.

    Args:
        check: that is no part of a study.
        beside: addresses of paths that the gateway is no part of.
        trials: of iperf3, by number.
    """
    held = [one for one in check.measurements if one.layer in OF_TRIALS[:2]]
    through = [
        noted
        for noted in check.trials
        if noted.get("number", 0) in trials and noted.get("to") not in beside
    ]
    counted = [
        [one for one in held if _counts(one, trials[noted["number"]])] for noted in through
    ]
    last = max((place for place, of in enumerate(counted) if of), default=-1)
    for place, (noted, of) in enumerate(zip(through, counted, strict=True)):
        if noted.get("set_aside"):
            kept = [trials[one["number"]] for one in through if not one.get("set_aside")]
            figures = [one for one in of if one.threshold is not None and not one.observed]
            trial = trials[noted["number"]]
            if any(not any(_alike(one, trial, each) for each in kept) for one in figures):
                yield f"{check.name}: trial {noted['number']} was set aside and is counted."
        elif not of and held and (check.verdict == PASS or place < last):
            yield f"{check.name}: trial {noted['number']} was not set aside, and is not counted."


def _counts(one: Measurement, trial: Trial) -> bool:
    return any(same(counted, _figure(one, trial)) for counted in one.trials)


def _alike(one: Measurement, trial: Trial, other: Trial) -> bool:
    """Whether two trials have the same figure, as of losses that are none."""
    return same(_figure(one, trial), _figure(one, other))


def _figure(one: Measurement, trial: Trial) -> float:
    return trial.lost_percent or 0.0 if one.promise == "loss" else trial.mbps
