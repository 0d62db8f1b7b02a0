"""A scan of one gateway, from its testbed to what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.shell import Shell
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.packet import TCP, Packet
from gatepass.gateway.policy_lookup import look_up_packet
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.rules import RuleSet
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.findings import Findings
from gatepass.scenarios.leaks.kinds import KINDS, OWN
from gatepass.scenarios.leaks.packets import parts_of
from gatepass.scenarios.leaks.plan import Plan
from gatepass.scenarios.leaks.rules import ScanRules
from gatepass.scenarios.leaks.scan import LeakScan
from gatepass.scenarios.leaks.sweeps import sweeps_of_own
from gatepass.scenarios.leaks.ways import (
    INTERFACES,
    Link,
    Side,
    Way,
    addresses_of,
    links_of,
    sides_of,
    ways_between,
)

_APPLY_S = 10


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
        before = counted_in(self.gateway, self.sides)
        scanned = scan.run()
        scanned.trouble = scanned.trouble or not_counted(
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
    sides = sides_of(testbed, shells, rows)
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
        lambda: look_up_packet(gateway, packet).policyid == policyid,
        rules.in_force_within(_APPLY_S),
    )


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
