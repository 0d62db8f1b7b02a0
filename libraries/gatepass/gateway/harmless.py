"""What may be shown of a gateway's configuration: a list of what is known to be harmless.

A device marks passwords alone as secret. Addresses of webhooks, their headers, names of SNMP
communities, scripts, activation codes and free text hold secrets as well, under names that nobody
can list. So a value is shown where it is on the list (``harmless.yaml``), and masked otherwise.
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache
from pathlib import Path
from typing import Any

from gatepass.base.formats import MARK
from gatepass.base.masking import MASK, is_secret_name, masked_text
from gatepass.base.own_yaml import own_yaml

_LIST = Path(__file__).with_suffix(".yaml")
_OWN = re.compile(rf"{MARK}(-[\w.-]*)?")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MAC = re.compile(r"[0-9a-f]{2}([:-][0-9a-f]{2}){5}", re.IGNORECASE)
_COMMUNITY = re.compile(r"(^|[./-])community(/|$)")
_ATTRIBUTE = re.compile(
    r'(?P<begin>"(?P<attribute>[\w-]{1,80})"\s*:\s*)"(?P<value>(?:[^"\\]|\\.)*)"?'
)
_MASKED = re.compile(r"(ENC |PEM )?\*\*\*")
_SWITCHES = ("", "enable", "disable")


def is_harmless(table: str, attribute: str, value: str) -> bool:
    """Whether a text of a configuration may be kept and shown.

    Args:
        table: the path, with that of tables inside behind it: ``system.snmp/community/hosts``.
        attribute: of the table.
        value: one of its words, without quotes.
    """
    if value in _SWITCHES or _MASKED.fullmatch(value):
        return True
    if masked_text(value) != value:  # a log-in, a bearer token
        return False
    if is_secret_name(attribute) or (_COMMUNITY.search(table) and is_key(attribute)):
        return False  # the name of a community is its password
    if _OWN.fullmatch(value):
        return True
    known = attribute in _known("attributes") or attribute in _of_table(table)
    return known or value in _known("choices") or all(map(_is_address, value.split()))


def is_key(attribute: str) -> bool:
    """Whether an attribute names the row that it stands in."""
    return attribute in ("name", "q_origin_key", "mkey")


def masked_rows(value: Any, table: str, attribute: str = "") -> Any:
    """Rows of a table, or an answer that holds some, with what may be secret masked.

    Args:
        value: as parsed from JSON.
        table: the path; that of an answer without rows is empty.
        attribute: in which the value stands.
    """
    if isinstance(value, dict):
        return {
            key: masked_rows(one, _inside(table, str(key), one), str(key))
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [masked_rows(one, table, attribute) for one in value]
    if not isinstance(value, str):
        return value
    return value if _is_shown(table, attribute, value) else MASK


def masked_half(text: str, table: str) -> str:
    """What was to be JSON and breaks off, or looks like it, with what may be secret masked.

    Args:
        text: as it came.
        table: see `masked_rows`.
    """

    def one(found: re.Match[str]) -> str:
        shown = _is_shown(table, found["attribute"], found["value"])
        return found[0] if shown else f'{found["begin"]}"{MASK}"'

    return _ATTRIBUTE.sub(one, text)


def _is_shown(table: str, attribute: str, value: str) -> bool:
    if is_harmless(table, attribute, value):
        return True
    return attribute in _known("answers") and masked_text(value) == value


def _inside(table: str, key: str, value: object) -> str:
    """The table of what an attribute holds; the rows of an answer are the table's own."""
    if "/" in key:  # several tables by their paths
        return key
    holds = isinstance(value, dict | list) and key != "results"
    return f"{table}/{key}" if holds and table else table


def _is_address(word: str) -> bool:
    """Whether it is an address, a network, a range, a hardware address or a UUID."""
    if _MAC.fullmatch(word) or _UUID.fullmatch(word):
        return True
    try:
        for end in word.split("-"):
            ipaddress.ip_interface(end)
    except ValueError:
        return False
    return True


def _of_table(table: str) -> frozenset[str]:
    return _lists()["tables"].get(table, frozenset())


def _known(which: str) -> frozenset[str]:
    return _lists()[which]


@cache
def _lists() -> dict[str, Any]:
    told = own_yaml(_LIST)
    tables = {table: frozenset(words.split()) for table, words in told.pop("tables").items()}
    return {which: frozenset(words.split()) for which, words in told.items()} | {"tables": tables}
