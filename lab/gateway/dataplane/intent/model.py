"""What the gateway is to do with packets: the configuration compiled, before any command is made.

An intent is a plain value. The faults change it (`faults.py`), the rule text is made from it
(`rules.py`), and the policy lookup reads it (`lookup.py`), so that all three speak of one thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lab.gateway.dataplane.intent.dhcp import DhcpServer
from lab.gateway.dataplane.intent.floods import DosPolicy
from lab.gateway.dataplane.intent.hosts import Bindings, Neighbour, SourceCheck
from lab.gateway.dataplane.intent.inspection import Inspected
from lab.gateway.dataplane.intent.ipsec import Ipsec
from lab.gateway.dataplane.intent.members import Who, set_name
from lab.gateway.dataplane.intent.packets import PacketChecks
from lab.gateway.dataplane.intent.proxy import Proxy
from lab.gateway.dataplane.intent.ranges import NOTHING, Spans
from lab.gateway.dataplane.intent.services import Match
from lab.gateway.dataplane.intent.sessions import SessionFaults
from lab.gateway.dataplane.intent.table import SessionTable
from lab.gateway.dataplane.intent.values import Port, Selector
from lab.impairment.plan import Plan
from lab.sslvpn.plan import ServerPlan


@dataclass(frozen=True, slots=True)
class Vip:
    """A virtual address: packets to `external` go to the address in the same place of `mapped`.

    Attributes:
        name: of the object.
        interface: where the packets arrive; None for any.
        external: first and last external IPv4 address.
        mapped: first internal IPv4 address.
        protocol: IP protocol number of a port forwarding, else None.
        external_ports: first and last port of a port forwarding.
        mapped_port: first internal port of a port forwarding.
        sources: the only sources it is for; empty for all.
        answers_arp: whether the gateway answers ARP for the external addresses.
        hides_hosts: whether the own connections of the hosts behind it leave by it as well, where
            their policy translates and names no pool.
        before_pools: whether they do although it names one.
    """

    name: str
    interface: str | None
    external: tuple[int, int]
    mapped: int
    protocol: int | None = None
    external_ports: tuple[int, int] | None = None
    mapped_port: int | None = None
    sources: Spans = NOTHING
    answers_arp: bool = True
    hides_hosts: bool = False
    before_pools: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """Addresses that replace the source address."""

    name: str
    span: tuple[int, int]
    answers_arp: bool = True


@dataclass(frozen=True, slots=True)
class Policy:
    """One firewall policy.

    Attributes:
        id: policyid; the mark of every session that it lets through.
        selects: its sessions.
        vips: virtual addresses among its destinations.
        accept: action.
        enabled: status, and a schedule that is on.
        nat: whether the source address is replaced, by the outgoing interface's or a pool's.
        pools: names of pools; empty for the interface's address.
        denies_vips: a deny policy that also stops sessions to virtual addresses.
        shaper: traffic shaper from source to destination.
        shaper_reverse: traffic shaper from destination to source.
        configured: False for what a fault put in force without a row of the configuration.
        who: the only users it is for, logged in by a VPN; None for anyone.
        udp_idle: UDP services whose sessions end after a time of their own, and it in seconds.
    """

    id: int
    selects: Selector
    vips: tuple[Vip, ...] = ()
    accept: bool = True
    enabled: bool = True
    nat: bool = False
    pools: tuple[str, ...] = ()
    denies_vips: bool = False
    shaper: str | None = None
    shaper_reverse: str | None = None
    configured: bool = True
    who: tuple[Who, ...] | None = None
    udp_idle: tuple[tuple[Match, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LocalInPolicy:
    """A policy for what comes to the gateway's own addresses.

    Attributes:
        selects: its packets.
        accept: action; what is accepted has to be allowed by the interface as well.
    """

    selects: Selector
    accept: bool


@dataclass(frozen=True, slots=True)
class Shaper:
    """A traffic shaper: `kbps` (1000 bit/s, frames with their Ethernet header) at most.

    Attributes:
        name: of the object.
        kbps: maximum bandwidth; 0 for no limit.
        guaranteed_kbps: guaranteed bandwidth. Nothing goes by it: the ports have no limit of their
            own, so no other traffic could take it.
        per_policy: whether each policy that names it has it for itself.
    """

    name: str
    kbps: int
    guaranteed_kbps: int = 0
    per_policy: bool = False


@dataclass(frozen=True, slots=True)
class Marking:
    """Which packets are meant, by the byte that holds DSCP and ECN (RFC 2474, RFC 3168).

    Attributes:
        value: what the bits of the mask are; the others are 0.
        mask: which of the 8 bits count.
        negate: the packets in which they are anything else instead.
    """

    value: int
    mask: int
    negate: bool = False


@dataclass(frozen=True, slots=True)
class ShapingPolicy:
    """A row that gives sessions a shaper for each direction.

    Attributes:
        id: of the row.
        selects: its sessions, of one IP version.
        shaper: from source to destination; None for no limit.
        shaper_reverse: from destination to source.
        marking: the only packets of them that it is for, in either direction; None for all.
    """

    id: int
    selects: Selector
    shaper: str | None
    shaper_reverse: str | None
    marking: Marking | None = None


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A static route; without an interface and gateway a black hole."""

    destination: str
    gateway: str | None
    interface: str | None
    distance: int = 10


