"""Delays beside TCP that `verify` makes again from probes and from iperf3's reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from probes import KIND, trial

from gatepass.base.paths import VARIABLES
from gatepass.endpoint.iperf import rates_both_ways
from gatepass.inputs import load_profile
from gatepass.proof.delays_and_losses import kept_delays
from gatepass.proof.queue_delays import not_kept, queue_delays
from gatepass.results import record
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import PASS, Measurement
from gatepass.verdict.delay_trials import facts_of
from gatepass.verdict.queue_delay import measured

PROFILE = load_profile(VARIABLES / "profiles.yaml", "quick")
SENT = {
    "end": {
        "sum_received": {"bits_per_second": 310_234_567.8},
        "sum_received_bidir_reverse": {"bits_per_second": 201_000_000.1},
    }
}
THROUGH, BESIDE = "198.18.2.10", "198.18.9.10"


def kept(folder: Path) -> Check:
    """A check of one way, as its record tells of it: trial 4 is of TCP, 5 of the probes."""
    probes = trial([100, 900, 4_000] * 400, beside=[60] * 1200)
    pair = probes.pairs[KIND]
    ticks = tuple((100, 100) for _ in range(12))
    delays = tuple((1_000.0 * (1 + number), 30_000) for number in range(12))
    seen = replace(pair.through, ticks=ticks, tick_delays=delays)
    probes = replace(probes, pairs={KIND: replace(pair, through=seen)})
    trials = folder / "trials"
    trials.mkdir()
    (trials / "004-both-ways-client.json").write_text(json.dumps(SENT))
    (trials / "005-delays.json").write_text(json.dumps(probes.record()))
    there, back = rates_both_ways(SENT)
    mbps = {"to_server": there, "to_client": back}
    limit_ms = PROFILE.queue_delay_ms
    held = measured("to_server", probes.pairs[KIND], mbps, PROFILE.streams, limit_ms, (5, 4))
    noted = [
        {"number": 4, "to": THROUGH},
        {"number": 5, "to": THROUGH, **facts_of(probes)},
    ]
    told = record.parse(record.dump("measurement", held))[1]
    return Check("Delay", "Beside TCP", PASS, measurements=[told], trials=noted)


def wrong(check: Check, folder: Path) -> list[str]:
    return list(queue_delays(check, kept_delays(folder), folder, PROFILE, (BESIDE,)))


def test_what_follows_from_its_trials_is_not_accused(tmp_path: Path) -> None:
    check = kept(tmp_path)
    assert check.measurements[0].value == 11.94
    assert wrong(check, tmp_path) == []


FORGERIES: dict[str, tuple[Callable[[Measurement], Measurement], str]] = {
    "a shorter delay": (lambda one: replace(one, value=1.0, trials=(1.0,)), "(value)"),
    "its course": (lambda one: replace(one, series=one.series[:3]), "(series)"),
    "a rate of TCP": (
        lambda one: replace(one, facts=one.facts | {"tcp_to_server_mbps": 900.0}),
        "(facts)",
    ),
    "the limit": (lambda one: replace(one, threshold=9_000.0), "(threshold)"),
    "no trial": (lambda one: replace(one, numbers=()), "of which no file tells"),
    "another trial": (lambda one: replace(one, numbers=(4, 5)), "of which no file tells"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_delay_that_does_not_follow_is_named(tmp_path: Path, forgery: str) -> None:
    forge, sentence = FORGERIES[forgery]
    check = kept(tmp_path)
    check.measurements[0] = forge(check.measurements[0])
    (found,) = wrong(check, tmp_path)
    assert found.startswith("Beside TCP: ") and sentence in found


@pytest.mark.parametrize("told", [{"set_aside": "the client stood still"}, {"to": BESIDE}])
def test_a_trial_that_does_not_count_makes_no_figure(
    tmp_path: Path, told: dict[str, str]
) -> None:
    check = kept(tmp_path)
    check.trials[1] |= told
    assert "is of trial 5, which does not count" in wrong(check, tmp_path)[0]


def test_files_that_were_altered_are_named(tmp_path: Path) -> None:
    check = kept(tmp_path)
    path = tmp_path / "trials" / "005-delays.json"
    path.write_text(path.read_text().replace("12000.0", "2000.0"))
    assert "(value)" in wrong(check, tmp_path)[0]


def test_a_run_of_before_has_no_numbers_and_is_not_accused(tmp_path: Path) -> None:
    check = kept(tmp_path)
    assert not_kept(Outcome({}, [check], {}, None, 1.0)) == ""
    check.measurements[0] = replace(check.measurements[0], numbers=())
    assert not_kept(Outcome({}, [check], {}, None, 1.0)).startswith("The run kept too little")
