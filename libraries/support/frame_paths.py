"""The ways of a study's frames to the server: what permits them, and what shows their way."""

from __future__ import annotations

from collections.abc import Callable

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.clock_agreement import agreement
from gatepass.endpoint.script import script
from gatepass.inputs.scope import NO_DIRECT_PATH
from gatepass.results.agreement import Agreement
from gatepass.results.datagrams import Carried
from gatepass.results.record import Evidence
from gatepass.scenarios.studies.frames import IPV4, IPV6, FrameSize, Way, Ways
from gatepass.scenarios.studies.latency import ONE_CLOCK
from gatepass.scenarios.studies.trials import Ledger, Send, between
from support.connections import address_of
from support.policies import APPLY_S, COUNTERS_LAG_S, counter_of
from support.run_context import RunContext

_IPV6_POLICY = 4
_A_FEW, _AT_EASE = 20, 200.0
"""Frames, and how many a second, that tell whether any get through."""
_BOOT = script("cat /proc/sys/kernel/random/boot_id")


class FramePaths:
    """From the client to the server, through the gateway and beside it.

    Args:
        run: the run.
        note: keeps what is told of a trial.

    Attributes:
        ways: those that the testbed has, by family.
        send: sends.
    """

    def __init__(self, run: RunContext, note: Callable[[dict], None]) -> None:
        run.stop_responders()  # their port is the frames' as well
        self._run, self._ledger, self._nat = run, Ledger(), False
        self.ways = _ways(run)
        self._aside = between(run.client, run.server, run.rig, note)
        self.send: Send = self._ledger.kept(self._aside)

    def permit(self, nat: bool = False) -> None:
        """One policy permits them, over IPv6 another one, unless they stand since the check before.

        What passes counts from here on, where something had to be changed.

        Args:
            nat: whether the policy hides the client behind the gateway's address.

        Raises:
            AssertionError: frames do not get through all the same.
            NotProven: the testbed has no path without the gateway, or nothing passes there either.
        """
        if self._run.testbed.endpoints.server.direct_address is None:
            raise NotProven(". ".join(NO_DIRECT_PATH))
        self._set(nat)
        for family, ways in self.ways.items():
            self._must_pass(family, ways)

    def evidence(self) -> tuple[Evidence, Evidence]:
        """Whether the policies counted at least what arrived, and the server saw who it should."""
        through = {ways.through.address for ways in self.ways.values()}
        arrived, before = self._ledger.arrived(through), self._ledger.counted_before or 0
        reached = until(lambda: self._counted() - before >= arrived, COUNTERS_LAG_S)
        counted = Evidence(
            say("counted"),
            f"The test policies counted {self._counted() - before:,} bytes more than before; "
            f"{arrived:,} arrived.",
            reached,
        )
        seen = self._ledger.sources(through)
        return counted, Evidence(
            say("address_seen"),
            f"The server saw {', '.join(sorted(seen)) or 'nobody'}.",
            bool(seen) and seen <= self._own,
        )

    def clocks(self) -> Agreement:
        """How far the server's clock is ahead of the client's; those of one machine are one.

        Raises:
            NotProven: they are of two machines and cannot be compared.
        """
        ends = self._run.client, self._run.server
        boots = {shell.run(_BOOT, again=True).output for shell in ends}
        if len(boots) == 1:
            return ONE_CLOCK
        # beside the gateway: what holds packets up makes the comparison as vague
        beside = next(iter(self.ways.values())).beside
        return agreement(*ends, beside.address, beside.port)

    def _set(self, nat: bool) -> None:
        rules, ends = self._run.rules, self._run.testbed.endpoints
        sixth, ipv6 = rules.free_id(_IPV6_POLICY), IPV6 in self.ways
        same = self._ledger.counted_before is not None and nat == self._nat
        if same and ipv6 and rules.holds(sixth):
            return
        other, self._nat = nat != self._nat, nat
        rules.set(1, nat=nat)
        if ipv6:
            rules.add(rules.ipv6_row(sixth, ends.client.address6, ends.server.address6))
        if other:  # until then frames come from the address as before
            until(self._from_its_own, rules.in_force_within(APPLY_S))
        if ipv6 or not same:
            self._ledger.begin(self._counted())

    @property
    def _own(self) -> set[str | None]:
        """Addresses that frames have to come from."""
        client = self._run.testbed.endpoints.client
        fourth = address_of(self._run, "gateway") if self._nat else client.address
        return {fourth, client.address6}

    def _from_its_own(self) -> bool:
        sources = self._few(self._aside, IPV4, self.ways[IPV4].through).sources
        return bool(sources) and sources <= self._own

    def _few(self, send: Send, family: str, way: Way) -> Carried:
        """What becomes of a few frames."""
        size = FrameSize(family, (512,))
        return send([way.stream(size, _AT_EASE, _A_FEW / _AT_EASE)]).one

    def _counted(self) -> int:
        """Bytes that the test policies have counted."""
        rules = self._run.rules
        numbers = [rules.test_id, rules.free_id(_IPV6_POLICY)]
        return sum(counter_of(self._run, number).get("bytes", 0) for number in numbers)

    def _must_pass(self, family: str, ways: Ways) -> None:
        def passes(way: Way) -> bool:
            return self._few(self.send, family, way).received > 0

        if until(lambda: passes(ways.through), self._run.rules.in_force_within(APPLY_S)):
            return
        if not passes(ways.beside):
            raise NotProven(
                f"no frame over {family} arrives on the path without the gateway either. Check "
                "the server's own firewall and the endpoints' links."
            )
        raise AssertionError(
            f"No frame over {family} gets through the gateway, although a policy permits it; on "
            "the path without the gateway they arrive."
        )


def _ways(run: RunContext) -> dict[str, Ways]:
    server = run.testbed.endpoints.server
    pairs = {
        IPV4: (server.address, server.direct_address),
        IPV6: (server.address6, server.direct_address6),
    }
    return {
        family: Ways(*(Way(address, server.probe_port) for address in pair))
        for family, pair in pairs.items()
        if all(pair)
    }
