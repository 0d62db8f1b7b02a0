"""Where a connection through the gateway got lost: in between, or at one of the endpoints.

The packets of a connection are looked for at both ends in the order in which they follow each
other. What left one end and did not come to the other got lost in between. What came to an end and
was not followed by the next packet was not taken there: by a firewall of that end, or its
reverse-path filter (RFC 3704), which may be of one interface alone and say nothing on another path.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from gatepass.base.errors import NotProven
from gatepass.endpoint.probe import ANSWERED, Probe, try_all
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.wire_look import IS_AT, WHO_HAS, Packet, looking

_TIMEOUT_S = 1.5
"""A SYN without an answer is sent again after a second (RFC 6298, 2.1)."""
_LIMIT_S = 60
_SYN, _RST, _ACK = 0x02, 0x04, 0x10

_OPEN = 4
"""The step with which a connection of TCP is open for who began it."""

Of = Callable[[Packet], bool]


def must_be_lost_in_between(
    near: Shell,
    far: Shell | None,
    probes: Sequence[Probe],
    opens: bool = False,
    again: Callable[[], object] | None = None,
    sources: Collection[str] = (),
) -> None:
    """Try connections again that get no answer, and see on both ends' interfaces how far they come.

    Args:
        near: the endpoint from which they are tried.
        far: the one to which they go; None where they go to the gateway itself.
        probes: as they were tried through the gateway.
        opens: whether it is enough that they open, as no responder listens there.
        again: brings such connections about; the probes themselves are tried unless given.
        sources: addresses that the far end can answer; one of another, which the gateway has put
            in, is not lost by the far end that does not. Any will do unless given.

    Raises:
        NotProven: one of them got lost at an endpoint, or an endpoint cannot see its own packets.
    """
    once = [replace(probe, tries=1) for probe in probes]
    hosts = [near, far] if far else [near]
    with looking(hosts, [probe.port for probe in once], _LIMIT_S) as looks:
        lost = once if again else _unanswered(near, once)
        if again:
            again()
        seen = [look.end() for look in looks]
    at_far = seen[1] if far else ()
    ends = Ends(near.name, far.name if far else "gateway", seen[0], at_far, sources)
    for probe in lost:
        if reason := ends.loses(probe, opens):
            raise NotProven(reason)


def _unanswered(near: Shell, probes: Sequence[Probe]) -> list[Probe]:
    answers = try_all(near, probes, _TIMEOUT_S)
    return [answer.probe for answer in answers if answer.outcome != ANSWERED]


@dataclass(frozen=True)
class _Step:
    """A packet of a connection at one place of its way.

    Attributes:
        at_far: whether that is at the far end.
        way: out of it, or in.
        kind: what the packet has to be besides.
    """

    at_far: bool
    way: str
    kind: Of

    @property
    def there(self) -> bool:
        """Whether it is on its way to the far end, and not back."""
        return self.at_far == (self.way == "in")


def _steps(*kinds: tuple[bool, Of]) -> list[_Step]:
    """The steps of packets that follow each other; each leaves one end and comes to the other."""
    return [
        step
        for there, kind in kinds
        for step in (_Step(not there, "out", kind), _Step(there, "in", kind))
    ]


_STEPS = {
    "tcp": _steps(
        (True, lambda one: one.flags & (_SYN | _ACK) == _SYN),
        (False, lambda one: one.flags & (_SYN | _ACK) == _SYN | _ACK),
        (True, lambda one: one.flags & (_SYN | _RST | _ACK) == _ACK),
        (False, lambda one: one.length > 0),
    ),
    "udp": _steps((True, lambda one: True), (False, lambda one: True)),
}


@dataclass(frozen=True)
class Ends:
    """What passed the interfaces of two endpoints while connections were tried.

    Attributes:
        near, far: names of the endpoint that tried them, and of the other one.
        at_near, at_far: the packets.
        sources: addresses that the far end can answer; any where none is given.
    """

    near: str
    far: str
    at_near: Sequence[Packet]
    at_far: Sequence[Packet]
    sources: Collection[str] = ()

    def loses(self, probe: Probe, opens: bool = False) -> str:
        """How an endpoint lost a connection, in sentences; empty where none of them did.

        Args:
            probe: the connection.
            opens: whether it is enough that it opens.
        """
        steps = _STEPS[probe.protocol]
        found = [self._packets(step, probe) for step in steps]
        reached = max((place for place, packets in enumerate(found) if packets), default=-1)
        if reached < 0:
            # what the kernel itself seals for a tunnel is not seen in clear when it goes out
            return "" if probe.via else self._unsent(probe)
        if opens and reached >= _OPEN:
            return ""
        if self.sources and found[1] and all(one.source not in self.sources for one in found[1]):
            return ""
        came = {one.interface for one in found[1]}
        went = {one.interface for one in found[2]}
        if came and went and not came & went:
            return (
                f"{probe} came through the gateway to {sorted(came)[0]} of the {self.far}, which "
                f"answers by {sorted(went)[0]}, past the gateway. Correct its route back to the "
                f"{self.near}."
            )
        if reached + 1 == len(steps) or steps[reached + 1].way == "out":
            return self._dropped(steps[reached], found[reached], probe)
        if steps[reached + 1].at_far:
            return _unknown_neighbour(self.far, self.at_far, {probe.address})
        own = {one.target for one in found[reached]}
        return _unknown_neighbour(self.near, self.at_near, own)

    def _packets(self, step: _Step, probe: Probe) -> list[Packet]:
        def fits(one: Packet) -> bool:
            if step.there:
                known = (one.target, one.target_port) == (probe.address, probe.port)
            else:  # from whichever address the far end has on the way that it takes
                known = one.source_port == probe.port
            known = known and (one.protocol, one.way) == (probe.protocol, step.way)
            return known and step.kind(one)

        return [one for one in (self.at_far if step.at_far else self.at_near) if fits(one)]

    def _unsent(self, probe: Probe) -> str:
        return (
            f"{probe} did not leave the {self.near}. Is there a firewall on it? Permit port "
            f"{probe.port} there, on all interfaces."
        )

    def _dropped(self, step: _Step, packets: Sequence[Packet], probe: Probe) -> str:
        """An end did not take what came to it."""
        name = self.far if step.at_far else self.near
        came = f"{probe} came" if step.there else f"the answer to {probe} came"
        return (
            f"{came} through the gateway to {packets[0].interface} of the {name}, and the {name} "
            "did not take it. Is there a firewall on it, or a strict reverse-path filter "
            f"(rp_filter)? Permit port {probe.port} there, on all interfaces."
        )


def _unknown_neighbour(name: str, packets: Sequence[Packet], addresses: set[str]) -> str:
    """An end does not say where it is, so that nothing can be sent to it; empty where it does.

    Args:
        name: of the end.
        packets: that passed its interfaces.
        addresses: its own that matter.
    """
    asked = {one.target for one in packets if (one.protocol, one.way) == (WHO_HAS, "in")}
    told = {one.target for one in packets if (one.protocol, one.way) == (IS_AT, "out")}
    silent = sorted(asked & addresses - told)
    if not silent:
        return ""
    return (
        f"the {name} does not answer when it is asked for the hardware address of {silent[0]}. "
        "Is there a firewall on it that drops ARP or Neighbor Discovery?"
    )
