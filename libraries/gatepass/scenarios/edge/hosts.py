"""Hosts that pretend to be others: with the gateway's filters against them and without.

Each filter is tried in phases. In each phase the right and the wrong ones send by turns, so that
what does not arrive stands beside what did at the same time, and differs from it in what the filter
looks at alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint.forged import ROUNDS, Forged, ForgedTraffic, Seen
from gatepass.gateway.config_objects import hardware_address
from gatepass.gateway.host_filters import AddressBinding, FixedAddress, SourceCheck
from gatepass.gateway.rules import ADDRESS, RuleSet, dotted
from gatepass.scenarios.edge.client_side import ClientSide

OWN, NEIGHBOUR = "own", "neighbour"
"""The client itself, and another host of its network."""
FORGED, MOVED = "forged", "moved"
"""The client's IP address from another hardware address, and the other way round."""
HOST = "host"
"""A host that another one claims to be."""

IN_FORCE_S = 3.0
"""How long a change may take until all that is sent shows it."""
_BEGIN_S = 5.0
"""The same of the first one, with the policy that permits it all."""
_POLICY = 90


@dataclass(frozen=True)
class Phases:
    """What arrived without a filter, with it, and without it again.

    Attributes:
        before, during, after: the last try of each phase.
    """

    before: Seen
    during: Seen
    after: Seen


@dataclass(frozen=True)
class Borrowed:
    """What arrived with the source check, without it, and with it again.

    Where the first shows that it does not work, the others are the same.

    Attributes:
        addresses: that were borrowed, by which their senders are known.
        first, off, again: the last try of each phase.
        overruled: what makes nothing of the check, in a sentence; empty where nothing does.
    """

    addresses: tuple[str, ...]
    first: Seen
    off: Seen
    again: Seen
    overruled: str = ""


@dataclass(frozen=True)
class Contest:
    """What arrived of the datagrams to a host that another claimed to be.

    Attributes:
        address: of the host.
        mac, attacker: its hardware address, and that of who claimed to be it.
        claimed, fixed, freed: while it was claimed: without an entry, with it, and without again.
    """

    address: str
    mac: str
    attacker: str
    claimed: Seen
    fixed: Seen
    freed: Seen

    @property
    def is_real(self) -> bool:
        """Whether the claims draw the traffic away where nothing fixes the host."""
        return self.claimed.of(HOST, self.attacker) > 0


