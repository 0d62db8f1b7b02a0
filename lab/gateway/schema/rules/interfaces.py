"""Rules about the names and addresses of interfaces."""

from __future__ import annotations

import re

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check

_LINK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_TAKEN = re.compile(r"lo|all|default|any|none|(ipsec|charon|ifb|tun|tap)\d+")


def must_be_a_link(name: str) -> None:
    """Check that a network interface can have a name, and that no rule reads more into it.

    Raises:
        CmdbError: it cannot.
    """
    if not _LINK.fullmatch(name) or _TAKEN.fullmatch(name):
        raise CmdbError(
            BAD_VALUE,
            f'The lab\'s gateway can have no interface "{name}"; use letters, digits, "-", "_" and '
            '".", and no name of its own.',
        )


@check("system/interface")
def _interface(row: Row, view: View) -> None:
    if row["type"] in ("loopback", "tunnel") and row["name"] != "ssl.root":
        must_be_a_link(row["name"])
    address = row["ipv6"]["ip6-address"]
    if address.startswith("ff") or address.partition("/")[0] == "::1":
        raise bad_value("ip6-address", address, "an address of a host, not the loopback's")
