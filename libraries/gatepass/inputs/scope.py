"""What a test takes on a testbed: by what was ordered, and by what the testbed has."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gatepass.base.chapters import CHAPTERS
from gatepass.inputs.order import Order
from gatepass.inputs.testbed import Testbed

LAST_SSL_VPN = (7, 6, 2)
"""From 7.6.3 on FortiOS has no SSL VPN tunnel, and dial-up IPsec in its place."""
_ONLY_WHERE = {
    "security_services": "security_services",
    "explicit_proxy": "proxy_users",
    "site_to_site_vpn": "ipsec_tunnels",
    "remote_access": "vpn_users",
    "provisioning": "tenants",
    "tier_ceiling": "shaper",
    "service_objectives": "objectives",
    "management_gui": "gui",
    "studies": "studies",
}
"""Chapters that not every order has, and what it has to ask for."""
_TUNNELLED = {"decusatis2014"}
"""Studies that need tunnels between sites."""
_BY_RELEASE = {
    "ssl_vpn": lambda release: release <= LAST_SSL_VPN,
    "dial_up": lambda release: release > LAST_SSL_VPN,
}

_SEE = "(see docs/orders-and-testbeds.md)"
NO_PEER = (
    "the testbed names no peer",
    "Set up a Linux host with strongSwan behind another port of the gateway and add "
    f"endpoints.peer {_SEE}.",
)
NO_FILE_SERVER = (
    "the testbed names no file server",
    f"Set up HTTP, HTTPS and FTP on the server and add endpoints.server.files {_SEE}.",
)
NO_DIRECT_PATH = (
    "the testbed names no direct_address, so a slow or silent test set-up cannot be "
    "distinguished from a slow or silent gateway",
    f"Connect client and server past the gateway and name the addresses {_SEE}.",
)
"""What a testbed may lack, and what to do."""


def release_of(version: str) -> tuple[int, ...]:
    """A version of FortiOS, such as "v7.6.3", as numbers."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


@dataclass(frozen=True)
class Scope:
    """One order on one testbed.

    Attributes:
        testbed: where it is tested.
        order: what was ordered; None for all that can be.
        release: of the gateway's FortiOS, as numbers; empty where it is not known.
    """

    testbed: Testbed
    order: Order | None = None
    release: tuple[int, ...] = ()

    def has(self, condition: str, unknown: bool = True) -> bool:
        """Whether something is asked for, or there.

        Args:
            condition: a name of those below; empty for what always is.
            unknown: the answer where it depends on a release that is not known.
        """
        if condition in _BY_RELEASE:
            return _BY_RELEASE[condition](self.release) if self.release else unknown
        return not condition or self._conditions[condition]

    @property
    def _conditions(self) -> dict[str, bool]:
        order, gateway = self.order, self.testbed.gateway
        tier = order.promise if order else None
        troubles = gateway.troubles
        services = order is None or order.options.security_services
        peer = self.testbed.endpoints.peer is not None
        return {
            "security_services": services,
            "proxy_users": tier is None or bool(tier.proxy_users),
            "ipsec_tunnels": tier is None or bool(tier.ipsec_tunnels),
            "vpn_users": tier is None or bool(tier.vpn_users),
            "tenants": order is None or order.provisioning is not None,
            "shaper": order is None or order.shaper is not None,
            "flows": order is None or bool(order.flows),
            "objectives": order is None or bool(order.classes),
            "gui": gateway.gui is not None,
            "studies": order is None or bool(order.studies),
            "study_tunnels": peer and (order is None or bool(_TUNNELLED & {*order.studies})),
            "peer": peer,
            "ipv6": self.testbed.endpoints.client.address6 is not None,
            "restart": gateway.may_restart,
            "full_table": gateway.may_fill_sessions,
            "troubles": services
            and any((troubles.inspection, troubles.licence, troubles.memory)),
        }

    def port_of(self, endpoint: str) -> str:
        """The gateway's port that an endpoint is behind."""
        gateway, peer = self.testbed.gateway, self.testbed.endpoints.peer
        return {
            "client": gateway.client_port,
            "server": gateway.server_port,
            "peer": peer.gateway_port if peer else "",
        }[endpoint]

    @property
    def chapters(self) -> tuple[str, ...]:
        """Those that say something about this order."""
        return tuple(name for name in CHAPTERS if self.has(_ONLY_WHERE.get(name, "")))
