"""Traffic shapers: which queue a packet takes, and the queues themselves (HTB).

Each outgoing port that a shaper can apply to has one HTB class for it; a rule sets the packet's
priority to the class. The class is on the port where the packet leaves, so a shaper named for
both directions limits each direction on its own.

HTB counts the frame with its Ethernet header and without preamble, frame check sequence and gap,
and a super-packet made by segmentation offloading as the frames that it will become, headers
included. So of a shaper of R kbps TCP gets at most R x 1448/1514 as goodput (1500-byte MTU, TCP
time stamps): 308.0 Mbit/s of 322000 kbps.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.intent.values import Selector
from lab.gateway.dataplane.nft.matching import Matcher

Queue = tuple[str, int]
"""A port and the minor number of its class."""


@dataclass(slots=True)
class ShaperClasses:
    """The classes that an intent asks for.

    Attributes:
        minors: (shaper, owner) -> minor number; the owner is "" for a shaper that is shared.
        queues: rate of each queue in kbit/s.
    """

    minors: dict[tuple[str, str], int] = field(default_factory=dict)
    queues: dict[Queue, int] = field(default_factory=dict)

    @classmethod
    def of(cls, intent: Intent) -> ShaperClasses:
        """Find the classes for the shapers that policies and shaping policies use."""
        classes = cls()
        for selects, shaper, reverse, owner in _uses(intent):
            classes._use(intent, shaper, owner, selects.dstintf)
            classes._use(intent, reverse, owner, selects.srcintf)
        return classes

    def _use(self, intent: Intent, name: str | None, owner: str, ports: tuple[str, ...]) -> None:
        shaper = intent.shapers.get(name or "")
        if shaper is None or not shaper.kbps:
            return
        key = (shaper.name, owner if shaper.per_policy else "")
        if key not in self.minors:
            self.minors[key] = self._free_minor("/".join(key))
        for port in ports or [port.name for port in intent.ports]:
            self.queues[(port, self.minors[key])] = shaper.kbps

    def _free_minor(self, text: str) -> int:
        # From the name, so that a class keeps its number when others come and go.
        taken, minor = set(self.minors.values()), zlib.crc32(text.encode()) % 0xFFF0
        while minor == 0 or minor in taken:
            minor = (minor + 1) % 0xFFF0
        return minor

    def classid(self, intent: Intent, name: str | None, owner: str) -> str | None:
        """The class of a shaper in tc's notation; None where it limits nothing."""
        shaper = intent.shapers.get(name or "")
        if shaper is None or not shaper.kbps:
            return None
        return f"1:{self.minors[(shaper.name, owner if shaper.per_policy else '')]:x}"

    def marking_rules(
        self, intent: Intent, matcher: Matcher, arriving: bool = True
    ) -> Iterator[str]:
        """Rules that send packets to their class.

        The first shaping policy that matches a packet decides; a policy's own shapers are for
        those that no shaping policy matches. FortiOS goes by "the DSCP values in the incoming
        packets" (Administration Guide, DSCP matching): here each packet goes by its own, so that
        answers are in a class where they are marked themselves.

        Args:
            intent: what to do.
            matcher: collects sets.
            arriving: False for packets that the gateway itself sends, which arrived nowhere.
        """
        for row in intent.shaping_policies:
            owner, selects = f"shaping-policy {row.id}", row.selects
            for reply, name in ((False, row.shaper), (True, row.shaper_reverse)):
                ways = (selects.srcintf, selects.dstintf)
                incoming, outgoing = reversed(ways) if reply else ways
                where = matcher.interfaces(incoming if arriving else (), outgoing)
                where += f" ct direction {'reply' if reply else 'original'}"
                classid = self.classid(intent, name, owner)
                action = f"meta priority set {classid} accept" if classid else "accept"
                for text in matcher.sessions(selects, reply):
                    marked = matcher.marked(row.marking, selects)
                    yield " ".join(part for part in (where, text, marked, action) if part)
        for direction, attribute in (("original", "shaper"), ("reply", "shaper_reverse")):
            elements = []
            for policy in intent.in_force:
                if not policy.accept:  # it has no class
                    continue
                classid = self.classid(intent, getattr(policy, attribute), f"policy {policy.id}")
                if classid:
                    elements.append(f"{policy.id} : {classid}")
            if elements:
                yield (
                    f"ct direction {direction} meta priority set "
                    f"ct mark map {{ {', '.join(elements)} }}"
                )


def _uses(intent: Intent) -> Iterator[tuple[Selector, str | None, str | None, str]]:
    for row in intent.shaping_policies:
        yield row.selects, row.shaper, row.shaper_reverse, f"shaping-policy {row.id}"
    for policy in intent.in_force:
        if policy.accept and (policy.shaper or policy.shaper_reverse):
            yield policy.selects, policy.shaper, policy.shaper_reverse, f"policy {policy.id}"
