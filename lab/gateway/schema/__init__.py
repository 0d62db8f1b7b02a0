"""The tables of the configuration database.

What they hold stands in `tables/*.yaml` (see `reader`), what else a row must be in `rules`.
"""

from __future__ import annotations

from lab.gateway.schema.model import Table
from lab.gateway.schema.reader import read
from lab.gateway.schema.rules import anomalies, dhcp, hosts, objects, policies, vpn
from lab.gateway.schema.rules.registry import with_rules
from lab.gateway.versions import Release

# In the order in which a backup shows them: an object stands after the objects that it names.
FILES = ("system", "objects", "users", "profiles", "filters", "policies", "policies_7_6")
RULES = (anomalies, dhcp, hosts, objects, policies, vpn)
"""Whose import has said what tables demand."""

ALL = tuple(with_rules(table) for name in FILES for table in read(name))


def tables(release: Release) -> dict[str, Table]:
    """The tables that a release has, by path."""
    return {table.path: table.cut_to(release) for table in ALL if table.in_release(release)}
