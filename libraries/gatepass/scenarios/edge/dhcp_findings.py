"""What follows from what hosts saw that asked for addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from statistics import median

from gatepass.base.errors import NotProven
from gatepass.endpoint.dhcp import OFFERED, Asked, Seen
from gatepass.gateway.dhcp import MONITOR, DhcpSettings
from gatepass.scenarios.edge.dhcp_hosts import Hosts
from gatepass.scenarios.edge.pool import ranges_of

Told = tuple[str, bool]
"""What was observed, and whether it is as it should be."""


@dataclass(frozen=True)
class Without:
    """What hosts saw before there was a server.

    Attributes:
        port: the gateway's.
        hosts: that asked.
        seen: what became of them.
        foreign: other servers that answered.
    """

    port: str
    hosts: Hosts
    seen: Seen
    foreign: frozenset[str]

    def must_be_silent(self) -> None:
        """Nobody may answer, and the gateway has to be reached by each host.

        Raises:
            AssertionError: the gateway offers addresses although it has no server there.
            NotProven: another server does, or packets of such hosts do not get there and back.
        """
        must_be_alone(self.port, self.foreign)
        offered = [one for one in self.seen.hosts.values() if one.state == OFFERED]
        if offered:
            raise AssertionError(
                f"The gateway offers addresses on its port {self.port} ({offered[0].address} and "
                f"{len(offered) - 1} more), although no DHCP server is configured there."
            )
        must_be_reached(self.port, self.seen.hosts)

    @property
    def told(self) -> str:
        """What was seen, in sentences."""
        hosts = self.seen.hosts.values()
        return (
            f"{len(hosts)} hosts asked {sum(one.questions for one in hosts)} times while no DHCP "
            f"server was configured on {self.port}; nobody answered. The gateway answered the ARP "
            "of each of them at the same time."
        )


def must_be_alone(port: str, foreign: frozenset[str]) -> None:
    """No other server may answer on that wire.

    Raises:
        NotProven: one does.
    """
    if foreign:
        raise NotProven(
            f"another DHCP server ({', '.join(sorted(foreign))}) answers behind the gateway's port "
            f"{port}. Take it off that network for the test."
        )


def must_be_reached(port: str, hosts: Mapping[str, Asked]) -> None:
    """The gateway answered the ARP of each host.

    Raises:
        NotProven: it did not, so that silence says nothing about its server.
    """
    cut_off = [mac for mac, asked in hosts.items() if not asked.reached]
    if cut_off:
        raise NotProven(
            f"the gateway's answer to ARP did not come back to {len(cut_off)} of {len(hosts)} "
            f"hosts that the client simulates ({cut_off[0]}). Let the virtual switch before the "
            f"gateway's port {port} pass frames from and to hardware addresses of any kind "
            "(promiscuous mode, forged transmits), and limit their number no lower than 260."
        )


@dataclass
class Late:
    """What hosts saw while there was a server.

    Attributes:
        first: what became of the host with a reservation when it was the only one.
        fifty: of those that asked at once.
        crowded: of all that asked when the range was used up; None where nobody had an address.
        listed: whose each address was by the gateway's own list then; or why it is not known.
        attack: of the hosts that are not listed and of those that are; None as above.
    """

    first: Asked
    fifty: Mapping[str, Asked] = field(default_factory=dict)
    crowded: Seen | None = None
    listed: Mapping[str, str] | NotProven = field(default_factory=dict)
    attack: Seen | None = None

    @property
    def leases(self) -> dict[str, str]:
        """Whose each address was when the range was used up, as the hosts themselves saw it."""
        hosts = {} if self.crowded is None else self.crowded.hosts
        return {asked.address: mac for mac, asked in hosts.items() if asked.bound}


@dataclass(frozen=True)
class DhcpFindings:
    """What hosts saw without a server and with it.

    Attributes:
        without: before there was one.
        settings: what they were to be told.
        dynamic: the addresses for any host on the list, in their order.
        reserved: the address for one host alone; it lies among the others.
        late: while there was one.
        lost: why their packets may not have come to the gateway; empty where they did.
        foreign: other servers that answered anybody.
        strangers: hosts that are not of the run and got an address from the gateway.
    """

    without: Without
    settings: DhcpSettings
    dynamic: Sequence[str]
    reserved: str
    late: Late
    lost: str
    foreign: frozenset[str]
    strangers: frozenset[str]

    @property
    def _port(self) -> str:
        return self.without.port

    @property
    def _hosts(self) -> Hosts:
        return self.without.hosts

    @property
    def _span(self) -> str:
        every = sorted(map(IPv4Address, [*self.dynamic, self.reserved]))
        return " and ".join(f"{first} to {last}" for first, last in ranges_of(every))

    @property
    def milliseconds(self) -> list[float]:
        """How long each of those that asked at once waited for its address."""
        return [asked.ms for asked in self.late.fifty.values() if asked.ms is not None]

    def must_be_alone(self) -> None:
        """See `must_be_alone`."""
        must_be_alone(self._port, self.foreign)

    # -- many at once ------------------------------------------------------------------------

    def all_served(self) -> Told:
        """Each of those that asked at once got an address."""
        asked = self.late.fifty
        silent = {mac: one for mac, one in asked.items() if not one.bound}
        if silent:
            must_be_reached(self._port, silent)
            if self.lost:
                raise NotProven(self.lost)
            mac, one = next(iter(silent.items()))
            return (
                f"{len(silent)} of {len(asked)} hosts got no address; {mac} asked {one.questions} "
                "times. The gateway answered the ARP of each of them meanwhile.",
                False,
            )
        ms, refusals = self.milliseconds, sum(one.refusals for one in asked.values())
        anew = f" Offers that were taken back (DHCPNAK): {refusals}." * bool(refusals)
        return (
            f"{len(asked)} hosts asked at the same moment. Each had its address after "
            f"{median(ms):.0f} ms (median), the slowest after {max(ms):.0f} ms.{anew}",
            True,
        )

    def own_addresses(self) -> Told:
        """No two of them got the same, and none one that is not of the range."""
        holders: dict[str, list[str]] = {}
        for mac, asked in self.late.fifty.items():
            holders.setdefault(asked.address, []).append(mac)
        twice = {address: macs for address, macs in holders.items() if len(macs) > 1}
        if twice:
            address, macs = next(iter(twice.items()))
            return f"{address} was given to {' and to '.join(macs)}.", False
        outside = sorted(holders.keys() - {*self.dynamic, self.reserved})
        if outside:
            return f"{outside[0]} was given out; the range is {self._span}.", False
        return f"{len(holders)} different addresses were given out, all of {self._span}.", True

    def told_right(self) -> Told:
        """Each was told what was configured."""
        wrong: dict[str, int] = {}
        for asked in self.late.fifty.values():
            for sentence in _wrong(asked, self.settings):
                wrong[sentence] = wrong.get(sentence, 0) + 1
        if wrong:
            parts = (f"{sentence} (hosts: {count})" for sentence, count in wrong.items())
            return f"They received other options than configured: {'; '.join(parts)}.", False
        told = self.settings
        return (
            f"Each received the netmask {told.netmask}, the router {told.router}, the name "
            f"servers {', '.join(told.name_servers)}, the domain {told.domain} and a lease of "
            f"{told.lease_s} s.",
            True,
        )

    # -- a reservation -----------------------------------------------------------------------

    def reserved_alone(self) -> Told:
        """The reserved address went to its host, before the others and after, and to no other."""
        mac, address, late = self._hosts.reserved, self.reserved, self.late
        others = {**late.fifty, **(late.crowded.hosts if late.crowded else {})}
        others.pop(mac, None)
        holder = next((one for one, asked in others.items() if asked.address == address), "")
        elsewhere = f" It was given to {holder}." * bool(holder)
        if not late.first.bound:
            must_be_reached(self._port, {mac: late.first})
            if self.lost:
                raise NotProven(self.lost)
            return f"{mac} got no address, although {address} is reserved for it.", False
        if late.first.address != address:
            got = late.first.address
            return f"{mac} got {got} instead of {address}, reserved for it.{elsewhere}", False
        if holder:
            return f"{address} is reserved for {mac}.{elsewhere}", False
        again = late.crowded.hosts[mac] if late.crowded else None
        if again is None:
            raise NotProven("no other host got an address, so no host competed for this one.")
        if again.address != address or not again.bound:
            got = again.address or "no address"
            return f"{mac} had given {address} back and got {got} when it asked again.", False
        return (
            f"{address} went to {mac}, was given back, was kept from {len(others)} other hosts "
            "that asked, and went to it again.",
            True,
        )

    # -- a range that is used up -------------------------------------------------------------

    def one_too_many(self) -> Told:
        """The host for which no address was left got none."""
        given = {asked.address for asked in self.late.fifty.values() if asked.bound}
        left = set(self.dynamic) - given
        if self.late.crowded is None or left:
            raise NotProven(
                f"the range was not used up: {len(self.dynamic) - len(left)} of its "
                f"{len(self.dynamic)} addresses were given out."
            )
        mac = self._hosts.too_many
        asked = self.late.crowded.hosts[mac]
        if asked.bound:
            where = f"which is not of the range, {self._span}"
            if asked.address in self.dynamic:
                where = "which another host had"
            elif asked.address == self.reserved:
                where = f"which is reserved for {self._hosts.reserved}"
            return f"A host too many ({mac}) was given {asked.address}, {where}.", False
        must_be_reached(self._port, {mac: asked})
        return (
            f"All {len(self.dynamic)} addresses were taken. One more host asked "
            f"{asked.questions} times and got none; the gateway answered its ARP.",
            True,
        )

    def all_renewed(self) -> Told:
        """Those that had an address could renew it meanwhile."""
        lost = dict(self._not_renewed())
        if lost:
            mac, what = next(iter(lost.items()))
            of = f"{len(lost)} of {len(self.late.fifty)} hosts"
            return f"{of} could not renew their address: {mac} {what}.", False
        return f"{len(self.late.fifty)} hosts renewed their address at that time and kept it.", True

    def _not_renewed(self) -> Iterator[tuple[str, str]]:
        now = self.late.crowded.hosts if self.late.crowded else {}
        for mac, before in self.late.fifty.items():
            asked = now.get(mac, before)
            if not asked.bound:
                yield mac, f"had {before.address} and was {asked.state or 'silent'}"
            elif asked.address != before.address:
                yield mac, f"had {before.address} and got {asked.address}"

    def all_listed(self) -> Told:
        """The gateway lists each of them with its host.

        Raises:
            NotProven: it has no such list.
        """
        listed, leases = self.late.listed, self.late.leases
        if isinstance(listed, NotProven):
            raise listed
        missing = [address for address, mac in leases.items() if listed.get(address) != mac]
        if missing:
            mac, shown = leases[missing[0]], listed.get(missing[0])
            seen = f"shows {shown} for it" if shown else "does not show it"
            right = len(leases) - len(missing)
            return (
                f"The monitor {MONITOR} lists {right} of {len(leases)} leases: {missing[0]} of "
                f"{mac} is missing, the monitor {seen}.",
                False,
            )
        return f"The monitor {MONITOR} lists all {len(leases)} leases with their hosts.", True

    # -- hosts that are not listed -----------------------------------------------------------

    def unlisted_unanswered(self) -> Told:
        """Hosts that are not on the server's list got no answer, however many."""
        hosts = self._of_attack(self._hosts.unlisted)
        given = [one for one in hosts.values() if one.bound]
        answered = [one for one in hosts.values() if one.state != "silent" or one.refusals]
        if answered:
            first = f", {given[0].address} the first" if given else ""
            return (
                f"{len(answered)} of {len(hosts)} hosts that are not on the list were answered, "
                f"and {len(given)} were given addresses{first}.",
                False,
            )
        if self.strangers:
            return (
                f"{len(self.strangers)} hosts that are not of the test were given addresses, "
                f"{min(self.strangers)} the first.",
                False,
            )
        must_be_reached(self._port, hosts)
        questions = sum(one.questions for one in hosts.values())
        return (
            f"{len(hosts)} hosts that are not on the list asked {questions} times. None got an "
            "answer; the gateway answered the ARP of each of them.",
            True,
        )

    def listed_served_meanwhile(self) -> Told:
        """Those that are on it got their addresses at the same time."""
        before = self.late.fifty
        hosts = {
            mac: one
            for mac, one in self._of_attack(self._hosts.again).items()
            if before[mac].bound
        }
        if not hosts:
            raise NotProven("the hosts on the list got no address without the others, either.")
        silent = [mac for mac, one in hosts.items() if not one.bound]
        if silent:
            return (
                f"{len(silent)} of {len(hosts)} hosts on the list ({silent[0]} the first) got no "
                "address meanwhile.",
                False,
            )
        slowest = max(one.ms or 0.0 for one in hosts.values())
        return (
            f"{len(hosts)} hosts on the list asked meanwhile; each got an address, the slowest "
            f"after {slowest:.0f} ms.",
            True,
        )

    def _of_attack(self, macs: Sequence[str]) -> dict[str, Asked]:
        if self.late.attack is None:
            raise NotProven(
                "the gateway gave no host an address, so the hosts that are not on its list "
                "cannot be judged."
            )
        return {mac: self.late.attack.hosts[mac] for mac in macs}


def _wrong(asked: Asked, settings: DhcpSettings) -> Iterator[str]:
    """What a host was told otherwise than configured."""
    pairs = {
        "netmask": (asked.netmask, settings.netmask),
        "router": (asked.routers, settings.router),
        "name servers": (asked.name_servers, ", ".join(settings.name_servers)),
        "domain": (asked.domain, settings.domain),
        "lease time": (f"{asked.lease_s} s", f"{settings.lease_s} s"),
    }
    for what, (told, wanted) in pairs.items():
        if told != wanted:
            yield f"{what}, {told or 'none'} instead of {wanted}"
