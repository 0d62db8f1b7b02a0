"""The tables of the configuration database, one module a config branch.

A new branch is a module with a list `TABLES`, named in `BRANCHES` below.
"""

from __future__ import annotations

from lab.gateway.schema import (
    antivirus,
    application,
    file_filter,
    firewall_address,
    firewall_nat,
    firewall_policy,
    firewall_schedule,
    firewall_service,
    firewall_shaper,
    geoip_override,
    ips,
    protocol_options,
    proxy_policy,
    router,
    ssl_ssh,
    system,
    system_dhcp,
    system_interface,
    user,
    vpn_certificate,
    vpn_ipsec,
    vpn_ssl,
    web_proxy,
    webfilter,
)
from lab.gateway.schema.model import Table
from lab.gateway.versions import Release

# In the order in which a backup shows them: an object stands after the objects that it names.
BRANCHES = (
    system,
    system_interface,
    system_dhcp,
    geoip_override,
    firewall_address,
    firewall_service,
    firewall_schedule,
    firewall_shaper,
    firewall_nat,
    user,
    vpn_certificate,
    vpn_ssl,
    web_proxy,
    ips,
    application,
    antivirus,
    webfilter,
    file_filter,
    protocol_options,
    ssl_ssh,
    vpn_ipsec,
    firewall_policy,
    proxy_policy,
    router,
)


def tables(release: Release) -> dict[str, Table]:
    """The tables that a release has, by path."""
    return {
        table.path: table.cut_to(release)
        for branch in BRANCHES
        for table in branch.TABLES
        if table.in_release(release)
    }
