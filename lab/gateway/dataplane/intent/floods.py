"""DoS policies compiled: what is held against a rate or a number of sessions, and for whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.gateway.dataplane.intent.values import Selector

SOURCE, TARGET = "source", "target"


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One anomaly that is on and blocks.

    Attributes:
        name: as FortiOS calls it.
        threshold: packets a second, or sessions at the same time, of one host.
    """

    name: str
    threshold: int


@dataclass(frozen=True, slots=True)
class DosPolicy:
    """One DoS policy: the first whose packets these are decides alone.

    Attributes:
        id: policyid.
        selects: by the port where packets come in, by addresses and services.
        anomalies: that are on and block.
    """

    id: int
    selects: Selector
    anomalies: tuple[Anomaly, ...]


def anomalies_of(row: Mapping) -> tuple[Anomaly, ...]:
    """Those of a row of ``firewall/DoS-policy`` that stop something."""
    return tuple(
        Anomaly(one["name"], int(one["threshold"]))
        for one in row.get("anomaly") or ()
        if one.get("status") == "enable" and one.get("action") == "block"
    )