@dataclass(frozen=True, slots=True)
class Inspector:
    """How the inspector works; all but the defaults are faults.

    Attributes:
        runs: whether there is one.
        signatures: whether the virus scanner knows any virus.
        logs: whether events are written to the security log.
        alters: whether it changes a byte of what is downloaded.
        blocks_all: whether the web filter lets nothing pass.
        mbps: what it carries at most, in Mbit/s; 0 for no limit.
        object_ms: how long it takes over each object besides, in milliseconds.
        busy: whether other processes of the gateway take all that is left of the processors.
    """

    runs: bool = True
    signatures: bool = True
    logs: bool = True
    alters: bool = False
    blocks_all: bool = False
    mbps: float = 0.0
    object_ms: float = 0.0
    busy: bool = False


@dataclass(frozen=True, slots=True)
class Intent:
    """Everything the data plane is to do.

    Attributes:
        bindings: which hosts have to have which hardware address.
        source_check: where packets may come from.
        neighbours: hosts whose hardware address is fixed.
        packet_checks: windows of connections, and broadcasts to other networks.
        table: how many sessions there may be.
        local_in: policies for what comes to the gateway itself, in the order of evaluation.
        heeds_bans: whether hosts that are cut off are.
        ends_bans: whether they are let in again.
        floods: the DoS policies in their order.
        heeds_floods: whether they are.
        mixes_up_hosts: whether a flood's senders are taken for its receivers, and the reverse.
        leaks: what passes beside the policies, by its name in `nft.leaks`; a fault.
        loses_markings: whether the DSCP of what is forwarded is set to 0; a fault.
        impairment: how what is forwarded is held up, lost or doubled on its way; a fault.
        session_faults: what is done to sessions that it should leave alone; a fault.
        mss: what TCP's maximum segment size is lowered to, in bytes; 0 leaves it alone.
        inspected: policyid -> what is inspected in the policy's sessions.
        inspector: how.
        proxy: the explicit web proxy.
        dhcp: the DHCP servers, one an interface at most.
        ipsec: the tunnels.
        remote_access: the SSL VPN.
        problems: what of the configuration could not be compiled, each in a sentence.
    """

    policies: Sequence[Policy] = ()
    vips: Sequence[Vip] = ()
    pools: Mapping[str, Pool] = field(default_factory=dict)
    shapers: Mapping[str, Shaper] = field(default_factory=dict)
    shaping_policies: Sequence[ShapingPolicy] = ()
    ports: Sequence[Port] = ()
    routes: Sequence[StaticRoute] = ()
    bindings: Bindings = field(default_factory=Bindings)
    source_check: SourceCheck = field(default_factory=SourceCheck)
    neighbours: tuple[Neighbour, ...] = ()
    packet_checks: PacketChecks = field(default_factory=PacketChecks)
    table: SessionTable = field(default_factory=SessionTable)
    local_in: Sequence[LocalInPolicy] = ()
    loss_percent: float = 0.0
    loses_markings: bool = False
    impairment: Plan = field(default_factory=Plan)
    session_faults: SessionFaults = field(default_factory=SessionFaults)
    mss: int = 0
    heeds_bans: bool = True
    ends_bans: bool = True
    floods: Sequence[DosPolicy] = ()
    heeds_floods: bool = True
    mixes_up_hosts: bool = False
    leaks: tuple[str, ...] = ()
    counts_implicit_deny: bool = True
    reports_counters: bool = True
    inspected: Mapping[int, Inspected] = field(default_factory=dict)
    inspector: Inspector = Inspector()
    proxy: Proxy = field(default_factory=Proxy)
    dhcp: tuple[DhcpServer, ...] = ()
    ipsec: Ipsec = field(default_factory=Ipsec)
    remote_access: ServerPlan = field(default_factory=ServerPlan)
    config: Mapping[str, Sequence[Mapping]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def in_force(self) -> list[Policy]:
        """The enabled policies in the order of evaluation."""
        return [policy for policy in self.policies if policy.enabled]

    @property
    def inspecting(self) -> dict[int, Inspected]:
        """What of `inspected` belongs to policies that let sessions pass."""
        passing = {policy.id for policy in self.policies if policy.enabled and policy.accept}
        return {number: found for number, found in self.inspected.items() if number in passing}


def sets_of(intent: Intent) -> dict[str, Who]:
    """The sets that the policies in force name, and whom each is for."""
    whos: Iterable[Who] = (who for policy in intent.in_force for who in policy.who or ())
    return {set_name(who): who for who in whos}
