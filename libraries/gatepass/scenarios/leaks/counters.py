"""What the gateway's own ports say has come in: what came to nobody proves nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gatepass.base.waiting import until
from gatepass.gateway.fortigate import FortiGate
from gatepass.scenarios.leaks.ways import Side

_LAG_S = 10


def counted_in(gateway: FortiGate, sides: Iterable[Side]) -> dict[str, int | None]:
    """What the gateway's ports have counted in, in packets, by the name of the side."""
    shown = gateway.interfaces()
    return {side.name: shown.get(side.port, {}).get("rx_packets") for side in sides}


def not_counted(
    gateway: FortiGate,
    sides: Sequence[Side],
    before: Mapping[str, int | None],
    sent: Mapping[str, int],
) -> str:
    """Why packets may have been lost before they came to the gateway; empty where they did come."""
    if silent := [side.port for side in sides if before[side.name] is None]:
        return (
            f"the gateway does not report how many packets came in by its port {silent[0]} "
            "(monitor system/interface, rx_packets), so what did not get through may never have "
            "reached it."
        )
    short: list[str] = []

    def all_there() -> bool:
        now = counted_in(gateway, sides)
        short[:] = [
            _short(side, sent.get(side.name, 0), (now[side.name] or 0) - (before[side.name] or 0))
            for side in sides
            if (now[side.name] or 0) - (before[side.name] or 0) < sent.get(side.name, 0)
        ]
        return not short

    until(all_there, _LAG_S)
    return short[0] if short else ""


def _short(side: Side, sent: int, counted: int) -> str:
    return (
        f"the gateway's port {side.port} counted {counted:,} packets in while the {side.name} sent "
        f"{sent:,}, so some were lost before they came to it: look whether the virtual switch "
        "between filters forged addresses or odd packets."
    )
