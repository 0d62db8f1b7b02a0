"""The run's DoS policy: what one port of the gateway holds against thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gatepass.base.errors import NotApplicable
from gatepass.base.phrase import say
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused

PATH = "firewall/DoS-policy"


class DosPolicy:
    """One DoS policy of the run's own, above the customer's.

    Args:
        gateway: the device.
        changes: of the run.
        port: by which the packets come in.
        sources, targets: names of the address objects that it is about.
    """

    def __init__(
        self,
        gateway: FortiGate,
        changes: Changes,
        port: str,
        sources: Sequence[str],
        targets: Sequence[str],
    ) -> None:
        self._gateway, self._changes = gateway, changes
        self._row = {
            "name": changes.name("floods"),
            "status": "enable",
            "interface": port,
            "srcaddr": [{"name": name} for name in sources],
            "dstaddr": [{"name": name} for name in targets],
            "service": [{"name": "ALL"}],
        }
        self._id: int | None = None

    def hold(self, thresholds: Mapping[str, int]) -> None:
        """Block what goes beyond these thresholds, and hold nothing else.

        Args:
            thresholds: by anomaly, in packets a second or in sessions.

        Raises:
            NotApplicable: the device has no DoS policies.
        """
        anomalies = [
            {"name": name, "status": "enable", "action": "block", "threshold": threshold}
            for name, threshold in thresholds.items()
        ]
        if self._id is None:
            self._create(anomalies)
        else:  # the run's own object: its undoing is its deletion
            self._gateway.change(PATH, self._id, {"anomaly": anomalies})

    def drop(self) -> None:
        """Take it away, if it is there."""
        if self._id is not None:
            self._changes.remove(PATH, [self._id])
            self._id = None

    def _create(self, anomalies: list[dict]) -> None:
        try:
            taken = [row["policyid"] for row in self._gateway.rows(PATH, format="policyid")]
        except Refused as refused:
            if refused.lacking:
                raise NotApplicable(say("no_dos_policies")) from None
            raise
        policyid = max([0, *taken]) + 1
        self._changes.create(PATH, {**self._row, "policyid": policyid, "anomaly": anomalies})
        self._id = policyid
        if taken:
            self._gateway.move(PATH, policyid, taken[0])
