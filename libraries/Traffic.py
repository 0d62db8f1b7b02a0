"""Load between the endpoints, and what it says about a promise."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from robot.api.deco import library

import trial_runs
from gatepass.causes import Seen
from gatepass.endpoint_load import Ends
from gatepass.errors import NotApplicable, NotProven
from gatepass.iperf import Load, Trial
from gatepass.judgement import ROOM, Rig, because, until_decided
from gatepass.record import Measurement, figure
from gatepass.statistics import Interval, interval
from gatepass.throughput import Trials
from guard import keyword
from reasons import cause_of, conclude
from session import session

PROMISES = {
    "stateful": ("Stateful throughput", "stateful_mbps"),
    "security services": ("Throughput with security services", "security_services_mbps"),
}
_STEADY_PERCENT = 10
"""By how much the rig may drift over the run before that is worth a word."""
_POLICING = 1.25
"""What is offered to see a limit: a quarter above it (ITU-T Y.1564, traffic policing test)."""
_OVERLOAD_SHOWS = 0.9
"""The least share of the tier's rate that must come through for an overload to be one."""
_LOSS_AT = 0.75
"""Where loss is looked at: three quarters of the rate (ITU-T Y.1564, a step of the CIR test)."""


@library(scope="GLOBAL", doc_format="ROBOT")
class Traffic:
    """Keywords that send iperf3 trials and hold them against a promise of the ordered tier."""

    # -- the path without the gateway --------------------------------------------------------

    @keyword("The path without the gateway is measured ${when} the gateway's checks")
    def baseline(self, when: str) -> None:
        """Endpoint to endpoint on the direct path, TCP as the profile says.

        Args:
            when: before or after.

        Raises:
            NotApplicable: the testbed has no such path.
        """
        if session.testbed.endpoints.server.direct_address is None:
            raise NotApplicable(
                "the testbed names no direct_address, so a slow rig cannot be told from a slow "
                "gateway: no check of throughput can fail, only pass or be not proven."
            )
        threshold = self._threshold("stateful") * ROOM
        load, far = trial_runs.tcp(), trial_runs.server_directly()
        session.last = trial_runs.until_decided(load, far, threshold)
        session.baselines[when.lower()] = session.last
        measurement = session.last.measurement("Baseline without the gateway", when.lower())
        session.note("measurement", measurement)

    @keyword()
    def the_rig_should_carry_the_tier_with_room(self) -> None:
        """The direct path reaches the tier's rate with a tenth to spare.

        Raises:
            NotProven: it does not, so that no gateway could be judged here.
        """
        trials: Trials = session.last
        needed = self._threshold("stateful") * ROOM
        if min(trials.rates) < needed:
            promised = self._threshold("stateful")
            rig = Rig(trials.rates, trials.client_cpu, trials.server_cpu, trials.trials)
            held = trials.measurement("The path without the gateway", "", promised)
            cause = cause_of(Seen(held, by_rig=True, trials=trials.trials, without=trials.rates))
            raise NotProven(because(rig.limits(promised), cause))
        session.evidence(
            "The rig carries the tier's rate with room to spare",
            f"Without the gateway {figure(trials.interval.mean)} Mbit/s; {needed:g} are needed.",
            True,
        )

    @keyword()
    def the_rig_should_not_have_drifted(self) -> None:
        """The direct path carries after the checks what it carried before them, or still enough."""
        before, after = session.baselines.get("before"), session.baselines["after"]
        if before is None:
            raise NotProven("the path without the gateway was not measured before the checks.")
        first, last = before.interval.mean, after.interval.mean
        drift = (last - first) / first * 100
        needed = self._threshold("stateful") * ROOM
        if abs(drift) > _STEADY_PERCENT and min(before.rates + after.rates) < needed:
            raise NotProven(
                f"the rig drifted by {drift:+.0f} % over the run, from {figure(first)} to "
                f"{figure(last)} Mbit/s without the gateway, and {needed:g} are needed."
            )
        session.evidence(
            "The rig carries the tier's rate with room to spare after the checks as well",
            f"Without the gateway {figure(first)} Mbit/s before, {figure(last)} after.",
            True,
        )

    # -- through the gateway -----------------------------------------------------------------

    @keyword("TCP is sent through the gateway about the promise of ${promise} throughput")
    def tcp_about_promise(self, promise: str) -> None:
        """Trials from client to server until they decide whether the tier's rate is reached."""
        self._measure(promise, trial_runs.tcp())

    @keyword("${kind} is sent ${direction} about the tier's ceiling")
    def sent_about_ceiling(self, kind: str, direction: str) -> None:
        """Trials against the shaper's limit.

        Args:
            kind: TCP, or UDP, which is offered a quarter above the tier's rate.
            direction: "to the server" or "to the client".
        """
        promised = self._threshold("stateful")
        session.conditions = f"{kind}, {direction}"
        load = trial_runs.tcp(
            reverse=direction == "to the client",
            udp_mbps=promised * _POLICING if kind == "UDP" else None,
        )
        self._measure("stateful", load, at_most=self._ceiling())

    @keyword()
    def the_throughput_should_reach_the_promise(self) -> None:
        """The lower bound of the interval reaches the tier's figure.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        self._conclude(self.measurement)

    @keyword()
    def the_throughput_should_keep_the_ceiling(self) -> None:
        """The customer gets the tier's rate, and no more than it plus the burst allowance."""
        promised, trials = self._threshold("stateful"), session.last
        self._note(
            trials.measurement(
                "The tier's ceiling",
                session.conditions,
                self._ceiling(),
                "at most",
                self._baseline(),
            )
        )
        conclude(self.measurement, lambda: "", trials=trials.trials)
        if self._load.udp_mbps:
            # a starved sender of datagrams would show as a slow gateway, so TCP holds the rate
            self._must_have_overloaded(promised)
            return
        words = "The tier's rate under the ceiling"
        floor = trials.measurement(words, session.conditions, promised)
        self._note(floor)
        self._conclude(floor)

    @keyword("Datagrams Are Sent At Three Quarters Of The Tier's Rate")
    def datagrams_are_sent_at_three_quarters_of_the_tiers_rate(self) -> None:
        """UDP from client to server, a trial after the other until loss is decided about."""
        rate = self._threshold("stateful") * _LOSS_AT
        session.conditions = f"UDP at {rate:g} Mbit/s"
        self._load = trial_runs.tcp(udp_mbps=rate)
        limit, far = session.profile.max_loss_percent, trial_runs.server()
        trials = until_decided(
            lambda: trial_runs.one(self._load, far), _lost, session.rule, limit, relation="at most"
        )
        self._sent = tuple(trials)
        self._note(_loss(trials, limit, session.rule.confidence))

    @keyword()
    def hardly_any_should_be_lost(self) -> None:
        """At most the profile's share of datagrams is lost, and not by the rig itself."""
        conclude(self.measurement, lambda: "", self._loss_without_the_gateway, self._sent)

    # -- helpers -----------------------------------------------------------------------------

    def _conclude(self, measurement: Measurement) -> None:
        conclude(
            measurement,
            self._rig_limit,
            lambda: f"The path without the gateway carried {figure(fmean(self._without))} Mbit/s.",
            session.last.trials,
            lambda: self._without,
        )

    def _threshold(self, promise: str) -> float:
        return session.promise(PROMISES[promise][1])

    def _ceiling(self) -> float:
        allowance = session.order.shaper.burst_allowance_percent
        return self._threshold("stateful") * (1 + allowance / 100)

    def _measure(self, promise: str, load: Load, at_most: float | None = None) -> None:
        words, figure_name = PROMISES[promise.lower()]
        threshold = session.promise(figure_name)
        self._load = load
        session.last = trial_runs.until_decided(load, trial_runs.server(), threshold, at_most)
        self.measurement = session.last.measurement(
            words, session.conditions, threshold, baseline=self._baseline()
        )
        if not session.conditions.startswith(("TCP", "UDP")):
            session.note("measurement", self.measurement)

    def _baseline(self) -> Interval | None:
        before = session.baselines.get("before")
        return before and before.interval

    def _note(self, measurement: Measurement) -> None:
        self.measurement = measurement
        session.note("measurement", measurement)

    def _rig_limit(self) -> str:
        """Why the rig could not have shown the promise, looked at now; empty where it could."""
        trials: Trials = session.last
        self._without: list[float] | None = None
        if session.testbed.endpoints.server.direct_address:
            count = max(2, session.rule.min_trials)
            self._without = [
                trial_runs.one(self._load, trial_runs.server_directly()).mbps for _ in range(count)
            ]
        busiest = (trials.client_cpu, trials.server_cpu, trials.trials)
        return Rig(self._without, *busiest).limits(self.measurement.threshold)

    def _must_have_overloaded(self, promised: float) -> None:
        """A ceiling that was hardly reached has not been tried.

        Raises:
            NotProven: too few datagrams came through.
        """
        carried = session.last.interval.mean
        if carried < promised * _OVERLOAD_SHOWS:
            unknown = (
                "The sender was disturbed, or the gateway lets less through: see the checks with "
                "TCP."
            )
            raise NotProven(
                f"only {figure(carried)} Mbit/s of datagrams came through of "
                f"{self._load.udp_mbps:g} that were asked for, so the ceiling was not tried. "
                f"{Ends.of(session.last.trials).limit() or unknown}"
            )

    def _loss_without_the_gateway(self) -> str:
        """The rig's own loss. Where it loses as much itself, the gateway cannot be blamed.

        Raises:
            NotProven: the path without the gateway loses more than allowed, or is not known.
        """
        if session.testbed.endpoints.server.direct_address is None:
            raise NotProven(Rig(None, 0, 0).limits(self.measurement.threshold))
        far = trial_runs.server_directly()
        trials = [trial_runs.one(self._load, far) for _ in range(session.rule.min_trials)]
        alone = _loss(trials, self.measurement.threshold, session.rule.confidence)
        if alone.value > self.measurement.threshold:
            raise NotProven(
                f"{self.measurement.promise}: {figure(self.measurement.value)} %, but the path "
                f"without the gateway loses {figure(alone.value)} % itself."
            )
        return f"The path without the gateway lost {figure(alone.value)} %."


def _lost(trials: Sequence[Trial]) -> list[float]:
    return [trial.lost_percent or 0.0 for trial in trials]


def _loss(trials: Sequence[Trial], limit: float, confidence: float) -> Measurement:
    lost = _lost(trials)
    value = interval(lost, confidence)
    return Measurement(
        promise="Loss at three quarters of the tier's rate",
        conditions=session.conditions,
        value=round(value.mean, 5),
        unit="%",
        layer="UDP payload",
        half_width=None if value.half_width is None else round(value.half_width, 5),
        confidence=confidence,
        trials=tuple(round(loss, 5) for loss in lost),
        threshold=limit,
        relation="at most",
        facts={"received_mbps": round(sum(trial.mbps for trial in trials) / len(trials), 3)},
    )
