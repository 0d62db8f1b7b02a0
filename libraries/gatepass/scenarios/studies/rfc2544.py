"""RFC 2544 and RFC 5180 on a gateway: its parts in their order, each frame size once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from gatepass.base.errors import NotProven
from gatepass.results.agreement import Agreement
from gatepass.scenarios.studies.back_to_back import Bursts, back_to_back
from gatepass.scenarios.studies.conditions import Conditions
from gatepass.scenarios.studies.frames import FrameSize, Ways
from gatepass.scenarios.studies.latency import Latency, latency
from gatepass.scenarios.studies.loss_curve import Point, loss_curve
from gatepass.scenarios.studies.recovery import Recovery, recovery
from gatepass.scenarios.studies.throughput import Throughput, throughput
from gatepass.scenarios.studies.trials import Send

NAME = "rfc2544"
Made = TypeVar("Made")


class Rfc2544:
    """The study on one gateway.

    Args:
        send: sends.
        ways: of each family that the testbed has, through the gateway and beside it.
        conditions: how thoroughly.

    Attributes:
        conditions: see there.
        troubles: why a frame size could not be measured, by its name, of the last part.
    """

    def __init__(self, send: Send, ways: Mapping[str, Ways], conditions: Conditions) -> None:
        self._send, self._ways = send, ways
        self.conditions = conditions
        self.troubles: dict[str, str] = {}
        self._throughputs: dict[FrameSize, Throughput | NotProven] = {}

    @property
    def searched(self) -> tuple[FrameSize, ...]:
        """Frame sizes whose throughput is searched."""
        return self._there(self.conditions.searched)

    @property
    def closer(self) -> tuple[FrameSize, ...]:
        """Those that all else is measured with."""
        return self._there(self.conditions.closer)

    def throughputs(self) -> list[Throughput]:
        """By frame size; once for all parts, as the others begin there."""
        return self._each(self.searched, self.throughput)

    def throughput(self, size: FrameSize) -> Throughput:
        """Of one frame size.

        Raises:
            NotProven: the rig cannot tell.
        """
        if size not in self._throughputs:
            try:
                made: Throughput | NotProven = throughput(
                    self._send, self._ways[size.family], size, self.conditions
                )
            except NotProven as why:
                made = why
            self._throughputs[size] = made
        made = self._throughputs[size]
        if isinstance(made, NotProven):
            raise made
        return made

    def latencies(self, clocks: Callable[[], Agreement], confidence: float) -> list[Latency]:
        """At the throughput of each frame size."""

        def at_throughput(size: FrameSize) -> Latency:
            asked = self.conditions
            return latency(
                self._send,
                self._ways[size.family],
                size,
                self._rate(size),
                asked.latency_repeats,
                asked.latency_s,
                clocks,
                confidence,
            )

        return self._each(self.closer, at_throughput)

    def loss_curves(self) -> list[list[Point]]:
        """By frame size, each from the rig's rate downwards."""

        def curve(size: FrameSize) -> list[Point]:
            highest = self.throughput(size).offered_per_s
            through = self._ways[size.family].through
            return loss_curve(self._send, through, size, highest, self.conditions.curve_s)

        return self._each(self.closer, curve)

    def bursts(self) -> list[Bursts]:
        """The longest that lose nothing, by frame size."""

        def longest(size: FrameSize) -> Bursts:
            asked = self.conditions
            return back_to_back(
                self._send,
                self._ways[size.family].through,
                size,
                self.throughput(size).offered_per_s,
                asked.burst_s,
                asked.bursts,
            )

        return self._each(self.closer, longest)

    def recoveries(self) -> list[Recovery]:
        """From an overload, by frame size."""

        def relieved(size: FrameSize) -> Recovery:
            asked = self.conditions
            return recovery(
                self._send,
                self._ways[size.family].through,
                size,
                self._rate(size),
                self.throughput(size).offered_per_s,
                asked.overload_s,
                asked.after_s,
            )

        return self._each(self.closer, relieved)

    def must_be_whole(self) -> None:
        """Each frame size of the last part was measured.

        Raises:
            NotProven: one was not.
        """
        if self.troubles:
            name, why = next(iter(self.troubles.items()))
            more = f" ({len(self.troubles) - 1} more)" if len(self.troubles) > 1 else ""
            raise NotProven(f"frames of {name}{more} could not be measured: {why}")

    def _rate(self, size: FrameSize) -> float:
        """The throughput that the other parts begin at, frames a second.

        Raises:
            NotProven: there is none.
        """
        rate = self.throughput(size).without_loss.lower
        if not rate:
            raise NotProven(f"the gateway loses frames of {size} at every rate that was tried.")
        return rate

    def _each(
        self, wanted: Sequence[FrameSize], measure: Callable[[FrameSize], Made]
    ) -> list[Made]:
        """What can be measured; why the rest cannot is in `troubles`."""
        self.troubles = {}
        made = []
        for size in wanted:
            try:
                made.append(measure(size))
            except NotProven as why:
                self.troubles[str(size)] = str(why.reason)
        return made

    def _there(self, wanted: Sequence[FrameSize]) -> tuple[FrameSize, ...]:
        return tuple(size for size in wanted if size.family in self._ways)
