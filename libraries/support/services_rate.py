"""The rate with security services on: how it is tried, written down and held."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from gatepass.base.phrase import Phrase
from gatepass.endpoint.download import FileSource, Transfer
from gatepass.results.measurements import Fact, estimated
from gatepass.results.record import Measurement, figure
from gatepass.verdict import services_rule
from gatepass.verdict.disturbance import aside_in_words
from gatepass.verdict.judgement import Rig, Rule, until_decided
from gatepass.verdict.throughput import must_be_enough
from support.arrivals import port_of
from support.check_context import CheckContext
from support.reasons import conclude
from support.steps import Steps
from support.trial_runner import TrialRunner

PROMISE = "services_throughput"


class Rates(Steps):
    """The rate that a check of security services has measured."""

    rate: ServicesRate


class ServicesRate:
    """The rate of downloads through a gateway that inspects them, Mbit/s of file content.

    Args:
        check: in which it is measured.

    Attributes:
        off: rates with services off, where they were measured.
        direct: rates of the same on the path without the gateway.
        controls: the same, in turns with trials that fell short.
        aside: what the rig did in trials that count for nobody.
    """

    def __init__(self, check: CheckContext) -> None:
        self._check, self._run = check, check.run
        self._rule: Rule | None = None
        self.off: list[float] = []
        self.direct: list[float] = []
        self.controls: list[float] = []
        self.aside = ""
        check.left(Rates).rate = self

    @property
    def direct_address(self) -> str | None:
        """The server's on the path without the gateway; None where there is none."""
        return self._run.testbed.endpoints.server.direct_address

    def source(self, protocol: str, address: str) -> FileSource:
        """Where a file is asked for over HTTP, HTTPS or FTP at this address of the server."""
        return FileSource(protocol.lower(), address, port_of(self._run, protocol))

    def repeated(
        self, transfer: Callable[[], Transfer], fewest: int, directly: Callable[[], Transfer]
    ) -> list[float]:
        """Rates, Mbit/s: as many as are asked for, and up to four times as many until they decide.

        Args:
            transfer: one trial through the gateway.
            fewest: trials.
            directly: the same on the path without it, in turns with those that fall short.

        Raises:
            NotProven: the rig disturbed so many that too few are left.
        """
        watched = TrialRunner(self._check).watched
        self._rule = rule = services_rule.repeated(self._run.rule, fewest)
        series = until_decided(
            lambda: watched(transfer),
            lambda made: [one.mbps for one in made],
            rule,
            self._run.promised(PROMISE),
            disturbed=lambda made: made.disturbed,
            control=(lambda: watched(directly)) if self.direct_address else None,
        )
        must_be_enough(series, rule)
        self.controls = [one.mbps for one in series.controls if not one.disturbed]
        self.aside = aside_in_words(series.aside)
        return [one.mbps for one in series.counted]

    def without_services(self, conditions: Phrase, rates: Sequence[float]) -> None:
        """Note the rate with services off, for comparison."""
        self.off = list(rates)
        rule = services_rule.at_once(self._run.rule, len(rates))
        measured = self._estimated("throughput_without_services", conditions, rates, rule)
        self._check.note("measurement", measured)

    def measured(
        self, conditions: Phrase, rates: Sequence[float], facts: Mapping[str, Fact]
    ) -> None:
        """Note the rate with services on, which is to be held against the promise."""
        rule = self._rule or services_rule.at_once(self._run.rule, len(rates))
        self._check.measured(
            self._estimated(
                PROMISE,
                conditions,
                rates,
                rule,
                threshold=self._run.promised(PROMISE),
                baseline=fmean(self.direct) if self.direct else None,
                facts=facts,
            )
        )

    def conclude(self) -> None:
        """Hold the rate against the promise.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        conclude(
            self._check,
            self._check.measurement,
            Rig([*self.controls, *self.direct] if self.direct_address else None),
            self._compared,
            services_off=fmean(self.off) if self.off else None,
            disturbed=self.aside,
        )

    def _compared(self) -> str:
        off = f"With services off it carried {figure(fmean(self.off))} Mbit/s. " if self.off else ""
        return f"{off}The path without the gateway carried {figure(fmean(self.direct))} Mbit/s."

    def _estimated(
        self, promise: str, conditions: Phrase, rates: Sequence[float], rule: Rule, **more: object
    ) -> Measurement:
        return estimated(
            promise,
            conditions,
            rates,
            rule.interval(rates),
            rule.confidence,
            layer="file content",
            **more,
        )
