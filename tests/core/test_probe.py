"""Single connections between prober and responder, in a network namespace."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.errors import NotProven
from gatepass.probe import ANSWERED, REFUSED, SILENT, Probe, start_responder, try_all

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
    apart.run(DROP)
    responder = start_responder(apart, [5301, 5303], 30)
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


def test_a_caller_that_goes_away_does_not_end_the_responder(
    apart: LocalShell, tmp_path: Path
) -> None:
    responder = start_responder(apart, [5301], 30)
    (tmp_path / "reset.py").write_text(RESET)
    assert apart.run(f"python3 {tmp_path}/reset.py").status == 0
    (answer,) = try_all(apart, [Probe("tcp", "127.0.0.1", 5301)])
    assert answer.outcome == ANSWERED
    responder.stop()


def test_ports_that_are_taken(apart: LocalShell) -> None:
    first = start_responder(apart, [5301], 30)
    apart.run(f"mkdir {apart.folder()}/second")
    second = LocalShell("server", Path(apart.folder()) / "second", apart.inside)
    with pytest.raises(NotProven, match=r"could not be started on the server .*5301"):
        start_responder(second, [5301, 5309], 30)
    first.stop()


def test_a_prober_that_fails(shell: LocalShell) -> None:
    with pytest.raises(NotProven, match="prober failed on the client"):
        try_all(shell, [Probe("icmp", "127.0.0.1", 1)])


def test_arguments() -> None:
    assert Probe("udp", "2001:2::1", 53, 2).argument == "udp:[2001:2::1]:53:2"
    assert str(Probe("tcp", "198.18.2.10", 5300)) == "TCP to 198.18.2.10 port 5300"
