"""Hosts that pretend to be others: which addresses they take, and what is made of what arrived."""

from __future__ import annotations

import ipaddress
import re
from types import SimpleNamespace

import pytest
from played import Played

from gatepass.base.errors import NotProven
from gatepass.endpoint.forged import ROUNDS, Seen
from gatepass.scenarios.edge import client_side
from gatepass.scenarios.edge.client_side import ClientSide, last_hosts
from gatepass.scenarios.edge.hosts import (
    FORGED,
    HOST,
    MOVED,
    NEIGHBOUR,
    OWN,
    Borrowed,
    Contest,
    Phases,
)
from gatepass.scenarios.leaks.ways import Link
from HostFilters import HostFilters

MAC, ATTACKER = "02:67:70:0a:1b:2c", "02:00:00:00:00:01"
FAR, ROUTED = "198.18.2.2", "203.0.113.1"
ALL = frozenset(range(ROUNDS))
NOTHING = Seen()


def seen(*names: str, at: str = MAC) -> Seen:
    """A try of which everything arrived that these sent."""
    return Seen({(name, at): ALL for name in names})


def keywords(**made: object) -> tuple[HostFilters, Played]:
    """The keyword library, and what was noted; with what the steps before have left."""
    played = Played()
    library = HostFilters(played)
    for name, value in made.items():
        setattr(library._tried, name, value)
    return library, played


WHOLE = seen(OWN, NEIGHBOUR, FORGED, MOVED)
RIGHT = seen(OWN, NEIGHBOUR)


def test_a_binding_that_works() -> None:
    library, played = keywords(phases=Phases(WHOLE, RIGHT, WHOLE))
    library.nobody_else_should_have_got_through_in_its_name()
    library.the_client_and_its_neighbour_should_have_got_through_beside_it()
    library.all_should_get_through_again_after()
    assert all(one.holds for one in played.evidence) and len(played.evidence) == 4


@pytest.mark.parametrize("name", [FORGED, MOVED])
def test_a_binding_that_lets_somebody_through(name: str) -> None:
    library, _ = keywords(phases=Phases(WHOLE, seen(OWN, NEIGHBOUR, name), WHOLE))
    with pytest.raises(AssertionError, match="10 of 10 datagrams"):
        library.nobody_else_should_have_got_through_in_its_name()


@pytest.mark.parametrize("name", [OWN, NEIGHBOUR])
def test_a_binding_that_stops_whom_it_should_not(name: str) -> None:
    library, _ = keywords(phases=Phases(WHOLE, seen(name), WHOLE))
    with pytest.raises(AssertionError, match="0 of 10 of"):
        library.the_client_and_its_neighbour_should_have_got_through_beside_it()
    library, _ = keywords(phases=Phases(WHOLE, seen(name), NOTHING))
    with pytest.raises(NotProven, match="do not get through after the binding, either"):
        library.the_client_and_its_neighbour_should_have_got_through_beside_it()


def test_a_binding_that_does_not_end() -> None:
    library, _ = keywords(phases=Phases(WHOLE, RIGHT, RIGHT))
    with pytest.raises(AssertionError, match="gets through again: not the case"):
        library.all_should_get_through_again_after()
    library, _ = keywords(phases=Phases(WHOLE, RIGHT, NOTHING))
    with pytest.raises(NotProven, match="did not arrive after the binding, either"):
        library.all_should_get_through_again_after()


def borrowed(first: Seen, off: Seen, again: Seen) -> Borrowed:
    return Borrowed((FAR, ROUTED), first, off, again, " Because of this.")


EVERYBODY = seen(OWN, FAR, ROUTED)


def test_a_source_check_that_works() -> None:
    library, played = keywords(borrowed=borrowed(seen(OWN), EVERYBODY, seen(OWN)))
    library.no_borrowed_address_should_have_got_through_while_it_was_checked()
    assert [one.holds for one in played.evidence] == [True, True]


@pytest.mark.parametrize(
    ("tried", "error", "words"),
    [
        (borrowed(seen(OWN, FAR), NOTHING, NOTHING), AssertionError,
         "10 of 10 datagrams from 198.18.2.2 and 0 of 10 datagrams from 203.0.113.1 arrived. "
         "Because of this."),
        (borrowed(seen(OWN), EVERYBODY, seen(ROUTED)), AssertionError, "a borrowed source"),
        (borrowed(NOTHING, EVERYBODY, seen(OWN)), AssertionError, "0 of 10 from the client's own"),
        (borrowed(NOTHING, NOTHING, NOTHING), NotProven, "without the source check, either"),
        (borrowed(seen(OWN), seen(OWN, FAR), seen(OWN)), NotProven, "is not shown"),
    ],
)
def test_a_source_check_that_does_not(
    tried: Borrowed, error: type[Exception], words: str
) -> None:
    library, _ = keywords(borrowed=tried)
    with pytest.raises(error, match=re.escape(words)):
        library.no_borrowed_address_should_have_got_through_while_it_was_checked()


def contest(claimed: Seen, fixed: Seen, freed: Seen) -> Contest:
    return Contest("198.18.1.254", MAC, ATTACKER, claimed, fixed, freed)