class PretendingHosts:
    """Hosts behind the client's port, real and pretended, as one endpoint sends for all of them.

    Args:
        side: where they stand.
        rules: of the run; one policy that permits it all takes the place of all test policies.
    """

    def __init__(self, side: ClientSide, rules: RuleSet) -> None:
        self._side, self._rules, self._changes = side, rules, rules.changes
        self._bound: AddressBinding | None = None
        self._check: SourceCheck | None = None
        self._entry: FixedAddress | None = None

    # -- what is permitted -------------------------------------------------------------------

    def permit_any_source(self) -> None:
        """Permit what the client's side sends to the server, whatever its source."""
        number = self._rules.free_id(_POLICY)
        self._rules.only(self._rules.test_row(number, nat=False, srcaddr=[{"name": "all"}]))

    def permit_to_the_host(self) -> None:
        """Permit what the server sends to the client, and to the host of a free address."""
        name = self._changes.name(HOST)
        if self._rules.gateway.row(ADDRESS, name) is None:
            subnet = dotted(f"{self._side.free[0]}/32")
            self._changes.create(ADDRESS, {"name": name, "type": "ipmask", "subnet": subnet})
        flow = self._rules.flow
        row = self._rules.test_row(
            self._rules.free_id(_POLICY + 1),
            nat=False,
            srcintf=[{"name": flow.server_port}],
            dstintf=[{"name": flow.client_port}],
            srcaddr=[{"name": self._changes.name("server")}],
            dstaddr=[{"name": self._changes.name("client")}, {"name": name}],
        )
        self._rules.only(row)

    # -- what is tried -----------------------------------------------------------------------

    def bind_the_client(self) -> Phases:
        """Have the client's address bound to its hardware address for a while.

        Raises:
            NotApplicable, NotProven: see `AddressBinding`; or something does not arrive before.
        """
        side, mac, own = self._side, self._side.link.mac, self._side.address
        bound = self._bound = AddressBinding(self._changes, side.port, own, mac)
        other, third = (hardware_address(self._changes.mark, which) for which in (1, 2))
        senders = [
            self._to_server(OWN, mac, own),
            self._to_server(FORGED, other, own),
            self._to_server(MOVED, mac, side.free[0]),
            self._to_server(NEIGHBOUR, third, side.free[1]),
        ]
        names = [sender.name for sender in senders]
        with self._to_the_server(senders) as traffic:
            before = traffic.until(lambda seen: seen.whole(*names), _BEGIN_S)
            if missing := [name for name in names if not before.whole(name)]:
                raise NotProven(_missing_before(missing, before))
            bound.on()
            during = traffic.until(
                lambda seen: seen.none(FORGED, MOVED) and seen.whole(OWN, NEIGHBOUR), IN_FORCE_S
            )
            bound.off()
            after = traffic.until(lambda seen: seen.whole(*names), IN_FORCE_S)
        return Phases(before, during, after)

    def borrow_addresses(self) -> Borrowed:
        """Have the client send from addresses behind other ports, with the source check and not.

        Raises:
            NotApplicable: see `SourceCheck`.
            NotProven: each address may come from behind the client's port.
        """
        side, addresses = self._side, tuple(self._side.foreign)
        check = self._check = SourceCheck(self._changes, side.port)
        senders = [self._to_server(OWN, side.link.mac, side.address)]
        senders += [self._to_server(text, side.link.mac, text) for text in addresses]

        def refused(seen: Seen) -> bool:
            return seen.none(*addresses) and seen.whole(OWN)

        with self._to_the_server(senders) as traffic:
            check.switch(True)
            first = off = again = traffic.until(refused, _BEGIN_S)
            if first.none(*addresses):
                check.switch(False)
                off = traffic.until(lambda seen: seen.whole(OWN, *addresses), IN_FORCE_S)
                check.switch(True)
                again = traffic.until(refused, IN_FORCE_S)
        return Borrowed(addresses, first, off, again, check.overruled)

    def claim_the_host(self) -> Contest:
        """Have the client claim a host of its network by ARP, with an entry for it and without.

        Raises:
            NotApplicable, NotProven: see `FixedAddress`; or what is for the host does not come to
                it before.
        """
        side, address, attacker = self._side, self._side.free[0], self._side.link.mac
        entry = self._entry = FixedAddress(self._changes, side.port, address)
        mac, far_mac = entry.mac, side.link_back.mac
        senders = [
            Forged(HOST, far_mac, side.far_address, address),
            Forged(OWN, far_mac, side.far_address, side.address),
        ]

        def gone(seen: Seen) -> bool:
            return seen.of(HOST, attacker) == ROUNDS

        def stays(seen: Seen) -> bool:
            return seen.of(HOST, mac) == ROUNDS and seen.whole(OWN)

        with self._to_the_client(senders, address, mac) as traffic:
            before = traffic.until(stays, _BEGIN_S)
            if not stays(before):
                raise NotProven(_host_missing(address, mac, before))
            traffic.claim(True)
            claimed = traffic.until(gone, IN_FORCE_S)
            entry.on()
            fixed = traffic.until(stays, IN_FORCE_S)
            entry.off()
            freed = traffic.until(gone, IN_FORCE_S) if claimed.of(HOST, attacker) else fixed
        return Contest(address, mac, attacker, claimed, fixed, freed)

    def undo(self) -> None:
        """Have the gateway's filters as they were delivered, and none of the policies."""
        if self._bound:
            self._bound.off()
        if self._check:
            self._check.back()
        if self._entry:
            self._entry.off()
        self._bound = self._check = self._entry = None
        self._rules.clear()

    # -- how it is sent ----------------------------------------------------------------------

    def _to_server(self, name: str, mac: str, source: str) -> Forged:
        return Forged(name, mac, source, self._side.far_address)

    @contextmanager
    def _to_the_server(self, senders: Sequence[Forged]) -> Iterator[ForgedTraffic]:
        """Sent by the client, watched on the server."""
        side, link, at = self._side, self._side.link, self._side.link_back.interface
        where = (side.client, link.interface, link.hop_mac, side.server, at)
        yield from self._sent(ForgedTraffic(*where, side.probe_port, self._changes.mark, senders))

    @contextmanager
    def _to_the_client(
        self, senders: Sequence[Forged], address: str, mac: str
    ) -> Iterator[ForgedTraffic]:
        """Sent by the server, watched on the client, which stands in for a host."""
        side, link, at = self._side, self._side.link_back, self._side.link.interface
        where = (side.server, link.interface, link.hop_mac, side.client, at)
        mark, contest = self._changes.mark, (address, mac)
        yield from self._sent(ForgedTraffic(*where, side.probe_port, mark, senders, contest))

    @staticmethod
    def _sent(traffic: ForgedTraffic) -> Iterator[ForgedTraffic]:
        try:
            yield traffic
        finally:
            traffic.stop()


def _missing_before(missing: Sequence[str], seen: Seen) -> str:
    """Why nothing can be tried, of senders that do not arrive although nothing filters them."""
    told = ", ".join(f"{name} {seen.of(name)} of {ROUNDS}" for name in missing)
    if OWN in missing:
        return (
            "what the client itself sends does not get through before anything is bound, either "
            f"({told})."
        )
    return (
        "without a binding, too, not all gets through that hosts send under another name, so that "
        f"with one nothing does would prove nothing ({told}). Let the virtual switch pass forged "
        "senders to the gateway (VMware: forged transmits), and look whether something between "
        "binds addresses."
    )


def _host_missing(address: str, mac: str, seen: Seen) -> str:
    """Why nothing can be tried, of a host that what is for it does not come to at first."""
    told = f"{seen.of(HOST, mac)} of {ROUNDS}; to the client's own address {seen.of(OWN)}"
    return (
        f"what the server sends to {address}, which the client stands in for with the hardware "
        f"address {mac}, does not come there before anybody else claims it ({told}). Let the "
        "virtual switch deliver frames for further hardware addresses to the client (VMware: "
        "promiscuous mode and forged transmits)."
    )
