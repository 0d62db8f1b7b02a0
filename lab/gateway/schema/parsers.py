"""Readers of values that the lab knows all of: countries, categories, certificates."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from cryptography import x509

from lab.gateway.errors import bad_value
from lab.gateway.schema import values
from lab.gateway.schema.countries import COUNTRIES
from lab.gateway.schema.signatures import CATEGORIES

OWN_CODE = re.compile("[A-Z][0-9]")
"""A letter and a digit: no country of ISO 3166 has such a code."""
OWN_CODES = [f"{letter}{digit}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for digit in range(10)]
_LONGEST_PEM = 16_384

MOMENT = "%H:%M %Y/%m/%d"
"""How the beginning and the end of a schedule are written."""
EXPIRY, NEVER = "%Y-%m-%d %H:%M:%S", "0000-00-00 00:00:00"
"""How the end of a policy is written, and that it has none."""
_SHORTEST_TTL, _LONGEST_TTL = 300, 2_764_800

application_category = values.one_of(CATEGORIES)


def country(name: str, value: Any) -> str:
    """The code of a country or of one's own, in capitals.

    Raises:
        CmdbError: it is neither.
    """
    code = values.text(name, value).upper()
    if code and code not in COUNTRIES and not OWN_CODE.fullmatch(code):
        raise bad_value(name, value, "the two letters of a country")
    return code


def certificate(name: str, value: Any) -> str:
    """A certificate in PEM."""
    text = values.string(_LONGEST_PEM)(name, value).strip()
    try:
        x509.load_pem_x509_certificate(text.encode())
    except ValueError:
        raise bad_value(name, text, "a certificate in PEM") from None
    return text


def moment(name: str, value: Any) -> str:
    """A moment of a day, `hh:mm yyyy/mm/dd`."""
    try:
        return datetime.strptime(values.text(name, value), MOMENT).strftime(MOMENT)
    except ValueError:
        raise bad_value(name, value, "hh:mm yyyy/mm/dd") from None


def expiry(name: str, value: Any) -> str:
    """When a policy expires, `yyyy-mm-dd hh:mm:ss`; zeroes for never."""
    text = values.text(name, value)
    if text == NEVER:
        return text
    try:
        return datetime.strptime(text, EXPIRY).strftime(EXPIRY)
    except ValueError:
        raise bad_value(name, value, "yyyy-mm-dd hh:mm:ss") from None


def session_ttl(name: str, value: Any) -> str:
    """How long a session may be idle, in seconds: 0 for what holds otherwise, or `never`."""
    found = values.text(name, value)
    if found in ("0", "never"):
        return found
    return str(values.integer(_SHORTEST_TTL, _LONGEST_TTL)(name, value))
