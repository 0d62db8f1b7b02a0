"""RFC 2544 on the gateway: throughput, latency, loss, bursts and recovery by frame size."""

from __future__ import annotations

from functools import cached_property

from gatepass.base.errors import NotProven
from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.inputs.published import load_published
from gatepass.inputs.scope import NO_DIRECT_PATH
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement, figure
from gatepass.results.study import StudyTable
from gatepass.scenarios.studies import rfc2544_tables as tables
from gatepass.scenarios.studies.conditions import CONDITIONS
from gatepass.scenarios.studies.frames import IPV4, IPV6, FrameSize, Way, Ways
from gatepass.scenarios.studies.latency import ONE_CLOCK, Clocks
from gatepass.scenarios.studies.published import Beside, beside
from gatepass.scenarios.studies.rfc2544 import Rfc2544 as Study
from gatepass.scenarios.studies.rfc2544_differences import differences_table
from gatepass.scenarios.studies.throughput import Throughput
from gatepass.scenarios.studies.trials import Ledger, Send, between
from gatepass.verdict.judgement import Rig
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import APPLY_S, COUNTERS_LAG_S, counter_of
from support.reasons import conclude
from support.run_context import RunContext

_THROUGHPUT, _LATENCY = "frame_throughput", "frame_latency"
_STATEFUL = "stateful_throughput"
_LARGEST = FrameSize(IPV4, (1518,))
"""Frames that carry as much as a full TCP segment does, so that the tier's rate can be held
against them."""
_OF_TCP = 1460 / 1518
"""TCP goodput that such frames stand for: less 18 bytes of Ethernet, 40 of IPv4 and TCP."""
_IPV6_POLICY = 4
_A_FEW, _AT_EASE = 20, 200.0
"""Frames, and how many a second, that tell whether any get through."""
_BOOT = "cat /proc/sys/kernel/random/boot_id"


