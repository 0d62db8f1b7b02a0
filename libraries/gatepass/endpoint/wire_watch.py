"""What passes between the client and the gateway, counted on the client's interface there.

An nftables table of the run's own counts packets and touches none: those of the tunnel, and those
of the test traffic in clear, which have an address behind the gateway or of a VPN user's pool.

A host behind the gateway is also spoken to without a tunnel, before and between the checks, and
such a connection may send its last segments again much later. So of TCP with that host a packet
counts only if its connection began since the last look that began `anew`: in clear, and while no
other should.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint import host_changes
from gatepass.endpoint.shell import Shell


@dataclass(frozen=True)
class PacketCounts:
    """Packets in both directions: of the tunnel, and of the test traffic in clear."""

    tunnel: int
    clear: int

    def __sub__(self, before: PacketCounts) -> PacketCounts:
        return PacketCounts(self.tunnel - before.tunnel, self.clear - before.clear)


class WireWatch:
    """The counters on one endpoint.

    Args:
        shell: the endpoint, with root.
        table: the nftables table's name, of the run alone.
        gateway: address of the gateway's side.
        tunnel: what carries the tunnel, as nftables matches on protocol and port with the far
            port as ``{port}``: ``tcp {port} 10443``.
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
        tunnel: Sequence[str],
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
        output = self.shell.run(f"ip -o route get {self.gateway}").output.split()
        if "dev" not in output:
            raise NotProven(f"the {self.shell.name} has no route to {self.gateway}.")
        path = f"{self.shell.folder()}/wire-watch.nft"
        self.shell.put(self._ruleset(output[output.index("dev") + 1]), path)
        drop = f"nft delete table inet {self.table}"
        host_changes.change(self.shell, "wire-watch", [f"nft -f {path}"], [drop])

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
        forget = f"nft flush set inet {self.table} {_BEGUN} && " if anew else ""
        done = self.shell.run(f"{forget}nft -j list counters table inet {self.table}")
        try:
            found = [one.get("counter") for one in json.loads(done.output)["nftables"]]
            packets = {counter["name"]: counter["packets"] for counter in found if counter}
            return PacketCounts(packets["tunnel"], packets["clear"])
        except (ValueError, KeyError):
            raise NotProven(
                f"the counters of nftables cannot be read on the {self.shell.name}: "
                f"{done.errors.strip() or 'no answer'}"
            ) from None

    def _ruleset(self, interface: str) -> str:
        chains = []
        for chain, hook, names, far, port, bare in (
            ("out", "postrouting", "oifname", "daddr", "dport", "rt ipsec missing "),
            ("in", "prerouting", "iifname", "saddr", "sport", "meta ipsec missing "),
        ):
            unsealed = bare if self.kernel_ipsec else ""
            here = f'{names} "{interface}" ip'
            rules = [
                f"{here} {far} {self.gateway} {match.format(port=port)} counter name tunnel"
                for match in self.tunnel
            ]
            for side in ("saddr", "daddr"):
                rules += [
                    f"{here} {side} {address} {unsealed}{what}"
                    for address in self.hosts
                    for what in _OF_A_HOST
                ]
                if self.inside:
                    inside = ", ".join(self.inside)
                    rules.append(f"{here} {side} {{ {inside} }} {unsealed}counter name clear")
            kind = f"type filter hook {hook} priority -310;"
            chains.append("\n".join([f"chain watch_{chain} {{", kind, *rules, "}"]))
        parts = ["counter tunnel {}", "counter clear {}", _SET_OF_BEGUN]
        return "\n".join([f"table inet {self.table} {{", *parts, *chains, "}", ""])


_BEGUN = "begun"
_SET_OF_BEGUN = f"""set {_BEGUN} {{
type ipv4_addr . inet_service . ipv4_addr . inet_service
size 65536
flags dynamic
}}"""
_THERE = "ip saddr . tcp sport . ip daddr . tcp dport"
_BACK = "ip daddr . tcp dport . ip saddr . tcp sport"
_OF_A_HOST = (
    f"tcp flags & (syn | ack) == syn add @{_BEGUN} {{ {_THERE} }}",
    f"{_THERE} @{_BEGUN} counter name clear",
    f"{_BACK} @{_BEGUN} counter name clear",
    "meta l4proto != tcp counter name clear",
)
