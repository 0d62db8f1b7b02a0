"""A connection that gets no answer through the gateway: lost there, or at an endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway_world import (
    CLIENT,
    DIRECT,
    PORT,
    SERVER,
    SERVER6,
    GatewayWorld,
    drop,
    gateway_world,
    must,
)

from gatepass.base.errors import NotProven
from gatepass.endpoint.probe import Probe, start_responder
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.endpoint.where_lost import Ends, must_be_lost_in_between
from gatepass.endpoint.wire_look import Packet

PORTS = f"meta l4proto {{ tcp, udp }} th dport {PORT}"
FROM = f"meta l4proto {{ tcp, udp }} th sport {PORT}"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GatewayWorld]:
    if os.geteuid():
        pytest.skip("a network namespace needs root")
    with gateway_world(tmp_path) as made:
        yield made


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
class TestInterfacesOfTheirOwn:
    """What concerns the gateway's side of an endpoint alone."""

    def test_a_filter_of_the_server(self, world: GatewayWorld, protocol: str) -> None:
        drop(world.server, "input", f'iifname "data" {PORTS}')
        probe = Probe(protocol, SERVER, PORT)
        words = world.blamed(probe)
        assert f"{probe} came through the gateway to data of the server" in words
        assert "the server did not take it. Is there a firewall on it" in words

    def test_a_filter_of_the_client(self, world: GatewayWorld, protocol: str) -> None:
        drop(world.client, "input", f'iifname "data" {FROM}')
        probe = Probe(protocol, SERVER, PORT)
        words = world.blamed(probe)
        assert f"the answer to {probe} came through the gateway to data of the client" in words
        assert "the client did not take it. Is there a firewall on it" in words

    def test_a_filter_of_what_the_server_answers(
        self, world: GatewayWorld, protocol: str
    ) -> None:
        drop(world.server, "output", f'oifname "data" {FROM}')
        assert "the server did not take it" in world.blamed(Probe(protocol, SERVER, PORT))

    def test_a_strict_reverse_path_filter(self, world: GatewayWorld, protocol: str) -> None:
        must(world.server, f"ip r add {CLIENT} via {DIRECT['client']}")
        must(world.server, "sysctl -qw net.ipv4.conf.data.rp_filter=1")
        words = world.blamed(Probe(protocol, SERVER, PORT))
        assert "the server did not take it" in words and "(rp_filter)" in words

    def test_answers_that_go_past_the_gateway(self, world: GatewayWorld, protocol: str) -> None:
        must(world.server, f"ip r add {CLIENT} via {DIRECT['client']}")
        must(world.client, "sysctl -qw net.ipv4.conf.direct.rp_filter=1")
        words = world.blamed(Probe(protocol, SERVER, PORT))
        assert "the server, which answers by direct, past the gateway. Correct its route" in words

    def test_ipv6(self, world: GatewayWorld, protocol: str) -> None:
        drop(world.server, "input", f'iifname "data" {PORTS}')
        assert "the server did not take it" in world.blamed(Probe(protocol, SERVER6, PORT))

    @pytest.mark.parametrize("match", [PORTS, FROM])
    def test_the_gateway_itself(self, world: GatewayWorld, protocol: str, match: str) -> None:
        drop(world.gateway, "forward", match)
        assert world.blamed(Probe(protocol, SERVER, PORT)) == ""
        assert world.blamed(Probe(protocol, SERVER6, PORT)) == ""


def test_a_filter_of_what_the_client_sends(world: GatewayWorld) -> None:
    drop(world.client, "output", f'oifname "data" {PORTS}')
    words = world.blamed(Probe("tcp", SERVER, PORT))
    assert "did not leave the client. Is there a firewall on it" in words


def test_a_filter_in_the_middle_of_a_connection(world: GatewayWorld) -> None:
    drop(world.server, "input", f'iifname "data" tcp dport {PORT} tcp flags & syn == 0')
    assert "the server did not take it" in world.blamed(Probe("tcp", SERVER, PORT))
    must(world.server, "nft flush ruleset")
    drop(world.gateway, "forward", f"tcp dport {PORT} tcp flags & syn == 0")
    assert world.blamed(Probe("tcp", SERVER, PORT)) == ""


@pytest.mark.parametrize(
    ("family", "match", "address"),
    [
        ("arp", 'iifname "data"', SERVER),
        ("ip6", 'iifname "data" icmpv6 type nd-neighbor-solicit', SERVER6),
    ],
)
def test_a_server_that_does_not_say_where_it_is(
    world: GatewayWorld, family: str, match: str, address: str
) -> None:
    drop(world.server, "input", match, family)
    must(world.gateway, "ip neigh flush dev server")
    words = world.blamed(Probe("tcp", address, PORT))
    assert f"server does not answer when it is asked for the hardware address of {address}" in words


def packet(way: str, interface: str, there: bool, flags: int = 0, length: int = 1) -> Packet:
    """One of a connection between client and server."""
    near, far = (CLIENT, 40000), (SERVER, PORT)
    ends = (*near, *far) if there else (*far, *near)
    return Packet(way, interface, "tcp", *ends, flags, length)


