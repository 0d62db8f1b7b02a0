"""A DHCP server of the run on one of the gateway's interfaces (``system.dhcp/server``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.tables import mkey_of

SERVER, MONITOR = "system.dhcp/server", "system/dhcp"


@dataclass(frozen=True)
class DhcpSettings:
    """What hosts are to be told.

    Attributes:
        netmask, router: IPv4.
        name_servers: at most four.
        domain: at most 35 characters; begins with the run's mark, as a server has no name.
        lease_s: 300 to 8,640,000.
    """

    netmask: str
    router: str
    name_servers: tuple[str, ...]
    domain: str
    lease_s: int


@dataclass(frozen=True)
class DhcpPool:
    """What is given out, and to whom; nobody else is served.

    Attributes:
        ranges: first and last address of each.
        reserved: hardware addresses and the address that each is to get, which may lie in a range.
        listed: hardware addresses of hosts that are to get any other address of the ranges.
    """

    ranges: Sequence[tuple[str, str]]
    reserved: Sequence[tuple[str, str]]
    listed: Sequence[str]


class DhcpService:
    """The run's server on one interface.

    Args:
        gateway: the device.
        changes: of the run.
        interface: that it is to serve.
    """

    def __init__(self, gateway: FortiGate, changes: Changes, interface: str) -> None:
        self._gateway, self._changes, self._interface = gateway, changes, interface
        self._id = 0

    def must_be_free(self) -> None:
        """The interface has room for it: a device takes one server an interface.

        Raises:
            NotApplicable: the customer has one there, which is never changed, or the device has
                no DHCP server.
        """
        try:
            rows = self._gateway.rows(SERVER)
        except Refused as refused:
            if refused.status == 404:
                raise NotApplicable(say("no_dhcp")) from None
            raise
        key = mkey_of(SERVER)
        there = [row[key] for row in rows if row.get("interface") == self._interface]
        if there:
            raise NotApplicable(
                say("dhcp_taken", port=self._interface, server=", ".join(map(str, there)))
            )
        self._id = max([0, *(row[key] for row in rows)]) + 1

    def create(self, settings: DhcpSettings, pool: DhcpPool) -> None:
        """Have it serve; read back.

        Raises:
            AssertionError: the device said yes and shows something else.
            NotProven: it does not take the server.
        """
        row = self._row(settings, pool)
        try:
            self._changes.create(SERVER, row)
        except Refused as refused:
            raise NotProven(
                f"the gateway does not accept a DHCP server on its port {self._interface}: "
                f"{refused} Check whether a relay, another mode of addressing or a limit of the "
                "model prevents it."
            ) from refused
        self._changes.verify(SERVER, [row])

    def _row(self, settings: DhcpSettings, pool: DhcpPool) -> dict:
        hosts = [{"mac": mac, "action": "assign"} for mac in pool.listed]
        hosts += [{"mac": mac, "action": "reserved", "ip": ip} for mac, ip in pool.reserved]
        return {
            "id": self._id,
            "status": "enable",
            "interface": self._interface,
            "netmask": settings.netmask,
            "default-gateway": settings.router,
            "dns-service": "specify",
            **{
                f"dns-server{number}": address
                for number, address in enumerate(settings.name_servers, 1)
            },
            "domain": settings.domain,
            "lease-time": settings.lease_s,
            "ip-range": [
                {"id": number, "start-ip": first, "end-ip": last}
                for number, (first, last) in enumerate(pool.ranges, 1)
            ],
            "mac-acl-default-action": "block",
            "reserved-address": [{"id": number, **host} for number, host in enumerate(hosts, 1)],
        }

    def remove(self) -> None:
        """Take it away, as far as it is there."""
        if self._id:
            self._changes.remove(SERVER, [self._id])

    def leases(self) -> dict[str, str]:
        """The addresses that the gateway's monitor says hosts have on the interface, and whose.

        Raises:
            NotProven: the device has no such monitor.
        """
        try:
            rows = self._gateway.monitor(MONITOR, interface=self._interface).get("results") or []
        except Refused as refused:
            if refused.status == 404:
                raise NotProven(
                    f"the device does not list its leases (monitor {MONITOR})."
                ) from None
            raise
        return {
            str(row.get("ip")): str(row.get("mac")).lower()
            for row in rows
            if row.get("interface", self._interface) == self._interface
            and row.get("status", "leased") == "leased"
        }
