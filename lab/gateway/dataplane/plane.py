"""The gateway's data plane: parts that each put their share of an intent in force."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from typing import Any, Protocol

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.faults.network import FORGOTTEN, NOT_APPLIED, with_faults
from lab.gateway.dataplane.faults.translation import VIP_STAYS, published, still_published
from lab.gateway.dataplane.faults.trouble import InTrouble
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.members import GROUP, Who
from lab.gateway.dataplane.intent.model import Intent, Policy
from lab.gateway.dataplane.intent.table import Room
from lab.gateway.dataplane.ipsec.links import TunnelLinks
from lab.gateway.dataplane.ipsec.part import Ike
from lab.gateway.dataplane.ipsec.status import IpsecStatus
from lab.gateway.dataplane.kernel import links
from lab.gateway.dataplane.kernel.commands import FORWARDING, SETTINGS, KernelSettings
from lab.gateway.dataplane.kernel.loopbacks import Loopbacks
from lab.gateway.dataplane.kernel.mtu import PortMtu
from lab.gateway.dataplane.kernel.neighbours import Neighbours
from lab.gateway.dataplane.kernel.routing import Routing
from lab.gateway.dataplane.kernel.usage import PolicyCounter, Usage
from lab.gateway.dataplane.lookup import Packet, look_up
from lab.gateway.dataplane.nft import conntrack
from lab.gateway.dataplane.nft.firewall import Firewall
from lab.gateway.dataplane.nft.queues import Queues
from lab.gateway.dataplane.programs.dhcp import DhcpServers
from lab.gateway.dataplane.programs.dnsmasq import Lease
from lab.gateway.dataplane.programs.impairment import Impairment
from lab.gateway.dataplane.programs.inspection import Inspection
from lab.gateway.dataplane.programs.proxy import WebProxy
from lab.gateway.dataplane.programs.remote import Members, RemoteAccess

log = logging.getLogger(__name__)


class Part(Protocol):
    """One share of the data plane; more of them can be put in `DataPlane.parts`.

    Attributes:
        share: what of the intent it alone carries out, by name. Where it fails, the parts behind it
            go by what it does, not by what it was to do.
    """

    share: tuple[str, ...]

    def apply(self, intent: Intent) -> None:
        """Go from what is in force to the intent; does nothing where nothing changed.

        Raises:
            DataPlaneError: it could not; the plane then has it go back to the intent before.
        """

    def close(self) -> None:
        """Remove everything the part set."""


class DataPlane:
    """Puts the gateway's configuration in force in the network namespace it runs in.

    Not for concurrent calls; any thread of the namespace may call.
    """

    def __init__(self, folder: Path, restarted: bool = False) -> None:
        """Make the parts; nothing is in force yet.

        Args:
            folder: the gateway's own folder, for parts that need files.
            restarted: whether the gateway was restarted.
        """
        self.folder = folder
        self._restarted = restarted
        self._forgets = False  # what it has forgotten by a restart comes back when the fault goes
        self._settings = KernelSettings()
        self._inspection = Inspection(folder)
        self._firewall = Firewall(lambda: self._inspection.ports)
        tunnels = TunnelLinks()
        self._ike = Ike(folder, tunnels)
        # The tunnels' interfaces come first, as routes lead to them. The firewall comes late:
        # marks, addresses and ports that it names are there by then, and IKE passes through it.
        self._remote = RemoteAccess(folder)
        self._dhcp = DhcpServers(folder)
        self.parts: list[Part] = [
            tunnels,
            self._remote,
            Loopbacks(),
            Routing(),
            Neighbours(),
            Impairment(folder),
            PortMtu(),
            Queues(),
            self._inspection,
            WebProxy(folder),
            self._dhcp,
            self._firewall,
            Members(self._remote),
            self._ike,
        ]
        self._usage = Usage()
        self._still_banned: set[str] = set()  # that the fault did not let in again
        self._in_trouble = InTrouble()
        self._room = Room(conntrack.count)
        self._published: dict[int, Policy] = {}  # that the fault keeps so
        self._configured: Intent | None = None
        self._carried_out: dict[Part, Intent] = {}

    @property
    def _in_force(self) -> Intent:
        """What the rule set says, as all that is told of the data plane goes by it."""
        return self._carried_out.get(self._firewall, Intent())

    def apply(self, config: Mapping[str, Sequence[Mapping]], faults: Mapping[str, Mapping]) -> None:
        """Put a configuration in force: the old rule set or the new one, never half.

        What cannot be put in force holds up nothing else: an object that cannot be compiled is
        left out, and a part that fails goes back to what it did before, alone.

        Args:
            config: CMDB path -> rows in the order of evaluation, with defaults filled in.
            faults: name -> parameters of the faults on; those of other rooms are ignored.

        Raises:
            DataPlaneError: something is not in force; the text says what.
        """
        configured = self._configured if NOT_APPLIED in faults else None
        if configured is None:
            configured = compile_config(config)
        intent = with_faults(self._as_published(configured, VIP_STAYS in faults), faults)
        intent = self._in_trouble.endured(intent, faults)
        self._forgets = FORGOTTEN in faults and (self._restarted or self._forgets)
        self._restarted = False
        if self._forgets:
            intent = replace(intent, policies=())
        intent = replace(intent, table=self._room.of(intent.table))
        self._settings.set(SETTINGS | intent.packet_checks.settings())
        problems = [*intent.problems, *self._apply_parts(intent)]
        if self._firewall in self._carried_out:  # without rules everything would pass
            self._settings.set(FORWARDING)
        self._configured = configured
        while intent.ends_bans and self._still_banned:
            self.lift(self._still_banned.pop())
        if problems:
            raise DataPlaneError(" ".join(problems))

    def _as_published(self, configured: Intent, stays: bool) -> Intent:
        """An intent, with what was published before as well where that stays."""
        self._published = {**self._published, **published(configured)} if stays else {}
        return still_published(configured, self._published)

    def _apply_parts(self, intent: Intent) -> Iterator[str]:
        """Have each part do its share; answers why those that failed did."""
        for part in self.parts:
            try:
                part.apply(intent)
                self._carried_out[part] = intent
            except Exception as error:  # the other parts go on
                log.exception("A part of the data plane could not do its share.")
                yield str(error) or type(error).__name__
                self._go_back(part)
                before = self._carried_out.get(part, Intent())
                intent = replace(intent, **{name: getattr(before, name) for name in part.share})

    def _go_back(self, part: Part) -> None:
        """Have a part do again what it did before it failed."""
        if part not in self._carried_out:
            return
        try:
            part.apply(self._carried_out[part])
        except Exception as error:
            log.error("The data plane could not go back to what was in force: %s", error)

    def policy_counters(self) -> dict[int, PolicyCounter]:
        """Counters of every policy of the configuration, and of the implicit deny as 0."""
        intent = self._in_force
        shown = [0, *(policy.id for policy in intent.policies if policy.configured)]
        if not intent.reports_counters:
            return {policyid: PolicyCounter() for policyid in shown}
        return self._usage.read(shown, self._firewall.counters(), conntrack.active_by_mark())

    def clear_counters(self, policyids: Sequence[int] | None = None) -> None:
        """Set the counters of some policies, or of all (0 included), back to zero."""
        if policyids is None:
            policyids = [0, *(policy.id for policy in self._in_force.policies)]
        self._firewall.clear_counters(policyids)

    def lookup(
        self, srcintf: str, sourceip: str, protocol: int, dest: str, destport: int | None
    ) -> tuple[int, str]:
        """Which policy a packet would meet by the rules really in force, faults included.

        Returns:
            The policyid, 0 for the implicit deny, and "accept" or "deny".
        """
        packet = Packet(srcintf, sourceip, protocol, dest, destport)
        try:
            return look_up(self._in_force, packet, links.outgoing, self._belongs)
        except ValueError as error:
            raise DataPlaneError(f"The policy lookup takes two IP addresses: {error}.") from None

    def _belongs(self, address: str, who: Who) -> bool:
        kind, name = who
        if self._ike.belongs(address, who):
            return True
        return any(
            row["address"] == int(IPv4Address(address))
            and (name in row["groups"] if kind == GROUP else name == row["user"])
            for row in self._remote.shown()["sessions"]
        )

    def ban(self, address: str, seconds: int) -> None:
        """Cut a host off, for so many seconds or for good (0)."""
        self._firewall.ban(ip_address(address).version, address, seconds)

    def lift(self, address: str) -> None:
        """Let it in again."""
        if self._in_force.ends_bans:
            self._firewall.lift(ip_address(address).version, address)
        else:
            self._still_banned.add(address)

    def remote_users(self) -> Mapping[str, Any]:
        """Who is logged in to the SSL VPN; see `lab.sslvpn.server.Server.shown`."""
        return self._remote.shown()

    def end_remote_users(self, index: int | None) -> bool:
        """End the session or tunnel of a number, or all; False where there is none."""
        return self._remote.end(index)

    def leases(self) -> list[Lease]:
        """The addresses that DHCP has given out."""
        return self._dhcp.leases()

    def sessions(self, count: int) -> list[dict]:
        """The first `count` sessions; see `conntrack.sessions` for their attributes."""
        return conntrack.sessions(count)

    def session_count(self) -> int:
        """Number of sessions in the table."""
        return conntrack.count()

    def session_counts(self) -> tuple[int, int]:
        """Number of sessions in the table, of IPv4 and of IPv6."""
        return conntrack.counts()

    def routes(self, version: int = 4) -> list[dict]:
        """The routing table as `monitor/router/ipv4` and `monitor/router/ipv6` show it.

        Routes into tunnels that are down are not active; what they lead to is dropped.
        """
        down = self._tunnels_down()
        return [route for route in links.routes(version) if route["interface"] not in down]

    def _tunnels_down(self) -> set[str]:
        fixed = {name for name, one in self._in_force.ipsec.tunnels.items() if not one.dial_up}
        if not fixed:
            return set()
        return fixed - {sa.tunnel for sa in self._ike.status().sas if sa.established}

    def interfaces(self) -> dict[str, dict]:
        """State and counters of the interfaces by name."""
        down = self._tunnels_down()
        return {
            name: {**shown, "link": shown["link"] and name not in down}
            for name, shown in links.interfaces().items()
        }

    def ipsec(self) -> IpsecStatus:
        """The tunnels' connections and what they carried."""
        return self._ike.status()

    def reset_ipsec_counters(self, tunnel: str | None) -> None:
        """Set the bytes of one tunnel, or of all, back to zero."""
        self._ike.reset_counters(tunnel)

    def end_ipsec(self, name: str) -> bool:
        """End all connections of a tunnel, or that of one dial-up peer (`TUNNEL_PLACE`).

        Returns:
            Whether there was one.
        """
        status = self._ike.status()
        found = [
            sa.id
            for sa in status.sas
            if name in (sa.tunnel, f"{sa.tunnel}_{status.places.get(sa.id)}")
        ]
        for number in found:
            self._ike.end_connection(number)
        return bool(found)

    def tunnel_up(self, tunnel: str, child: str) -> None:
        """Negotiate the keys of a phase 2 now."""
        self._ike.bring_up(tunnel, child)

    def tunnel_down(self, tunnel: str, child: str) -> None:
        """Delete the keys of a phase 2."""
        self._ike.take_down(tunnel, child)

    def close(self) -> None:
        """Remove everything that was set: forwarding ends first, then rules, queues, routes."""
        self._settings.restore()
        for part in reversed(self.parts):
            part.close()
        self._configured = None
        self._carried_out.clear()
