"""The gateway's explicit web proxy, opened for the test client and no one else.

A customer who has it on keeps its settings: the run then adds its own policy alone.
"""

from __future__ import annotations

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
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

    def is_there(self) -> bool:
        """Whether the device has such a proxy: from FortiOS 7.4.4 on none with 2 GB of memory has.

        Raises:
            Refused: it does not tell.
        """
        return bool(self.gateway.rows_if_any(EXPLICIT))

    def switch_on(self) -> tuple[str, int]:
        """Have the proxy on the client's side; its address and port.

        Raises:
            Refused: the device does not take it, has no such proxy, or tells no address of its
                port.
        """
        settings = self.gateway.single(EXPLICIT)
        if settings.get("status") != "enable":
            values = {"status": "enable", "sec-default-action": "deny"}
            self.changes.change(EXPLICIT, None, values)
        side = self.rules.flow.client_port
        if (self.gateway.row(INTERFACE, side) or {}).get("explicit-web-proxy") != "enable":
            self.changes.change(INTERFACE, side, {"explicit-web-proxy": "enable"})
        address = self.gateway.port_address(side)
        port = str(settings.get("http-incoming-port") or DEFAULT_PORT)
        return address, int(port.split("-")[0].split()[0])

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
