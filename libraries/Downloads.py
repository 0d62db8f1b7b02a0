"""Downloads with security services off and on, beside the path without the gateway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from robot.api.deco import library

from gatepass.application_mix import MIX, mixed_load
from gatepass.download import Broken, Source, Transfer, many, timed
from gatepass.errors import NotProven
from gatepass.judgement import Rig, Rule, until_decided
from gatepass.proxy_users import DEMONSTRATES
from gatepass.record import Measurement, figure
from gatepass.security import without_licence
from gatepass.statistics import degradation, interval
from guard import keyword
from reasons import conclude
from Services import ask, port_of
from session import session

MIB = 2**20
_SLOWEST_MBPS = 8
"""Below this a download is given up: it would take for ever."""
_TRIES = 3
_CONNECTIONS = 8
_OBJECT_KB = (16, 64, 256)
_FEWEST = 3
"""Trials of a kind; two would give an interval that only chance makes narrow."""
_SECONDS_EACH = 1.5


@library(scope="GLOBAL", doc_format="ROBOT")
class Downloads:
    """Keywords that time downloads and hold them against the tier's figure with services on."""

    @keyword("A large file is downloaded over ${protocol} with services off and on")
    def large_file(self, protocol: str) -> None:
        """As often as the profile says, each way; the path without the gateway as baseline.

        The published test (Hokkanen 2016, test 2): 1 GiB by FTP, ten times, one policy, NAT on.
        """
        profile = session.profile
        self._size = profile.download_mib * MIB
        session.files.noise("large.bin", self._size)
        self._protocol = protocol
        self._direct: list[float] = []
        self._broken, self._seconds = 0, 0.0
        ends = session.testbed.endpoints
        if ends.server.direct_address:
            direct = self._source(protocol, ends.server.direct_address)
            self._direct = [self._one(direct).mbps for _ in range(_FEWEST)]
        self._rates_by_state: dict[str, list[float]] = {}
        for state in ("off", "on"):
            session.inspection.switch(state == "on")
            self._await(state == "on")
            through = self._source(protocol, ends.server.address)
            self._rates_by_state[state] = self._repeated(
                lambda through=through: self._one(through), profile.downloads
            )
        self._note(protocol)

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
        )

    @keyword("Objects of ${kilobytes} KB are downloaded over HTTP with services on")
    def small_objects(self, kilobytes: int) -> None:
        """Objects of one size over some kept-alive connections.

        RFC 9411's HTTP throughput (section 7.3): a first round finds how many objects fill a
        trial and is its ramp up; the trials after it are its sustain phase, seconds instead of
        300 s. A transaction that fails in one of them fails the check.
        """
        size = kilobytes * 1024
        paths = [(self._noise(kilobytes), size)]
        self._services_on()
        rate = 10e6  # bytes a second, a first guess
        self._objects = lambda address: many(
            session.client,
            self._source("HTTP", address),
            paths,
            max(3, round(rate * _SECONDS_EACH / size)),
            _CONNECTIONS,
            limit_s=60,
        )
        address = session.testbed.endpoints.server.address
        first = self._objects(address)
        rate = first.bytes / first.seconds
        self._transfers: list[Transfer] = []

        def trial() -> Transfer:
            self._transfers.append(self._objects(address))
            return self._transfers[-1]

        self._repeated(trial, max(_FEWEST, session.profile.min_trials))
        self._conditions = f"HTTP objects of {kilobytes} KB, {_CONNECTIONS} connections"
        direct = session.testbed.endpoints.server.direct_address
        self._note_objects([self._objects(direct).mbps for _ in range(2)] if direct else [])

    @keyword("A mix of applications runs with services on")
    def application_mix(self) -> None:
        """HTTP, HTTPS and FTP at once, in the phases of RFC 9411 (sections 4.3.4 and 7.1).

        Ramp up, a sustain phase of as many windows as the profile allows trials, ramp down. The
        windows of the sustain phase are the samples; the RFC's 300 s are what `standard` comes to.
        """
        profile = session.profile
        files = [(self._noise(size), size * 1024) for size in _OBJECT_KB]
        self._services_on()

        def run(address: str, windows: int) -> list[Transfer]:
            return mixed_load(
                session.client,
                lambda protocol: self._source(protocol, address),
                files,
                max(1.0, profile.omit_s),
                profile.trial_s,
                windows,
            )

        ends = session.testbed.endpoints
        count = max(_FEWEST, profile.max_trials)
        self._transfers = run(ends.server.address, count)
        mix = ", ".join(f"{count} of {protocol}" for protocol, count in MIX)
        self._conditions = f"application mix, connections: {mix}"
        direct = ends.server.direct_address
        self._note_objects([one.mbps for one in run(direct, 2)] if direct else [])

    # -- helpers -----------------------------------------------------------------------------

    def _noise(self, kilobytes: int) -> str:
        """The path of an object of this size."""
        session.files.noise(f"object-{kilobytes}k.bin", kilobytes * 1024)
        return session.files.path(f"object-{kilobytes}k.bin")

    def _services_on(self) -> None:
        session.inspection.switch(True)
        self._await(True)

    def _source(self, protocol: str, address: str) -> Source:
        return Source(protocol.lower(), address, port_of(protocol))

    def _await(self, on: bool) -> None:
        """A figure counts only if inspection really runs, and only one without if it does not.

        Raises:
            AssertionError: the virus test file shows that it is the other way round.
        """
        specimen = session.specimens["the virus test file"]
        if specimen.licence in without_licence(session.gateway):
            return
        arrived = ask(specimen, "HTTP", arrives=not on).is_copy_of(specimen.content)
        state = "on" if on else "off"
        session.evidence(
            f"Inspection is {state} while the rate with services {state} is measured",
            f"The virus test file {'arrives' if arrived else 'does not arrive'}.",
            arrived is not on,
        )

    def _repeated(self, transfer: Callable[[], Transfer], fewest: int) -> list[float]:
        """Rates, Mbit/s: as many as are asked for, and up to twice as many until they decide."""
        rule = Rule(fewest, 2 * fewest, session.profile.confidence)
        promise = session.promise("security_services_mbps")
        return until_decided(lambda: transfer().mbps, lambda rates: rates, rule, promise)

    def _one(self, source: Source) -> Transfer:
        """One whole download; those that broke are counted, and tried again a few times."""
        path, limit_s = session.files.path("large.bin"), self._size * 8 / 1e6 / _SLOWEST_MBPS
        for left in reversed(range(_TRIES)):
            try:
                transfer = timed(session.client, source, path, self._size, limit_s)
                self._seconds += transfer.seconds
                return transfer
            except Broken as broken:
                self._broken += 1
                if left:
                    continue
                words = f"{self._protocol} download of {self._size // MIB} MiB"
                if source.address == session.testbed.endpoints.server.direct_address:
                    raise NotProven(f"{words}, without the gateway: {broken}") from None
                raise AssertionError(
                    f"{words} through the gateway: {_TRIES} in a row did not arrive whole; "
                    f"{broken}"
                ) from None
        raise AssertionError("unreachable")

    def _note(self, protocol: str) -> None:
        off, on = self._rates_by_state["off"], self._rates_by_state["on"]
        confidence = session.profile.confidence
        value, plain = interval(on, confidence), interval(off, confidence)
        cost = degradation(off, on, confidence)
        conditions = f"{protocol} download of {self._size // MIB} MiB, NAT on"
        session.note(
            "measurement", _measurement("Throughput without security services", conditions, off)
        )
        self.measurement = _measurement(
            "Throughput with security services",
            conditions,
            on,
            threshold=session.promise("security_services_mbps"),
            baseline=fmean(self._direct) if self._direct else None,
            facts={
                "services_off_mbps": round(plain.mean, 3),
                "degradation_percent": round(cost.percent, 2),
                "degradation_lower_percent": cost.lower and round(cost.lower, 2),
                "degradation_upper_percent": cost.upper and round(cost.upper, 2),
                "broken_downloads": self._broken,
                "transfer_seconds": round(self._seconds, 3),
            },
        )
        session.note("measurement", self.measurement)
        spread = (
            ""
            if cost.lower is None
            else f" ({confidence * 100:g} %: {cost.lower:.1f} to {cost.upper:.1f} %)"
        )
        session.evidence(
            f"The cost of security services is known ({protocol})",
            f"Off {figure(plain.mean, plain.half_width)}, on "
            f"{figure(value.mean, value.half_width)} Mbit/s: {cost.percent:.1f} % less{spread}; "
            f"{self._broken} downloads broke and were repeated.",
            True,
        )

    def _note_objects(self, direct: list[float]) -> None:
        """Write the measurement down.

        Args:
            direct: rates on the path without the gateway, Mbit/s.

        Raises:
            AssertionError: an object did not arrive whole.
        """
        rates = [transfer.mbps for transfer in self._transfers]
        asked = sum(transfer.files for transfer in self._transfers)
        failed = sum(transfer.failed for transfer in self._transfers)
        self._rates_by_state = {"on": rates}
        self._direct = direct
        self.measurement = _measurement(
            "Throughput with security services",
            self._conditions,
            rates,
            threshold=session.promise("security_services_mbps"),
            baseline=fmean(self._direct) if self._direct else None,
            facts={
                "transactions": asked,
                "failed": failed,
                "transfer_seconds": round(sum(one.seconds for one in self._transfers), 3),
            },
        )
        session.note("measurement", self.measurement)
        session.evidence(
            "Each object arrives whole with services on",
            f"{failed} of {asked:,} failed ({self._conditions}). "
            "RFC 9411 allows less than 0.001 %; "
            + ("demonstrated." if asked >= DEMONSTRATES else "so few attempts do not show that."),
            not failed,
        )

    def _rig_limit(self) -> str:
        return Rig(self._direct or None, 0, 0).limits(self.measurement.threshold)

    def _likely(self) -> str:
        parts = [f"The path without the gateway carried {figure(fmean(self._direct))} Mbit/s."]
        if off := self._rates_by_state.get("off"):
            parts.insert(0, f"With services off it carried {figure(fmean(off))} Mbit/s.")
        return " ".join(parts)


def _measurement(
    promise: str,
    conditions: str,
    rates: Sequence[float],
    threshold: float | None = None,
    baseline: float | None = None,
    facts: dict[str, float | int | str | None] | None = None,
) -> Measurement:
    """Rates of downloads, Mbit/s of file content, as a record."""
    confidence = session.profile.confidence
    value = interval(rates, confidence)
    return Measurement(
        promise,
        conditions,
        round(value.mean, 4),
        "Mbit/s",
        "file content",
        half_width=None if value.half_width is None else round(value.half_width, 4),
        confidence=confidence,
        trials=tuple(round(rate, 4) for rate in rates),
        threshold=threshold,
        baseline=baseline and round(baseline, 4),
        facts={name: fact for name, fact in (facts or {}).items() if fact is not None},
    )
