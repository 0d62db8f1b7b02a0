"""A country of the run's own, and a policy that denies it.

No address of a test network lies in a country, so the gateway is told to put one there
(``system/geoip-override``); an address of type geography with that country's code then has to
match it, and nothing else.
"""

from __future__ import annotations

import ipaddress

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import ADDRESS, RuleSet

OVERRIDE = "system/geoip-override"
_DENY = 11


class OwnCountry:
    """The country.

    Args:
        gateway: the device.
        changes: of the run.
        rules: of the run, one of whose policies permits the traffic.
    """

    def __init__(self, gateway: FortiGate, changes: Changes, rules: RuleSet) -> None:
        self.gateway = gateway
        self.changes = changes
        self.rules = rules
        self.policyid = 0
        self._code = ""

    def deny(self, above: int) -> None:
        """Put the server into the country, and a policy that denies the country above another.

        Args:
            above: policyid.

        Raises:
            Refused: the device does not take one of them.
        """
        name, server = self.changes.name("land"), self.rules.flow.server
        if not self._code:
            self.changes.create(OVERRIDE, {"name": name, "ip-range": _range(server)})
            override = self.gateway.row(OVERRIDE, name) or {}
            self._code = str(override.get("country-id") or "")
            if not self._code:
                raise Refused("The gateway assigns no code to the country that the run created.")
            row = {"name": name, "type": "geography", "country": self._code}
            self.changes.create(ADDRESS, row)
        self.policyid = self.rules.free_id(_DENY)
        deny = self.rules.test_row(
            self.policyid, nat=False, action="deny", dstaddr=[{"name": name}], logtraffic="disable"
        )
        self.rules.add(deny, above=above)

    def permit(self) -> None:
        """Take the policy away."""
        if self.policyid:
            self.rules.drop(self.policyid)
            self.policyid = 0

    def move_away(self) -> None:
        """Put the server's neighbour into the country in its place."""
        neighbour = ipaddress.ip_address(self.rules.flow.server) + 1
        # the run's own object: its undoing is its deletion, so no entry in the journal
        with self.rules.changing():
            self.gateway.change(
                OVERRIDE, self.changes.name("land"), {"ip-range": _range(str(neighbour))}
            )


def _range(address: str) -> list[dict]:
    return [{"id": 1, "start-ip": address, "end-ip": address}]
