"""Dial-up IPsec, which FortiOS has in place of SSL VPN from 7.6.3 on.

IKEv2 with a key that all users of a profile share and EAP-MSCHAPv2 for the user; the gateway tells
the profiles apart by the identity that the client shows (`peerid`).
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from gatepass.base.phrase import say
from gatepass.endpoint.wire_watch import Carrier
from gatepass.scenarios.remote_access.configuration import AccessConfiguration, Listed, VpnProfile

PHASE1, PHASE2 = "vpn.ipsec/phase1-interface", "vpn.ipsec/phase2-interface"
PROPOSAL, DH_GROUP = "aes256-sha256", "14"
STRONGSWAN_PROPOSAL = "aes256-sha256-modp2048"
"""The same in strongSwan's words."""


class DialUp(AccessConfiguration):
    """Dial-up IPsec of one run (see `AccessConfiguration`)."""

    way = say("dial_up")

    def __init__(self, *common: object) -> None:
        super().__init__(*common)
        self.psk = secrets.token_urlsafe(24)

    def tunnel(self, profile: VpnProfile) -> str:
        """The name of a profile's phases and interface, and what a client calls itself."""
        return self.changes.name(f"dial{profile.number}")

    @property
    def on_the_wire(self) -> tuple[Carrier, ...]:
        """IKE, and ESP by itself or inside UDP."""
        return (Carrier("udp", (500, 4500)), Carrier("esp"))

    def _open(self) -> None:
        for profile in self.profiles:
            name = self.tunnel(profile)
            phase1 = {
                "name": name,
                "type": "dynamic",
                "interface": self.rules.flow.client_port,
                "ike-version": "2",
                "peertype": "one",
                "peerid": name,
                "net-device": "disable",
                "proposal": PROPOSAL,
                "dhgrp": DH_GROUP,
                "psksecret": self.psk,
                "eap": "enable",
                "eap-identity": "send-request",
                "authusrgrp": self.group(profile),
                "mode-cfg": "enable",
                "ipv4-start-ip": str(profile.first),
                "ipv4-end-ip": str(profile.last),
                "ipv4-netmask": "255.255.255.255",
            }
            if profile.network:
                phase1["ipv4-split-include"] = self.network(profile)
            self.changes.create(PHASE1, phase1)
            phase2 = {
                "name": name,
                "phase1name": name,
                "proposal": PROPOSAL,
                "pfs": "enable",
                "dhgrp": DH_GROUP,
            }
            self.changes.create(PHASE2, phase2)

    def _entry(self, profiles: Sequence[VpnProfile]) -> dict:
        return {
            "srcintf": [{"name": self.tunnel(profile)} for profile in profiles],
            "srcaddr": [{"name": self.pool(profile)} for profile in profiles],
        }

    def listed(self) -> list[Listed]:
        """The users with a tunnel, from the monitor ``vpn/ipsec``."""
        return [
            Listed(
                # of one who logged in by EAP the other is how the program calls itself in IKE
                str(row.get("user") or row.get("username") or ""),
                str(row.get("tun_id", "")),
                int(row.get("incoming_bytes", 0)) + int(row.get("outgoing_bytes", 0)),
            )
            for row in self.gateway.monitor("vpn/ipsec")["results"]
            if row.get("type") == "dialup"
        ]
