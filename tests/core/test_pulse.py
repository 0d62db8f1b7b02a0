"""A steady pulse between real programs in a network namespace."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from local_shell import LocalShell

from crowd import Crowd
from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.pulse import Pulse, start_echo
from gatepass.endpoint.script import Script
from standstill import stands_still

PORT = 5301
ONE, OTHER = "127.0.0.2", "127.0.0.3"
_LONG = 3000
"""More than are sent before a test ends them."""


def _crossed(shell: LocalShell) -> int:
    """Packets that have crossed the loopback device: two for each that is answered."""
    return int(shell.run(Script("awk '$1 == \"lo:\" {print $3}' /proc/net/dev")).output)


def _go_on(shell: LocalShell, packets: int) -> None:
    """Wait until so many more have crossed."""
    before = _crossed(shell)
    assert until(lambda: _crossed(shell) >= before + packets, 30)


def test_all_that_is_sent_comes_back(apart: LocalShell) -> None:
    start_echo(apart, PORT, [ONE, OTHER], 60)
    crowd = Crowd()
    told = Pulse(apart, "pulse", {ONE: 30, OTHER: 10}, PORT, 0.01).wait()
    assert {address: seen.sent for address, seen in told.items()} == {ONE: 30, OTHER: 10}
    lost = [seen.sent - seen.answered for seen in told.values()]
    assert crowd.accounts_for(sum(lost))
    if not sum(lost):
        assert told[ONE].longest_gap_s == 0
        assert str(told[ONE]) == "0 of 30 packets were lost"


def test_it_ends_when_it_is_told_to(apart: LocalShell) -> None:
    start_echo(apart, PORT, [ONE, OTHER], 60)
    crowd = Crowd()
    pulse = Pulse(apart, "pulse", {ONE: _LONG, OTHER: 20}, PORT, 0.01)
    _go_on(apart, 120)
    told = pulse.end()
    assert 30 < told[ONE].sent < _LONG and told[OTHER].sent == 20
    assert crowd.accounts_for(sum(seen.sent - seen.answered for seen in told.values()))
    assert Pulse(apart, "pulse", {ONE: 40}, PORT, 0.01).wait()[ONE].sent == 40


def test_a_gap_is_seen_as_long_as_it_was(apart: LocalShell) -> None:
    start_echo(apart, PORT, [ONE], 60)
    crowd = Crowd()
    pulse = Pulse(apart, "pulse", {ONE: _LONG}, PORT, 0.01)
    _go_on(apart, 40)
    closing = time.time()
    chain = "nft add chain inet t c '{ type filter hook input priority 0; }'"
    rule = f"nft add rule inet t c udp dport {PORT} drop"
    apart.run(Script(f"nft add table inet t && {chain} && {rule}"))
    _go_on(apart, 20)  # unanswered
    opening = time.time()
    apart.run(Script("nft delete table inet t"))
    _go_on(apart, 40)
    told = pulse.end()[ONE]
    assert _LONG > told.sent > told.answered
    gap = max(told.gaps, key=lambda gap: gap.seconds)
    assert crowd.accounts_for(len(told.gaps) - 1)
    assert gap.seconds == told.longest_gap_s
    assert gap.at > closing - 0.01
    assert gap.at + gap.most_s > opening - 0.01
    assert f"the longest gap lasted {gap.seconds * 1000:.0f} ms" in str(told)


def test_a_pulse_that_stands_still_says_so(apart: LocalShell) -> None:
    """What it did not send cannot have been lost, and its path may have been closed meanwhile."""
    start_echo(apart, PORT, [ONE], 60)
    pulse = Pulse(apart, "pulse", {ONE: _LONG}, PORT, 0.01)
    _go_on(apart, 40)
    begun = time.time()
    with stands_still(Path(apart.folder()) / "pulse"):
        assert until(lambda: time.time() > begun + 0.5, 20)
    _go_on(apart, 40)
    told = pulse.end()[ONE]
    pause = max(told.pauses, key=lambda one: one.most_s)
    assert pause.most_s > 0.45 and not pause.seconds
    assert begun - 0.1 < pause.at < begun + 0.1


def test_nobody_answers(apart: LocalShell) -> None:
    told = Pulse(apart, "pulse", {ONE: 10}, PORT, 0.01).wait()
    assert told[ONE].answered == 0
    assert told[ONE].longest_gap_s > 0.09


def test_an_address_that_is_not_there_is_not_proven(apart: LocalShell) -> None:
    with pytest.raises(NotProven, match=r"no echo could be started on the client \(UDP port 5301"):
        start_echo(apart, PORT, ["198.18.77.1"], 60)
