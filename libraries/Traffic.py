"""Load between the endpoints, and what it says about a promise."""

from __future__ import annotations

from statistics import fmean

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.results.record import Evidence, Measurement, figure
from gatepass.results.trial import POLICING, Load, Trial
from gatepass.verdict.causes import Observations
from gatepass.verdict.disturbance import aside_in_words, disturbance
from gatepass.verdict.endpoint_load import EndpointLoads
from gatepass.verdict.judgement import (
    ALL_ASIDE,
    FEWEST_CONTROLS,
    HEADROOM,
    Rig,
    because,
    until_decided,
)
from gatepass.verdict.loss import LossOfTheRig, loss, lost
from gatepass.verdict.throughput import Trials, must_be_enough
from support import words
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.reasons import cause_of, conclude, throughput_should_reach
from support.steps import Steps

_STATEFUL = "stateful_throughput"
_PROMISES: dict[words.Throughput, str] = {
    "stateful": _STATEFUL,
    "security services": "services_throughput",
}
_OVERLOAD_SHOWS = 0.9
"""The least share of the tier's rate that must come through for an overload to be one."""
_LOSS_AT = 0.75
"""Where loss is looked at: three quarters of the rate (ITU-T Y.1564, a step of the CIR test)."""


class Sent(Steps):
    """What was sent last.

    Attributes:
        load: of a trial.
        controls: rates of the same on the path without the gateway, Mbit/s, where that was asked.
    """

    load: Load
    controls: list[float]


