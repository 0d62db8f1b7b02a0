"""Has the gateway serve addresses to hosts of the run, and lets them ask in every way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.dhcp import (
    ASK,
    LEASE,
    RENEW,
    DhcpHosts,
    Group,
    Seen,
    Step,
    releasing,
)
from gatepass.endpoint.shell import Shell
from gatepass.gateway.changes import Changes
from gatepass.gateway.dhcp import DhcpPool, DhcpService, DhcpSettings
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.routing import RoutingTable
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.edge.dhcp_findings import DhcpFindings, Late, Without
from gatepass.scenarios.edge.dhcp_hosts import HOSTS, Hosts
from gatepass.scenarios.edge.pool import candidates, chosen, ranges_of
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.ways import Link, Side, addresses_of, links_of

_INTERFACES = "system/interface"
_NAME_SERVERS = ("192.0.2.53", "192.0.2.54")
"""Nobody's (RFC 5737): no host of the run asks them."""
_LEASE_S = 1860
_SILENCE_S = 1.2
"""Without a server: each host asks three times in it."""
_APPLY_S = 10
"""How long it may take until the server is in force."""
_ALL_S, _SOME_S = 5, 1.5
"""How long all that ask at once have; how long where one alone got no answer before."""
_GRACE_S = 3.0
"""Longer than that, where an answer has to come."""
_LIST_LAG_S = 3.0
_ATTACK_S, _HEAD_START_S, _ATTACK_SPREAD_S = 1.4, 0.7, 0.2


@dataclass(frozen=True)
class _Place:
    """Where the hosts are.

    Attributes:
        side: the gateway's port, and the endpoint behind it.
        network: there.
        own: addresses in use that are known without asking.
    """

    side: Side
    network: IPv4Network
    own: frozenset[str]

    @property
    def link(self) -> Link:
        """The endpoint's way to the gateway."""
        return self.side.links[4]

    @property
    def server(self) -> str:
        """The gateway's address there."""
        return self.side.gateway[4]


