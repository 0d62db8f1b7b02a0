"""The tables of the configuration database.

What they hold stands in `tables/*.yaml` (see `reader`), what else a row must be in `rules`.
"""

from __future__ import annotations

from lab.gateway.schema.model import Table
from lab.gateway.schema.reader import read
from lab.gateway.schema.rules import (
    anomalies,
    carried,
    dhcp,
    hosts,
    interfaces,
    kept,
    listeners,
    modes,
    objects,
    policies,
    vlans,
    vpn,
)
from lab.gateway.schema.rules.registry import with_rules
from lab.gateway.versions import Release

# In the order in which a backup shows them: an object stands after the objects that it names.
FILES = (
    *("system", "device", "internet_services", "objects", "kept", "users", "profiles"),
    *("filters", "policies"),
)
RULES = (
    *(anomalies, carried, dhcp, hosts, interfaces, kept, listeners, modes, objects, policies),
    *(vlans, vpn),
)
"""Whose import has said what tables demand."""

ALL = tuple(with_rules(table) for name in FILES for table in read(name))


_OF_MEMORY = {
    "firewall/profile-protocol-options": ("oversize-limit", "uncompressed-oversize-limit")
}
"""What is buffered of one object, in MB: a tenth of the memory at most."""
_OF_THE_PROXY = ("web-proxy/explicit", "firewall/proxy-policy")
_SMALL_MIB, _PROXY_GONE = 2048, (7, 4, 4)
"""From this release on, models with so much memory have no explicit proxy."""


def tables(release: Release, memory_mib: int = 16_384) -> dict[str, Table]:
    """The tables that a release has, by path.

    Args:
        release: of FortiOS.
        memory_mib: of the device, that some limits depend on.
    """
    found = {table.path: table.cut_to(release) for table in ALL if table.in_release(release)}
    if memory_mib <= _SMALL_MIB and release >= _PROXY_GONE:
        for path in _OF_THE_PROXY:
            del found[path]
    for path, names in _OF_MEMORY.items():
        found[path] = found[path].limited_to(names, memory_mib // 10)
    return found
