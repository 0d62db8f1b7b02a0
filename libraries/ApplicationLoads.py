"""Many downloads at once with security services on: objects of one size, a mix of applications."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.results.downloads import BESIDE, CONTROL, ON, DownloadTrial, Transfer
from gatepass.scenarios.security.application_mix import MIX, OBJECTS, Mix, mixed_load
from gatepass.verdict.disturbance import aside_in_words
from gatepass.verdict.downloads import disturbed, of_role
from gatepass.verdict.rfc9411 import (
    SUSTAIN_S,
    failures_in_words,
    steadiness_in_words,
    too_many,
)
from gatepass.verdict.services_rule import FEWEST
from support.connections import must_be_reached
from support.guard import keyword
from support.inspection_proof import inspection
from support.keyword_library import KeywordLibrary
from support.services_rate import ServicesRate
from support.steps import Steps

_OBJECT_KB = (16, 64, 256)


class LoadOfObjects(Steps):
    """What is asked for, and over which connections.

    Attributes:
        files: path and size in bytes of each object.
        mix: protocols and their connections.
        conditions: of the measurement.
    """

    files: list[tuple[str, int]]
    mix: Mix
    conditions: Phrase


class ApplicationLoads(KeywordLibrary):
    """Keywords that hold many downloads at once against the tier's figure with services on."""

    @keyword("Objects of ${kilobytes} KB are downloaded over HTTP with services on")
    def small_objects(self, kilobytes: int) -> None:
        """Objects of one size over some kept-alive connections, a load of its own each trial.

        Example: ``Objects Of 16 KB Are Downloaded Over HTTP With Services On``

        RFC 9411's HTTP throughput (section 7.3); a trial of the profile is its sustain phase. More
        failed transactions than it allows fail the check, by how much the rate deviates is told.

        Raises:
            AssertionError: too many fail, or inspection is not what it should be.
            NotProven: some fail on the path without the gateway as well.
        """
        ((_, connections),) = OBJECTS
        conditions = say("objects", kilobytes=kilobytes, connections=connections)
        rate = self._begin([kilobytes], OBJECTS, conditions)
        seconds, address = self._sustain_s, self.run.testbed.endpoints.server.address
        with inspection(self.check, True):
            rate.repeated(
                lambda: self._run(rate, address, seconds),
                lambda: self._run(rate, rate.direct_address, seconds),
            )
        self._compare(rate, seconds)

    @keyword("A mix of applications runs with services on")
    def application_mix(self) -> None:
        """HTTP, HTTPS and FTP at once, in the phases of RFC 9411 (sections 4.3.4 and 7.1).

        One sustain phase of as many trials as the profile allows: of 300 s with `standard`. A phase
        that the rig disturbed is set aside and repeated within the profile's budget.

        Raises:
            AssertionError: see the objects.
            NotProven: see there.
        """
        connections = {protocol.lower(): count for protocol, count in MIX}
        rate = self._begin(_OBJECT_KB, MIX, say("mix", **connections))
        seconds, address = self._sustain_s, self.run.testbed.endpoints.server.address
        count = 2 * max(FEWEST, self.run.profile.min_trials)
        phases = max(1, int(self.run.profile.budget_s // (count * seconds)))
        aside: list[tuple[DownloadTrial, str]] = []

        def phase() -> DownloadTrial:
            return rate.trial(ON, lambda: self._run(rate, address, count * seconds))

        with inspection(self.check, True):
            while disturbed(made := phase()):
                aside.append((made, disturbed(made)))
                if len(aside) == phases:
                    raise NotProven(f"the test machines had other load: {aside_in_words(aside)}")
        rate.aside = aside_in_words(aside)
        self._compare(rate, 2 * seconds)

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _load(self) -> LoadOfObjects:
        return self.check.left(LoadOfObjects)

    @property
    def _sustain_s(self) -> float:
        return min(self.run.profile.trial_s, SUSTAIN_S)

    def _begin(self, sizes_kb: Sequence[int], mix: Mix, conditions: Phrase) -> ServicesRate:
        """Have objects of these sizes on the server, to be asked for by this mix."""
        names = {f"object-{kilobytes}k.bin": kilobytes * 1024 for kilobytes in sizes_kb}
        for name, size in names.items():
            self.run.files.noise(name, size)
        self._load.files = [(self.run.files.path(name), size) for name, size in names.items()]
        self._load.mix, self._load.conditions = mix, conditions
        return ServicesRate(self.check, conditions)

    def _run(self, rate: ServicesRate, address: str, seconds: float) -> DownloadTrial:
        """The check's load for so long; the windows of its sustain phase."""
        windows = mixed_load(
            self.run.client,
            lambda protocol: rate.source(protocol, address),
            self._load.files,
            self._load.mix,
            max(1.0, self.run.profile.omit_s),
            seconds,
        )
        return DownloadTrial(tuple(windows))

    def _compare(self, rate: ServicesRate, seconds: float) -> None:
        """Run the same load without the gateway, and write down what was measured.

        Args:
            rate: to be completed.
            seconds: for how long the same runs without the gateway.

        Raises:
            AssertionError: more transactions failed than RFC 9411 allows.
            NotProven: some fail on the path without the gateway as well, or there is none.
        """
        if direct := rate.direct_address:
            alone = rate.trial(BESIDE, lambda: self._run(rate, direct, seconds))
            if not alone.whole.files:
                raise NotProven(
                    "curl on the client completed no transfer even without the gateway; version "
                    "7.68 or later is needed."
                )
        rate.measured()
        whole = Transfer.joined([one.whole for one in of_role(rate.trials, ON)])
        deviation = float(self.check.measurement.facts["deviation_percent"])
        self._hardly_any_should_have_failed(rate, whole, steadiness_in_words(deviation))

    def _hardly_any_should_have_failed(
        self, rate: ServicesRate, whole: Transfer, steadiness: str
    ) -> None:
        sentence = failures_in_words(whole.failed, whole.files, self.run.profile.confidence)
        wrong = not whole.files or too_many(whole.failed, whole.files)
        if wrong:
            sentence += f" {self._failed_without(rate, whole.seconds)}"
        self.check.evidence(
            say("whole_objects"),
            f"{self._load.conditions}: {sentence} {steadiness}",
            not wrong,
        )

    def _failed_without(self, rate: ServicesRate, seconds: float) -> str:
        """What the same load for as long does without the gateway, where nothing may fail.

        Raises:
            NotProven: something does, or there is no such path.
        """
        conditions = self._load.conditions
        if not rate.direct_address:
            raise NotProven(
                f"objects could not be fetched ({conditions}), and without a direct_address it "
                "cannot be determined whether the gateway is the cause."
            )
        alone = rate.trial(CONTROL, lambda: self._run(rate, rate.direct_address, seconds)).whole
        if alone.failed:
            raise NotProven(
                f"objects could not be fetched ({conditions}), nor on the path without the "
                f"gateway ({alone.failed:,} of {alone.files:,}): see the server's log."
            )
        for protocol in ("HTTP", "HTTPS"):
            must_be_reached(self.run, rate.source(protocol, rate.direct_address).port)
        return f"Without the gateway all {alone.files:,} were fetched."
