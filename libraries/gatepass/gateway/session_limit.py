"""The number of sessions that the gateway may have at the same time (`system/resource-limits`)."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.load import usage_query
from gatepass.gateway.toggle import Toggle
from gatepass.results.gateway_state import Sessions

_TABLE, _USAGE = "system/resource-limits", "system/resource/usage"


class SessionLimit:
    """A limit that leaves room for some more sessions than there are now.

    Args:
        changes: of the run.
        room: how many more.

    Attributes:
        most: sessions that there may be.

    Raises:
        Refused: with status 404, the device has no such limit.
        NotProven: it does not tell how many sessions there are.
    """

    def __init__(self, changes: Changes, room: int) -> None:
        told = changes.gateway.monitor(_USAGE, **usage_query("1-min"))["results"].get("session")
        if not told:
            raise NotProven(f"the gateway does not report how many sessions it has ({_USAGE}).")
        self.most = told[0]["current"] + room
        self._limit = Toggle(changes, _TABLE, None, {"session": self.most})

    def hold(self) -> None:
        """Have it in force."""
        self._limit.on()

    def drop(self) -> None:
        """Have the limit that was there before."""
        self._limit.off()


def sessions_of(gateway: FortiGate) -> Sessions | None:
    """How many sessions there are and may be; None where the gateway does not tell."""
    try:
        told = gateway.monitor(_USAGE, **usage_query("1-min"))["results"]["session"]
        limits = gateway.rows_if_any(_TABLE)
        limit = next((int(row.get("session") or 0) for row in limits), 0)
        return Sessions(int(told[0]["current"]), limit)
    except (GatewayLost, Refused, KeyError, IndexError, TypeError, ValueError):
        return None  # a likely cause is a help to the reader and no part of the verdict
