"""Single connections between prober and responder, in a network namespace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from local_shell import LocalShell
from test_iperf_breaks import impair

from gatepass.base.errors import NotProven
from gatepass.endpoint.direct_path import must_be_answered_directly
from gatepass.endpoint.probe import (
    ANSWERED,
    REFUSED,
    SILENT,
    Probe,
    start_responder,
    try_all,
    with_patience,
)
from gatepass.endpoint.script import Script
from gatepass.inputs.testbed import Endpoint

LOCAL = ["127.0.0.1", "::1"]
DROP = (
    "nft add table inet t; nft add chain inet t c '{ type filter hook input priority 0; }'; "
    "nft add rule inet t c meta l4proto { tcp, udp } th dport 5303 drop"
)
RESET = """
import socket, struct
for _ in range(100):
    with socket.create_connection(("127.0.0.1", 5301)) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
"""


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_each_outcome(apart: LocalShell, protocol: str) -> None:
    apart.run(Script(DROP))
    responder = start_responder(apart, LOCAL, [5301, 5303], 30)
    probes = [
        Probe(protocol, "127.0.0.1", 5301),
        Probe(protocol, "::1", 5301, tries=3),
        Probe(protocol, "127.0.0.1", 5302),
        Probe(protocol, "127.0.0.1", 5303, tries=2),
    ]
    answers = try_all(apart, probes, timeout_s=0.3)
    assert [answer.probe for answer in answers] == probes
    assert [answer.outcome for answer in answers] == [ANSWERED, ANSWERED, REFUSED, SILENT]
    assert [answer.seen for answer in answers] == ["127.0.0.1", "::1", "", ""]
    responder.stop()


def test_a_connection_whose_first_packet_gets_lost_is_late_and_not_silent(
    apart: LocalShell,
) -> None:
    flow = "ip saddr . tcp sport . ip daddr . tcp dport"
    impair(apart, f"tcp flags syn / syn,ack {flow} != @seen add @seen {{ {flow} }} drop")
    apart.run(Script(DROP))
    responder = start_responder(apart, LOCAL, [5301, 5303], 30)
    lost, dropped = (Probe("tcp", "127.0.0.1", port) for port in (5301, 5303))
    answers = try_all(apart, [lost, dropped], timeout_s=0.3)
    assert [answer.outcome for answer in answers] == [SILENT, SILENT]
    late, silent = (with_patience(apart, answer) for answer in answers)
    assert late.late and not late.seen
    assert re.fullmatch(r"answered only after \d\.\d s, as its first packet got lost", late.outcome)
    assert silent is answers[1]
    responder.stop()


def test_a_caller_that_goes_away_does_not_end_the_responder(
    apart: LocalShell, tmp_path: Path
) -> None:
    responder = start_responder(apart, LOCAL, [5301], 30)
    (tmp_path / "reset.py").write_text(RESET)
    assert apart.run(Script(f"python3 {tmp_path}/reset.py")).status == 0
    (answer,) = try_all(apart, [Probe("tcp", "127.0.0.1", 5301)])
    assert answer.outcome == ANSWERED
    responder.stop()


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_it_is_called_at_the_addresses_of_the_test_alone(apart: LocalShell, protocol: str) -> None:
    """The network by which an endpoint is managed does not reach what a run starts there."""
    responder = start_responder(apart, ["127.0.0.2", "::1"], [5301], 30)
    places = ("127.0.0.2", "::1", "127.0.0.1")
    answers = try_all(apart, [Probe(protocol, place, 5301) for place in places])
    assert [answer.outcome for answer in answers] == [ANSWERED, ANSWERED, REFUSED]
    responder.stop()


def test_ports_that_are_taken(apart: LocalShell) -> None:
    first = start_responder(apart, LOCAL, [5301], 30)
    apart.run(Script(f"mkdir {apart.folder()}/second"))
    second = LocalShell("server", Path(apart.folder()) / "second", apart.inside)
    with pytest.raises(NotProven, match=r"could not be started on the server .*5301"):
        start_responder(second, LOCAL, [5301, 5309], 30)
    first.stop()


def test_a_prober_that_fails(shell: LocalShell) -> None:
    with pytest.raises(NotProven, match="prober failed on the client"):
        try_all(shell, [Probe("icmp", "127.0.0.1", 1)])


def far(**direct: str) -> Endpoint:
    """An endpoint with these addresses on the path without the gateway."""
    return Endpoint.model_construct(ssh=None, address="198.18.2.10", **direct)


def test_a_control_takes_the_same_port_on_the_other_path(apart: LocalShell) -> None:
    responder = start_responder(apart, LOCAL, [5301], 30)
    probes = [Probe("tcp", "198.18.2.10", 5301, via="7"), Probe("udp", "2001:2::1", 5301)]
    told = must_be_answered_directly(
        apart, "server", far(direct_address="127.0.0.1", direct_address6="::1"), probes
    )
    assert told == "On the path without the gateway TCP to 127.0.0.1 port 5301 is answered."
    responder.stop()


def test_a_control_that_is_not_answered_is_not_proven(apart: LocalShell) -> None:
    responder = start_responder(apart, LOCAL, [5301, 5303], 30)
    apart.run(Script(DROP))
    probes = [Probe("tcp", "198.18.2.10", port) for port in (5301, 5303)]
    words = r"port 5303 is not answered .*silent; 1 of 2 .* on the server, or on the client"
    with pytest.raises(NotProven, match=words):
        must_be_answered_directly(apart, "server", far(direct_address="127.0.0.1"), probes)
    responder.stop()


@pytest.mark.parametrize(
    ("address", "key"), [("198.18.2.10", "direct_address"), ("2001:2::1", "direct_address6")]
)
def test_without_a_path_for_the_control_nothing_is_proven(
    shell: LocalShell, address: str, key: str
) -> None:
    with pytest.raises(NotProven, match=f"Give both endpoints a {key} in"):
        must_be_answered_directly(shell, "server", far(), [Probe("tcp", address, 5301)])


def test_arguments() -> None:
    assert Probe("udp", "2001:2::1", 53, 2).argument == "udp:[2001:2::1]:53:2"
    assert str(Probe("tcp", "198.18.2.10", 5300)) == "TCP to 198.18.2.10 port 5300"
