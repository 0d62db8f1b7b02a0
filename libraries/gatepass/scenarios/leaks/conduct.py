"""A scan of one gateway, from its testbed to what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.shell import Shell
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.policy_table import TCP, Packet, PolicyTable, look_up_packet
from gatepass.gateway.rules import RuleSet
from gatepass.inputs.testbed import Host, Testbed
from gatepass.scenarios.leaks.findings import Findings
from gatepass.scenarios.leaks.kinds import KINDS, OWN
from gatepass.scenarios.leaks.packets import parts_of
from gatepass.scenarios.leaks.plan import Plan
from gatepass.scenarios.leaks.rules import ScanRules
from gatepass.scenarios.leaks.scan import LeakScan
from gatepass.scenarios.leaks.sweeps import sweeps_of_own
from gatepass.scenarios.leaks.ways import (
    Link,
    Side,
    Way,
    addresses_of,
    links_of,
    side_of,
    ways_between,
)

_COUNTERS_LAG_S = _APPLY_S = 10
INTERFACES = "system/interface"


@dataclass(frozen=True)
class Prepared:
    """A gateway that has the policies of a scan, and endpoints that can send and capture.

    Attributes:
        gateway: the device.
        shells: the endpoints by name.
        sides: its ports with the endpoints behind them.
        ways: between them.
        table: the rule set, those policies in it.
        beside: how client and server reach each other without it.
        permitted: the TCP and UDP port that is permitted on each way.
        interfaces: rows of ``system/interface``.
    """

    gateway: FortiGate
    shells: Mapping[str, Shell]
    sides: tuple[Side, ...]
    ways: tuple[Way, ...]
    table: PolicyTable
    beside: Mapping[str, Link]
    permitted: int
    interfaces: tuple[Mapping, ...]

    def scan(
        self, pps: float, kinds: Sequence[str] = KINDS, beside_first: bool = True
    ) -> Findings:
        """Send everything, and hold what arrives against the rule set.

        Args:
            pps: frames a second that each endpoint sends, at first.
            kinds: of packets that are sent.
            beside_first: whether all of it has to pass without the gateway before.

        Raises:
            NotProven: it cannot be done, or would prove nothing.
        """
        plans = [self._plan(side, kinds) for side in self.sides]
        scan = LeakScan(self.shells, plans, pps)
        passed = scan.must_pass_beside(self.beside) if beside_first else 0
        before = _counted_in(self.gateway, self.sides)
        scanned = scan.run()
        scanned.trouble = scanned.trouble or _not_counted(
            self.gateway, self.sides, before, scanned.sent
        )
        return Findings(scanned, self.table, passed)

    def _plan(self, side: Side, kinds: Sequence[str]) -> Plan:
        own = [way for way in self.ways if way.source is side]
        parts = [part for way in own for part in parts_of(way, self.permitted, kinds)]
        if OWN in kinds:
            addresses = [addresses_of(row) for row in self.interfaces]
            for version, near in side.gateway.items():
                way = next(way for way in own if way.version == version)
                others = dict.fromkeys(text for found in addresses for text in found[version])
                others = [
                    text for text in others if text != near and not ip_address(text).is_loopback
                ]
                parts += sweeps_of_own(way, near, others, self.permitted)
        return Plan(side, self.permitted, parts)


def prepare(
    gateway: FortiGate, rules: RuleSet, testbed: Testbed, shells: Mapping[str, Shell]
) -> Prepared:
    """Have the scan's policies on the gateway, and know all ways through it.

    Args:
        gateway: the device.
        rules: the run's test policies; those of the scan take their place.
        testbed: where it stands.
        shells: the endpoints by name, all that the testbed names.

    Raises:
        NotProven: an endpoint is not connected as a scan needs it.
    """
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = _sides(testbed, shells, rows)
    ways = ways_between(sides)
    permitted = testbed.endpoints.server.probe_port
    beside = _links_beside(testbed, shells)
    policies = ScanRules(rules, permitted).put(ways)
    _await_in_force(gateway, rules, ways[0], permitted, policies[0])
    return Prepared(
        gateway,
        shells,
        tuple(sides),
        tuple(ways),
        PolicyTable.read(gateway),
        beside,
        permitted,
        tuple(rows.values()),
    )


def _await_in_force(
    gateway: FortiGate, rules: RuleSet, way: Way, permitted: int, policyid: int
) -> None:
    """Wait until the look-up names a policy; the permitted datagrams decide, right after."""
    (source, target), (here, there) = (way.source, way.target), way.ends
    packet = Packet(source.port, target.port, here, there, TCP, target_port=permitted)
    until(
        lambda: look_up_packet(gateway, packet).get("policy_id") == policyid,
        rules.in_force_within(_APPLY_S),
    )


def _sides(
    testbed: Testbed, shells: Mapping[str, Shell], rows: Mapping[str, Mapping]
) -> list[Side]:
    ports = {"client": testbed.gateway.client_port, "server": testbed.gateway.server_port}
    hosts = testbed.endpoints.named
    if testbed.endpoints.peer:
        ports["peer"] = testbed.endpoints.peer.gateway_port
    by_port: dict[str, str] = {}
    sides = []
    for name, host in hosts.items():
        port = ports[name]
        if port in by_port:  # two endpoints behind one port: no packet between them passes it
            continue
        by_port[port] = name
        others = [other for one, other in hosts.items() if ports[one] != port]
        if port not in rows:
            raise NotProven(f"the gateway has no port {port}; check the ports in the testbed file.")
        sides.append(side_of(shells[name], port, _addresses(host), _far(host, others), rows[port]))
    return sides


def _addresses(host: Host) -> dict[int, str]:
    return {4: host.address} | ({6: host.address6} if host.address6 else {})


def _far(host: Host, others: list[Host]) -> dict[int, str]:
    """An address behind another port, of each IP version that both have."""
    found = {4: others[0].address}
    with_ipv6 = next((other.address6 for other in others if other.address6), None)
    return found | ({6: with_ipv6} if host.address6 and with_ipv6 else {})


def _links_beside(testbed: Testbed, shells: Mapping[str, Shell]) -> dict[str, Link]:
    ends = testbed.endpoints
    if not ends.client.direct_address:
        raise NotProven(
            "the testbed names no direct_address, so it cannot be shown that the packets of the "
            "scan are sent and seen where no gateway is. Name one of client and server."
        )
    client, server = ends.client.direct_address, ends.server.direct_address
    return {
        "client": links_of(shells["client"], [server])[server],
        "server": links_of(shells["server"], [client])[client],
    }


def _counted_in(gateway: FortiGate, sides: Iterable[Side]) -> dict[str, int | None]:
    """What the gateway's ports have counted in, in packets, by the name of the side."""
    shown = gateway.monitor("system/interface")["results"]
    return {side.name: shown.get(side.port, {}).get("rx_packets") for side in sides}


def _not_counted(
    gateway: FortiGate,
    sides: Sequence[Side],
    before: Mapping[str, int | None],
    sent: Mapping[str, int],
) -> str:
    """Why packets may have been lost before they came to the gateway; empty where they did come."""
    if silent := [side.port for side in sides if before[side.name] is None]:
        return (
            f"the gateway does not tell how many packets came in by its port {silent[0]} (monitor "
            "system/interface, rx_packets), so what did not get through may never have come to it."
        )
    short: list[str] = []

    def all_there() -> bool:
        now = _counted_in(gateway, sides)
        short[:] = [
            _short(side, sent.get(side.name, 0), (now[side.name] or 0) - (before[side.name] or 0))
            for side in sides
            if (now[side.name] or 0) - (before[side.name] or 0) < sent.get(side.name, 0)
        ]
        return not short

    until(all_there, _COUNTERS_LAG_S)
    return short[0] if short else ""


def _short(side: Side, sent: int, counted: int) -> str:
    return (
        f"the gateway's port {side.port} counted {counted:,} packets in while the {side.name} sent "
        f"{sent:,}, so some were lost before they came to it: look whether the virtual switch "
        "between filters forged addresses or odd packets."
    )
