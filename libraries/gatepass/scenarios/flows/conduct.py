"""Tries flows: endpoints stand in for their hosts, all at once, for as long as it takes."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from gatepass.base.errors import NotProven
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.stand_in import StandIn
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.routing import RoutingTable
from gatepass.inputs.flows import PASS, Flow
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.flows.payloads import payload
from gatepass.scenarios.flows.places import Placed, Places
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.ways import INTERFACES, Side, addresses_of, sides_of

_PASS_PATIENCE_S, _BLOCK_PATIENCE_S = 4.0, 2.0
"""For an answer; a lost packet of a connection is sent again after one second (RFC 6298)."""
_NAME = "flows"


@dataclass(frozen=True)
class Arrival:
    """What a stand-in saw of a flow.

    Attributes:
        side: where it arrived.
        what: frame, connection or datagram.
        source: from where it seemed to come.
        target, port: where it arrived.
    """

    side: Side
    what: str
    source: str
    target: str
    port: int


@dataclass(frozen=True)
class Tried:
    """A flow, and what became of it.

    Attributes:
        number: of the flow in the order, from 0 on.
        flow: itself.
        trouble: why it could not be tried; empty where it was.
        placed: its ends; None with trouble.
        arrived: on any side but the one where it began.
        outcome: what the trying side saw: answered, opened, refused, silent, or sent.
        words: what it saw in its own words.
    """

    number: int
    flow: Flow
    trouble: str = ""
    placed: Placed | None = None
    arrived: tuple[Arrival, ...] = ()
    outcome: str = ""
    words: str = ""


def try_flows(
    gateway: FortiGate, testbed: Testbed, shells: Mapping[str, Shell], flows: Sequence[Flow]
) -> list[Tried]:
    """Try all flows of an order; nothing is put on the gateway or changed on the endpoints.

    Raises:
        NotProven: an endpoint cannot stand in for other hosts.
    """
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = sides_of(testbed, shells, rows)
    own = frozenset(
        text for row in rows.values() for texts in addresses_of(row).values() for text in texts
    )
    places = Places(sides, RoutingTable.read(gateway), own)
    placed, tried = [], {}
    for number, flow in enumerate(flows):
        try:
            placed.append(places.of(number, flow))
        except NotProven as trouble:
            tried[number] = Tried(number, flow, str(trouble.reason))
    if placed:
        before = counted_in(gateway, sides)
        stand_ins = _StandIns(shells, placed)
        stand_ins.run()
        uncounted = not_counted(gateway, stand_ins.sides, before, stand_ins.sent)
        for one in placed:
            tried[one.number] = stand_ins.tried(one, uncounted)
    return [tried[number] for number in range(len(flows))]


class _StandIns:
    """One program on each endpoint that some flow needs."""

    def __init__(self, shells: Mapping[str, Shell], placed: Sequence[Placed]) -> None:
        self._shells, self._placed = shells, placed
        self._mark = secrets.token_hex(4)
        self.sides = list(dict.fromkeys(place.side for one in placed for place in one.places))
        self._told: dict[str, Mapping] = {}

    @property
    def sent(self) -> dict[str, int]:
        """Frames that each side sent, by its name."""
        return {name: told["sent"] for name, told in self._told.items()}

    def run(self) -> None:
        """Have all of them ready, let them try, and take in what they tell."""
        certificate, programs = _certificate(), {}
        try:
            for side in self.sides:
                plan = self._plan(side, certificate)
                programs[side.name] = StandIn.start(self._shells[side.name], _NAME, plan)
            for program in programs.values():
                program.go()
            for program in programs.values():
                program.tried()
            for name, program in programs.items():
                self._told[name] = program.end()
        finally:
            for program in programs.values():
                program.stop()

    def _plan(self, side: Side, certificate: str) -> dict:
        here = [place for one in self._placed for place in one.places if place.side is side]
        own = {text.partition("/")[0] for link in side.links.values() for text in link.networks}
        held = {text for place in here for text in (place.address, place.router) if text} - own
        listened = {
            (one.flow.protocol, one.target.address, one.flow.at[1] or one.flow.port)
            for one in self._placed
            if one.target.side is side and one.flow.port
        }
        versions = {one.flow.version for one in self._placed if side in _sides(one)}
        links = {version: side.links[version] for version in sorted(versions)}
        return {
            "interface": next(iter(links.values())).interface,
            "gateways": {version: [link.hop, link.hop_mac] for version, link in links.items()},
            "hold": sorted(held),
            "listen": sorted(listened),
            "tries": [_try(one, self._mark) for one in self._placed if one.source.side is side],
            "mark": self._mark,
            "certificate": certificate,
        }

    def tried(self, one: Placed, uncounted: str) -> Tried:
        """What became of a flow.

        Args:
            one: the flow.
            uncounted: why packets may have been lost before they came to the gateway.
        """
        arrived = tuple(
            Arrival(side, *row[1:])
            for side in self.sides
            if side is not one.source.side
            for row in self._told[side.name]["arrived"]
            if row[0] == one.number
        )
        told = self._told[one.source.side.name]
        outcome, words = told["outcomes"].get(str(one.number), ("", "it was not tried"))
        trouble = "" if arrived else (self._trouble(one) or uncounted)
        if not outcome:
            trouble = trouble or f"the {one.source.side.name} did not try it"
        return Tried(one.number, one.flow, trouble, one, arrived, outcome, words)

    def _trouble(self, one: Placed) -> str:
        """What of the rig may keep a flow from arriving; empty where nothing does."""
        for place in one.places:
            told, port = self._told[place.side.name], place.side.port
            if place.address in told["busy"]:
                return (
                    f"{place.address} belongs to another host behind the gateway's port {port}. "
                    "Take it off the network, or name another address in the flow."
                )
            if place.router in told["busy"]:
                return (
                    f"{place.router}, by which the gateway reaches {place.address}, belongs to "
                    f"another host. Connect the {place.side.name} in its place."
                )
            if one.flow.version not in told["reached"]:
                hop = place.side.links[one.flow.version].hop
                return (
                    f"the gateway's port {port} ({hop}) did not answer the {place.side.name} when "
                    "it asked for its hardware address"
                )
        return ""


def _sides(one: Placed) -> list[Side]:
    return [place.side for place in one.places]


def _try(one: Placed, mark: str) -> dict:
    flow = one.flow
    passes = flow.expect == PASS
    other = payload(flow, mark, one.number).hex() if flow.protocol.isdigit() else ""
    return {
        "number": one.number,
        "protocol": flow.protocol,
        "source": flow.source,
        "target": flow.target,
        "port": flow.port,
        "patience_s": _PASS_PATIENCE_S if passes else _BLOCK_PATIENCE_S,
        "bare": not passes,
        "payload": other,
    }


def _certificate() -> str:
    """A certificate with its key for the time of the tries, PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "stand-in.gatepass.test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return (certificate.public_bytes(Encoding.PEM) + private).decode()
