"""What the gateway shows of VPN users."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.scenarios.remote_access.configuration import Listed, VpnUser
from support.session import session

LAG_S = 10
"""How long the gateway's monitor may lag behind."""


def listed_as(user: VpnUser) -> list[Listed]:
    """What the gateway's monitor shows of a user."""
    return [row for row in session.remote_access.listed() if row.name == user.name]


def words_of(words: Sequence[str]) -> str:
    """A list for a sentence."""
    return ", ".join(words) or "none"
