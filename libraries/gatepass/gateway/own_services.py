"""What the gateway itself serves on an interface, by its configuration.

FortiOS: `allowaccess` of an interface names what it may be managed by there; the ports are those of
`system/global`. Besides there are the SSL VPN, the explicit proxy and its DNS server, each switched
on by interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gatepass.gateway.address_objects import names
from gatepass.gateway.fortigate import FortiGate, Refused

_MANAGEMENT = {
    "https": ("admin-sport", 443),
    "http": ("admin-port", 80),
    "ssh": ("admin-ssh-port", 22),
    "telnet": ("admin-telnet-port", 23),
}
_OTHERS = {"fgfm": 541, "ftm": 4433, "fabric": 8013}


@dataclass(frozen=True)
class Service:
    """A TCP port that the configuration opens.

    Attributes:
        name: of the service.
        management: whether the device can be managed by it.
    """

    name: str
    management: bool = False


class OwnServices:
    """The configuration of one gateway.

    Args:
        gateway: is asked once.
    """

    def __init__(self, gateway: FortiGate) -> None:
        self._global = _single(gateway, "system/global")
        self._ssl_vpn = _single(gateway, "vpn.ssl/settings")
        self._proxy = _single(gateway, "web-proxy/explicit")
        self._dns = {str(row.get("name")) for row in _rows(gateway, "system/dns-server")}

    def on(self, row: Mapping[str, Any], version: int) -> dict[int, Service]:
        """TCP port -> what answers there.

        Args:
            row: of ``system/interface``, where packets arrive.
            version: of IP.
        """
        name = str(row.get("name"))
        access = row.get("allowaccess") if version == 4 else (row.get("ipv6") or {}).get(
            "ip6-allowaccess"
        )
        allowed = str(access or "").split()
        found = {
            int(self._global.get(setting) or port): Service(key.upper(), management=True)
            for key, (setting, port) in _MANAGEMENT.items()
            if key in allowed
        }
        found |= {port: Service(key) for key, port in _OTHERS.items() if key in allowed}
        if self._ssl_vpn.get("status", "enable") == "enable" and (
            {name, "any"} & set(names(self._ssl_vpn.get("source-interface")))
        ):
            found[int(self._ssl_vpn.get("port") or 443)] = Service("SSL VPN")
        if self._proxy.get("status") == "enable" and row.get("explicit-web-proxy") == "enable":
            for port in str(self._proxy.get("http-incoming-port") or "8080").split():
                first, _, last = port.partition("-")
                found |= dict.fromkeys(
                    range(int(first), int(last or first) + 1), Service("the explicit proxy")
                )
        if name in self._dns:
            found[53] = Service("DNS")
        return found


def _single(gateway: FortiGate, path: str) -> Mapping[str, Any]:
    """A table that has one row; empty where a model or release has no such."""
    return next(iter(_rows(gateway, path)), {})


def _rows(gateway: FortiGate, path: str) -> list[dict]:
    try:
        return gateway.rows(path)
    except Refused as refused:
        if refused.lacking:
            return []
        raise  # what is not told may be configured
