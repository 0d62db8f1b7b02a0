"""DeCusatis 2014 on the gateway: throughput by workload, and latency."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.results.measurements import observed
from gatepass.results.record import Evidence
from gatepass.results.study import StudyTable
from gatepass.scenarios.studies import decusatis2014 as study
from gatepass.scenarios.studies import decusatis2014_tables as tables
from gatepass.scenarios.studies.decusatis2014 import Workload, figures, published_figure
from gatepass.scenarios.studies.frames import IPV4
from gatepass.scenarios.studies.throughput import Throughput, throughput
from support.frame_paths import FramePaths
from support.frames_held import FRAME_THROUGHPUT, measured, must_carry_the_tier
from support.guard import keyword
from support.keyword_library import Context, KeywordLibrary
from support.steps import Steps

_LATENCY = "frame_latency"


class Sent(Steps):
    """What was sent to the server.

    Attributes:
        evidence: of its way.
    """

    evidence: list[Evidence]


@dataclass(frozen=True)
class Searched:
    """What became of a search.

    Attributes:
        throughput: that was found, or why none could be.
        evidence: of the way that its packets took.
    """

    throughput: Throughput | NotProven
    evidence: list[Evidence]


class Decusatis2014(KeywordLibrary):
    """Keywords of the study DeCusatis 2014, as far as it is about no tunnel."""

    def __init__(self, context: Context | None = None) -> None:
        """What was found once serves all checks."""
        super().__init__(context)
        self._found: dict[Workload, Searched] = {}

    @keyword()
    def the_throughput_of_each_workload_is_searched(self) -> None:
        """Table 1: IMIX, 1500 bytes, 512 bytes over IPv6, 1500 bytes with address translation.

        Raises:
            AssertionError: packets do not get through.
            NotProven: a workload could not be measured.
        """
        there = [one for one in study.WORKLOADS if one.size.family in self._paths.ways]
        left_out = [one.label for one in study.WORKLOADS if one not in there]
        self._tell(tables.differences_table(self._conditions, left_out))
        found, evidence, troubles = [], [], []
        for one in there:
            made = self._searched(one)
            evidence += made.evidence
            if isinstance(made.throughput, NotProven):
                troubles.append(f"{one.label} could not be measured: {made.throughput.reason}")
            else:
                found.append((one, made.throughput))
        self._tell(tables.throughput_table(found, figures(FRAME_THROUGHPUT, there)))
        for one, seen in found:
            if one.size != study.LARGEST:  # those are held to the order, in checks of their own
                self.check.note("measurement", measured(seen, _conditions(one)))
        if troubles:
            raise NotProven(" ".join(troubles))
        self.check.left(Sent).evidence = evidence

    @keyword("The Tier's Rate Should Be Carried In Packets Of 1500 Bytes, Without NAT")
    def the_tiers_rate_should_be_carried_without_nat(self) -> None:
        """As many full segments a second as the tier promises; up to 0.5 % of them may be lost.

        Raises:
            AssertionError: they do not come through, and the rig could have carried them.
            NotProven: the rig cannot carry them, or the search's bounds straddle the rate.
        """
        self._hold(nat=False)

    @keyword("The Tier's Rate Should Be Carried In Packets Of 1500 Bytes, With NAT")
    def the_tiers_rate_should_be_carried_with_nat(self) -> None:
        """The same with the client behind the gateway's address."""
        self._hold(nat=True)

    @keyword()
    def the_latency_of_packets_of_512_bytes_is_measured(self) -> None:
        """Table 1: one way, at ease and under load, beside the same without the gateway.

        Raises:
            NotProven: the endpoints' clocks cannot be compared.
        """
        plain = next(one for one in study.WORKLOADS if one.size == study.LARGEST)
        carried = self._throughput(plain).without_loss.lower
        if not carried:
            raise NotProven("the gateway loses packets of 1500 bytes at every rate that was tried.")
        self._paths.permit()
        asked, confidence = self._conditions, self.run.profile.confidence
        ways = self._paths.ways[IPV4]
        found = study.latencies(
            self._paths.send, ways, carried, asked, self._paths.clocks, confidence
        )
        published = published_figure(_LATENCY, {"family": IPV4, "frame": "512"})
        self._tell(tables.latency_table(found, asked.latency_repeats, published))
        for load, one in zip(("frames_at_ease", "frames_under_load"), found, strict=False):
            conditions = say(load, family=one.size.family, frame=one.size.label)
            mean = round(one.through.mean.mean, 1)
            self.check.note("measurement", observed(_LATENCY, conditions, mean))
        self.check.left(Sent).evidence = self._way_of(plain)

    @keyword()
    def the_packets_should_have_passed_the_gateway(self) -> None:
        """The test policies counted at least what arrived; the server saw who should be seen.

        That is the client without address translation, and the gateway with it.

        Raises:
            AssertionError: it was not so, so that the figures are of another way.
        """
        for seen in self.check.left(Sent).evidence:
            self.check.evidence(seen.claim, seen.observed, seen.holds)

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _conditions(self) -> study.Conditions:
        return study.CONDITIONS[self.run.profile.studies]

    @cached_property
    def _paths(self) -> FramePaths:
        return FramePaths(self.run, self._note)

    def _throughput(self, one: Workload) -> Throughput:
        """Of a workload.

        Raises:
            NotProven: the rig cannot tell.
        """
        made = self._searched(one).throughput
        if isinstance(made, NotProven):
            raise made
        return made

    def _searched(self, one: Workload) -> Searched:
        """Of a workload; once."""
        if one not in self._found:
            self._paths.permit(one.nat)
            ways = self._paths.ways[one.size.family]
            try:
                made: Throughput | NotProven = throughput(
                    self._paths.send, ways, one.size, self._conditions.searches
                )
            except NotProven as why:
                made = why
            self._found[one] = Searched(made, self._way_of(one))
        return self._found[one]

    def _hold(self, nat: bool) -> None:
        one = next(
            one for one in study.WORKLOADS if one.size == study.LARGEST and one.nat == nat
        )
        self.check.left(Sent).evidence = self._searched(one).evidence
        must_carry_the_tier(self.check, self._throughput(one), _conditions(one))

    def _way_of(self, one: Workload) -> list[Evidence]:
        """What shows the way of what was sent since the policy is as it is."""
        seen = self._paths.evidence()
        return [replace(it, observed=f"{one.label}: {it.observed}") for it in seen]

    def _note(self, told: dict) -> None:
        self.check.note("trial", told, aside=True)

    def _tell(self, table: StudyTable) -> None:
        self.check.note("study", table.as_json(), aside=True)


def _conditions(one: Workload) -> Phrase:
    name = "frames_translated" if one.nat else "frames"
    return say(name, family=one.size.family, frame=one.size.label)
