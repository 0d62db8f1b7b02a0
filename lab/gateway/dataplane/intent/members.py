"""The sets of the packet filter that hold the addresses of users who are logged in."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from lab.gateway.dataplane.intent.addresses import names

GROUP, USER = "group", "user"

Who = tuple[str, str]
"""`GROUP` or `USER`, and the name."""


def who_of(row: Mapping) -> tuple[Who, ...] | None:
    """Whom a policy is for; None for anyone."""
    found = [(GROUP, name) for name in names(row.get("groups"))]
    found += [(USER, name) for name in names(row.get("users"))]
    return tuple(found) or None


def set_name(who: Who) -> str:
    """The set with the addresses of the members of a group, or of one user."""
    digest = blake2b("\n".join(who).encode(), digest_size=10).hexdigest()
    return f"members_{digest}"