SYN, SYN_ACK, ACK = (True, 0x02, 0), (False, 0x12, 0), (True, 0x10, 0)
DATA = (False, 0x18, 11)


@pytest.mark.parametrize(
    ("near", "far", "who"),
    [
        ([], [], "client"),
        ([("out", SYN)], [], ""),
        ([("out", SYN)], [("in", SYN)], "server"),
        ([("out", SYN)], [("in", SYN), ("out", SYN_ACK)], ""),
        ([("out", SYN), ("in", SYN_ACK)], [("in", SYN), ("out", SYN_ACK)], "client"),
        ([("out", SYN), ("in", SYN_ACK), ("out", ACK)], [("in", SYN), ("out", SYN_ACK)], ""),
        # a gateway that answers by itself before it asks
        ([("out", SYN), ("in", SYN_ACK), ("out", ACK)], [], ""),
        ([("out", SYN), ("out", ACK)], [("in", SYN), ("in", ACK), ("out", DATA)], ""),
        ([("in", DATA)], [("in", SYN), ("in", ACK), ("out", DATA)], "client"),
    ],
)
def test_how_far_a_connection_came(near: list, far: list, who: str) -> None:
    ends = Ends(
        "client",
        "server",
        [packet(way, "data", *kind) for way, kind in near],
        [packet(way, "data", *kind) for way, kind in far],
    )
    told = ends.loses(Probe("tcp", SERVER, PORT))
    assert bool(told) == bool(who)
    assert who in told


@pytest.mark.parametrize(
    ("sources", "lost"), [((), True), ((CLIENT,), True), (("198.18.9.9",), False)]
)
def test_what_bears_an_address_of_nobody_is_not_lost_by_who_cannot_answer_it(
    sources: tuple[str, ...], lost: bool
) -> None:
    """Nobody but the gateway can have put it in."""
    went, came = packet("out", "data", *SYN), packet("in", "data", *SYN)
    ends = Ends("client", "server", [went], [came], sources)
    assert bool(ends.loses(Probe("tcp", SERVER, PORT))) == lost


class TestServices:
    """What no responder of the run answers."""

    def served(self, world: GatewayWorld, again: bool = False) -> str:
        command = Script(f"python3 -m http.server {PORT} --bind {SERVER}")
        ready = Script(f"ss -Hltn 'sport = :{PORT}' | grep -q .")
        stem = f"{world.server.folder()}/service"
        service = Detached.start(world.server, stem, command, 60, ready)
        probe = Probe("tcp", SERVER, PORT, via="again" if again else "")
        ask = Script(f"curl -s -m 1 http://{SERVER}:{PORT}/")
        try:
            must_be_lost_in_between(
                world.client,
                world.server,
                [probe],
                opens=True,
                again=(lambda: world.client.run(ask)) if again else None,
            )
        except NotProven as reason:
            return str(reason)
        finally:
            service.stop()
        return ""

    @pytest.mark.parametrize("again", [False, True])
    def test_one_that_opens_was_not_lost(self, world: GatewayWorld, again: bool) -> None:
        assert self.served(world, again) == ""

    @pytest.mark.parametrize("again", [False, True])
    def test_one_that_an_endpoint_drops(self, world: GatewayWorld, again: bool) -> None:
        drop(world.server, "input", f'iifname "data" {PORTS}')
        assert "the server did not take it" in self.served(world, again)

    def test_one_whose_answer_the_client_drops(self, world: GatewayWorld) -> None:
        drop(world.client, "input", f'iifname "data" {FROM}')
        assert "the client did not take it" in self.served(world)

    def test_one_that_the_gateway_drops(self, world: GatewayWorld) -> None:
        drop(world.gateway, "forward", PORTS)
        assert self.served(world) == ""

    @pytest.mark.parametrize("host", ["client", "gateway"])
    def test_one_of_the_gateway_itself(self, world: GatewayWorld, host: str) -> None:
        shell, match = getattr(world, host), FROM if host == "client" else PORTS
        drop(shell, "input", match)
        responder = start_responder(world.gateway, ["198.18.1.1"], [PORT], 30)
        probe = Probe("tcp", "198.18.1.1", PORT)
        try:
            must_be_lost_in_between(world.client, None, [probe], opens=True)
            words = ""
        except NotProven as reason:
            words = str(reason)
        finally:
            responder.stop()
        assert ("the client did not take it" in words) == (host == "client")
        assert bool(words) == (host == "client")


def test_of_a_tunnel_what_is_sealed_is_not_seen_when_it_goes_out() -> None:
    assert Ends("client", "server", [], []).loses(Probe("tcp", SERVER, PORT, via="7")) == ""


def test_packets_of_another_path_are_not_taken_for_these() -> None:
    """One that was still under way when the look began."""
    other = packet("in", "direct", True, 0x02)._replace(target=DIRECT["server"])
    gone = [packet("out", "data", True, 0x02)]
    assert Ends("client", "server", gone, [other]).loses(Probe("tcp", SERVER, PORT)) == ""
