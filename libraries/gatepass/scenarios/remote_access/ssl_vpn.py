"""SSL VPN of FortiOS up to 7.6.2: portals, and the settings that bind groups to them.

A customer who has SSL VPN in use keeps port, certificate and rules: the run's are added.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.wire_watch import Carrier
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.inputs.scope import LAST_SSL_VPN, release_of
from gatepass.scenarios.remote_access.configuration import AccessConfiguration, Listed, VpnProfile

PORTAL, SETTINGS, CERTIFICATE = "vpn.ssl.web/portal", "vpn.ssl/settings", "vpn.certificate/local"
FACTORY = "Fortinet_Factory"
_FACTORY_LIFE_S = 28800


def offered(gateway: FortiGate, version: str) -> bool:
    """Whether a device has SSL VPN tunnels; some small models have lost them before the others.

    Args:
        gateway: the device.
        version: of its FortiOS: "v7.6.3".
    """
    if release_of(version) > LAST_SSL_VPN:
        return False
    try:
        return bool(gateway.rows(SETTINGS))
    except Refused as refused:
        if refused.status == 404:
            return False
        raise


class SslVpn(AccessConfiguration):
    """SSL VPN of one run (see `AccessConfiguration`).

    Args:
        port: where it is to listen, if the customer does not use it already.
    """

    way = say("ssl_vpn")

    def __init__(self, *common: object, port: int) -> None:
        super().__init__(*common)
        self.port = port
        self.certificate = ""
        self._life_s: int | None = None  # of a login before it was changed

    def portal(self, profile: VpnProfile) -> str:
        """The name of a profile's portal."""
        return self.changes.name(f"portal{profile.number}")

    @property
    def on_the_wire(self) -> tuple[Carrier, ...]:
        """TLS on its port."""
        return (Carrier("tcp", (self.port,)),)

    def _open(self) -> None:
        for profile in self.profiles:
            split = profile.network is not None
            routes = [{"name": self.network(profile)}] if split else []
            row = {
                "name": self.portal(profile),
                "tunnel-mode": "enable",
                "web-mode": "disable",
                "ip-mode": "range",
                "ip-pools": [{"name": self.pool(profile)}],
                "split-tunneling": "enable" if split else "disable",
                "split-tunneling-routing-address": routes,
            }
            self.changes.create(PORTAL, row)
        self._bind()

    def _bind(self) -> None:
        settings = self.gateway.single(SETTINGS)
        sources = settings.get("source-interface") or []
        in_use = settings.get("status", "enable") == "enable" and bool(sources)
        if in_use:
            self.port = int(settings["port"])
        self.certificate = settings.get("servercert") or FACTORY
        rules = settings.get("authentication-rule") or []
        first = max([0, *(rule["id"] for rule in rules)]) + 1
        ours = [
            {
                "id": first + index,
                "groups": [{"name": self.group(profile)}],
                "portal": self.portal(profile),
            }
            for index, profile in enumerate(self.profiles)
        ]
        side = {"name": self.rules.flow.client_port}
        pools = [{"name": self.pool(profile)} for profile in self.profiles]
        values = {
            "status": "enable",
            "port": self.port,
            "servercert": self.certificate,
            "source-interface": sources if _names(side, sources) else [*sources, side],
            "source-address": settings.get("source-address") or [{"name": "all"}],
            "tunnel-ip-pools": [*(settings.get("tunnel-ip-pools") or []), *pools],
            "default-portal": settings.get("default-portal") or self.portal(self.profiles[0]),
            # ours come first: the first rule that fits a user decides
            "authentication-rule": [*ours, *rules],
            # all users of a test come from one address, which refused logins would block
            "login-attempt-limit": 0,
        }
        self.changes.change(SETTINGS, None, values)

    def _entry(self, profiles: Sequence[VpnProfile]) -> dict:
        return {
            "srcintf": [{"name": f"ssl.{self.gateway.vdom}"}],
            "srcaddr": [{"name": self.pool(profile)} for profile in profiles],
            "groups": [{"name": self.group(profile)} for profile in profiles],
        }

    def listed(self) -> list[Listed]:
        """The users with a tunnel, from the monitor ``vpn/ssl``."""
        return [
            Listed(
                row.get("user_name", ""),
                tunnel.get("aip", ""),
                int(tunnel.get("in_bytes", 0)) + int(tunnel.get("out_bytes", 0)),
            )
            for row in self.gateway.monitor("vpn/ssl")["results"]
            for tunnel in row.get("subsessions") or [{}]
        ]

    def sessions_last(self, seconds: int) -> None:
        """Have each login end after so many seconds."""
        self._life_s = self.gateway.single(SETTINGS).get("auth-timeout", _FACTORY_LIFE_S)
        self.changes.change(SETTINGS, None, {"auth-timeout": seconds})

    def sessions_last_as_before(self) -> None:
        """Take that back, if it was done."""
        if self._life_s is not None:
            self.changes.change(SETTINGS, None, {"auth-timeout": self._life_s})
            self._life_s = None

    def pin(self) -> str:
        """What a client knows the gateway by: the hash of its certificate's public key.

        Raises:
            NotProven: the REST API does not show the certificate.
        """
        key = self._shown().public_key()
        public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return f"pin-sha256:{base64.b64encode(hashlib.sha256(public).digest()).decode()}"

    def fingerprint(self) -> str:
        """SHA-256 of the whole certificate, in hexadecimal; as `pin`."""
        return self._shown().fingerprint(hashes.SHA256()).hex()

    def _shown(self) -> x509.Certificate:
        row = self.gateway.row(CERTIFICATE, self.certificate) or {}
        try:
            shown = x509.load_pem_x509_certificate(row.get("certificate", "").encode())
            shown.public_key()  # of an algorithm that is known
            return shown
        except (ValueError, UnsupportedAlgorithm):
            raise NotProven(
                f"the gateway does not show its certificate {self.certificate} ({CERTIFICATE}), "
                "so no client can be configured to trust it. Give the API user read access to "
                "VPN (vpngrp)."
            ) from None


def _names(one: dict, rows: Sequence[dict]) -> bool:
    return one["name"] in [row.get("name") for row in rows]
