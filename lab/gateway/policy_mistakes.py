"""Policies that a careless hand left on the gateway, as part of its configuration."""

from __future__ import annotations

from collections.abc import Iterable

from lab.gateway.cli.script import Script
from lab.gateway.cmdb.database import Database
from lab.gateway.cmdb.editor import Location

_PROFILES = """
    set utm-status enable
    set ssl-ssh-profile "certificate-inspection"
    set av-profile "default"
    set webfilter-profile "default"
    set ips-sensor "default"
    set application-list "default"
"""
_ALL = """
    set srcaddr "all"
    set dstaddr "all"
"""
_FROM_THE_LAN = """
    set srcaddr "customer-lan"
    set dstaddr "all"
"""
_POLICIES = {
    "shadowed": ("port2", "port1", "HTTP", "always", _FROM_THE_LAN, _PROFILES, "all"),
    "open": ("port3", "port2", "ALL", "always", _ALL, _PROFILES, "all"),
    "unlogged": ("port2", "port1", "SMTP", "always", _FROM_THE_LAN, _PROFILES, "disable"),
    "uninspected": ("port2", "port1", "IMAP", "always", _FROM_THE_LAN, "", "all"),
    "lapsed": ("port2", "port1", "POP3", "none", _FROM_THE_LAN, _PROFILES, "all"),
}
"""Ports, service, schedule, addresses, profiles, what is logged; behind the customer's policies."""
_FIRST = 4711
_NUMBERS = {name: _FIRST + number for number, name in enumerate(_POLICIES)}


def make(database: Database, mistakes: Iterable[str]) -> None:
    """Have just these policies of all that there are here."""
    wanted = set(mistakes)
    there = {name for name, number in _NUMBERS.items()
             if database.state.find("firewall/policy", number) is not None}
    if wanted == there:
        return
    with database.change() as editor:
        for name in sorted(there - wanted):
            editor.delete(Location("firewall/policy", _NUMBERS[name]))
        for name in sorted(wanted - there):
            failures = Script(editor).run(_script(name))
            assert not failures, failures[0]


def _script(name: str) -> str:
    arrives, leaves, service, schedule, addresses, profiles, logged = _POLICIES[name]
    return f"""config firewall policy
edit {_NUMBERS[name]}
    set name "careless-{name}"
    set srcintf "{arrives}"
    set dstintf "{leaves}"
    set action accept
    set schedule "{schedule}"
    set service "{service}"
    set logtraffic {logged}
    {addresses}{profiles}
next
end
"""
