"""Which attributes of a policy bear on what it matches, and which of these are understood.

One list for deciding about a packet, for finding policies that can never be met, and for drafting
flows: `policy_attributes.yaml`. What stands in none of its lists and is not at its default is not
understood: a policy with it *may* match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from gatepass.base.own_yaml import own_yaml
from gatepass.gateway.declared import Declared
from gatepass.gateway.shown import POLICY

Row = Mapping[str, Any]

_NOTES_OF_THE_DEVICE = ("q_", "_")
"""Begin attributes that the API adds to a row: whether it is referred to, and the like."""
_SERVICES_OF_THE_INTERNET = {
    "internet-service6-src": ("srcaddr6",),
    "internet-service6": ("dstaddr6", "service"),
    "internet-service-src": ("srcaddr",),
    "internet-service": ("dstaddr", "service"),
    "network-service-src": ("srcaddr",),
    "network-service": ("dstaddr", "service"),
}
"""Beginning of attributes -> what their addresses and ports, known to FortiGuard, stand in for."""
_NOTHING = (None, "", "0", "disable", "0.0.0.0", "0.0.0.0 0.0.0.0", "::", "::/0")
_TEXTS = ("vlan-filter",)
"""Attributes that any text sets."""
_BY_ITSELF = frozenset({"status", "action", "schedule"})
"""What every device shows of a policy and is none of a packet's."""
_NO_BITS = re.compile(r"0x0+")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_SURELY = timedelta(days=1)
"""The gateway's time zone is not known; none is that far from UTC."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a policy goes by besides interfaces, addresses, services and schedule.

    Attributes:
        narrowed: attributes by which it matches less than its addresses and services say.
        replaced: attributes that an Internet service stands in for.
        unknown: attributes that are not understood, and not at their default.
        untold: attributes that every device shows, and that are not shown.
        expires: until when it is in force, in UTC where the gateway tells so; None where it has no
            end, or none that can be read.
        expired: whether that is past; None where it cannot be told.
    """

    narrowed: tuple[str, ...] = ()
    replaced: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    untold: frozenset[str] = frozenset()
    expires: datetime | None = None
    expired: bool | None = False

    @property
    def explained(self) -> bool:
        """Whether interfaces, addresses, services and schedule say all that it matches."""
        others = self.narrowed or self.replaced or self.unknown or self.untold & _BY_ITSELF
        return not others and self.expired is False


def criteria_of(row: Row, now: datetime, declared: Declared | None = None) -> Criteria:
    """What a policy goes by.

    Args:
        row: of ``firewall/policy``.
        now: with its time zone.
        declared: what the device tells of that table; without it an attribute that is not known
            is at its default where it is empty, 0 or disabled.
    """
    set_ = [name for name, value in row.items() if not says_nothing(value)]
    families = {name: _family(name) for name in row}
    expires, expired = _expiry(row, now)
    return Criteria(
        narrowed=tuple(
            name
            for name, value in row.items()
            if _kind(name) == "narrowing"
            and (bool(value) if name in _TEXTS else not says_nothing(value))
        ),
        replaced=frozenset(
            key
            for name in set_
            for key in _SERVICES_OF_THE_INTERNET.get(families[name], ())
        ),
        unknown=tuple(_unknown(row, families, declared)),
        untold=frozenset(name for name in POLICY if row.get(name) is None),
        expires=expires,
        expired=expired,
    )


def is_on(row: Row) -> bool:
    """Whether a policy is switched on, as far as it tells."""
    return (row.get("status") or "enable") == "enable"


def has_unknown(row: Row) -> bool:
    """Whether a policy has an attribute that is not known, whatever its value."""
    return any(not _kind(name) and not _family(name) for name in row)


def says_nothing(value: object) -> bool:
    """Whether a value is what an attribute has that is not in use."""
    if isinstance(value, list | dict | tuple):
        return not value
    if isinstance(value, int | float):
        return not value
    return value in _NOTHING or _NO_BITS.fullmatch(str(value)) is not None


@cache
def _kinds() -> dict[str, str]:
    """Attribute -> what it is to what a policy matches."""
    kinds = own_yaml(Path(__file__).with_name("policy_attributes.yaml"))
    return {name: kind for kind, text in kinds.items() for name in str(text).split()}


def _kind(name: str) -> str:
    """What an attribute is to what a policy matches; empty where nobody here knows it."""
    return "harmless" if name.startswith(_NOTES_OF_THE_DEVICE) else _kinds().get(name, "")


def _unknown(
    row: Row, families: Mapping[str, str], declared: Declared | None
) -> Iterator[str]:
    for name, value in row.items():
        if families[name] or _kind(name):
            continue
        default = declared.default(name) if declared else None
        at_default = says_nothing(value) if default is None or says_nothing(default) else (
            str(value) == str(default)
        )
        if not at_default:
            yield name if _NAME.fullmatch(name) else "…"


@lru_cache(4096)
def _family(name: str) -> str:
    """Which of the Internet services' attributes one belongs to; empty for none."""
    return next(
        (one for one in _SERVICES_OF_THE_INTERNET if name == one or name.startswith(f"{one}-")), ""
    )


def _expiry(row: Row, now: datetime) -> tuple[datetime | None, bool | None]:
    """Until when a policy is in force, and whether that is past."""
    if says_nothing(row.get("policy-expiry")):
        return None, False
    try:
        seconds = str(row.get("policy-expiry-date-utc") or "")
        if seconds.isascii() and seconds.isdigit() and int(seconds):
            until = datetime.fromtimestamp(int(seconds), UTC)
            return until, until < now
        until = datetime.strptime(
            str(row.get("policy-expiry-date")), "%Y-%m-%d %H:%M:%S"
        ).replace(tzinfo=UTC)
        if until + _SURELY < now:
            return until, True
        return until, False if until - _SURELY > now else None
    except (ValueError, OverflowError, OSError):
        return None, None
