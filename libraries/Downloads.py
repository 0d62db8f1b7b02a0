"""Downloads with security services off and on, beside the path without the gateway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from robot.api.deco import library

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.endpoint.download import Broken, Source, Transfer, timed
from gatepass.results.measurements import estimated
from gatepass.results.record import Measurement, figure
from gatepass.scenarios.security.application_mix import MIX, OBJECTS, mixed_load
from gatepass.stats.intervals import degradation
from gatepass.verdict.disturbance import Watched, told_of
from gatepass.verdict.judgement import Rig, Rule, until_decided
from gatepass.verdict.rfc9411 import (
    SUSTAIN_S,
    deviation_percent,
    failures_told,
    steadiness_told,
    too_many,
)
from gatepass.verdict.throughput import must_be_enough
from support import trial_runs, words
from support.arrivals import port_of
from support.guard import keyword
from support.inspection_proof import inspection
from support.reasons import conclude
from support.session import session

MIB = 2**20
_SLOWEST_MBPS = 8
"""Below this a download is given up: it would take for ever."""
_TRIES = 3
_OBJECT_KB = (16, 64, 256)
_FEWEST = 3
"""Trials of a kind; two would give an interval that only chance makes narrow."""


@library(scope="GLOBAL", doc_format="ROBOT")
class Downloads:
    """Keywords that time downloads and hold them against the tier's figure with services on."""

    @keyword("A large file is downloaded over ${protocol} with services off and on")
    def large_file(self, protocol: words.FileProtocol) -> None:
        """As often as the profile says, each way; the path without the gateway as baseline.

        Example: ``A Large File Is Downloaded Over FTP With Services Off And On``

        The published test (Hokkanen 2016, test 2): 1 GiB by FTP, ten times, one policy, NAT on.

        Raises:
            AssertionError: one breaks, or inspection is not what it should be.
            NotProven: one breaks on the path without the gateway at that time as well.
        """
        profile = session.profile
        self._size = profile.download_mib * MIB
        session.files.noise("large.bin", self._size)
        self._protocol = protocol
        self._asked, self._seconds = 0, 0.0
        self._broken: list[str] = []
        has_direct = session.testbed.endpoints.server.direct_address
        self._direct = [self._directly().mbps for _ in range(_FEWEST)] if has_direct else []
        self._rates_by_state: dict[str, list[float]] = {}
        for state in ("off", "on"):
            with inspection(state == "on"):
                self._rates_by_state[state] = (
                    self._repeated(self._one, profile.downloads, self._directly)
                    if state == "on"
                    else [self._one().mbps for _ in range(profile.downloads)]
                )
        self._note(protocol)
        self._each_should_have_arrived()

    @keyword()
    def the_rate_with_services_on_should_reach_the_promise(self) -> None:
        """The lower bound of the interval reaches the tier's figure with security services.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        off = self._rates_by_state.get("off")
        conclude(
            self.measurement,
            self._rig_limit,
            self._likely,
            without=lambda: self._direct,
            services_off=fmean(off) if off else None,
            disturbed=self._aside,
        )

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
        self._files, self._mix = [self._noise(kilobytes)], OBJECTS
        self._trials: list[list[Transfer]] = []
        seconds = min(session.profile.trial_s, SUSTAIN_S)
        address = session.testbed.endpoints.server.address

        def trial() -> Transfer:
            self._trials.append(self._load(address, seconds))
            return Transfer.joined(self._trials[-1])

        with inspection(True):
            self._repeated(
                trial,
                max(_FEWEST, session.profile.min_trials),
                lambda: Transfer.joined(self._load(self._direct_address, seconds)),
            )
        ((_, connections),) = OBJECTS
        self._conditions = say("objects", kilobytes=kilobytes, connections=connections)
        self._compare(seconds, 1)

    @keyword("A mix of applications runs with services on")
    def application_mix(self) -> None:
        """HTTP, HTTPS and FTP at once, in the phases of RFC 9411 (sections 4.3.4 and 7.1).

        One sustain phase of as many trials as the profile allows: of 300 s with `standard`. A phase
        that the rig disturbed counts for nobody and is repeated within the profile's budget.

        Raises:
            AssertionError: see the objects.
            NotProven: see there.
        """
        self._files, self._mix = [self._noise(size) for size in _OBJECT_KB], MIX
        seconds = min(session.profile.trial_s, SUSTAIN_S)
        count = 2 * max(_FEWEST, session.profile.min_trials)
        phases = max(1, int(session.profile.budget_s // (count * seconds)))
        self._controls, self._aside, self._rule = [], "", None
        with inspection(True):
            windows: list[Transfer] = []
            aside: list[tuple[Watched, str]] = []

            def run() -> Transfer:
                address = session.testbed.endpoints.server.address
                windows[:] = self._load(address, count * seconds)
                return Transfer.joined(windows)

            while (whole := trial_runs.watched(run)).disturbed:
                aside.append((whole, whole.disturbed))
                if len(aside) == phases:
                    raise NotProven(f"the rig was not its own: {told_of(aside)}")
        self._aside = told_of(aside)
        self._trials = _split(windows, count)
        connections = {protocol.lower(): count for protocol, count in MIX}
        self._conditions = say("mix", **connections)
        self._compare(2 * seconds, 2)

    # -- helpers -----------------------------------------------------------------------------

    def _noise(self, kilobytes: int) -> tuple[str, int]:
        """The path and the size in bytes of an object of this size."""
        session.files.noise(f"object-{kilobytes}k.bin", kilobytes * 1024)
        return session.files.path(f"object-{kilobytes}k.bin"), kilobytes * 1024

    def _source(self, protocol: str, address: str) -> Source:
        return Source(protocol.lower(), address, port_of(protocol))

    def _repeated(
        self, transfer: Callable[[], Transfer], fewest: int, directly: Callable[[], Transfer]
    ) -> list[float]:
        """Rates, Mbit/s: as many as are asked for, and up to twice as many until they decide.

        Args:
            transfer: one trial through the gateway.
            fewest: trials.
            directly: the same on the path without it, in turns with those that fall short.

        Raises:
            NotProven: the rig disturbed so many that too few are left.
        """
        self._rule = rule = Rule(fewest, 2 * fewest, session.profile.confidence)
        series = until_decided(
            lambda: trial_runs.watched(transfer),
            lambda made: [one.mbps for one in made],
            rule,
            session.promised("services_throughput"),
            disturbed=lambda made: made.disturbed,
            control=(lambda: trial_runs.watched(directly)) if self._direct_address else None,
        )
        must_be_enough(series, rule)
        self._controls = [one.mbps for one in series.controls if not one.disturbed]
        self._aside = told_of(series.aside)
        return [one.mbps for one in series.counted]

    @property
    def _direct_address(self) -> str | None:
        return session.testbed.endpoints.server.direct_address

    def _one(self) -> Transfer:
        """One whole download for the figure; one that breaks counts for the verdict.

        Raises:
            AssertionError: none arrives whole.
            NotProven: one breaks on the path without the gateway at that time as well.
        """
        for _ in range(_TRIES):
            self._asked += 1
            try:
                transfer = self._timed(session.testbed.endpoints.server.address)
            except Broken as broken:
                self._broken.append(str(broken))
                if not session.testbed.endpoints.server.direct_address:
                    raise NotProven(
                        f"{self._told_broken()} Without a direct_address nothing tells whether "
                        "that is the gateway's doing."
                    ) from None
                self._directly()
                continue
            self._seconds += transfer.seconds
            return transfer
        raise AssertionError(f"{self._told_broken()} {_TRIES} in a row broke.")

    def _directly(self) -> Transfer:
        """The same download on the path without the gateway.

        Raises:
            NotProven: it breaks.
        """
        try:
            return self._timed(session.testbed.endpoints.server.direct_address)
        except Broken as broken:
            raise NotProven(
                f"{self._protocol} download of {self._size // MIB} MiB without the gateway: "
                f"{broken} {self._told_broken() if self._broken else ''}".strip()
            ) from None

    def _timed(self, address: str) -> Transfer:
        path, limit_s = session.files.path("large.bin"), self._size * 8 / 1e6 / _SLOWEST_MBPS
        return timed(
            session.client, self._source(self._protocol, address), path, self._size, limit_s
        )

    def _told_broken(self) -> str:
        if not self._broken:
            return f"All {self._asked} {self._protocol} downloads arrived whole."
        return (
            f"{len(self._broken)} of {self._asked} {self._protocol} downloads of "
            f"{self._size // MIB} MiB through the gateway broke, the first so: {self._broken[0]}"
        )

    def _each_should_have_arrived(self) -> None:
        control = " Without the gateway one right after each of them arrived whole."
        session.evidence(
            say("whole_downloads"),
            self._told_broken() + (control if self._broken else ""),
            not self._broken,
        )

    def _note(self, protocol: str) -> None:
        off, on = self._rates_by_state["off"], self._rates_by_state["on"]
        confidence = session.profile.confidence
        cost = degradation(off, on, confidence)
        conditions = say("download", protocol=protocol, mib=self._size // MIB)
        session.note(
            "measurement", _measurement("throughput_without_services", conditions, off)
        )
        self.measurement = _measurement(
            "services_throughput",
            conditions,
            on,
            threshold=session.promised("services_throughput"),
            baseline=fmean(self._direct) if self._direct else None,
            facts={
                "services_off_mbps": round(fmean(off), 3),
                "degradation_percent": round(cost.percent, 2),
                "degradation_lower_percent": cost.lower and round(cost.lower, 2),
                "degradation_upper_percent": cost.upper and round(cost.upper, 2),
                "downloads": self._asked,
                "broken_downloads": len(self._broken),
                "transfer_seconds": round(self._seconds, 3),
            },
            rule=self._rule,
        )
        session.note("measurement", self.measurement)

    def _load(self, address: str, seconds: float) -> list[Transfer]:
        """The check's load for so long; the windows of its sustain phase."""
        return mixed_load(
            session.client,
            lambda protocol: self._source(protocol, address),
            self._files,
            self._mix,
            max(1.0, session.profile.omit_s),
            seconds,
        )

    def _compare(self, seconds: float, trials: int) -> None:
        """Run the same load without the gateway, and write down what was measured.

        Args:
            seconds: for how long.
            trials: into how many that is split.

        Raises:
            AssertionError: more transactions failed than RFC 9411 allows.
            NotProven: some fail on the path without the gateway as well, or there is none.
        """
        self._direct = []
        direct = session.testbed.endpoints.server.direct_address
        if direct:
            alone = self._load(direct, seconds)
            if not Transfer.joined(alone).files:
                raise NotProven(
                    "curl on the client completed nothing on the path without the gateway either; "
                    "version 7.68 or later is needed."
                )
            self._direct = [Transfer.joined(part).mbps for part in _split(alone, trials)]
        windows = [window for trial in self._trials for window in trial]
        rates = [Transfer.joined(trial).mbps for trial in self._trials]
        whole = Transfer.joined(windows)
        deviation = deviation_percent([window.mbps for window in windows])
        self._rates_by_state = {"on": rates}
        self.measurement = _measurement(
            "services_throughput",
            self._conditions,
            rates,
            threshold=session.promised("services_throughput"),
            baseline=fmean(self._direct) if self._direct else None,
            facts={
                "transactions": whole.files,
                "failed": whole.failed,
                "deviation_percent": round(deviation, 2),
                "transfer_seconds": round(whole.seconds, 3),
            },
            rule=self._rule,
        )
        session.note("measurement", self.measurement)
        self._hardly_any_should_have_failed(whole, steadiness_told(deviation))

    def _hardly_any_should_have_failed(self, whole: Transfer, steadiness: str) -> None:
        told = failures_told(whole.failed, whole.files, session.profile.confidence)
        wrong = not whole.files or too_many(whole.failed, whole.files)
        if wrong:
            told += f" {self._failed_without(whole.seconds)}"
        session.evidence(
            say("whole_objects"),
            f"{self._conditions}: {told} {steadiness}",
            not wrong,
        )

    def _failed_without(self, seconds: float) -> str:
        """What the same load for as long does without the gateway, where nothing may fail.

        Raises:
            NotProven: something does, or there is no such path.
        """
        direct = session.testbed.endpoints.server.direct_address
        if not direct:
            raise NotProven(
                f"objects failed ({self._conditions}), and without a direct_address nothing tells "
                "whether that is the gateway's doing."
            )
        alone = Transfer.joined(self._load(direct, seconds))
        if alone.failed:
            raise NotProven(
                f"objects failed ({self._conditions}), and on the path without the gateway "
                f"{alone.failed:,} of {alone.files:,} failed as well: look at the server's log."
            )
        return f"Without the gateway none of {alone.files:,} failed."

    def _rig_limit(self) -> str:
        rates = [*self._controls, *self._direct] if self._direct_address else None
        return Rig(rates).limits(self.measurement)

    def _likely(self) -> str:
        parts = [f"The path without the gateway carried {figure(fmean(self._direct))} Mbit/s."]
        if off := self._rates_by_state.get("off"):
            parts.insert(0, f"With services off it carried {figure(fmean(off))} Mbit/s.")
        return " ".join(parts)


def _measurement(
    promise: str,
    conditions: Phrase,
    rates: Sequence[float],
    threshold: float | None = None,
    baseline: float | None = None,
    facts: dict[str, float | int | str | None] | None = None,
    rule: Rule | None = None,
) -> Measurement:
    """Rates of downloads, Mbit/s of file content, as a record.

    Args:
        promise, conditions, rates, threshold, baseline, facts: see `Measurement`.
        rule: after which they were repeated; None where their number was settled before.
    """
    confidence = session.profile.confidence
    rule = rule or Rule(len(rates), len(rates), confidence)
    return estimated(
        promise,
        conditions,
        rates,
        rule.interval(rates),
        confidence,
        layer="file content",
        threshold=threshold,
        baseline=baseline,
        facts=facts,
    )


def _split(windows: list[Transfer], count: int) -> list[list[Transfer]]:
    """Windows in the order they ran, as so many trials of equal length."""
    each = len(windows) // count
    return [windows[start : start + each] for start in range(0, each * count, each)]
