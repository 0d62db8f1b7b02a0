"""The gateway's explicit web proxy, opened for the test client and no one else.

A customer who has it on keeps its settings: the run then adds its own policy alone.
"""

from __future__ import annotations

from gatepass.base.errors import NotApplicable
from gatepass.base.phrase import say
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import RuleSet

EXPLICIT, POLICY, INTERFACE = "web-proxy/explicit", "firewall/proxy-policy", "system/interface"
DEFAULT_PORT = 8080


class ExplicitProxy:
    """The proxy of one run.

    Args:
        gateway: the device.
        changes: of the run.
        rules: of the run, whose addresses are used.
    """

    def __init__(self, gateway: FortiGate, changes: Changes, rules: RuleSet) -> None:
        self.gateway = gateway
        self.changes = changes
        self.rules = rules
        self._policyid: int | None = None

    def switch_on(self) -> tuple[str, int]:
        """Have the proxy on the client's side; its address and port.

        Raises:
            NotApplicable: the device has no such proxy.
            Refused: it does not take it, or tells no address of its port.
        """
        settings = self._settings()
        if settings.get("status") != "enable":
            values = {"status": "enable", "sec-default-action": "deny"}
            self.changes.change(EXPLICIT, None, values)
        side = self.rules.flow.client_port
        if (self.gateway.row(INTERFACE, side) or {}).get("explicit-web-proxy") != "enable":
            self.changes.change(INTERFACE, side, {"explicit-web-proxy": "enable"})
        address = self.gateway.port_address(side)
        port = str(settings.get("http-incoming-port") or DEFAULT_PORT)
        return address, int(port.split("-")[0].split()[0])

    def _settings(self) -> dict:
        """Small models have none: from FortiOS 7.4.4 on those with 2 GB of memory."""
        try:
            return self.gateway.single(EXPLICIT)
        except Refused as refused:
            if refused.status != 404:
                raise
            raise NotApplicable(say("no_explicit_proxy")) from None

    def permit(self) -> None:
        """One proxy policy, above all others: from the client to the server."""
        if self._policyid is not None:
            return
        there = [row["policyid"] for row in self.gateway.rows(POLICY, format="policyid")]
        policyid = max([0, *there]) + 1
        self.rules.prepare()
        row = {
            "policyid": policyid,
            "name": self.changes.name("proxy"),
            "proxy": "explicit-web",
            "dstintf": [{"name": self.rules.flow.server_port}],
            "srcaddr": [{"name": self.changes.name("client")}],
            "dstaddr": [{"name": self.changes.name("server")}],
            "service": [{"name": "webproxy"}],
            "schedule": "always",
            "action": "accept",
            "status": "enable",
            "logtraffic": "disable",
        }
        self.changes.create(POLICY, row)
        if there:
            self.gateway.move(POLICY, policyid, there[0])
        self._policyid = policyid

    def forbid(self) -> None:
        """Take that policy away."""
        if self._policyid is not None:
            self.changes.remove(POLICY, [self._policyid])
            self._policyid = None
