"""An overload that came to nothing: whose doing that is, and which end was the limit."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from played import Played
from test_causes import TRIAL, conduct

import Traffic
from gatepass.base.errors import NotProven
from gatepass.results.trial import Load, Trial
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials

DATAGRAMS = {"mss": None, "lost_percent": 0.0, "retransmits": None, "rtt_ms": None}


def overloaded(
    mbps: float,
    beside: Trial | None = None,
    monkeypatch: pytest.MonkeyPatch | None = None,
    spread: float = 1.0,
    **trial: object,
) -> None:
    """Hold trials of this rate against a tier of 2,000 Mbit/s.

    Args:
        mbps: that came through.
        beside: what a control shows; None where there is no path for it.
        monkeypatch: of the test.
        spread: between one trial and the next, Mbit/s.
        trial: what else they show.
    """
    one = replace(TRIAL, **(DATAGRAMS | trial))
    made = tuple(replace(one, mbps=mbps + spread * step) for step in (-1, 0, 1))
    gateway = SimpleNamespace(lost=False, monitor=lambda *_, **__: {}, rows=lambda *_, **__: [])
    context = Played(baselines={}, gateway=gateway)
    context.check.trials = Trials(made, Rule(3, 3, 0.95, False), "UDP payload")
    keywords = Traffic.Traffic(context)
    keywords._sent.load = Load(seconds=2, streams=4, omit_s=1, udp_mbps=2500.0)
    asked: list[float] = []

    def control(load: Load, rate: float) -> object:
        asked.append(rate * 1.05)
        return (lambda: beside) if beside else None

    if monkeypatch:
        monkeypatch.setattr(keywords.runner, "control", control)
    keywords._measured("ceiling", 2200.0, baseline=False)
    keywords._must_have_overloaded(2000.0)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(Traffic.Traffic, "runner", SimpleNamespace(control=None), raising=False)
    return monkeypatch


def test_an_endpoint_at_its_limit_is_the_rigs(told: pytest.MonkeyPatch) -> None:
    why = "The client was at its own limit: iperf3 took 99 % of one core. Use a faster"
    with pytest.raises(NotProven, match=r"datagrams came through of 2500 .* not tried") as ended:
        overloaded(1016.0, TRIAL, told, client_cpu=99.0)
    assert why in str(ended.value)


def test_what_the_gateway_alone_does_not_let_through_is_a_fail(told: pytest.MonkeyPatch) -> None:
    beside = replace(TRIAL, mbps=2490.0, **DATAGRAMS)
    with pytest.raises(AssertionError) as ended:
        overloaded(1616.0, beside, told, client_cpu=60.0)
    message = str(ended.value)
    assert "1616 ± " in message.replace("\u202f", "") or "1 616" in message.replace("\u202f", " ")
    assert "at least 2000 Mbit/s" in message
    assert "Of 2500 Mbit/s of datagrams the path without the gateway carried" in message


def test_a_figure_that_straddles_the_rate_is_not_proven(told: pytest.MonkeyPatch) -> None:
    beside = replace(TRIAL, mbps=2490.0, **DATAGRAMS)
    with pytest.raises(NotProven, match="both sides of the promise"):
        overloaded(1790.0, beside, told, spread=150.0, client_cpu=60.0)


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        (replace(TRIAL, mbps=1620.0, **DATAGRAMS), "without the gateway carried no more than"),
        (
            replace(TRIAL, mbps=2490.0, conduct={"client": conduct(nic_lost=9000)}, **DATAGRAMS),
            "disturbed 8 trials: the client's interfaces lost",
        ),
        (None, "direct_address"),
    ],
)
def test_what_the_path_without_the_gateway_does_not_carry_is_the_rigs(
    told: pytest.MonkeyPatch, beside: Trial | None, why: str
) -> None:
    with pytest.raises(NotProven, match=why):
        overloaded(1616.0, beside, told, client_cpu=60.0)


def test_an_overload_that_was_one_says_nothing(told: pytest.MonkeyPatch) -> None:
    overloaded(2040.0, None, told)
