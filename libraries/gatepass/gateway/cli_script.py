"""Rows of the REST API as a script of the FortiOS CLI."""

from __future__ import annotations

import re

_SEVERAL_WORDS = (
    *("subnet", "src-subnet", "dst-subnet", "src", "dst", "ip", "wildcard", "allowaccess"),
    *("tcp-portrange", "udp-portrange", "sctp-portrange", "udplite-portrange"),
    *("proposal", "dhgrp", "severity"),
)
"""Attributes that are one text in JSON and several words in the CLI."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]*")


def cli_path(path: str) -> str:
    """A table's path as the CLI writes it: ``firewall.service/custom`` without dots and slashes."""
    return path.replace(".", " ").replace("/", " ")


def quoted(value: object) -> str:
    """A word of the CLI; what is more than letters stands in quotes, with those escaped."""
    if _PLAIN.fullmatch(str(value)):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class NotInOneLine(Exception):
    """A value that the CLI writes as a block of its own, which no script of ours holds."""


def setting(attribute: str, value: object) -> str:
    """The CLI line for an attribute; an empty list has no words, so it is unset."""
    value_words = words(attribute, value)
    return f"set {attribute} {value_words}" if value_words else f"unset {attribute}"


def words(attribute: str, value: object) -> str:
    """The value of a ``set``: a list of references as their names, a subnet as its two words.

    Raises:
        NotInOneLine: it is a group or a table of its own.
    """
    if isinstance(value, list):
        return " ".join(quoted(_reference(attribute, item)) for item in value)
    if isinstance(value, dict):
        raise NotInOneLine(attribute)
    if attribute in _SEVERAL_WORDS:
        return " ".join(quoted(word) for word in str(value).split())
    return "" if value is None else quoted(value)


def _reference(attribute: str, item: object) -> object:
    """The one value of a row that is no more than a name: ``{"name": "port1"}``."""
    if not isinstance(item, dict):
        return item
    values = [value for name, value in item.items() if name != "q_origin_key"]
    if len(values) != 1 or isinstance(values[0], (list, dict)):
        raise NotInOneLine(attribute)
    return values[0]