class Traffic(KeywordLibrary):
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
        if self.run.testbed.endpoints.server.direct_address is None:
            raise NotApplicable(say("no_direct_path"))
        promised = self.run.promised(_STATEFUL)
        sent = self.runner.control(self.runner.load(), promised)
        self.check.trials = self.runner.repeated(sent, promised)
        self.run.baselines[when] = self.check.trials
        measurement = self.check.trials.measurement("baseline", say(when))
        measurement.facts["asked_mbps"] = round(promised * HEADROOM, 3)
        self.check.note("measurement", measurement)

    @keyword()
    def the_rig_should_carry_the_tier(self) -> None:
        """The direct path carries the tier's rate, in the mean of its trials.

        Raises:
            NotProven: it does not, so that no gateway could be judged here.
        """
        self._rig_carries(self.check.trials, "before")

    @keyword()
    def the_rig_should_not_have_drifted(self) -> None:
        """The direct path carries the tier's rate after the checks as well.

        Raises:
            NotProven: it does not.
        """
        if self.run.baselines.get("before") is None:
            raise NotProven("the path without the gateway was not measured before the checks.")
        self._rig_carries(self.run.baselines["after"], "after")

    def _rig_carries(self, trials: Trials, when: words.Moment) -> None:
        promised = self.run.promised(_STATEFUL)
        carried = trials.interval.mean
        asked = promised * HEADROOM
        enough = carried >= promised
        self.check.note(
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
            seen = Observations(held, by_rig=True, trials=trials.trials, without=trials.rates)
            raise NotProven(because(rig.limits(held), cause_of(self.check, seen)))

    # -- through the gateway -----------------------------------------------------------------

    @keyword("TCP is sent through the gateway about the promise of ${promise} throughput")
    def tcp_about_promise(self, promise: words.Throughput) -> None:
        """Trials from client to server until they decide whether the tier's rate is reached.

        Example: ``TCP Is Sent Through The Gateway About The Promise Of Stateful Throughput``
        """
        name = _PROMISES[promise]
        threshold = self.run.promised(name)
        self._measure(self.runner.load(promised_mbps=threshold), threshold)
        self._measured(name, threshold)

    @keyword("${kind} is sent ${direction} about the tier's ceiling")
    def sent_about_ceiling(self, kind: words.Transport, direction: words.Direction) -> None:
        """Trials against the shaper's limit.

        Example: ``TCP Is Sent To The Client About The Tier's Ceiling``

        Args:
            kind: TCP, or UDP, which is offered a quarter above the tier's rate.
            direction: "to the server" or "to the client".
        """
        promised = self.run.promised(_STATEFUL)
        way = say("direction", what=say(kind), way=say(words.WAYS[direction]))
        self.check.conditions = self.check.over(way)
        load = self.runner.load(
            reverse=direction == "to the client",
            udp_mbps=promised * POLICING if kind == "UDP" else None,
            promised_mbps=promised,
        )
        self._measure(load, promised, at_most=self.run.order.ceiling_mbps)

    @keyword()
    def the_throughput_should_reach_the_promise(self) -> None:
        """The lower bound of the interval reaches the tier's figure.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        throughput_should_reach(self.check, self.check.measurement, self.check.trials)

    @keyword()
    def the_throughput_should_keep_the_ceiling(self) -> None:
        """The customer gets the tier's rate, and no more than it plus the burst allowance."""
        promised, trials = self.run.promised(_STATEFUL), self.check.trials
        kept = self._measured("ceiling", self.run.order.ceiling_mbps)
        conclude(self.check, kept, Rig(()), trials=trials)
        if self._sent.load.udp_mbps:
            # a starved sender of datagrams would show as a slow gateway, so TCP holds the rate
            self._must_have_overloaded(promised)
            return
        reached = self._measured("rate_under_ceiling", promised, baseline=False)
        throughput_should_reach(self.check, reached, trials)

    @keyword("Datagrams Are Sent At Three Quarters Of The Tier's Rate")
    def datagrams_are_sent_at_three_quarters_of_the_tiers_rate(self) -> None:
        """UDP from client to server, a trial after the other until loss is decided about."""
        rate = self.run.promised(_STATEFUL) * _LOSS_AT
        self.check.conditions = self.check.over(say("datagrams", mbps=rate))
        load = self._sent.load = self.runner.load(udp_mbps=rate)
        rule, limit = self.run.rule, self.run.profile.max_loss_percent
        server = self.runner.server()
        series = until_decided(
            lambda: self.runner.one(load, server),
            lost,
            rule,
            limit,
            relation="at most",
            disturbed=disturbance,
        )
        must_be_enough(series, rule)
        self.check.measured(loss(series.counted, self.check.conditions, rule, limit))

    @keyword()
    def hardly_any_should_be_lost(self) -> None:
        """At most the profile's share of datagrams is lost, and not by the rig itself."""
        rate = self.run.promised(_STATEFUL) * _LOSS_AT
        rig = LossOfTheRig(self.runner.control(self._sent.load, rate), self.run.rule)
        conclude(self.check, self.check.measurement, rig, rig.compared)

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _sent(self) -> Sent:
        return self.check.left(Sent)

    def _measure(self, load: Load, threshold: float, at_most: float | None = None) -> None:
        self._sent.load = load
        control = self.runner.control(load, threshold)
        self.check.trials = self.runner.until_decided(
            load, self.runner.server(), threshold, at_most, control
        )

    def _measured(self, promise: str, threshold: float, baseline: bool = True) -> Measurement:
        """What the last trials say about a promise, noted.

        Args:
            promise: its name.
            threshold: Mbit/s.
            baseline: whether the path without the gateway is told beside it.
        """
        fourth = self.check.ip_version == 4
        before = self.run.baselines.get("before") if baseline and fourth else None
        trials, conditions = self.check.trials, self.check.conditions
        self.check.measured(
            trials.measurement(promise, conditions, threshold, before and before.interval)
        )
        return self.check.measurement

    def _must_have_overloaded(self, promised: float) -> None:
        """A ceiling that was hardly reached has not been tried, and the tier's rate was missed.

        Raises:
            AssertionError: the gateway let too few datagrams through, and the path without it lets
                them through.
            NotProven: too few came through, and the rig could have caused it.
        """
        trials, asked = self.check.trials, self._sent.load.udp_mbps
        carried = trials.interval.mean
        if carried >= promised * _OVERLOAD_SHOWS:
            return
        told = (
            f"only {figure(carried)} Mbit/s of datagrams came through of {asked:g} that were asked "
            "for, so the ceiling was not tried."
        )
        if limit := EndpointLoads.of(trials.trials).limit() or self._limit_of_datagrams(promised):
            raise NotProven(f"{told} {limit}")
        reached = self._measured("rate_under_ceiling", promised, baseline=False)
        conclude(self.check, reached, Rig(()), lambda: self._without_gateway(asked), trials)

    def _limit_of_datagrams(self, promised: float) -> str:
        """Why the rig itself could have let no more datagrams through; empty where it could not."""
        load = self._sent.load
        asked = load.udp_mbps or promised
        control = self.runner.control(load, asked / HEADROOM)
        if control is None:
            return Rig(None).limits(self.check.measurement)
        aside: list[tuple[Trial, str]] = []
        self._sent.controls = []
        while len(self._sent.controls) < FEWEST_CONTROLS:
            made = control()
            if why := disturbance(made):
                aside.append((made, why))
            else:
                self._sent.controls.append(made.mbps)
            if len(aside) == ALL_ASIDE:
                return aside_in_words(aside)
        if min(self._sent.controls) < promised:
            return (
                f"The path without the gateway carried no more than "
                f"{figure(min(self._sent.controls))} of them."
            )
        return ""

    def _without_gateway(self, asked: float) -> str:
        """What it carried of as many datagrams, as a sentence."""
        return (
            f"Of {asked:g} Mbit/s of datagrams the path without the gateway carried "
            f"{figure(fmean(self._sent.controls))}."
        )
