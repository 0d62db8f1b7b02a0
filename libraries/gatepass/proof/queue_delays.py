"""Delays beside TCP, made again from every delay of the probes and from iperf3's reports."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from gatepass.base.errors import NotProven
from gatepass.endpoint import iperf
from gatepass.endpoint.beside_tcp import KIND, TO_CLIENT, TO_SERVER
from gatepass.inputs.profile import Profile
from gatepass.proof.delays_and_losses import Trials
from gatepass.proof.figures import differs
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import Measurement
from gatepass.verdict.queue_delay import CONDITIONS, measured


def is_beside_tcp(one: Measurement) -> bool:
    """Whether a figure is a delay beside TCP both ways."""
    return one.conditions.name == CONDITIONS


def queue_delays(
    check: Check, probes: Trials, folder: Path, profile: Profile, beside: Collection[str]
) -> Iterator[str]:
    """Delays beside TCP that do not follow from their trials, each in a sentence.

    Args:
        check: of a run that this copy of Gatepass made.
        probes: the run's trials of delays.
        folder: of the run.
        profile: of the run.
        beside: addresses of paths that the gateway is no part of.
    """
    noted = {one.get("number"): one for one in check.trials}
    for one in filter(is_beside_tcp, check.measurements):
        about = f"{check.name}: {one.subject}"
        for number in one.numbers:
            told = noted.get(number, {})
            if told.get("set_aside") or told.get("to", "") in ("", *beside):
                yield f"{about} is of trial {number}, which does not count."
        again = _again(one, probes, folder, profile)
        if again is None:
            yield f"{about} stands on probes and TCP of which no file tells."
        elif different := differs(one, again):
            yield (
                f"{about} is recorded with figures that the files of its trials do not make "
                f"({different})."
            )


def _again(
    one: Measurement, probes: Trials, folder: Path, profile: Profile
) -> Measurement | None:
    """The figure by the files of its trials; None where there is none of them."""
    if len(one.numbers) != 2:
        return None
    number, of_tcp = one.numbers
    pair, rates = probes.get(number, {}).get(KIND), _rates(folder, of_tcp)
    way = one.conditions.part("way")
    if pair is None or pair.through is None or rates is None or not way:
        return None
    mbps = dict(zip((TO_SERVER, TO_CLIENT), rates, strict=True))
    return measured(
        way.name, pair, mbps, profile.streams, profile.queue_delay_ms, one.numbers
    )


def _rates(folder: Path, number: int) -> tuple[float, float] | None:
    path = folder / "trials" / f"{number:03d}-{iperf.BOTH_WAYS}client.json"
    try:
        return iperf.rates_both_ways(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, AttributeError, NotProven):
        return None  # its digest in the record tells of a file that was changed


def not_kept(outcome: Outcome) -> str:
    """That delays beside TCP could not be made again, as a remark; empty where all could.

    Args:
        outcome: of a run that another copy of Gatepass made, which may not have kept its trials.
    """
    delays = [one for check in outcome.checks for one in check.measurements if is_beside_tcp(one)]
    if all(one.numbers for one in delays):
        return ""
    return "The run kept too little of TCP both ways to make the delays beside it again"
