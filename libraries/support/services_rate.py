"""The rate with security services on: how it is tried, written down and held."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

from gatepass.base.phrase import Phrase
from gatepass.endpoint.download import FileSource
from gatepass.results.downloads import BESIDE, CONTROL, OFF, ON, DownloadTrial
from gatepass.results.record import figure
from gatepass.verdict.disturbance import aside_in_words, host_facts
from gatepass.verdict.downloads import JUDGED, disturbed, measured, of_role, rates
from gatepass.verdict.judgement import Rig, Rule, TrialSeries, until_decided
from gatepass.verdict.services_rule import WITH, rule_of
from gatepass.verdict.throughput import must_be_enough
from support.arrivals import port_of
from support.check_context import CheckContext
from support.reasons import conclude
from support.steps import Steps

Downloading = Callable[[], DownloadTrial]
"""What downloads once; who it is for and what the hosts did meanwhile is added to it."""


class Rates(Steps):
    """The rate that a check of security services has measured."""

    rate: ServicesRate


class ServicesRate:
    """The rate of downloads through a gateway that inspects them, Mbit/s of file content.

    Args:
        check: in which it is measured.
        conditions: of the measurement.

    Attributes:
        trials: all of them, in the order they ran.
        aside: what the rig did in trials that count for nobody, in words.
    """

    def __init__(self, check: CheckContext, conditions: Phrase) -> None:
        self._check, self._run, self._conditions = check, check.run, conditions
        self.trials: list[DownloadTrial] = []
        self.aside = ""
        check.left(Rates).rate = self

    @property
    def direct_address(self) -> str | None:
        """The server's on the path without the gateway; None where there is none."""
        return self._run.testbed.endpoints.server.direct_address

    def source(self, protocol: str, address: str) -> FileSource:
        """Where a file is asked for over HTTP, HTTPS or FTP at this address of the server."""
        return FileSource(protocol.lower(), address, port_of(self._run, protocol))

    def of(self, role: str) -> list[float]:
        """Rates of the trials of a role that count, Mbit/s."""
        return rates(of_role(self.trials, role))

    def trial(self, role: str, download: Downloading) -> DownloadTrial:
        """One trial, with what the rig did meanwhile; what was downloaded is kept.

        Args:
            role: what it is for.
            download: does so.
        """
        run, server = self._run, self._run.testbed.endpoints.server
        begun = run.rig.mark({"client": run.client, "server": run.server})
        made = download()
        run.trials += 1
        made = replace(made, role=role, number=run.trials, conduct=run.rig.since(begun))
        self.trials.append(made)
        path = run.folder / "trials" / f"{made.number:03d}-downloads.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(made.record()))
        about = {
            "number": made.number,
            "to": server.address if role in (OFF, ON) else server.direct_address,
            "mbps": round(made.mbps, 4),
            "hosts": host_facts(made.conduct),
        }
        if role in JUDGED:
            about["set_aside"] = disturbed(made)
        self._check.note("trial", about, aside=True)
        return made

    def repeated(self, through: Downloading, directly: Downloading) -> None:
        """Trials with services on, until they decide.

        Args:
            through: one trial through the gateway.
            directly: the same on the path without it, in turns with those that fall short.

        Raises:
            NotProven: the rig disturbed so many that too few are left.
        """
        rule = self._rule(WITH)
        series: TrialSeries[DownloadTrial] = until_decided(
            lambda: self.trial(ON, through),
            rates,
            rule,
            self._run.promised(WITH),
            disturbed=disturbed,
            control=(lambda: self.trial(CONTROL, directly)) if self.direct_address else None,
        )
        must_be_enough(series, rule)
        self.aside = aside_in_words(series.aside)

    def measured(self, promise: str = WITH) -> None:
        """Note the rate with services on, which is to be held against the promise, or without.

        Args:
            promise: of the rate.
        """
        threshold = self._run.promised(WITH) if promise == WITH else None
        rule = self._rule(promise)
        found = measured(promise, self._conditions, self.trials, rule, threshold)
        if promise == WITH:
            self._check.measured(found)
        else:
            self._check.note("measurement", found)

    def conclude(self) -> None:
        """Hold the rate against the promise.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        off = self.of(OFF)
        conclude(
            self._check,
            self._check.measurement,
            Rig([*self.of(CONTROL), *self.of(BESIDE)] if self.direct_address else None),
            self._compared,
            services_off=fmean(off) if off else None,
            disturbed=self.aside,
        )

    def _compared(self) -> str:
        off = self.of(OFF)
        told = f"With services off it carried {figure(fmean(off))} Mbit/s. " if off else ""
        beside = figure(fmean(self.of(BESIDE)))
        return f"{told}The path without the gateway carried {beside} Mbit/s."

    def _rule(self, promise: str) -> Rule:
        run = self._run
        return rule_of(promise, self._conditions, run.rule, run.profile.downloads)
