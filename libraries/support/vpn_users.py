"""VPN users: who is connected in a check, and what the gateway shows of them."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.endpoint.wire_watch import PacketCounts
from gatepass.scenarios.remote_access.configuration import Listed, VpnUser
from gatepass.scenarios.remote_access.vpn_client import Connected, Together
from support.run_context import RunContext
from support.steps import Steps

LAG_S = 10
"""How long the gateway's monitor may lag behind."""


class VpnUsers(Steps):
    """The users of remote access.

    Attributes:
        connected: those who tried last, whether they came in or not.
        exchanged: their traffic.
        wire_before: what was counted on the wire before they connected.
    """

    connected: list[Connected]
    exchanged: Together
    wire_before: PacketCounts


def listed_as(run: RunContext, user: VpnUser) -> list[Listed]:
    """What the gateway's monitor shows of a user."""
    return [row for row in run.remote_access.listed() if row.name == user.name]


def words_of(words: Sequence[str]) -> str:
    """A list for a sentence."""
    return ", ".join(words) or "none"
