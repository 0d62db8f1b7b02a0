"""Which trials are set aside, and that they are so for what the rig did alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_causes import TRIAL, conduct

from gatepass.results.trial import Trial
from gatepass.verdict.disturbance import aside_in_words, busy_with, disturbance, wire_mbps


def with_client(**more: object) -> Trial:
    return replace(TRIAL, conduct={"client": conduct(**more), "server": conduct()})


def test_a_quiet_rig_disturbs_nothing() -> None:
    assert disturbance(TRIAL) == ""
    assert disturbance(replace(TRIAL, conduct={}, client_waited_s=None)) == ""


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (with_client(late_percent=12.0), "programs on the client waited for a processor 12.0 %"),
        (with_client(longest_late_s=0.281), "the client stood still for 281 ms"),
        (with_client(longest_late_s=0.101, seconds=10.0), "the client stood still for 101 ms"),
        (with_client(longest_late_s=0.09, seconds=1.1), "the client stood still for 90 ms"),
        (with_client(packets_waited_percent=40.0), "the client's packets waited"),
        (with_client(stolen_percent=12.0), "the hypervisor took 12.0 %"),
        (with_client(nic_lost=60), "the client's interfaces lost 60 packets"),
        (with_client(socket_lost=159), "lost 159 packets as a program did not fetch them"),
        (with_client(stepped_s=-0.4), "clock was set by -0.40 s"),
        (replace(TRIAL, server_waited_s=0.5), "iperf3 on the server waited for a processor 41.7 %"),
        (replace(TRIAL, wire_mbps=320.0), "interface counted 320.0 in the same seconds"),
    ],
)
def test_what_the_rig_did_sets_a_trial_aside(trial: Trial, words: str) -> None:
    assert words in disturbance(trial)
    # whatever the figure was
    other = replace(trial, mbps=trial.mbps * 2, wire_mbps=trial.wire_mbps and 2 * trial.wire_mbps)
    assert bool(disturbance(other))


@pytest.mark.parametrize("mbps", [1.0, 204.0, 300.0, 597.0, 9000.0])
def test_a_figure_alone_sets_none_aside(mbps: float) -> None:
    assert disturbance(replace(TRIAL, mbps=mbps)) == ""


def test_a_hypervisor_that_takes_little_sets_none_aside() -> None:
    assert disturbance(with_client(stolen_percent=8.0)) == ""


@pytest.mark.parametrize(("longest_s", "seconds"), [(0.099, 10.0), (0.05, 1.1), (0.049, 0.1)])
def test_a_short_wait_sets_none_aside(longest_s: float, seconds: float) -> None:
    assert disturbance(with_client(longest_late_s=longest_s, seconds=seconds)) == ""


def test_a_sender_of_datagrams_is_always_ready() -> None:
    datagrams = replace(TRIAL, mss=None, client_waited_s=0.9)
    assert disturbance(datagrams) == ""


def test_it_is_told_with_who_was_at_work_and_what_to_do() -> None:
    busy = with_client(late_percent=12.0, programs={"stress": 98, "iperf3": 60, "sshd": 3})
    text = aside_in_words([(busy, disturbance(busy))])
    assert text.startswith("The test machines disturbed 1 trial: ")
    assert "The test machine was busy with stress (98 % of a core). " in text
    assert text.endswith("Run again when the test machines are idle.")
    assert aside_in_words([]) == "" and busy_with([TRIAL]) == ""


def looks(rate_mbps: float, seconds: float, step_s: float = 0.1) -> tuple:
    """What came in at a steady rate of payload in full frames, after half a second of nothing."""
    found, at = [], 0.0
    while at < seconds + 1.5:
        payload = rate_mbps * 1e6 / 8 * min(max(at - 0.5, 0), seconds)
        packets = int(payload / 1448)
        came = [int(payload + packets * 66), packets, 0]
        found.append((100 + at, {"eth0": came, "eth1": [9, 9, 0]}))
        at += step_s
    return tuple(found)


def test_the_interface_counts_in_the_same_seconds() -> None:
    """Behind a shaper of 320 iperf3 once told 597 for two seconds."""
    trial = replace(TRIAL, mbps=597.0, seconds=2.0)
    counted = wire_mbps(trial, conduct(links=looks(306.0, 3.0)), omit_s=1.0)
    assert counted == pytest.approx(306.0, rel=0.005)
    assert "interface counted 306" in disturbance(replace(trial, wire_mbps=counted))
    assert disturbance(replace(trial, mbps=307.0, wire_mbps=counted)) == ""


def test_counters_that_do_not_hold_the_trial_say_nothing() -> None:
    trial = replace(TRIAL, seconds=2.0)
    assert wire_mbps(trial, conduct(links=looks(306.0, 3.0)[:15]), omit_s=1.0) is None
    assert wire_mbps(trial, conduct(links=()), omit_s=1.0) is None
    assert wire_mbps(trial, conduct(links=looks(0.0, 3.0)), omit_s=1.0) is None
