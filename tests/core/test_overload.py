"""An overload that came to nothing says which end was the limit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from played import Played
from test_causes import TRIAL

import Traffic
from gatepass.base.errors import NotProven
from gatepass.results.trial import Load
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials


@pytest.mark.parametrize(
    ("client_cpu", "why"),
    [
        (99.0, "The client was at its own limit: iperf3 took 99 % of one core. Use a faster"),
        (60.0, "The sender was disturbed, or the gateway lets less through"),
    ],
)
def test_it_is_not_proven(client_cpu: float, why: str) -> None:
    trial = replace(TRIAL, mbps=1016.0, client_cpu=client_cpu, lost_percent=0.0)
    trials = Trials((trial,) * 3, Rule(3, 3, 0.95, False), "UDP payload")
    context = Played()
    context.check.trials = trials
    keywords = Traffic.Traffic(context)
    keywords._sent.load = Load(seconds=2, streams=4, omit_s=1, udp_mbps=2500.0)
    with pytest.raises(NotProven, match=r"datagrams came through of 2500 .* not tried") as told:
        keywords._must_have_overloaded(2000.0)
    assert why in str(told.value)


def test_an_overload_that_was_one_says_nothing() -> None:
    trials = Trials((replace(TRIAL, mbps=2040.0),) * 3, Rule(3, 3, 0.95, False), "UDP payload")
    context = Played()
    context.check.trials = trials
    Traffic.Traffic(context)._must_have_overloaded(2000.0)