def try_dhcp(
    gateway: FortiGate, changes: Changes, testbed: Testbed, client: Shell, mark: str
) -> DhcpFindings:
    """Let hosts ask without a server and with one, and take the server away again.

    Args:
        gateway: the device.
        changes: of the run.
        testbed: where it stands.
        client: the endpoint that plays the hosts.
        mark: of the run, by which the hosts and the server are known.

    Raises:
        NotApplicable: the customer has a server on that port.
        NotProven: the endpoint cannot play hosts there, or another server answers.
    """
    service = DhcpService(gateway, changes, testbed.gateway.client_port)
    service.must_be_free()
    place = _place(gateway, testbed, client)
    link, hosts = place.link, Hosts(mark)
    players = DhcpHosts(client, link.interface, place.server, link.hop_mac, mark)
    before, told_before = counted_in(gateway, [place.side]), _sent_by(gateway, place.side.port)
    maybe = candidates(place.network, place.own)
    everybody = Group(ASK, hosts.everybody, awaited=False)
    (seen,) = players.do(
        Step((everybody,), _SILENCE_S, _SILENCE_S, tuple(map(str, maybe)))
    )
    without = Without(place.side.port, hosts, seen, frozenset(players.foreign))
    without.must_be_silent()
    pool = chosen((one for one in maybe if str(one) not in seen.taken), HOSTS + 1)
    reserved = pool[len(pool) // 2]
    settings = DhcpSettings(
        str(place.network.netmask), place.server, _NAME_SERVERS, f"{mark}-edge.test", _LEASE_S
    )
    try:
        service.create(
            settings,
            DhcpPool(
                [(str(first), str(last)) for first, last in ranges_of(pool)],
                [(hosts.reserved, str(reserved))],
                hosts.listed,
            ),
        )
        late = _let_ask(players, hosts, service.leases)
    finally:
        with suppress(NotProven):
            players.release_all()
        with suppress(GatewayLost, Refused):  # the journal has it, and the end of the run looks
            service.remove()
    lost = ""
    if not any(asked.bound for asked in late.fifty.values()):
        lost = not_counted(gateway, [place.side], before, {place.side.name: players.sent})
        told = _sent_by(gateway, place.side.port) - told_before
        lost = lost or not_heard(place.side.port, told, players.heard)
    dynamic = [str(one) for one in pool if one != reserved]
    return DhcpFindings(
        without, settings, dynamic, str(reserved), late, lost,
        frozenset(players.foreign), frozenset(players.strangers),
    )


def _sent_by(gateway: FortiGate, port: str) -> int:
    """How many packets a port of the gateway has sent; 0 where it does not tell."""
    shown = gateway.monitor(_INTERFACES)["results"].get(port, {})
    return shown.get("tx_packets") or 0


def not_heard(port: str, sent: int, heard: int) -> str:
    """Why the gateway's answers may have been lost on their way; empty where they were not.

    Args:
        port: the gateway's.
        sent: packets that it sent meanwhile.
        heard: of those that the client heard; a few others pass while nobody listens.
    """
    if sent - heard < HOSTS:
        return ""
    return (
        f"the gateway's port {port} sent {sent:,} packets meanwhile, and the client received "
        f"{heard:,} of them: check whether a switch between them drops the messages of DHCP "
        "servers (DHCP snooping), and disconnect other hosts from that network."
    )


def _place(gateway: FortiGate, testbed: Testbed, client: Shell) -> _Place:
    """Where the client is.

    Raises:
        NotProven: it is not a neighbour of the gateway's port by Ethernet.
    """
    port, ends = testbed.gateway.client_port, testbed.endpoints
    row = gateway.row(_INTERFACES, port)
    if row is None:
        raise NotProven(f"the gateway has no port {port}; check the ports in the testbed file.")
    own = addresses_of(row)[4]
    link = links_of(client, [ends.server.address])[ends.server.address]
    if link.hop not in own:
        raise NotProven(
            f"the client reaches the server by {link.hop}, which is not the gateway's port {port} "
            f"({', '.join(own)}): no question for an address gets past a router. Connect it to "
            "that port without one."
        )
    interface = IPv4Interface("/".join(str(row.get("ip")).split()))
    if IPv4Address(link.hop) not in interface.network:
        raise NotProven(
            f"the client reaches the gateway by {link.hop}, a second address of its port {port}; "
            "a DHCP server serves the network of the first. Connect it there."
        )
    side = Side("client", port, {4: ends.client.address}, {4: link}, {4: str(interface.ip)})
    known = {text.partition("/")[0] for text in link.networks} | {*own, ends.client.address}
    known |= RoutingTable.read(gateway).routers(4)
    return _Place(side, interface.network, frozenset(known))


def _let_ask(
    players: DhcpHosts, hosts: Hosts, leases: Callable[[], Mapping[str, str]]
) -> Late:
    """Everything that is asked while the server is there."""
    alone = Group(LEASE, (hosts.reserved,))
    first, _ = players.do(Step((alone,), 0, _APPLY_S), releasing((hosts.reserved,)))
    late = Late(first.hosts[hosts.reserved])
    most_s = _ALL_S if late.first.bound else _SOME_S
    (fifty,) = players.do(Step((Group(LEASE, hosts.fifty),), 0, most_s))
    late.fifty = fifty.hosts
    bound = [mac for mac, asked in fifty.hosts.items() if asked.bound]
    if not bound:
        return late
    patience_s = _patience_s(late)
    late.crowded = _when_used_up(players, hosts, bound, patience_s)
    late.listed = _listed(leases, late)
    _, attack, _ = players.do(
        releasing((*bound, hosts.reserved, hosts.too_many)),
        Step(
            (
                Group(LEASE, hosts.unlisted, within_s=_ATTACK_SPREAD_S, awaited=False),
                Group(LEASE, hosts.again, from_s=_HEAD_START_S),
            ),
            _ATTACK_S,
            _HEAD_START_S + patience_s + _GRACE_S,
        ),
        releasing((*hosts.unlisted, *hosts.again)),
    )
    late.attack = attack
    return late


def _patience_s(late: Late) -> float:
    """After so long an answer would have come: twice what the slowest of the fifty took."""
    slowest_s = max(asked.ms or 0.0 for asked in late.fifty.values()) / 1000
    return max(1.0, 2 * slowest_s + 0.5)


def _when_used_up(
    players: DhcpHosts, hosts: Hosts, bound: list[str], patience_s: float
) -> Seen:
    """One more asks, for longer than any other had to, while those with an address renew it."""
    (seen,) = players.do(
        Step(
            (
                Group(RENEW, bound),
                Group(LEASE, (hosts.too_many,), awaited=False),
                Group(LEASE, (hosts.reserved,), from_s=patience_s / 2),
            ),
            patience_s,
            patience_s + _GRACE_S,
        )
    )
    return seen


def _listed(leases: Callable[[], Mapping[str, str]], late: Late) -> Mapping[str, str] | NotProven:
    """What the gateway lists, once it lists all, or at last after a while."""
    found: dict[str, str] = {}

    def whole() -> bool:
        found.clear()
        found.update(leases())
        return late.leases.items() <= found.items()

    try:
        until(whole, _LIST_LAG_S)
    except NotProven as trouble:
        return trouble
    return found