class Rfc2544(KeywordLibrary):
    """Keywords of the study RFC 2544, with RFC 5180 for IPv6."""

    @keyword()
    def frames_are_permitted_through_the_gateway(self) -> None:
        """One policy permits what client and server send each other, over IPv6 another one.

        Raises:
            AssertionError: frames do not get through all the same.
            NotProven: the testbed has no path without the gateway, or nothing passes there either.
        """
        if self.run.testbed.endpoints.server.direct_address is None:
            raise NotProven(". ".join(NO_DIRECT_PATH))
        self._permit()
        for family, ways in self._ways.items():
            self._must_pass(family, ways)

    @keyword()
    def the_throughput_of_each_frame_size_is_searched(self) -> None:
        """By MLRsearch, up to what the rig carries beside the gateway (RFC 2544, 26.1).

        Raises:
            NotProven: a frame size could not be measured.
        """
        found = self._study.throughputs()
        self._tell(differences_table(self._study))
        self._tell(tables.throughput_table(found, self._published(_THROUGHPUT)))
        for one in found:
            if one.size != _LARGEST:  # that one is held against the order, in a check of its own
                self.check.note("measurement", _measured(one))
        self._study.must_be_whole()

    @keyword("The Tier's Rate Should Be Carried In The Largest Frames")
    def the_tiers_rate_should_be_carried_in_the_largest_frames(self) -> None:
        """Frames of 1518 bytes come through at the rate that the tier promises to TCP.

        So many frames a second carry the tier's goodput in full segments. As TCP makes good for
        what is lost, up to 0.5 % of the frames may be.

        Raises:
            AssertionError: they do not, and the rig could have carried them.
            NotProven: the rig cannot carry them, or the search's bounds straddle the rate.
        """
        found = self._study.throughput(_LARGEST)
        bounds = found.with_some_loss
        promised = self.run.promised(_STATEFUL)
        held = _measured(found, promised / _OF_TCP)
        self.check.measured(held)
        rig = Rig((_LARGEST.mbps(found.rig_per_s),))
        short = held.value < held.threshold
        if short and bounds.upper is None:
            raise NotProven(
                f"{held.subject}: no more than {figure(held.value)} Mbit/s came through, of "
                f"{figure(held.threshold)}, and the rig was the limit: {bounds.by_rig}."
            )
        if short and _LARGEST.mbps(bounds.upper) >= held.threshold:
            raise NotProven(
                f"{held.subject}: {figure(held.value)} Mbit/s came through, and more than "
                f"{figure(_LARGEST.mbps(bounds.upper))} cannot; promised is "
                f"{figure(held.threshold)}, between the two. Choose a profile with longer trials."
            )
        conclude(self.check, held, rig, lambda: _beside_the_gateway(found))

    @keyword()
    def the_latency_at_the_throughput_is_measured(self) -> None:
        """One way, in repeated trials at each frame size's throughput (RFC 2544, 26.2).

        Raises:
            NotProven: the clocks of the endpoints do not agree, or a size could not be measured.
        """
        found = self._study.latencies(self._clocks, self.run.profile.confidence)
        repeats = self._study.conditions.latency_repeats
        self._tell(tables.latency_table(found, repeats, self._published(_LATENCY)))
        for one in found:
            conditions = say("frames", family=one.size.family, frame=one.size.label)
            mean = round(one.through.mean.mean, 1)
            self.check.note("measurement", observed(_LATENCY, conditions, mean))
        self._study.must_be_whole()

    @keyword()
    def the_frame_loss_rate_is_measured(self) -> None:
        """Over the offered load, downwards until two trials lose nothing (RFC 2544, 26.3)."""
        self._tell(tables.loss_table(self._study.loss_curves()))
        self._study.must_be_whole()

    @keyword()
    def the_longest_burst_is_measured(self) -> None:
        """That loses nothing, sent as fast as the rig can (RFC 2544, 26.4)."""
        self._tell(tables.burst_table(self._study.bursts()))
        self._study.must_be_whole()

    @keyword()
    def the_recovery_from_overload_is_measured(self) -> None:
        """From 110 % of the throughput to the last frame that is lost at half (RFC 2544, 26.5)."""
        self._tell(tables.recovery_table(self._study.recoveries()))
        self._study.must_be_whole()

    @keyword()
    def the_frames_should_have_passed_the_gateway(self) -> None:
        """The test policies counted at least what arrived, and the server saw the client's address.

        Raises:
            AssertionError: it was not so, so that the figures are of another way.
        """
        ends, arrived = self.run.testbed.endpoints, self._ledger.arrived(self._through)
        before = self._ledger.counted_before or 0
        reached = until(lambda: self._counted() - before >= arrived, COUNTERS_LAG_S)
        self.check.evidence(
            say("counted"),
            f"The test policies counted {self._counted() - before:,} bytes more than before; "
            f"{arrived:,} arrived.",
            reached,
        )
        own = {ends.client.address, ends.client.address6}
        seen = self._ledger.sources(self._through)
        self.check.evidence(
            say("address_seen"),
            f"The server saw {', '.join(sorted(seen)) or 'nobody'}.",
            bool(seen) and seen <= own,
        )

    # -- helpers -----------------------------------------------------------------------------

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger()

    @cached_property
    def _send(self) -> Send:
        self.run.stop_responders()  # their port is the frames' as well
        ends = self.run.client, self.run.server
        return self._ledger.kept(
            between(*ends, self.run.rig, lambda told: self.check.note("trial", told, aside=True))
        )

    @cached_property
    def _study(self) -> Study:
        return Study(self._send, self._ways, CONDITIONS[self.run.profile.studies])

    @cached_property
    def _ways(self) -> dict[str, Ways]:
        return _ways(self.run)

    @property
    def _through(self) -> set[str]:
        """Addresses of the server behind the gateway."""
        return {ways.through.address for ways in self._ways.values()}

    def _permit(self) -> None:
        """The policies, unless they stand since the check before; they count from here on."""
        rules, ends = self.run.rules, self.run.testbed.endpoints
        sixth, ipv6 = rules.free_id(_IPV6_POLICY), IPV6 in self._ways
        begun = self._ledger.counted_before is not None
        if begun and ipv6 and rules.holds(sixth):
            return
        rules.set(1, nat=False)
        if ipv6:
            rules.add(rules.ipv6_row(sixth, ends.client.address6, ends.server.address6))
        if ipv6 or not begun:
            self._ledger.begin(self._counted())

    def _counted(self) -> int:
        """Bytes that the test policies have counted."""
        rules = self.run.rules
        numbers = [rules.test_id, rules.free_id(_IPV6_POLICY)]
        return sum(counter_of(self.run, number).get("bytes", 0) for number in numbers)

    def _must_pass(self, family: str, ways: Ways) -> None:
        size = FrameSize(family, (512,))

        def passes(way: Way) -> bool:
            seen = self._send([way.stream(size, _AT_EASE, _A_FEW / _AT_EASE)])
            return seen.one.received > 0

        if until(lambda: passes(ways.through), self.run.rules.in_force_within(APPLY_S)):
            return
        if not passes(ways.beside):
            raise NotProven(
                f"no frame over {family} arrives on the path without the gateway either. Look at "
                "the server's own firewall and the endpoints' links."
            )
        raise AssertionError(
            f"No frame over {family} gets through the gateway, although a policy permits it; "
            "beside the gateway they arrive."
        )

    def _clocks(self) -> Clocks:
        """How the clocks of client and server agree.

        Raises:
            NotProven: they are of two machines, and nothing tells by how much they differ.
        """
        ends = self.run.client, self.run.server
        boots = {shell.run(_BOOT, again=True).output for shell in ends}
        if len(boots) == 1:
            return ONE_CLOCK
        raise NotProven(
            "client and server are two machines, and how far their clocks differ is not known to "
            "the microsecond, so that no latency one way can be told."
        )

    def _published(self, promise: str) -> Beside:
        published = load_published(VARIABLES / "published_results.yaml")
        return beside(published, promise, self._study.searched)

    def _tell(self, table: StudyTable) -> None:
        self.check.note("study", table.as_json(), aside=True)


def _ways(run: RunContext) -> dict[str, Ways]:
    """Those that the testbed has, by family."""
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


def _measured(found: Throughput, threshold: float | None = None) -> Measurement:
    """A throughput as a measurement, Mbit/s of frames: without loss, or with 0.5 % to be held."""
    bounds = found.without_loss if threshold is None else found.with_some_loss
    size = found.size
    return observed(
        _THROUGHPUT,
        say("frames", family=size.family, frame=size.label),
        round(size.mbps(bounds.lower), 3),
        threshold=None if threshold is None else round(threshold, 3),
        layer="frames",
        facts={
            "carried_per_s": round(bounds.lower),
            "lost_at_per_s": None if bounds.upper is None else round(bounds.upper),
            "loss_ratio": bounds.ratio,
            "rig_per_s": round(found.rig_per_s),
        },
    )


def _beside_the_gateway(found: Throughput) -> str:
    rate = found.size.mbps(found.rig_per_s)
    return f"The path without the gateway carried {figure(rate)} Mbit/s of them without loss."
