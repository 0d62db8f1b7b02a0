"""RFC 2544 on the gateway: throughput, latency, loss, bursts and recovery by frame size."""

from __future__ import annotations

from functools import cached_property

from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import Phrase, say
from gatepass.inputs.published import load_published
from gatepass.results.measurements import observed
from gatepass.results.study import StudyTable
from gatepass.scenarios.studies import rfc2544_tables as tables
from gatepass.scenarios.studies.conditions import CONDITIONS
from gatepass.scenarios.studies.frames import FrameSize
from gatepass.scenarios.studies.published import Beside, beside
from gatepass.scenarios.studies.rfc2544 import Rfc2544 as Study
from gatepass.scenarios.studies.rfc2544_differences import differences_table
from support.frame_paths import FramePaths
from support.frames_held import FRAME_THROUGHPUT, LARGEST, measured, must_carry_the_tier
from support.guard import keyword
from support.keyword_library import KeywordLibrary

_LATENCY = "frame_latency"


class Rfc2544(KeywordLibrary):
    """Keywords of the study RFC 2544, with RFC 5180 for IPv6."""

    @keyword()
    def frames_are_permitted_through_the_gateway(self) -> None:
        """One policy permits what client and server send each other, over IPv6 another one.

        Raises:
            AssertionError: frames do not get through all the same.
            NotProven: the testbed has no path without the gateway, or nothing passes there either.
        """
        self._paths.permit()

    @keyword()
    def the_throughput_of_each_frame_size_is_searched(self) -> None:
        """By MLRsearch, up to what the rig carries beside the gateway (RFC 2544, 26.1).

        Raises:
            NotProven: a frame size could not be measured.
        """
        found = self._study.throughputs()
        self._tell(differences_table(self._study))
        self._tell(tables.throughput_table(found, self._published(FRAME_THROUGHPUT)))
        for one in found:
            if one.size != LARGEST:  # that one is held against the order, in a check of its own
                self.check.note("measurement", measured(one, _conditions(one.size)))
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
        found = self._study.throughput(LARGEST)
        must_carry_the_tier(self.check, found, _conditions(LARGEST))

    @keyword()
    def the_latency_at_the_throughput_is_measured(self) -> None:
        """One way, in repeated trials at each frame size's throughput (RFC 2544, 26.2).

        Raises:
            NotProven: the endpoints' clocks cannot be compared, or a size could not be measured.
        """
        found = self._study.latencies(self._paths.clocks, self.run.profile.confidence)
        repeats = self._study.conditions.latency_repeats
        self._tell(tables.latency_table(found, repeats, self._published(_LATENCY)))
        for one in found:
            mean = round(one.through.mean.mean, 1)
            self.check.note("measurement", observed(_LATENCY, _conditions(one.size), mean))
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
        for seen in self._paths.evidence():
            self.check.evidence(seen.claim, seen.observed, seen.holds)

    # -- helpers -----------------------------------------------------------------------------

    @cached_property
    def _paths(self) -> FramePaths:
        return FramePaths(self.run, lambda told: self.check.note("trial", told, aside=True))

    @cached_property
    def _study(self) -> Study:
        conditions = CONDITIONS[self.run.profile.studies]
        return Study(self._paths.send, self._paths.ways, conditions)

    def _published(self, promise: str) -> Beside:
        published = load_published(VARIABLES / "published_results.yaml")
        return beside(published, promise, self._study.searched)

    def _tell(self, table: StudyTable) -> None:
        self.check.note("study", table.as_json(), aside=True)


def _conditions(size: FrameSize) -> Phrase:
    return say("frames", family=size.family, frame=size.label)
