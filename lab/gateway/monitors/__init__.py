"""The monitors: what `/api/v2/monitor` tells and does, one module a branch.

A new branch is a module with a dictionary `MONITORS`, named in `BRANCHES` below.
"""

from __future__ import annotations

from lab.gateway.monitors import (
    configuration,
    dhcp,
    firewall,
    licence,
    network,
    system,
    user,
    vpn,
    vpn_ipsec,
)
from lab.gateway.monitors.model import Monitor

BRANCHES = (system, licence, configuration, network, dhcp, firewall, user, vpn, vpn_ipsec)

MONITORS: dict[str, Monitor] = {
    path: monitor for branch in BRANCHES for path, monitor in branch.MONITORS.items()
}
