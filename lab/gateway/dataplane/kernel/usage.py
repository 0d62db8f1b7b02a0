"""Counters of the policies as the monitor shows them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyCounter:
    """What one policy (0: the implicit deny) has counted.

    Attributes:
        bytes: IP bytes of both directions, established sessions included.
        packets: likewise.
        hit_count: sessions that the policy let in, or denied.
        active_sessions: sessions in the session table.
        first_used: epoch seconds of the first reading that showed a hit; None before.
        last_used: epoch seconds of the last reading that showed new traffic; None before.
    """

    bytes: int = 0
    packets: int = 0
    hit_count: int = 0
    active_sessions: int = 0
    first_used: float | None = None
    last_used: float | None = None


class Usage:
    """Remembers when each policy was used.

    The kernel's counters carry no times; they come from the readings, so that a policy was used
    at the time told or shortly before.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, float, float]] = {}

    def read(
        self,
        policyids: Iterable[int],
        counted: Mapping[int, tuple[int, int, int]],
        active: Mapping[int, int],
    ) -> dict[int, PolicyCounter]:
        """Make the counters of some policies.

        Args:
            policyids: which, 0 for the implicit deny.
            counted: mark -> hits, packets, bytes.
            active: mark -> sessions in the table.
        """
        now = time.time()
        found = {}
        for policyid in policyids:
            hits, packets, octets = counted.get(policyid, (0, 0, 0))
            first, last = self._times(policyid, packets, now)
            sessions = active.get(policyid, 0) if policyid else 0
            found[policyid] = PolicyCounter(octets, packets, hits, sessions, first, last)
        return found

    def _times(self, policyid: int, packets: int, now: float) -> tuple[float | None, float | None]:
        if not packets:
            self._seen.pop(policyid, None)
            return None, None
        before, first, last = self._seen.get(policyid, (0, now, now))
        if packets != before:
            last = now
        self._seen[policyid] = (packets, first, last)
        return first, last
