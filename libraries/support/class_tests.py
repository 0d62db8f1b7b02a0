"""Classes of service as a run sends them: once each way of sending, with proof of the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from robot.api import logger

from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.results.record import Evidence
from gatepass.results.trial import POLICING
from gatepass.scenarios.objectives.conduct import Service
from gatepass.scenarios.objectives.sent import Sent
from gatepass.scenarios.objectives.streams import (
    OVERLOAD_S,
    TO_CLIENT,
    TO_SERVER,
    Ends,
    beyond_mbps,
)
from support.policies import COUNTERS_LAG_S, counter_of
from support.run_context import RunContext, once

FIRST_PORT = 100
"""Above the testbed's probe_port: the first of those that classes are sent to."""
_CONTROL_S = 10
"""For how long at most classes are sent beside the gateway."""
AGAIN = 2
"""How often classes are sent again where a figure misses by little."""
_FOLDER = Path("trials", "classes")

Send = Callable[[Service], Sent]


@dataclass(frozen=True)
class ClassTest:
    """Classes that were sent through the gateway.

    Attributes:
        sent: what became of them.
        evidence: of the path, seen in the same time.
        beside: sends the same on the path without the gateway, and does so once; None where there
            is no such path.
        again: sends the same through the gateway `AGAIN` times more, and does so once.
        overloaded: whether the last class was sent far beyond its rate.
    """

    sent: Sent
    evidence: tuple[Evidence, ...]
    beside: Callable[[], Sent] | None
    again: Callable[[], Sequence[Sent]]
    overloaded: bool = False


class ClassTests:
    """What a run sends of its order's classes; each property once, by whichever check is first.

    Args:
        run: whose last test policy permits the traffic.
    """

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._opened: dict[str, object] = {}

    @once
    def in_steps(self) -> ClassTest:
        """Each class alone, step by step."""
        classes, step_s = self._run.order.classes, self._run.profile.step_s
        return self._tried("steps", lambda service, within_s: service.in_steps(classes, step_s))

    @once
    def at_once(self) -> ClassTest:
        """All classes at their committed rates, for as long as the profile says."""
        classes, lasts = self._run.order.classes, self._run.profile.service_s
        return self._tried(
            "at-once",
            lambda service, within_s: service.all_at_once(classes, min(lasts, within_s)),
        )

    @once
    def beside_overload(self) -> ClassTest:
        """All classes, the last of them far beyond its rate and the tier's."""
        run, classes = self._run, self._run.order.classes
        lasts = min(run.profile.service_s, OVERLOAD_S)
        tier = POLICING * (run.order.promise.stateful_mbps or 0)
        last = max(beyond_mbps(classes[-1]), tier)
        return self._tried(
            "beside-overload",
            lambda service, within_s: service.all_at_once(classes, min(lasts, within_s), last),
            overloaded=True,
        )

    def _tried(
        self, name: str, send: Callable[[Service, float], Sent], overloaded: bool = False
    ) -> ClassTest:
        ends, policyid = self._run.testbed.endpoints, self._run.rules.test_id
        client, server = ends.client, ends.server
        before = counter_of(self._run, policyid).get("bytes", 0)
        through = self._service(client.address, server.address, name)
        sent = send(through, float("inf"))
        received = sum(one.received_bytes for one in sent.ways[TO_SERVER].values())

        def counted() -> int:
            return counter_of(self._run, policyid).get("bytes", 0) - before

        reached = until(lambda: counted() >= received, COUNTERS_LAG_S)
        told = (
            f"Policy {policyid} counted {counted():,} bytes more than before; the server got "
            f"{received:,} of the classes' datagrams."
        )
        evidence = (
            Evidence(say("counted"), told, reached),
            *_addresses(sent, client.address, server.address),
        )
        beside = None
        if client.direct_address is not None and server.direct_address is not None:
            direct = self._service(client.direct_address, server.direct_address, f"{name}-beside")
            beside = cache(lambda: send(direct, _CONTROL_S))
        again = cache(lambda: [send(through, float("inf")) for _ in range(AGAIN)])
        return ClassTest(sent, evidence, beside, again, overloaded)

    def _service(self, client: str, server: str, name: str) -> Service:
        run = self._run
        ends = Ends(client, server, run.testbed.endpoints.server.probe_port + FIRST_PORT)
        keep, beside = run.folder / _FOLDER / name, run.testbed.endpoints.server.direct_address
        return Service(
            run.client, run.server, ends, run.rig, keep, beside or server, logger.console
        )


def _addresses(sent: Sent, client: str, server: str) -> tuple[Evidence, ...]:
    """Whose address each side saw."""
    found = []
    for way, wanted, who in ((TO_SERVER, client, "server"), (TO_CLIENT, server, "client")):
        seen = sorted(set().union(*(one.sources for one in sent.ways[way].values())))
        found.append(
            Evidence(
                say("class_address", way=say(way)),
                f"The {who} saw {', '.join(seen) or 'nobody'}; it should see {wanted}.",
                seen in ([], [wanted]),  # that nothing came is another check's
            )
        )
    return tuple(found)
