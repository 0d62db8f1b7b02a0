"""After any accepted calls packets pass as the configuration says: `test_agreement` with a kernel.

What is to pass is read from the configuration by the suite's own reader of rule sets, which knows
nothing of the lab.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

import pytest
from dataplane_rig import CLIENT, CLIENT6, SERVER, SERVER6, Rig
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.packet import Packet as Frame
from scapy.packet import Raw
from test_agreement import TIMES, Calls, hold

from gatepass.gateway import packet as numbers
from gatepass.gateway import policy_table
from gatepass.gateway.packet import Packet
from lab.base.process import wait_until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

TABLES = (
    *("firewall/policy", "firewall/address", "firewall/address6", "firewall/addrgrp"),
    *("firewall/addrgrp6", "firewall.service/custom", "firewall.service/group", "firewall/ippool"),
    "system/zone",
)
"""All that a plain policy is made of."""
_NEIGHBOUR = "198.18.1.200"
_TAG = b"agreement"
_ETH_P_ALL, _OUTGOING = 3, 4
_PATIENCE_S = 5.0
_GATEWAY_SIDES = (("198.18.1.1", "2001:2:0:1::1"), ("198.18.2.1", "2001:2:0:2::1"))


def probes() -> list[tuple[Packet, Frame]]:
    """Packets as the rule set is asked about them, and as they are sent."""
    found = []
    for source, target in ((CLIENT, SERVER), (_NEIGHBOUR, SERVER), (CLIENT6, SERVER6)):
        sixth = ":" in source
        network = (IPv6 if sixth else IP)(src=source, dst=target)
        of_ports = [(TCP, 80), (TCP, 443), (UDP, 53), (UDP, 9000)]
        for protocol, port in of_ports:
            sent = network / protocol(dport=port)
            number = {TCP: numbers.TCP, UDP: numbers.UDP}[protocol]
            found.append((_asked(source, target, number, port), sent))
        echo = ICMPv6EchoRequest() if sixth else ICMP()
        kind = numbers.ICMP6 if sixth else numbers.ICMP
        asked = _asked(source, target, kind, 0, icmp_type=128 if sixth else 8)
        found.append((asked, network / echo))
    return found


def _asked(
    source: str, target: str, protocol: int, port: int, **more: int
) -> Packet:
    return Packet("port2", "port1", source, target, protocol, port, 40000, **more)


PROBES = probes()


class Wire:
    """Sends marked packets from the client's side and sees which come to the server.

    Args:
        rig: both, and the gateway between them.
    """

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._numbers = count(1)
        self._ports = count(20000)
        raw = socket.SOCK_RAW
        self._senders = {
            version: rig.client.socket(family, raw, socket.IPPROTO_RAW)
            for version, family in ((4, socket.AF_INET), (6, socket.AF_INET6))
        }
        self._capture = rig.server.socket(socket.AF_PACKET, raw, socket.htons(_ETH_P_ALL))
        self._capture.setblocking(False)
        self._seen: set[int] = set()

    def send(self, packets: Iterable[Frame]) -> list[int]:
        """Send each as a session of its own; the numbers that they bear."""
        return [self._send(packet) for packet in packets]

    def _send(self, packet: Frame) -> int:
        number, own = next(self._numbers), packet.copy()
        inner = own.payload
        port = 20000 + next(self._ports) % 40000
        if isinstance(inner, ICMP | ICMPv6EchoRequest):
            inner.id = port
        else:
            inner.sport = port
        frame = bytes(own / Raw(_TAG + struct.pack("!I", number)))
        self._senders[own.version].sendto(frame, (own.dst, 0))
        return number

    def arrived(self, wanted: set[int]) -> set[int]:
        """The numbers that have arrived, once all wanted have or were waited for.

        Both sides have taken in what was under way by then, as each has answered the other since.
        """
        wait_until(lambda: wanted <= self._look(), _PATIENCE_S)
        for node, sides in ((self._rig.client, _GATEWAY_SIDES[0]), (self._rig.server,
                                                                    _GATEWAY_SIDES[1])):
            for address in sides:
                assert self._rig.ping(address, node, _PATIENCE_S), address
        return set(self._look())

    def _look(self) -> set[int]:
        while True:
            try:
                frame, where = self._capture.recvfrom(2048)
            except BlockingIOError:
                return self._seen
            at = frame.find(_TAG)
            if where[2] != _OUTGOING and at >= 0:
                self._seen.add(*struct.unpack_from("!I", frame, at + len(_TAG)))

    def close(self) -> None:
        """Close the sockets."""
        for sock in (*self._senders.values(), self._capture):
            sock.close()


class CallsWithPackets(Calls):
    """The same with a kernel that carries out what was accepted."""

    tables = TABLES
    singletons = ()

    def __init__(self, rig: Rig, wire: Wire, faults: Mapping) -> None:
        super().__init__()
        self._rig, self._wire, self._faults = rig, wire, faults
        self._intent: Any = None

    def hold(self) -> None:
        config = self.gateway.config
        intent = hold(config, self._intent)
        if intent is self._intent or intent.inspecting:
            return  # nothing else is carried out than before, or by a program that is not here
        self._intent = intent
        ports = [row for row in config["system/interface"] if row["name"] in ("port1", "port2")]
        self._rig.apply({**config, "system/interface": ports}, self._faults)
        self.packets_pass_as_the_rules_say(config)

    def packets_pass_as_the_rules_say(self, config: Mapping) -> None:
        table = policy_table.PolicyTable(config)
        said = [(asked, sent, table.decide(asked)) for asked, sent in PROBES]
        clear = [(asked, sent, one.accept) for asked, sent, one in said if not one.unclear]
        numbers = self._wire.send(sent for _, sent, _ in clear)
        may = dict(zip(numbers, clear, strict=True))
        wanted = {number for number, (_, _, accept) in may.items() if accept}
        arrived = self._wire.arrived(wanted) & may.keys()
        wrong = [may[number][0] for number in sorted(wanted ^ arrived)]
        assert not wrong, f"{wrong}; policies: {config['firewall/policy']}"


@pytest.fixture
def wire(rig: Rig) -> Iterator[Wire]:
    """What sends and looks."""
    made = Wire(rig)
    yield made
    made.close()


def _run(rig: Rig, wire: Wire, faults: Mapping, *phases: Phase) -> None:
    run_state_machine_as_test(
        lambda: CallsWithPackets(rig, wire, faults),
        settings=settings(
            max_examples=15 * TIMES,
            stateful_step_count=40,
            deadline=None,
            derandomize=TIMES == 1,
            suppress_health_check=list(HealthCheck),
            phases=phases or tuple(Phase),
        ),
    )


def test_packets_pass_as_the_accepted_calls_say(rig: Rig, wire: Wire) -> None:
    _run(rig, wire, {})


def test_a_fault_below_the_api_is_found(rig: Rig, wire: Wire) -> None:
    with pytest.raises(AssertionError, match=r"Packet\(.*policies: "):
        _run(rig, wire, {"ipv6-open": {}}, Phase.generate)
