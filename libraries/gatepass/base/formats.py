"""Formats of words that strangers tell, as types: a word that is not of its format is refused.

A device or an endpoint may be broken or hostile. What it says of an address becomes part of
commands, tables and pages, so that it has to be an address; of a name, that it is printable.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints


def _address(word: str) -> str:
    # a scope ("%eth0") may hold anything, and no device tells an address with one
    if "%" in word:
        raise ValueError(f"{word[:40]!r} is no address")
    return str(ipaddress.ip_address(word))


def _ipv4(word: str) -> str:
    return str(ipaddress.IPv4Address(word))


Ipv4 = Annotated[str, AfterValidator(_ipv4)]
"""``198.18.1.1``."""
Address = Annotated[str, AfterValidator(_address)]
"""An IPv4 or IPv6 address, written in the usual way (RFC 5952)."""
Mac = Annotated[str, StringConstraints(pattern=r"^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$")]
"""``02:00:5e:10:00:01``."""
Nothing = Literal[""]
"""Where a device tells none."""
Name = Annotated[str, StringConstraints(max_length=200, pattern=r"^\P{C}*$")]
"""A name without control characters, and without those that turn the direction of writing."""
MARK = r"gp[0-9a-f]{6}"
"""What the name of everything that a run makes begins with; part of paths and commands."""


def is_mark(word: str) -> bool:
    """Whether a word is the mark of a run."""
    return re.fullmatch(MARK, word) is not None
