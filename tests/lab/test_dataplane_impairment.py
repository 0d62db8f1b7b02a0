"""Packets held up, lost or doubled on their way through the data plane. Needs root.

How long a packet is held is a matter of `test_impairment`; here a delay is so long that what must
come in between does.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import contextmanager

import pytest
from class_rig import AF31, CONFIG, EF, counted, marked
from dataplane_rig import CLIENT, CLIENT6, GATEWAY, GATEWAY6, SERVER, SERVER6, Rig, Transfer

from lab.gateway.dataplane.plane import DataPlane
from lab.gateway.dataplane.programs.impairment import Impairment

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

PATIENCE_S = 10
NEVER = {"outages": {"seconds": 5.0, "every_s": 5.0}}
SOCKETS = {4: (socket.AF_INET, SERVER), 6: (socket.AF_INET6, SERVER6)}


@pytest.fixture
def rig(rig):
    yield rig
    rig.gateway(rig.plane.close)


@contextmanager
def datagrams(rig: Rig, version: int = 4):
    """A sender on the client that is connected to a receiver on the server."""
    family, address = SOCKETS[version]
    with (
        rig.server.socket(family, socket.SOCK_DGRAM) as receiver,
        rig.client.socket(family, socket.SOCK_DGRAM) as sender,
    ):
        receiver.bind((address, 9000))
        sender.connect((address, 9000))
        yield sender, receiver


def arrivals(rig: Rig, count: int, version: int = 4, copies: int = 1) -> list[int]:
    """Send numbered datagrams; answers their numbers as they come, until all have come."""
    found = []
    with datagrams(rig, version) as (sender, receiver):
        receiver.settimeout(PATIENCE_S)
        for number in range(count):
            sender.send(number.to_bytes(2, "big"))
        while len(found) < count * copies:
            found.append(int.from_bytes(receiver.recv(100), "big"))
    return found


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("back", [False, True], ids=["forth", "back"])
def test_packets_are_held_each_way(rig, version, back):
    rig.apply(CONFIG, {"latency": {"milliseconds": 100.0}})
    with datagrams(rig, version) as (sender, receiver):
        sender.send(b"open")
        peer = receiver.recvfrom(100)[1]
        before = time.monotonic()
        if back:
            receiver.sendto(b"held", peer)
            sender.recv(100)
        else:
            sender.send(b"held")
            receiver.recv(100)
        assert time.monotonic() - before >= 0.100


def test_what_the_gateway_itself_sends_is_not_impaired(rig):
    rig.apply(CONFIG, NEVER)
    assert not rig.ping(SERVER)
    assert not rig.ping(SERVER6)
    assert rig.ping(GATEWAY)
    assert rig.ping(GATEWAY6)
    assert rig.counters()[1].packets > 0, "the gateway forwarded them, by all that it tells"


@pytest.mark.parametrize("version", [4, 6])
def test_jitter_keeps_the_order(rig, version):
    rig.apply(CONFIG, {"jitter": {"milliseconds": 50.0}})
    assert arrivals(rig, 200, version) == list(range(200))


def test_some_are_overtaken(rig):
    rig.apply(CONFIG, {"reordering": {"percent": 50.0, "milliseconds": 50.0}})
    found = arrivals(rig, 200)
    assert found != sorted(found)
    assert sorted(found) == list(range(200))


def test_all_arrive_twice(rig):
    rig.apply(CONFIG, {"duplication": {"percent": 100.0}})
    assert sorted(arrivals(rig, 50, copies=2)) == sorted([*range(50), *range(50)])


@pytest.mark.parametrize("dest", [SERVER, SERVER6])
def test_tcp_gets_through_whole_with_its_super_packets(rig, dest):
    rig.apply(CONFIG, {"latency": {"milliseconds": 2.0}})
    assert rig.tcp(dest) == (CLIENT if dest == SERVER else CLIENT6)
    transfer = Transfer(rig)
    assert transfer.goes_on()
    transfer.stop()


def test_shapers_hold_what_is_impaired(rig):
    rig.apply(CONFIG, {"latency": {"milliseconds": 1.0}})
    assert marked(rig, EF, AF31) == [EF] * 3
    assert counted(rig, "tap1") == {"voice": 3}
    assert counted(rig, "tap2") == {"business": 3}
    assert not counted(rig, "port1"), "they waited twice"


def test_markings_are_lost_on_the_detour_too(rig):
    rig.apply(CONFIG, {"latency": {"milliseconds": 1.0}, "marking-lost": {}})
    assert marked(rig, EF, AF31, version=6) == [0] * 3


def _devices_and_tables(rig: Rig) -> list[str]:
    links = rig.output("ip", "-br", "link").splitlines()
    return [line.split()[0] for line in links] + rig.output("nft", "list", "tables").splitlines()


def test_another_figure_and_none_at_all(rig):
    rig.apply(CONFIG)
    sound = _devices_and_tables(rig)
    rig.apply(CONFIG, NEVER)
    assert rig.udp() is None
    rig.apply(CONFIG, {"outages": {"seconds": 1.0, "every_s": 3600.0}})
    assert arrivals(rig, 1) == [0]
    assert _devices_and_tables(rig) != sound
    rig.apply(CONFIG)
    assert arrivals(rig, 1) == [0]
    assert _devices_and_tables(rig) == sound


def test_what_an_earlier_process_left_is_taken_away(rig, tmp_path):
    rig.apply(CONFIG, NEVER)
    (former,) = (part for part in rig.plane.parts if isinstance(part, Impairment))
    former._worker.stop()  # as with a gateway that was killed
    rig.plane = DataPlane(tmp_path)
    rig.apply(CONFIG)
    assert arrivals(rig, 1) == [0]
