"""What became of the floods: held or not, and what was held with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint.talk import Talked
from gatepass.scenarios.floods.kinds import FLOOD, FROM_ANOTHER, TARGET, TO_ANOTHER, Flood

THRESHOLD = 50
"""Packets a second of one host that are let through."""
MOST_CONNECTIONS, TRIED_CONNECTIONS = 10, 20
LONGEST_S = 1.0
"""How long an open connection may stay without an answer: what a person's train of thought bears
(Nielsen, Usability Engineering, 1993, chapter 5)."""
_TOLERANCE = 1.2
_WHOLE, _MOST_PART = 0.95, 0.9
_FAR_ABOVE = 4
"""So many times the threshold has a flood to be, to be one."""


@dataclass(frozen=True)
class Seen:
    """One round.

    Attributes:
        sent: packets of each protocol, by role.
        seconds: how long it took to send them.
        arrived: packets by protocol and role.
        talked: how open connections fared meanwhile.
    """

    sent: Mapping[str, int]
    seconds: float
    arrived: Mapping[tuple[str, str], int]
    talked: Talked

    def all_passed(self) -> bool:
        """Whether everything arrived, but for what gets lost anywhere."""
        return all(
            count >= self.sent[role] * _WHOLE for (_, role), count in self.arrived.items()
        )

    def allowed(self) -> float:
        """How many packets of a flood may arrive: those of a second more than it took."""
        return THRESHOLD * (self.seconds + 1) * _TOLERANCE

    def held(self, flood: Flood) -> bool:
        """Whether no more of a flood arrived than its threshold lets through."""
        return self.arrived[flood.protocol, FLOOD] <= self.allowed()

    def told(self, flood: Flood, role: str) -> str:
        """How many of them arrived, for a sentence."""
        return f"{self.arrived[flood.protocol, role]:,} of {self.sent[role]:,}"


@dataclass(frozen=True)
class FloodFindings:
    """All rounds of a run.

    Attributes:
        before, after: without a DoS policy.
        during: with thresholds for packets to one target, and for packets from one source.
        connections: with a threshold for connections of one source.
        trouble: why nothing of it can be relied on; empty where it can.
    """

    before: Seen
    during: Mapping[str, Seen]
    connections: Seen
    after: Seen
    trouble: str = ""

    def must_have_come(self) -> None:
        """Without a policy everything arrived, so that what did not arrive with it was held.

        Raises:
            NotProven: it did not, or was not sent fast enough, or got lost on the way.
        """
        if self.trouble:
            raise NotProven(self.trouble)
        if not self.before.all_passed():
            (protocol, role), count = min(
                self.before.arrived.items(), key=lambda one: one[1] / self.before.sent[one[0][1]]
            )
            raise NotProven(
                f"even without a DoS policy only {count:,} of {self.before.sent[role]:,} "
                f"{protocol.upper()} packets arrived, so it would prove nothing that fewer arrive "
                "with one. Find out what else on the way drops them (a policy of the customer's, "
                "a shaper, the hosts)."
            )

    def rate_of(self, flood: Flood) -> float:
        """Packets a second that were sent of a flood while it was to be held.

        Raises:
            NotProven: they were too few to be a flood.
        """
        seen = self.during[flood.held_by]
        rate = seen.sent[FLOOD] / max(seen.seconds, 1e-9)
        if rate < THRESHOLD * _FAR_ABOVE:
            raise NotProven(
                f"the client sent {rate:.0f} packets a second, which is no flood compared with a "
                f"threshold of {THRESHOLD}. Give it more processors."
            )
        return rate

    def neighbours_of(self, flood: Flood) -> tuple[str, bool]:
        """What has no part in a flood, in words with how it fared, and whether it got through."""
        role = TO_ANOTHER if flood.held_by == TARGET else FROM_ANOTHER
        seen = self.during[flood.held_by]
        who = "to another host" if flood.held_by == TARGET else "from another host"
        before, during, after = (
            one.told(flood, role) for one in (self.before, seen, self.after)
        )
        enough = seen.arrived[flood.protocol, role] >= seen.sent[role] * _MOST_PART
        return (
            f"Of the packets of the same kind {who}, {before} arrived before, {during} during "
            f"and {after} after the flood."
        ), enough

    def silences_of(self, flood: Flood) -> tuple[str, bool]:
        """How an open connection fared, in words, and whether it went on.

        Raises:
            NotProven: it did not without a policy, either, or the client stood still and cannot
                tell how long a silence was.
        """
        during = self.during[flood.held_by].talked
        if self.before.talked.longest_s > LONGEST_S:
            raise NotProven(
                f"an open connection had no answer for {self.before.talked.longest_s:.1f} s "
                "during a flood without a DoS policy, too."
            )
        first, meanwhile, last = (
            f"{one.longest_s * 1000:.0f} ms"
            for one in (self.before.talked, during, self.after.talked)
        )
        told = (
            f"Its longest silence was {first} before, {meanwhile} during and {last} after the "
            "flood."
        )
        if during.opened and abs(during.longest_s - LONGEST_S) < during.still_s:
            raise NotProven(
                f"the client stood still for {during.still_s * 1000:.0f} ms, so it cannot be "
                f"determined whether an open connection was silent for longer than {LONGEST_S:g} "
                "s. Give it more processors."
            )
        return told, during.opened > 0 and during.longest_s <= LONGEST_S
