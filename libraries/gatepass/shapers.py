"""The gateway's shapers that are in use: what limits a customer's rate on purpose."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.fortigate import FortiGate

_MBPS = {"kbps": 1e-3, "mbps": 1.0, "gbps": 1e3}


@dataclass(frozen=True)
class Shaper:
    """A traffic shaper that at least one enabled shaping policy uses.

    Attributes:
        name: on the gateway.
        mbps: its maximum bandwidth, Mbit/s of frames; 0 where it has none and limits nothing.
        guaranteed_mbps: its guaranteed bandwidth, Mbit/s; 0 where it has none.
        policies: the numbers of the shaping policies that use it, in either direction.
    """

    name: str
    mbps: float
    guaranteed_mbps: float = 0.0
    policies: tuple[int, ...] = ()


def in_use(gateway: FortiGate) -> list[Shaper]:
    """Ask the gateway, by name.

    Raises:
        GatewayLost, Refused: it does not answer, or not this user.
    """
    users: dict[str, list[int]] = {}
    for row in gateway.rows("firewall/shaping-policy"):
        if row.get("status", "enable") == "enable":
            for name in {row.get("traffic-shaper"), row.get("traffic-shaper-reverse")} - {"", None}:
                users.setdefault(name, []).append(row["id"])
    return sorted(
        (
            Shaper(
                row["name"],
                _rate(row, "maximum-bandwidth"),
                _rate(row, "guaranteed-bandwidth"),
                tuple(users[row["name"]]),
            )
            for row in gateway.rows("firewall.shaper/traffic-shaper")
            if row["name"] in users
        ),
        key=lambda shaper: shaper.name,
    )


def _rate(row: dict, key: str) -> float:
    return round(float(row.get(key) or 0) * _MBPS[row.get("bandwidth-unit", "kbps")], 6)
