"""Rules about the names and addresses of interfaces."""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv6Interface, ip_network

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value
from lab.gateway.schema.links import is_link_name
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check

INTERFACES = "system/interface"
_NO_HOSTS = tuple(map(ip_network, ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3")))
_NO_HOSTS6 = tuple(map(ip_network, ("::/127", "::ffff:0:0/96", "ff00::/8")))


def must_be_a_link(name: str) -> None:
    """Check that a network interface can have a name, and that no rule reads more into it.

    Raises:
        CmdbError: it cannot.
    """
    if not is_link_name(name):
        raise CmdbError(
            BAD_VALUE,
            f'The lab\'s gateway can have no interface "{name}"; use letters, digits, "-", "_" and '
            '".", and no name of its own.',
        )


@check(INTERFACES)
def _interface(row: Row, view: View) -> None:
    if row["type"] in ("loopback", "tunnel") and row["name"] != "ssl.root":
        must_be_a_link(row["name"])
    _check_address(row, view)
    _check_address6(row)


def _check_address(row: Row, view: View) -> None:
    """An address is a host's, and its network no other interface's."""
    own = _address(row)
    if own is None:
        return
    if not own.network.prefixlen or any(own.ip in network for network in _NO_HOSTS):
        raise bad_value("ip", row["ip"], "an address of a host, with the mask of its network")
    for other in view.all(INTERFACES):
        there = _address(other) if other["name"] != row["name"] else None
        if there is not None and there.network.overlaps(own.network):
            raise CmdbError(
                BAD_VALUE,
                f'ip {row["ip"]} overlaps the network {there.network} of "{other["name"]}"; '
                "choose another.",
            )


def _address(row: Row) -> IPv4Interface | None:
    found = IPv4Interface("/".join(row["ip"].split()))
    return None if found.ip.is_unspecified else found


def _check_address6(row: Row) -> None:
    text = row["ipv6"]["ip6-address"]
    found = IPv6Interface(text)
    if found.ip.is_unspecified and not found.network.prefixlen:
        return
    if not found.network.prefixlen or any(found.ip in network for network in _NO_HOSTS6):
        raise bad_value("ip6-address", text, "an address of a host, with the length of its prefix")
