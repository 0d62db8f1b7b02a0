"""Policies that end by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lab.gateway.schema.parsers import EXPIRY, NEVER

Row = Mapping[str, Any]


def seconds_left(row: Row) -> float | None:
    """For how long a policy is in force, below 0 where it is over; None where it has no end."""
    if row.get("policy-expiry") != "enable" or row.get("policy-expiry-date") in (None, NEVER):
        return None
    end = datetime.strptime(row["policy-expiry-date"], EXPIRY).replace(tzinfo=UTC)
    return (end - datetime.now(UTC)).total_seconds()


def soonest_end(config: Mapping[str, Sequence[Row]]) -> float | None:
    """Seconds until the next policy ends; None where none does."""
    found = (seconds_left(row) for row in config.get("firewall/policy", ()))
    return min((one for one in found if one is not None and one > 0), default=None)
