"""A gateway and endpoints that are reckoned: a shaper with a queue, and a sender with a limit."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from carried_examples import carried_of
from gatepass.results.datagrams import Carried, Spread, Stream
from gatepass.scenarios.studies.trials import Seen

THROUGH, BESIDE = "198.18.2.10", "198.18.9.10"
_US, _TICK_S = 1e6, 0.1


@dataclass
class SimulatedGateway:
    """Sends frames through a token bucket with a queue, as `trials.Send`.

    Attributes:
        line_mbps: that the gateway forwards, Mbit/s of frames with check sequence.
        queue: frames that wait at most; one more is lost.
        rig_per_s: that the sender sends at most, frames a second.
        way_us: that every frame takes.
        burst_s: for so long a shaper that was at rest lets everything pass.
        loses: of so many frames one is lost on the way, whatever the load; 0 for none.
        source: address that frames come from, as the server sees it.
        disturbed: what the hosts did in each of the first trials; nothing in those after them.
        trials: that ran.
    """

    line_mbps: float
    queue: int = 100
    rig_per_s: float = 80_000.0
    way_us: int = 40
    burst_s: float = 0.0
    loses: int = 0
    source: str = "198.18.1.10"
    disturbed: list[str] = field(default_factory=list)
    trials: list[Sequence[Stream]] = field(default_factory=list)

    def __call__(self, streams: Sequence[Stream]) -> Seen:
        """A trial."""
        self.trials.append(streams)
        plans = {one.name: self._sent(one) for one in streams}
        came = self._carried(streams, plans)
        seen = {one.name: self._told(one, plans[one.name], came[one.name]) for one in streams}
        return Seen(seen, self.disturbed.pop(0) if self.disturbed else "")

    def _sent(self, stream: Stream) -> list[float]:
        """When each frame goes; the sender leaves out what it has no time for."""
        rate = min(stream.per_s, self.rig_per_s)
        count = min(stream.count, round(rate * stream.seconds))
        return [number / rate for number in range(count)]

    def _carried(
        self, streams: Sequence[Stream], plans: Mapping[str, Sequence[float]]
    ) -> dict[str, dict[int, float]]:
        """By stream and number: after how many microseconds a frame came."""
        if streams[0].address != THROUGH:
            return {name: dict.fromkeys(range(len(sent)), self.way_us)
                    for name, sent in plans.items()}  # fmt: skip
        order = sorted(
            (at, number, stream)
            for stream, sent in enumerate(plans.values())
            for number, at in enumerate(sent)
        )
        came: dict[str, dict[int, float]] = {name: {} for name in plans}
        free_at, waiting = -self.burst_s, deque[float]()
        for place, (at, number, which) in enumerate(order):
            while waiting and waiting[0] <= at:
                waiting.popleft()
            by_chance = self.loses and place % self.loses == self.loses - 1
            if by_chance or len(waiting) >= self.queue:
                continue
            frames = streams[which].frames
            free_at = max(free_at, at - self.burst_s)
            free_at += frames[number % len(frames)] * 8 / self.line_mbps / _US
            waiting.append(max(free_at, at))
            came[streams[which].name][number] = max(0.0, free_at - at) * _US + self.way_us
        return came

    def _told(self, stream: Stream, moments: list[float], came: dict[int, float]) -> Carried:
        ticks = [[0, 0] for _ in range(int((moments[-1] if moments else 0) / _TICK_S) + 1)]
        for number, at in enumerate(moments):
            ticks[int(at / _TICK_S)][0] += 1
            ticks[int(at / _TICK_S)][1] += number in came
        missing = [number for number in range(len(moments)) if number not in came]
        return carried_of(
            stream=stream,
            sent=len(moments),
            unsent=stream.count - len(moments),
            sending_s=moments[-1] if moments else 0.0,
            received=len(came),
            sources=frozenset({self.source}),
            delay=Spread(Counter(round(delay) for delay in came.values()).items()),
            gaps=tuple((number, 1, 0) for number in missing[:1000]),
            ticks=tuple((sent, arrived) for sent, arrived in ticks),
            arrivals=_arrivals(moments, came),
        )


def _arrivals(moments: Sequence[float], came: Mapping[int, float]) -> tuple[int, ...]:
    """By tenths of a second: how many frames came."""
    ended = (moments[number] + delay / _US for number, delay in came.items())
    ticks = Counter(int(moment / _TICK_S) for moment in ended)
    return tuple(ticks.get(tick, 0) for tick in range(max(ticks, default=-1) + 1))
