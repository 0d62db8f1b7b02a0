"""What is sent of each class of service: in steps, one class at a time, and all classes at once."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from gatepass.inputs.objectives import ServiceClass
from gatepass.results.datagrams import Stream
from gatepass.results.trial import POLICING

TO_SERVER, TO_CLIENT = "to_server", "to_client"
WAYS = (TO_SERVER, TO_CLIENT)
COMMITTED_STEPS = (25, 50, 75, 100)
"""Per cent of the committed rate (ITU-T Y.1564, 8.1.2)."""
EXCESS, BEYOND = "excess", "beyond"
PAUSE_S = 0.35
"""Between two steps: what waits in a shaper's queue is gone by then."""
BEYOND_S = 0.8
"""The policing step lasts at least so long: in the tenths of a second of a shorter one, frames that
were held up for a few milliseconds and then come at once are a rate that nobody let through."""
_BEYOND_ALLOWED = 1.1
"""Times what a class may get at most: less would pass where nothing limits it."""
OVERLOAD_S = 6
"""For how long at most classes are sent beside an overload of the last one."""
_AROUND_S = 4.0
"""Starting programs, comparing clocks and fetching what was seen, in seconds, as seen."""
_SINGLY_PER_S = 12_000
"""Frames a second up to which each is sent by itself; a program of the endpoint, which sends others
meanwhile and both ways, does not reach many times more."""
_SOURCES = 200
PROBE_PER_S = 50.0
"""Frames a second that are sent back where clocks do not agree."""


@dataclass(frozen=True)
class Ends:
    """The two ends of a path.

    Attributes:
        client, server: their addresses on it.
        port: the first of those that datagrams go to; as many as there are streams, and as many
            from `_SOURCES` on that those to the client come from.
    """

    client: str
    server: str
    port: int

    def stream(self, way: str, number: int, name: str, **given: object) -> Stream:
        """One of a way; what goes to the client is asked for by the client itself.

        Args:
            way: one of `WAYS`.
            number: of the stream among those that are sent at one time.
            name: of the stream.
            given: further attributes of `Stream`.
        """
        port = self.port + number
        if way == TO_SERVER:
            return Stream(name, self.server, port, source=self.client, **given)  # type: ignore[arg-type]
        there = {"source": self.server, "source_port": port + _SOURCES, "knocks": True}
        return Stream(name, self.client, port, **there, **given)  # type: ignore[arg-type]


def beyond_mbps(one: ServiceClass) -> float:
    """The rate of the policing step, Mbit/s (ITU-T Y.1564, 8.1.2); surely more than is allowed."""
    if one.eir_mbps < 0.2 * one.cir_mbps:
        rate = POLICING * one.cir_mbps + one.eir_mbps
    else:
        rate = one.cir_mbps + POLICING * one.eir_mbps
    return max(rate, _BEYOND_ALLOWED * one.most_mbps)


def steps(one: ServiceClass) -> dict[str, float]:
    """The rates of a class's configuration test by the steps' names, Mbit/s, in their order."""
    found = {str(percent): one.cir_mbps * percent / 100 for percent in COMMITTED_STEPS}
    if one.eir_mbps:
        found[EXCESS] = one.cir_mbps + one.eir_mbps
    return found | {BEYOND: beyond_mbps(one)}


def lasts_s(classes: Sequence[ServiceClass], step_s: float, service_s: float) -> float:
    """About how long it takes to send classes in steps, at once, and beside an overload, seconds.

    Args:
        classes: of an order; none take no time.
        step_s: of a step.
        service_s: for how long all are sent at once.
    """
    if not classes:
        return 0.0
    alone_s = sum(_lasts_s(step, step_s) + PAUSE_S for one in classes for step in steps(one))
    overload_s = min(OVERLOAD_S, service_s) if len(classes) > 1 else 0
    return alone_s + service_s + overload_s + _AROUND_S


def _lasts_s(step: str, step_s: float) -> float:
    return max(step_s, BEYOND_S) if step == BEYOND else step_s


def step_name(one: ServiceClass, step: str) -> str:
    """What the stream of a step is called."""
    return f"{one.name} {step}"


def in_steps(
    ends: Ends,
    way: str,
    classes: Sequence[ServiceClass],
    step_s: float,
    chosen: Container[str] | None = None,
) -> list[Stream]:
    """Each class alone, one step after the other.

    Args:
        ends: of the path.
        way: one of `WAYS`.
        classes: in the order in which they are sent.
        step_s: seconds of each step; see `BEYOND_S`.
        chosen: the streams' names; all unless given.
    """
    streams, after_s = [], 0.0
    for number, (one, step, mbps) in enumerate(_all_steps(classes)):
        name, seconds = step_name(one, step), _lasts_s(step, step_s)
        if chosen is not None and name not in chosen:
            continue
        given = _of(one, mbps, seconds)
        streams.append(ends.stream(way, number, name, after_s=after_s, **given))
        after_s += seconds + PAUSE_S
    return streams


def all_at_once(
    ends: Ends,
    way: str,
    classes: Sequence[ServiceClass],
    seconds: float,
    last_mbps: float | None = None,
    probed: bool = False,
) -> list[Stream]:
    """All classes at their committed rates.

    Args:
        ends: of the path.
        way: one of `WAYS`.
        classes: at least one.
        seconds: for how long.
        last_mbps: rate of the last class, where it is not its committed one.
        probed: whether a few frames of each class are sent back, as the endpoints' clocks do not
            agree; they are of its committed rate, both there and back.
    """
    streams = []
    for number, one in enumerate(classes):
        mbps = last_mbps if last_mbps and one is classes[-1] else one.cir_mbps
        stream = ends.stream(way, number, one.name, **_of(one, mbps, seconds))
        if not probed:
            streams.append(stream)
            continue
        probe = _probe_per_s(stream)
        streams += [
            replace(stream, per_s=max(stream.per_s - 2 * probe, probe)),
            ends.stream(
                way,
                len(classes) + number,
                probe_name(one),
                frames=stream.frames[:1],
                per_s=probe,
                seconds=seconds,
                dscp=one.code,
                reflected=True,
            ),
        ]
    return streams


def probe_name(one: ServiceClass) -> str:
    """What the stream of a class's frames that are sent back is called."""
    return f"{one.name} there and back"


def _probe_per_s(stream: Stream) -> float:
    return min(PROBE_PER_S, stream.per_s / 10)


def _of(one: ServiceClass, mbps: float, seconds: float) -> dict:
    per_s = one.frames_per_s(mbps)
    alike = len(set(one.sizes)) == 1
    return {
        "frames": one.sizes[:1] if alike else one.sizes,
        "per_s": per_s,
        "seconds": seconds,
        "dscp": one.code,
        "segmented": alike and per_s > _SINGLY_PER_S,
    }


def _all_steps(classes: Sequence[ServiceClass]) -> Iterator[tuple[ServiceClass, str, float]]:
    for one in classes:
        for step, mbps in steps(one).items():
            yield one, step, mbps
