"""The monitors: what `/api/v2/monitor` tells and does, one module a branch.

A new branch is a module with a dictionary `MONITORS`, named in `BRANCHES` below.
"""

from __future__ import annotations

from lab.gateway.monitors import (
    certificates,
    config_errors,
    configuration,
    dhcp,
    firewall,
    licence,
    log,
    network,
    pools,
    system,
    unconfigured,
    user,
    vpn,
    vpn_ipsec,
    web_ui,
)
from lab.gateway.monitors.model import Monitor

BRANCHES = (
    *(system, certificates, web_ui, licence, configuration, config_errors, log, network, dhcp),
    *(firewall, pools, user, vpn, vpn_ipsec, unconfigured),
)

MONITORS: dict[str, Monitor] = {
    path: monitor for branch in BRANCHES for path, monitor in branch.MONITORS.items()
}
