"""config system geoip-override: addresses that are put into a country of one's own."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from lab.gateway.errors import TABLE_FULL, CmdbError, bad_value
from lab.gateway.schema import values
from lab.gateway.schema.countries import COUNTRIES
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    child,
    integer,
    key_name,
    parsed,
    string,
)

PATH = "system/geoip-override"
OWN_CODE = re.compile("[A-Z][0-9]")
"""A letter and a digit: no country of ISO 3166 has such a code."""
_CODES = [f"{letter}{digit}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for digit in range(10)]


def country(name: str, value: Any) -> str:
    """The code of a country or of one's own, in capitals.

    Raises:
        CmdbError: it is neither.
    """
    code = values.text(name, value).upper()
    if code and code not in COUNTRIES and not OWN_CODE.fullmatch(code):
        raise bad_value(name, value, "the two letters of a country")
    return code


def _completed(row: Row, view: View) -> Row:
    if not row["country-id"]:
        row["country-id"] = _free(view.taken(PATH, "country-id"))
    return row


def _free(taken: Collection[str]) -> str:
    for code in _CODES:
        if code not in taken:
            return code
    raise CmdbError(TABLE_FULL, "No code is left for a country of one's own.")


def _check(row: Row, view: View) -> None:
    for key, kind in (("ip-range", IPv4Address), ("ip6-range", IPv6Address)):
        for span in row[key]:
            if kind(span["start-ip"]) > kind(span["end-ip"]):
                raise bad_value("end-ip", span["end-ip"], f"{span['start-ip']} or higher")


TABLE = Table(
    PATH,
    attributes(
        key_name(63),
        string("description", 127),
        parsed("country-id", "string", country, quoted=True),
        child(
            "ip-range",
            integer("id", 0, 65535),
            parsed("start-ip", "ipv4-address", values.ipv4_address, "0.0.0.0"),
            parsed("end-ip", "ipv4-address", values.ipv4_address, "0.0.0.0"),
        ),
        child(
            "ip6-range",
            integer("id", 0, 65535),
            parsed("start-ip", "ipv6-address", values.ipv6_address, "::"),
            parsed("end-ip", "ipv6-address", values.ipv6_address, "::"),
        ),
    ),
    access="sysgrp",
    unique=("country-id",),
    complete=_completed,
    check=_check,
)

TABLES = (TABLE,)
