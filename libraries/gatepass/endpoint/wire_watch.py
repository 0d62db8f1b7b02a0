"""What passes between the client and the gateway, counted on the client's interface there.

An nftables table of the run's own counts packets and touches none: those of the tunnel, and those
of the test traffic in clear, which have an address behind the gateway or of a VPN user's pool.

A host behind the gateway is also spoken to without a tunnel, before and between the checks, and
such a connection may send its last segments again much later. So of TCP with that host a packet
counts only if its connection began since the last look that began `anew`: in clear, and while no
other should.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.endpoint import host_changes
from gatepass.endpoint.answers import Count, of_json
from gatepass.endpoint.ruleset import Ruleset, ruleset
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell


@dataclass(frozen=True)
class PacketCounts:
    """Packets in both directions: of the tunnel, and of the test traffic in clear."""

    tunnel: int
    clear: int

    def __sub__(self, before: PacketCounts) -> PacketCounts:
        return PacketCounts(self.tunnel - before.tunnel, self.clear - before.clear)


class _Counter(TypedDict):
    name: str
    packets: Count


class _Object(TypedDict, total=False):
    counter: _Counter


class _Nftables(TypedDict):
    nftables: list[_Object]


@dataclass(frozen=True)
class Carrier:
    """Packets that carry a tunnel.

    Attributes:
        protocol: tcp, udp or esp.
        ports: of the gateway's side; empty where the protocol has none.
    """

    protocol: str
    ports: tuple[int, ...] = ()


class WireWatch:
    """The counters on one endpoint.

    Args:
        shell: the endpoint, with root.
        table: the nftables table's name, of the run alone.
        gateway: address of the gateway's side.
        tunnel: what carries the tunnel.
        inside: addresses and networks that are to be seen in the tunnel only.
        hosts: addresses that are spoken to without a tunnel as well, at other times.
        kernel_ipsec: the kernel itself seals and opens the tunnel's packets, and shows those inside
            on the same interface; they are not in clear.
    """

    def __init__(
        self,
        shell: Shell,
        table: str,
        gateway: str,
        tunnel: Sequence[Carrier],
        inside: Sequence[str],
        hosts: Sequence[str] = (),
        kernel_ipsec: bool = False,
    ) -> None:
        self.shell = shell
        self.table = table
        self.gateway = gateway
        self.tunnel = tunnel
        self.inside = inside
        self.hosts = hosts
        self.kernel_ipsec = kernel_ipsec

    def begin(self) -> None:
        """Have the counters there.

        Raises:
            NotProven: nftables does not work there, or no route leads to the gateway.
        """
        look = script("ip -o route get {gateway}", gateway=self.gateway)
        words = self.shell.run(look).output.split()
        interface = dict(itertools.pairwise(words)).get("dev", "")
        try:
            text = self._ruleset(interface)
        except ValueError:
            raise NotProven(f"the {self.shell.name} has no route to {self.gateway}.") from None
        path = f"{self.shell.folder()}/wire-watch.nft"
        self.shell.put(text, path)
        load = script("nft -f {path}", path=path)
        drop = script("nft delete table inet {table}", table=self.table)
        host_changes.change(self.shell, "wire-watch", [load], [drop])

    def end(self) -> None:
        """Take them away."""
        host_changes.take_back(self.shell, "wire-watch")

    def look(self, anew: bool = False) -> PacketCounts:
        """What was counted so far.

        Args:
            anew: whether connections that have begun before are no test traffic from now on.

        Raises:
            NotProven: the counters cannot be read.
        """
        forget = script("nft flush set inet {table} begun && ", table=self.table)
        look = script(
            "{forget}nft -j list counters table inet {table}",
            forget=forget if anew else script(""),
            table=self.table,
        )
        done = self.shell.run(look)
        try:
            told = of_json(_Nftables, done.output)["nftables"]
            found = [one["counter"] for one in told if "counter" in one]
            packets = {counter["name"]: counter["packets"] for counter in found}
            return PacketCounts(packets["tunnel"], packets["clear"])
        except (ValueError, KeyError):
            raise NotProven(
                f"the counters of nftables cannot be read on the {self.shell.name}: "
                f"{done.errors.strip() or 'no answer'}"
            ) from None

    def _ruleset(self, interface: str) -> Ruleset:
        chains = [self._chain(interface, *words) for words in (_OUT, _IN)]
        return ruleset(_TABLE, table=self.table, chains=chains)

    def _chain(
        self, interface: str, chain: str, hook: str, at: str, far: str, port: str, bare: Ruleset
    ) -> Ruleset:
        """What is counted of one direction.

        Args:
            interface: where.
            chain, hook: of nftables.
            at: how a rule names the interface.
            far, port: how it names address and port of the gateway's side.
            bare: that the kernel has not sealed a packet.
        """
        here = ruleset('{at:name} "{interface:name}" ip', at=at, interface=interface)
        unsealed = bare if self.kernel_ipsec else ruleset("")
        rules = [
            ruleset(
                "{here} {far:name} {gateway:address} {match} counter name tunnel",
                here=here,
                far=far,
                gateway=self.gateway,
                match=_match(carrier, port),
            )
            for carrier in self.tunnel
        ]
        for side in ("saddr", "daddr"):
            rules += [
                ruleset(
                    "{here} {side:name} {address:address} {unsealed} {what}",
                    here=here,
                    side=side,
                    address=address,
                    unsealed=unsealed,
                    what=what,
                )
                for address in self.hosts
                for what in _OF_A_HOST
            ]
            if self.inside:
                rules.append(
                    ruleset(
                        "{here} {side:name} {{ {inside:networks} }} {unsealed} counter name clear",
                        here=here,
                        side=side,
                        inside=self.inside,
                        unsealed=unsealed,
                    )
                )
        return ruleset(_CHAIN, chain=chain, hook=hook, rules=rules)


def _match(carrier: Carrier, port: str) -> Ruleset:
    if carrier.ports:
        several = [ruleset("{number:number},", number=number) for number in carrier.ports]
        return ruleset(
            "{protocol:name} {port:name} {{ {several} }}",
            protocol=carrier.protocol,
            port=port,
            several=several,
        )
    return ruleset("meta l4proto {protocol:name}", protocol=carrier.protocol)


_TABLE = """table inet {table:name} {{
counter tunnel {{}}
counter clear {{}}
set begun {{
type ipv4_addr . inet_service . ipv4_addr . inet_service
size 65536
flags dynamic
}}
{chains}
}}
"""
_CHAIN = """chain {chain:name} {{
type filter hook {hook:name} priority -310;
{rules}
}}"""
_OUT = ("watch_out", "postrouting", "oifname", "daddr", "dport", ruleset("rt ipsec missing"))
_IN = ("watch_in", "prerouting", "iifname", "saddr", "sport", ruleset("meta ipsec missing"))
_OF_A_HOST = (
    ruleset(
        "tcp flags & (syn | ack) == syn "
        "add @begun {{ ip saddr . tcp sport . ip daddr . tcp dport }}"
    ),
    ruleset("ip saddr . tcp sport . ip daddr . tcp dport @begun counter name clear"),
    ruleset("ip daddr . tcp dport . ip saddr . tcp sport @begun counter name clear"),
    ruleset("meta l4proto != tcp counter name clear"),
)
