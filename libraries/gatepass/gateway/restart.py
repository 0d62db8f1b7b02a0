"""Restarts the gateway, and waits until it answers again."""

from __future__ import annotations

import time
from contextlib import suppress

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused

_REBOOT = "system/os/reboot"
_GONE_S = 60
BACK_S = 300
"""How long a virtual machine may take to start."""


class Restart:
    """One restart.

    Args:
        gateway: a client of its own, which gives up at once: to be lost is what it is for.
    """

    def __init__(self, gateway: FortiGate) -> None:
        gateway.patience_s = 0
        self._gateway = gateway

    def begin(self) -> None:
        """Have it restart, and wait until it does not answer any more.

        Raises:
            NotProven: it refuses, or goes on answering.
        """
        try:
            with suppress(GatewayLost):  # its answer may go down with it
                self._gateway.monitor(_REBOOT, body={"event_log_message": "acceptance test"})
        except Refused as refused:
            raise NotProven(
                f"the gateway does not restart (monitor/{_REBOOT}): {refused}. Give the API user "
                "read-write access to the system group."
            ) from None
        if not until(lambda: not self._answers(), _GONE_S):
            raise NotProven(
                f"the gateway accepted the restart call but went on answering for {_GONE_S} s."
            )

    def await_back(self) -> float:
        """Wait until it answers again; after how many seconds.

        Raises:
            AssertionError: it does not.
        """
        begun = time.monotonic()
        if not until(self._answers, BACK_S):
            raise AssertionError(
                f"The gateway did not answer again within {BACK_S} s after the restart call."
            )
        return time.monotonic() - begun

    def _answers(self) -> bool:
        try:
            self._gateway.monitor("system/status")
        except (GatewayLost, Refused):
            return False
        return True
