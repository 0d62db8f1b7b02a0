"""What becomes of packets that belong to no connection's window, or are for a whole network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.gateway.dataplane.intent.values import Port

Config = Mapping[str, Sequence[Mapping]]


@dataclass(frozen=True, slots=True)
class PacketChecks:
    """What the kernel looks at.

    Attributes:
        windows: whether a connection's sequence numbers are looked at.
        broadcasts: by port whether what comes in there may go to all hosts of another network.
    """

    windows: bool = True
    broadcasts: Mapping[str, bool] | None = None

    def settings(self) -> dict[str, str]:
        """The kernel's settings for it, below ``/proc/sys/net``."""
        ports = dict(self.broadcasts or {})
        some = {"all": True} if any(ports.values()) else {"all": False}
        return {"netfilter/nf_conntrack_tcp_be_liberal": str(int(not self.windows))} | {
            f"ipv4/conf/{name}/bc_forwarding": str(int(on)) for name, on in (some | ports).items()
        }


def compile_packets(config: Config, ports: Sequence[Port]) -> PacketChecks:
    """The checks of a configuration.

    The kernel looks at all connections' windows or at none: a policy without anti-replay ends it
    for the others as well.
    """
    settings = next(iter(config.get("system/global", ())), {})
    policies = config.get("firewall/policy", ())
    without = any(
        row.get("anti-replay") == "disable" and row.get("status") == "enable" for row in policies
    )
    rows = {str(row["name"]): row for row in config.get("system/interface", ())}
    return PacketChecks(
        settings.get("anti-replay") != "disable" and not without,
        {
            port.name: rows[port.name].get("broadcast-forward") == "enable"
            for port in ports
            if rows.get(port.name, {}).get("type", "physical") == "physical"
        },
    )