STAYS = Seen({(HOST, MAC): ALL, (OWN, ATTACKER): ALL})
GONE = Seen({(HOST, ATTACKER): ALL, (OWN, ATTACKER): ALL})


def test_a_host_that_stays() -> None:
    library, played = keywords(contest=contest(GONE, STAYS, GONE))
    library.what_is_for_the_host_should_have_stayed_with_it()
    assert "10 of 10 went to the host that claimed to be" in played.evidence[0].observed
    library, played = keywords(contest=contest(STAYS, STAYS, STAYS))
    library.what_is_for_the_host_should_have_stayed_with_it()
    assert "did not draw traffic away, either" in played.evidence[0].observed


@pytest.mark.parametrize(
    ("tried", "error", "words"),
    [
        (contest(GONE, GONE, GONE), AssertionError, "10 went to the wrong host and 0 to the"),
        (contest(GONE, seen(OWN), GONE), AssertionError, "0 went to the wrong host and 0 to the"),
        (contest(GONE, NOTHING, GONE), NotProven, "did not arrive meanwhile, either"),
        (contest(GONE, STAYS, STAYS), NotProven, "no longer drew traffic away"),
    ],
)
def test_a_host_that_does_not_stay(tried: Contest, error: type[Exception], words: str) -> None:
    library, _ = keywords(contest=tried)
    with pytest.raises(error, match=words):
        library.what_is_for_the_host_should_have_stayed_with_it()


# -- which addresses -----------------------------------------------------------------------------

ROWS = (
    {"name": "mgmt", "ip": "198.18.0.2 255.255.255.0"},
    {"name": "port1", "ip": "198.18.2.1 255.255.255.0"},
    {"name": "port2", "ip": "198.18.1.1 255.255.255.0"},
)
OWN_ROUTES = (
    {"ip_mask": "198.18.1.0/24", "gateway": "0.0.0.0", "interface": "port2"},
    {"ip_mask": "198.18.2.0/24", "gateway": "0.0.0.0", "interface": "port1"},
)


def side(
    monkeypatch: pytest.MonkeyPatch, *routes: dict, hop: str = "198.18.1.1", free: int = 2
) -> ClientSide:
    """On a gateway with these further routes, and a client with this next hop."""

    def links_of(shell: object, addresses: list[str]) -> dict[str, Link]:
        own, via = ("198.18.1.10", hop) if shell == "client" else ("198.18.2.10", "198.18.2.1")
        link = Link("eth1", ATTACKER, via, MAC, (f"{own}/24",))
        return dict.fromkeys(addresses, link)

    monkeypatch.setattr(client_side, "links_of", links_of)
    monkeypatch.setattr(client_side, "free_addresses", lambda shell, interface, asked: asked[:free])
    gateway = SimpleNamespace(
        rows=lambda path: list(ROWS),
        monitor=lambda path: {"results": [*OWN_ROUTES, *routes] if path == "router/ipv4" else []},
    )
    ends = SimpleNamespace(
        client=SimpleNamespace(address="198.18.1.10"),
        server=SimpleNamespace(address="198.18.2.10", probe_port=5301),
    )
    ports = SimpleNamespace(client_port="port2", server_port="port1")
    testbed = SimpleNamespace(endpoints=ends, gateway=ports)
    return ClientSide(gateway, testbed, "client", "server")


BOGUS = ("192.0.2.1", "100.64.0.1")


def route(network: str, interface: str) -> dict:
    return {"ip_mask": network, "gateway": "198.18.9.9", "interface": interface}


@pytest.mark.parametrize(
    ("routes", "found"),
    [
        ((), ["198.18.2.2", "203.0.113.1", *BOGUS]),
        ((route("192.0.2.0/24", "port1"),), ["198.18.2.2", *BOGUS]),
        ((route("0.0.0.0/0", "port1"),), ["198.18.2.2", "203.0.113.1", *BOGUS]),
        ((route("203.0.113.0/24", "port2"),), ["198.18.2.2", *BOGUS]),
        ((route("100.64.0.0/16", "port2"),), ["198.18.2.2", "203.0.113.1", BOGUS[0]]),
    ],
)
def test_addresses_are_borrowed_that_other_ports_lead_to(
    monkeypatch: pytest.MonkeyPatch, routes: tuple[dict, ...], found: list[str]
) -> None:
    assert side(monkeypatch, *routes).foreign == found


def test_where_everything_is_behind_the_clients_port_nothing_is_borrowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(NotProven, match="no default route leads out of"):
        _ = side(monkeypatch, route("0.0.0.0/0", "port2")).foreign


def test_free_addresses_are_the_last_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    assert side(monkeypatch).free == ["198.18.1.254", "198.18.1.253"]
    with pytest.raises(NotProven, match="1 are free, and 2 are needed"):
        _ = side(monkeypatch, free=1).free
    network = ipaddress.ip_network("198.18.1.8/29")
    wanted = ["198.18.1.14", "198.18.1.13", "198.18.1.12", "198.18.1.11", "198.18.1.9"]
    assert last_hosts(network, {"198.18.1.10"}) == wanted


def test_behind_a_router_nothing_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotProven, match="without a router"):
        _ = side(monkeypatch, hop="198.18.1.2").link
