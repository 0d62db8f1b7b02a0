"""Rules about what a device takes and the lab's data plane cannot carry out.

It is refused when it is asked for: taken, it would hold up every later change, or narrow nothing
although it says so.
"""

from __future__ import annotations

import re

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value, not_here
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check

_LINK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_TAKEN = re.compile(r"lo|all|default|any|none|(ipsec|charon|ifb|tun|tap)\d+")
_NARROWING = (
    *("internet-service", "internet-service-src", "match-vip-only", "nat46", "nat64"),
)
"""Switches that make a policy match less, or something else."""
_KBPS = {"kbps": 1, "mbps": 1_000, "gbps": 1_000_000}
_MOST_KBPS = 100_000_000


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


def must_match_as_it_says(row: Row) -> None:
    """Check that a policy asks for nothing that would be left out of account.

    Raises:
        CmdbError: it does.
    """
    for name in _NARROWING:
        if row[name] == "enable":
            raise not_here(name, "enable")
    if row["tos-mask"] != "0x00":
        raise not_here("tos-mask", row["tos-mask"])


@check("system/interface")
def _interface(row: Row, view: View) -> None:
    if row["type"] in ("loopback", "tunnel") and row["name"] != "ssl.root":
        must_be_a_link(row["name"])
    address = row["ipv6"]["ip6-address"]
    if address.startswith("ff") or address.partition("/")[0] == "::1":
        raise bad_value("ip6-address", address, "an address of a host, not the loopback's")


@check("firewall.shaper/traffic-shaper")
def _shaper(row: Row, view: View) -> None:
    if row["maximum-bandwidth"] * _KBPS[row["bandwidth-unit"]] > _MOST_KBPS:
        raise bad_value("maximum-bandwidth", row["maximum-bandwidth"], "100 Gbit/s at most")
