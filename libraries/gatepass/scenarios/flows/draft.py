"""Drafts flows from a delivered configuration, for a person to confirm.

For each policy one packet is sought that it decides about, and none before it: a point of what
those before it leave for it. What the configuration says of that packet (passed or blocked, and
how translated) is what the flow expects. So a draft tells what the gateway is set to do; whether
that is what the customer wants, only a person can say.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from textwrap import indent
from typing import Any

import yaml

from gatepass.base.boxed import one_line
from gatepass.base.errors import NotProven
from gatepass.gateway.address_objects import names
from gatepass.gateway.boxes import Box, Span, overlap
from gatepass.gateway.packet import ICMP, ICMP6, TCP, UDP, Packet
from gatepass.gateway.policy_criteria import is_on
from gatepass.gateway.policy_services import EVERY_PORT, service_boxes
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.routing import RoutingTable
from gatepass.gateway.shadows import OF_IPV6, Shadows
from gatepass.inputs.flows import BLOCK, PASS, Flow

Row = Mapping[str, Any]
_EXAMPLES = {
    4: ("203.0.113.77", "198.51.100.77", "192.0.2.77"),
    6: ("2001:db8:77::77", "2001:db8::77"),
}
"""Of networks for documentation (RFC 5737, RFC 3849), where any address would do."""
_OFFSETS = (77, 20, 10, 5, 2, 1, 0)
_KNOWN_PORTS = {TCP: (443, 80, 22, 25, 3389, 445), UDP: (53, 123, 443, 161)}
_UNLIKELY_PORTS = (23, 3389, 4444)
"""What is tried where nothing is permitted."""
_PROTOCOLS = {TCP: "tcp", UDP: "udp"}
_ECHO = {ICMP: (4, 8), ICMP6: (6, 128)}
_MOST_TRIED = 4000


@dataclass(frozen=True)
class Drafted:
    """A flow for a policy, or why there is none.

    Attributes:
        about: the policy, or the ports between which nothing is permitted; for a reader.
        flow: None where none could be drafted.
        reason: why not.
    """

    about: str
    flow: Flow | None
    reason: str = ""


@dataclass(frozen=True)
class Delivered:
    """What a draft is made from.

    Attributes:
        table: the rule set.
        routes: that are in use.
        addresses: the gateway's own, by interface and IP version.
        rows: of a table of the gateway, by path: VIPs and pools are read of it.
        ports: the gateway's interfaces behind which an endpoint stands.
        taken: addresses that no flow may use: the endpoints' own.
        central_nat: whether translation is not the policies' matter.
    """

    table: PolicyTable
    routes: RoutingTable
    addresses: Mapping[str, Mapping[int, Sequence[str]]]
    rows: Mapping[str, Sequence[Row]]
    ports: Sequence[str]
    taken: frozenset[str]
    central_nat: bool = False


def draft(delivered: Delivered) -> list[Drafted]:
    """A flow for each policy that is on, and one for each way on which nothing is permitted."""
    drafter = _Drafter(delivered)
    return [*drafter.of_policies(), *drafter.of_the_rest()]


class _Drafter:
    def __init__(self, delivered: Delivered) -> None:
        self._it = delivered
        self._own = {
            text for by_version in delivered.addresses.values()
            for texts in by_version.values() for text in texts
        }
        self._used: set[tuple[str, str, str]] = set()

    def of_policies(self) -> Iterator[Drafted]:
        on = [one for one in self._it.table.policies if is_on(one)]
        shadows = Shadows(self._it.table, on)
        for row in on:
            number, name = int(row["policyid"]), _name(row)
            about = f"policy {number}{f' “{name}”' if name else ''}"
            reason = shadows.of(row)
            if reason:
                yield Drafted(about, None, reason)
            elif any(self._it.table.is_virtual(one) for one in names(row.get("dstaddr"))):
                yield Drafted(about, *self._published(row))
            elif number in shadows.unread:
                yield Drafted(about, None, shadows.unread[number])
            else:
                flow = self._of_boxes(row, shadows.left.get(number, []), shadows.ports)
                yield Drafted(about, flow, "" if flow else (
                    "no packet was found that it decides about, between hosts that an endpoint "
                    "of the testbed can stand in for"
                ))

    def of_the_rest(self) -> Iterator[Drafted]:
        for arrives, leaves in product(self._it.ports, repeat=2):
            if arrives == leaves:
                continue
            for version in (4, 6):
                whole = (0, 2 ** (32 if version == 4 else 128) - 1)
                ends = product(self._hosts(whole, arrives, version),
                               self._hosts(whole, leaves, version), _UNLIKELY_PORTS)
                for source, target, port in islice(ends, 50):
                    packet = Packet(arrives, leaves, source, target, TCP, target_port=port)
                    flow = self._flow(packet, f"nothing else from {arrives} to {leaves}", 0)
                    if flow:
                        yield Drafted(f"what nothing permits from {arrives} to {leaves}", flow)
                        break

    # -- one policy ------------------------------------------------------------------------------

    def _of_boxes(self, row: Row, boxes: Sequence[Box], numbers: Mapping[str, int]) -> Flow | None:
        number, name = int(row["policyid"]), _name(row) or f"policy {row['policyid']}"
        for packet in islice(self._packets(boxes, numbers), _MOST_TRIED):
            flow = self._flow(packet, name, number, row)
            if flow:
                return flow
        return None

    def _packets(self, boxes: Sequence[Box], numbers: Mapping[str, int]) -> Iterator[Packet]:
        """Packets that are in one of the boxes, likely ones first."""
        for arriving, leaving, source, target, protocol, port, source_port in boxes:
            if source_port != EVERY_PORT:
                continue
            version = 6 if source[0] >= OF_IPV6 else 4
            shift = OF_IPV6 if version == 6 else 0
            ends = [tuple(value - shift for value in span) for span in (source, target)]
            for arrives, leaves in product(self._it.ports, repeat=2):
                if arrives == leaves or not all(
                    low <= numbers.get(name, len(numbers)) <= high
                    for name, (low, high) in ((arrives, arriving), (leaves, leaving))
                ):
                    continue
                yield from (
                    Packet(arrives, leaves, here, there, *service)
                    for here, there, service in product(
                        self._hosts(ends[0], arrives, version),
                        self._hosts(ends[1], leaves, version),
                        list(_services(protocol, port, version)),
                    )
                )

    def _published(self, row: Row) -> tuple[Flow | None, str]:
        """A flow for a policy that names a virtual address."""
        if row.get("action") != "accept":
            return None, "it blocks what is published; write a flow by hand"
        version = 4
        wanted = {
            one
            for name in names(row.get("dstaddr"))
            for one in self._it.table.virtual(version, name) or ()
        }
        for vip in self._it.rows.get("firewall/vip", ()):
            if str(vip.get("name")) not in wanted:
                continue
            external = str(vip.get("extip") or "").partition("-")[0]
            mapped = str(next(iter(vip.get("mappedip") or ()), {}).get("range") or "")
            mapped = mapped.partition("-")[0]
            try:
                leaves = self._it.routes.lookup(mapped).interface
                ipaddress.ip_address(external)
            except (NotProven, ValueError):
                continue
            spans = [
                span for name in names(row.get("srcaddr"))
                for span in self._it.table.addresses(version, name) or ()
            ]
            for arrives, span in product(self._arriving(row), spans):
                for source in self._hosts(span, arrives, version):
                    for (protocol, port, kind), at in self._published_services(row, vip, mapped):
                        packet = Packet(arrives, leaves, source, external, protocol, port,
                                        icmp_type=kind)
                        if not self._decides(row, packet):
                            continue
                        flow = _made(
                            name=_name(row) or f"policy {row['policyid']}",
                            source=source, target=external, expect=PASS, seen_at=at,
                            service=_written(protocol, port, kind),
                            seen_from=self._seen_from(row, source, leaves, version),
                        )
                        if self._is_new(flow):
                            return flow, ""
        return None, "no host was found that could surely reach what it publishes"

    def _decides(self, row: Row, packet: Packet) -> bool:
        """Whether it is surely this policy that decides about a packet."""
        decision = self._it.table.decide(packet)
        return decision.policyid == int(row["policyid"]) and not (
            decision.unclear or decision.may_deny
        )

    def _arriving(self, row: Row) -> list[str]:
        wanted = names(row.get("srcintf"))
        members = {one for name in wanted for one in self._it.table.zones.get(name, {name})}
        return [port for port in self._it.ports if "any" in wanted or port in members]

    def _published_services(
        self, row: Row, vip: Row, mapped: str
    ) -> Iterator[tuple[tuple[int, int, int], str]]:
        """Protocol, port and ICMP type of what is published, and where it arrives."""
        if vip.get("portforward") == "enable":
            ports = (str(vip.get(key)).partition("-")[0] for key in ("extport", "mappedport"))
            external, internal = ports
            for number, protocol in _PROTOCOLS.items():
                if protocol == str(vip.get("protocol") or "tcp") and external.isdecimal():
                    yield (number, int(external), 0), f"{mapped}:{internal}"
            return
        for name in names(row.get("service")):
            for service in self._it.table.services(name) or ():
                for protocol, port, _source in service_boxes(service):
                    for number, target_port, _from, kind in _services(protocol, port, 4):
                        yield (number, target_port, kind), mapped

    # -- a flow ------------------------------------------------------------------------------------

    def _flow(
        self, packet: Packet, name: str, policyid: int, row: Row | None = None
    ) -> Flow | None:
        """A flow of one packet; None where another policy decides about it, or may."""
        decision = self._it.table.decide(packet)
        if decision.policyid != policyid or decision.unclear or (
            decision.accept and decision.may_deny
        ):
            return None
        version = ipaddress.ip_address(packet.source).version
        seen = self._seen_from(row, packet.source, packet.leaves, version) if row else ""
        flow = _made(
            name=name,
            source=packet.source,
            target=packet.target,
            service=_written(packet.protocol, packet.target_port, packet.icmp_type),
            expect=PASS if decision.accept else BLOCK,
            seen_from=seen if decision.accept else "",
            seen_at="",
        )
        return flow if self._is_new(flow) else None

    def _is_new(self, flow: Flow) -> bool:
        key = (flow.source, flow.target, flow.service)
        if key in self._used:
            return False
        self._used.add(key)
        return True

    def _seen_from(self, row: Row, source: str, leaves: str, version: int) -> str:
        """How a policy translates the source; empty where the configuration does not say it."""
        if self._it.central_nat:
            return ""
        if row.get("nat") != "enable":
            return source
        if version == 4 and self._has_published_address(source):
            return ""  # by which it leaves as well, where the virtual address says so
        if row.get("ippool") == "enable":
            wanted = names(row.get("poolname" if version == 4 else "poolname6"))
            path = "firewall/ippool" if version == 4 else "firewall/ippool6"
            for pool in self._it.rows.get(path, ()):
                if str(pool.get("name")) in wanted:
                    first, last = str(pool.get("startip")), str(pool.get("endip"))
                    return first if len(wanted) == 1 and first == last else (
                        f"{first}-{last}" if len(wanted) == 1 else ""
                    )
            return ""
        own = self._it.addresses.get(leaves, {}).get(version, ())
        return own[0] if own else ""

    def _has_published_address(self, source: str) -> bool:
        """Whether a virtual address without ports leads to a host."""
        for vip in self._it.rows.get("firewall/vip", ()):
            mapped = str(next(iter(vip.get("mappedip") or ()), {}).get("range") or "")
            first, _, last = mapped.partition("-")
            try:
                low, high = (ipaddress.IPv4Address(text) for text in (first, last or first))
            except ValueError:
                continue
            if vip.get("portforward") != "enable" and low <= ipaddress.ip_address(source) <= high:
                return True
        return False

    # -- hosts -------------------------------------------------------------------------------------

    def _hosts(self, span: Span, interface: str, version: int) -> list[str]:
        """Some hosts of a span that the gateway reaches by an interface, likely ones first."""
        found: list[str] = []
        if not self._it.routes.tells(version):
            return found
        for network in self._it.routes.through(interface, version):
            low = max(span[0], int(network.network_address))
            high = min(span[1], int(network.broadcast_address))
            if low > high:
                continue
            examples = () if network.prefixlen else _EXAMPLES[version]
            numbers = [int(ipaddress.ip_address(text)) for text in examples]
            numbers += [low + offset for offset in _OFFSETS]
            for number in numbers:
                if low <= number <= high and self._can_be(number, network, interface):
                    found.append(str(ipaddress.ip_address(number) if version == 4 else
                                     ipaddress.IPv6Address(number)))
                if len(found) >= 3:
                    return found
        return found

    def _can_be(self, number: int, network: Any, interface: str) -> bool:
        """Whether it is an address of a host behind that interface that may be stood in for."""
        address = type(network.network_address)(number)
        edges = (network.network_address, network.broadcast_address)
        if network.prefixlen < address.max_prefixlen - 1 and address in edges:
            return False
        if address.is_multicast or address.is_loopback or address.is_link_local or (
            address.is_unspecified or str(address) in self._own | self._it.taken
        ):
            return False
        try:
            return self._it.routes.lookup(str(address)).interface == interface
        except NotProven:
            return False


def _made(**values: str) -> Flow:
    """A flow, as an order would have it."""
    keys = {"source": "from", "target": "to"}
    given = {keys.get(key, key): value for key, value in values.items() if value}
    return Flow.model_validate(given)


def _services(protocol: Span, port: Span, version: int) -> Iterator[tuple[int, int, int, int]]:
    """Protocol, target port, source port and ICMP type of some packets, likely ones first."""
    for number in (TCP, UDP):
        if protocol[0] <= number <= protocol[1]:
            known = [one for one in _KNOWN_PORTS[number] if port[0] <= one <= port[1]]
            for one in (*known[:2], max(1, port[0]), port[1]):
                yield number, one, 0, 0
    for number, (of_version, kind) in _ECHO.items():
        inside = overlap((protocol, port), ((number, number), (kind, kind)))
        if inside and of_version == version:
            yield number, 0, 0, kind
    for number in range(protocol[0], protocol[1] + 1):
        if number not in (0, TCP, UDP, ICMP, ICMP6):
            yield number, 0, 0, 0
            break


def _written(protocol: int, port: int, kind: int) -> str:
    """A service as an order has it."""
    if protocol in _PROTOCOLS:
        return f"{_PROTOCOLS[protocol]}/{port}"
    return "icmp" if kind else f"ip/{protocol}"


def _name(row: Row) -> str:
    """Of a policy, on one line."""
    return one_line(str(row.get("name") or ""))


def as_yaml(drafted: Iterable[Drafted]) -> str:
    """The draft as a part of an order."""
    lines = ["flows:"]
    for one in drafted:
        if one.flow is None:
            lines.append(_comment(f"{one.about}: no flow was drafted: {one.reason}"))
            continue
        values = one.flow.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True)
        text = yaml.safe_dump([values], sort_keys=False, allow_unicode=True, width=1000)
        lines += [_comment(one.about), indent(text.rstrip(), "  ")]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    """A line of YAML that says nothing to a program, whatever stands in the text."""
    return f"  # {one_line(text)}"
