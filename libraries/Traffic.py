"""Load between the endpoints, and what it says about a promise."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from robot.api.deco import library

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.results import record
from gatepass.results.measurements import estimated
from gatepass.results.record import Evidence, Measurement, figure
from gatepass.results.trial import Load, Trial
from gatepass.stats.intervals import Interval, share
from gatepass.verdict.causes import Seen
from gatepass.verdict.disturbance import disturbance, told_of
from gatepass.verdict.endpoint_load import Ends
from gatepass.verdict.judgement import HEADROOM, Rig, because, until_decided
from gatepass.verdict.throughput import Trials, must_be_enough
from support import trial_runs, words
from support.guard import keyword
from support.reasons import cause_of, conclude
from support.session import session

_STATEFUL = "stateful_throughput"
_PROMISES: dict[words.Throughput, str] = {
    "stateful": _STATEFUL,
    "security services": "services_throughput",
}
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
    def baseline(self, when: words.Moment) -> None:
        """Endpoint to endpoint on the direct path: TCP a little above the tier's rate.

        Example: ``The Path Without The Gateway Is Measured Before The Gateway's Checks``

        What an endpoint carries at most says nothing of whether it holds the promised rate evenly.

        Args:
            when: before or after.

        Raises:
            NotApplicable: the testbed has no such path.
        """
        if session.testbed.endpoints.server.direct_address is None:
            raise NotApplicable(say("no_direct_path"))
        promised = session.promised(_STATEFUL)
        sent = trial_runs.control(trial_runs.tcp(), promised)
        session.last = trial_runs.repeated(sent, promised)
        session.baselines[when] = session.last
        measurement = session.last.measurement("baseline", say(when))
        measurement.facts["asked_mbps"] = round(promised * HEADROOM, 3)
        session.note("measurement", measurement)

    @keyword()
    def the_rig_should_carry_the_tier(self) -> None:
        """The direct path carries the tier's rate, in the mean of its trials.

        Raises:
            NotProven: it does not, so that no gateway could be judged here.
        """
        self._rig_carries(session.last, "before")

    @keyword()
    def the_rig_should_not_have_drifted(self) -> None:
        """The direct path carries the tier's rate after the checks as well.

        Raises:
            NotProven: it does not.
        """
        if session.baselines.get("before") is None:
            raise NotProven("the path without the gateway was not measured before the checks.")
        self._rig_carries(session.baselines["after"], "after")

    def _rig_carries(self, trials: Trials, when: words.Moment) -> None:
        promised = session.promised(_STATEFUL)
        carried = trials.interval.mean
        asked = promised * HEADROOM
        enough = carried >= promised
        session.note(
            "evidence",
            Evidence(
                say("rig_room", when=say(when)),
                f"Asked for {asked:g} Mbit/s it carried {figure(carried)} in the mean of "
                f"{len(trials.rates)} trials; {promised:g} are promised.",
                enough,
            ),
        )
        if not enough:
            held = trials.measurement("baseline", say(when), promised)
            rig = Rig(trials.rates, trials.rig.limit)
            cause = cause_of(Seen(held, by_rig=True, trials=trials.trials, without=trials.rates))
            raise NotProven(because(rig.limits(held), cause))

    # -- through the gateway -----------------------------------------------------------------

    @keyword("TCP is sent through the gateway about the promise of ${promise} throughput")
    def tcp_about_promise(self, promise: words.Throughput) -> None:
        """Trials from client to server until they decide whether the tier's rate is reached.

        Example: ``TCP Is Sent Through The Gateway About The Promise Of Stateful Throughput``
        """
        name = _PROMISES[promise]
        threshold = session.promised(name)
        self._measure(trial_runs.tcp(promised_mbps=threshold), threshold)
        self._note(
            session.last.measurement(
                name, session.conditions, threshold, baseline=self._baseline()
            )
        )

    @keyword("${kind} is sent ${direction} about the tier's ceiling")
    def sent_about_ceiling(self, kind: words.Transport, direction: words.Direction) -> None:
        """Trials against the shaper's limit.

        Example: ``TCP Is Sent To The Client About The Tier's Ceiling``

        Args:
            kind: TCP, or UDP, which is offered a quarter above the tier's rate.
            direction: "to the server" or "to the client".
        """
        promised = session.promised(_STATEFUL)
        session.conditions = say("direction", what=say(kind), way=say(words.WAYS[direction]))
        load = trial_runs.tcp(
            reverse=direction == "to the client",
            udp_mbps=promised * _POLICING if kind == "UDP" else None,
            promised_mbps=promised,
        )
        self._measure(load, promised, at_most=session.order.ceiling_mbps)

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
        promised, trials = session.promised(_STATEFUL), session.last
        self._note(
            trials.measurement(
                "ceiling",
                session.conditions,
                session.order.ceiling_mbps,
                self._baseline(),
            )
        )
        conclude(
            self.measurement,
            lambda: "",
            trials=trials.trials,
            disturbed=told_of(trials.aside),
        )
        if self._load.udp_mbps:
            # a starved sender of datagrams would show as a slow gateway, so TCP holds the rate
            self._must_have_overloaded(promised)
            return
        floor = trials.measurement("rate_under_ceiling", session.conditions, promised)
        self._note(floor)
        self._conclude(floor)

    @keyword("Datagrams Are Sent At Three Quarters Of The Tier's Rate")
    def datagrams_are_sent_at_three_quarters_of_the_tiers_rate(self) -> None:
        """UDP from client to server, a trial after the other until loss is decided about."""
        rate = session.promised(_STATEFUL) * _LOSS_AT
        session.conditions = say("datagrams", mbps=rate)
        self._load = trial_runs.tcp(udp_mbps=rate)
        limit, far = session.profile.max_loss_percent, trial_runs.server()
        series = until_decided(
            lambda: trial_runs.one(self._load, far),
            _lost,
            session.rule,
            limit,
            relation="at most",
            disturbed=disturbance,
        )
        must_be_enough(series, session.rule)
        self._sent = tuple(series.counted)
        self._note(_loss(self._sent, limit))

    @keyword()
    def hardly_any_should_be_lost(self) -> None:
        """At most the profile's share of datagrams is lost, and not by the rig itself."""
        conclude(
            self.measurement,
            self._loss_of_the_rig,
            lambda: f"The path without the gateway lost {self._alone.value:g} %.",
            self._sent,
        )

    # -- helpers -----------------------------------------------------------------------------

    def _conclude(self, measurement: Measurement) -> None:
        trials = session.last
        without = [control.mbps for control in trials.controls or ()]
        conclude(
            measurement,
            lambda: trials.rig.limits(measurement),
            lambda: f"The path without the gateway carried {figure(fmean(without))} of "
            f"{measurement.threshold * HEADROOM:g} Mbit/s in {len(without)} trials, in turns with "
            "it.",
            trials.trials,
            lambda: without,
            disturbed=told_of(trials.aside),
        )

    def _measure(self, load: Load, threshold: float, at_most: float | None = None) -> None:
        self._load = load
        control = trial_runs.control(load, threshold)
        session.last = trial_runs.until_decided(
            load, trial_runs.server(), threshold, at_most, control
        )

    def _baseline(self) -> Interval | None:
        before = session.baselines.get("before")
        return before and before.interval

    def _note(self, measurement: Measurement) -> None:
        self.measurement = measurement
        session.note("measurement", measurement)

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

    def _loss_of_the_rig(self) -> str:
        """Why the rig itself could have lost as much; empty where it did not."""
        sent = trial_runs.control(self._load, session.promised(_STATEFUL) * _LOSS_AT)
        if sent is None:
            return Rig(None).limits(self.measurement)
        trials = [sent() for _ in range(session.rule.min_trials)]
        self._alone = _loss(trials, None)
        if self._alone.upper > self.measurement.threshold:
            return f"The path without the gateway loses {record.measured(self._alone)} itself."
        return ""


def _lost(trials: Sequence[Trial]) -> list[float]:
    return [trial.lost_percent or 0.0 for trial in trials]


def _loss(trials: Sequence[Trial], limit: float | None) -> Measurement:
    """Datagrams lost, per cent. Few or none lost say no more than their number bears out.

    The half width is the larger one of the trials' scatter and of the binomial bound on all
    datagrams together: the first sees losses that come in bursts, the second those that are rare.
    """
    lost = _lost(trials)
    value = session.rule.interval(lost)
    count = sum(trial.datagrams or 0 for trial in trials)
    _, most = share(round(count * value.mean / 100), count, session.rule.confidence)
    rare = most * 100 - value.mean
    width = None if value.half_width is None else max(value.half_width, rare)
    return estimated(
        "loss",
        session.conditions,
        lost,
        Interval(value.mean, width),
        session.rule.confidence,
        layer="UDP payload",
        threshold=limit,
        facts={
            "received_mbps": round(fmean(trial.mbps for trial in trials), 3),
            "datagrams": count,
        },
    )
