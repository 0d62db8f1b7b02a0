"""Classes of service on their way, through the gateway and beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from gatepass.endpoint.clock_agreement import agreement
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.rig_watch import RigWatch
from gatepass.endpoint.shell import Shell
from gatepass.inputs.objectives import ServiceClass
from gatepass.results.agreement import Agreement
from gatepass.results.datagrams import Stream
from gatepass.scenarios.objectives.sent import Sent, each_undisturbed, together, undisturbed
from gatepass.scenarios.objectives.streams import (
    TO_SERVER,
    WAYS,
    Ends,
    all_at_once,
    in_steps,
    step_name,
    steps,
)

PART_S = 60
"""What lasts longer is sent in parts, between which nothing passes for a moment: what disturbed one
of them costs no more than that one."""
TRIES, STEP_TRIES = 4, 12
"""How often all of it is sent at most, and how often a single step within so much traffic."""
AGREED_SHARE = 0.1
"""Of the tightest limit of a delay: clocks that may differ by more do not agree."""


class Service:
    """Sends classes of service both ways on one path.

    Args:
        client, server: the endpoints.
        ends: of the path.
        watch: on the endpoints.
        keep: folder where what was seen is kept; each time a file of its own.
        clocks_by: address of the server by which clocks are compared: the quickest way there is, as
            what holds packets up makes the comparison as vague.
        tell: is told how far a long test is.
    """

    def __init__(
        self,
        client: Shell,
        server: Shell,
        ends: Ends,
        watch: RigWatch,
        keep: Path,
        clocks_by: str,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._client, self._server, self._ends = client, server, ends
        self._watch, self._keep, self._tell = watch, keep, tell
        self._clocks_by = clocks_by
        self._kept = 0

    def in_steps(self, classes: Sequence[ServiceClass], step_s: float) -> Sent:
        """Each class alone, step by step (ITU-T Y.1564, service configuration test).

        Raises:
            NotProven: the rig was disturbed each time, or a program failed.
        """
        names = [step_name(one, step) for one in classes for step in steps(one)]

        def send(chosen: Sequence[str]) -> Sent:
            return self._once(
                {way: in_steps(self._ends, way, classes, step_s, chosen) for way in WAYS}
            )

        return each_undisturbed(send, names, TRIES, STEP_TRIES)

    def all_at_once(
        self, classes: Sequence[ServiceClass], seconds: float, last_mbps: float | None = None
    ) -> Sent:
        """All classes at their committed rates (ITU-T Y.1564, service performance test).

        Args:
            classes: at least one.
            seconds: for how long.
            last_mbps: rate of the last class, where it is not its committed one.

        Raises:
            NotProven: the rig was disturbed each time, or a program failed.
        """
        parts: list[Sent] = []
        before = self._clocks()
        probed = not _agree(before, classes)
        count = max(1, round(seconds / PART_S))
        for number in range(count):
            plans = {
                way: all_at_once(self._ends, way, classes, seconds / count, last_mbps, probed)
                for way in WAYS
            }
            part = undisturbed(lambda plans=plans: self._once(plans), TRIES)
            after = self._clocks()
            parts.append(replace(part, clocks=before.and_then(after)))
            before = after
            if count > 1:
                self._tell(f"{number + 1} of {count} parts of {seconds / count:g} s were sent.")
        return together(parts)

    def _clocks(self) -> Agreement:
        """How far the server's clock is ahead of the client's."""
        return agreement(self._client, self._server, self._clocks_by, self._ends.port)

    def _once(self, plans: Mapping[str, Sequence[Stream]]) -> Sent:
        shells = {"client": self._client, "server": self._server}
        begun = self._watch.mark(shells)
        with ExitStack() as stack:
            trials = {}
            for way, streams in plans.items():
                ways = [self._client, self._server]
                sender, receiver = ways if way == TO_SERVER else reversed(ways)
                trials[way] = DatagramTrial(sender, receiver, streams, f"datagrams-{way}")
                stack.callback(trials[way].stop)
            ways = {way: trial.wait() for way, trial in trials.items()}
        sent = Sent(ways, self._watch.since(begun))
        self._kept += 1
        self._keep.mkdir(parents=True, exist_ok=True)
        path = self._keep / f"{self._kept:03d}.json"
        path.write_text(json.dumps(sent.record()), encoding="utf-8")
        return sent


def _agree(clocks: Agreement, classes: Sequence[ServiceClass]) -> bool:
    """Whether clocks differ by little enough to tell whether delays are within their limits."""
    limits = [
        limit for one in classes for limit in (one.delay_ms, one.mean_delay_ms) if limit is not None
    ]
    return not limits or clocks.error_us / 1000 <= AGREED_SHARE * min(limits)
