"""Datagrams that came to an endpoint, and were dropped there or in the gateway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway_world import SERVER, GatewayWorld, drop, gateway_world

from gatepass.base.errors import NotProven
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.iperf import run
from gatepass.endpoint.wire_count import Arrived, counting, dropped_there, must_be_taken
from gatepass.results.datagrams import Stream
from gatepass.results.trial import Load, Trial

PORT = 5201
SOME = f"udp dport {PORT} udp length > 100 numgen inc mod 50 == 0"
REPLIES = f"udp sport {PORT} udp length > 100 numgen inc mod 50 == 0"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GatewayWorld]:
    if os.geteuid():
        pytest.skip("a network namespace needs root")
    with gateway_world(tmp_path) as made:
        yield made


def trial(world: GatewayWorld, reverse: bool = False) -> Trial:
    load = Load(2, interval_s=0.5, udp_mbps=10, reverse=reverse)
    return run(world.client, world.server, SERVER, PORT, load)


def test_what_the_server_drops_is_not_the_gateways(world: GatewayWorld) -> None:
    drop(world.server, "input", f'iifname "data" {SOME}')
    words = r"the server itself dropped \d+ of 1,\d+ datagrams that came to its interface data"
    with pytest.raises(NotProven, match=words):
        trial(world)


def test_what_the_client_drops_is_not_the_gateways(world: GatewayWorld) -> None:
    drop(world.client, "input", f'iifname "data" {REPLIES}')
    with pytest.raises(NotProven, match=r"the client itself dropped .* to its interface data"):
        trial(world, reverse=True)


@pytest.mark.parametrize(("reverse", "match"), [(False, SOME), (True, REPLIES)])
def test_what_the_gateway_drops_is_a_loss(
    world: GatewayWorld, reverse: bool, match: str
) -> None:
    drop(world.gateway, "forward", match)
    made = trial(world, reverse)
    assert made.lost_percent == pytest.approx(2, abs=0.5) and not made.impossible


def stream() -> Stream:
    return Stream("one", SERVER, PORT, (400,), 500.0, 1.0)


def test_of_streams_what_the_server_drops_is_not_the_gateways(world: GatewayWorld) -> None:
    drop(world.server, "input", f'iifname "data" {SOME}')
    with pytest.raises(NotProven, match=r"the server itself dropped \d+ of [\d,]+ datagrams that"):
        DatagramTrial(world.client, world.server, [stream()]).wait()


def test_of_streams_what_the_gateway_drops_is_a_loss(world: GatewayWorld) -> None:
    drop(world.gateway, "forward", SOME)
    (carried,) = DatagramTrial(world.client, world.server, [stream()]).wait().values()
    assert carried.lost >= carried.sent // 50 - 2


def test_nothing_lost_is_nothing_dropped(world: GatewayWorld) -> None:
    assert trial(world).lost_percent == pytest.approx(0, abs=0.5)


def test_where_nobody_can_count_the_trial_goes_on(world: GatewayWorld) -> None:
    with counting(world.server, "203.0.113.9", PORT, 5) as arrived:
        assert arrived() is None


@pytest.mark.parametrize(
    ("sent", "arrived", "taken", "gaps", "dropped"),
    [
        (1000, 1000, 1000, 0, 0),
        (1000, 980, 980, 20, 0),
        (1000, 1001, 980, 20, 20),
        (1000, 1000, 0, 0, 950),
        (1000, 0, 0, 0, 0),
        # what a queue still held when the program had ended
        (1000, 1000, 960, 0, 0),
        # joined by a kernel that is the sender's as well
        (1000, 20, 1000, 0, 0),
    ],
)
def test_how_many_an_endpoint_dropped(
    sent: int, arrived: int, taken: int, gaps: int, dropped: int
) -> None:
    assert dropped_there(sent, arrived, taken, gaps) == dropped


def test_what_found_no_room_is_told_otherwise() -> None:
    came = Arrived(interface="data", arrived=1000, no_room=20)
    must_be_taken("server", PORT, came, 22)
    with pytest.raises(NotProven, match="the server itself dropped 6 of 1,000 datagrams"):
        must_be_taken("server", PORT, came, 26)
