"""The gateway's shapers that are in use: what limits a customer's rate on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from gatepass.gateway.answers import validated
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import RuleSet
from gatepass.results.gateway_state import Shaper

SHAPERS, SHAPING = "firewall.shaper/traffic-shaper", "firewall/shaping-policy"
_NO_MASK = ("0", "0x0", "0x00")
_MBPS = {"kbps": 1e-3, "mbps": 1.0, "gbps": 1e3}


def in_use(gateway: FortiGate) -> list[Shaper]:
    """Ask the gateway for those that unmarked packets can meet, by name.

    Raises:
        GatewayLost, Refused: it does not answer, or not this user.
    """
    users: dict[str, list[int]] = {}
    for row in gateway.rows(SHAPING):
        if row.get("status", "enable") == "enable" and not _of_marked(row):
            for name in {row.get("traffic-shaper"), row.get("traffic-shaper-reverse")} - {"", None}:
                users.setdefault(name, []).append(row["id"])
    return sorted(
        (
            _shaper(row, tuple(users[row["name"]]))
            for row in gateway.rows(SHAPERS)
            if row["name"] in users
        ),
        key=lambda shaper: shaper.name,
    )


@dataclass(frozen=True)
class Held:
    """Which shapers hold what takes a way through the gateway.

    Attributes:
        onward, back: their names, for the direction in which sessions begin and the other; empty
            for none.
    """

    onward: str = ""
    back: str = ""

    def __bool__(self) -> bool:
        return bool(self.onward or self.back)

    def __str__(self) -> str:
        names = sorted({self.onward, self.back} - {""})
        return " and ".join(f'"{name}"' for name in names) or "no shaper"


def held(gateway: FortiGate, incoming: str, outgoing: str) -> Held:
    """What the first shaping policy says that fits a way by its interfaces.

    Args:
        gateway: the device.
        incoming, outgoing: the interfaces by which sessions come and go.
    """
    for row in gateway.rows(SHAPING):
        if (
            row.get("status", "enable") == "enable"
            and row.get("ip-version", "4") == "4"
            and not _of_marked(row)
            and _fits(row.get("srcintf"), incoming)
            and _fits(row.get("dstintf"), outgoing)
        ):
            return Held(row.get("traffic-shaper") or "", row.get("traffic-shaper-reverse") or "")
    return Held()


@contextmanager
def held_alike(
    gateway: FortiGate, changes: Changes, rules: RuleSet, outgoing: str, wanted: Held
) -> Iterator[None]:
    """Have what the client sends take the shapers that a tunnel takes, while the block lasts.

    A shaping policy of the run's own stands above the customer's, for the client alone. Where the
    tunnel takes none it names a shaper without a limit, as a policy with none might be refused.

    Args:
        gateway: the device.
        changes, rules: of the run.
        outgoing: the interface by which the client's sessions leave.
        wanted: what the tunnel takes.
    """
    if held(gateway, rules.flow.client_port, outgoing) == wanted:
        yield
        return
    rules.prepare()
    free, there = changes.name("unlimited"), [row["id"] for row in gateway.rows(SHAPING)]
    row = {
        "id": max([0, *there]) + 1,
        "name": changes.name("as-the-tunnel"),
        "srcintf": [{"name": rules.flow.client_port}],
        "dstintf": [{"name": outgoing}],
        "srcaddr": [{"name": changes.name("client")}],
        "dstaddr": [{"name": "all"}],
        "service": [{"name": "ALL"}],
        "traffic-shaper": wanted.onward or free,
        "traffic-shaper-reverse": wanted.back or free,
    }
    changes.create(SHAPERS, {"name": free, "maximum-bandwidth": 0})
    changes.create(SHAPING, row)
    try:
        if there:
            gateway.move(SHAPING, row["id"], there[0])
        yield
    finally:
        changes.remove(SHAPING, [row["id"]])
        changes.remove(SHAPERS, [free])


class _Shaper(BaseModel):
    """What is used of a row of ``firewall.shaper/traffic-shaper``; bandwidths in its unit."""

    most: float = Field(0.0, alias="maximum-bandwidth", ge=0, allow_inf_nan=False)
    least: float = Field(0.0, alias="guaranteed-bandwidth", ge=0, allow_inf_nan=False)
    unit: Literal["kbps", "mbps", "gbps"] = Field("kbps", alias="bandwidth-unit")

    def mbps(self, bandwidth: float) -> float:
        """A bandwidth in Mbit/s."""
        return round(bandwidth * _MBPS[self.unit], 6)


def _shaper(row: dict, policies: tuple[int, ...]) -> Shaper:
    read = validated(_Shaper, row, f"GET cmdb/{SHAPERS}")
    return Shaper(row["name"], read.mbps(read.most), read.mbps(read.least), policies)


def _of_marked(row: dict) -> bool:
    """Whether a shaping policy is for packets of some marking (DSCP) alone."""
    return str(row.get("tos-mask") or "0") not in _NO_MASK


def _fits(members: list[dict] | None, interface: str) -> bool:
    names = {member.get("name") for member in members or []}
    return not names or bool(names & {"any", interface})
