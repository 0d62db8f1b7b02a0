"""Quarantine: hosts that the gateway cuts off, by the monitor `user/banned`."""

from __future__ import annotations

from gatepass.base.errors import NotApplicable
from gatepass.base.phrase import say
from gatepass.gateway.fortigate import FortiGate, Refused

_PATH = "user/banned"


class Bans:
    """The hosts that a gateway has cut off. They are no part of its configuration.

    Args:
        gateway: the device.
    """

    def __init__(self, gateway: FortiGate) -> None:
        self._gateway = gateway

    def add(self, address: str, seconds: int) -> None:
        """Cut a host off; the gateway lets it in again by itself after so many seconds.

        Raises:
            NotApplicable: the device has no quarantine.
        """
        try:
            self._gateway.monitor(
                f"{_PATH}/add_users", body={"ip_addresses": [address], "expiry": seconds}
            )
        except Refused as refused:
            if refused.status == 404:
                raise NotApplicable(say("no_quarantine")) from None
            raise

    def end(self, address: str) -> None:
        """Let a host in again."""
        self._gateway.monitor(f"{_PATH}/clear_users", body={"ip_addresses": [address]})

    def listed(self) -> set[str]:
        """The hosts that the gateway says are cut off."""
        rows = self._gateway.monitor(_PATH).get("results") or []
        return {str(row.get("ip_address")) for row in rows}
