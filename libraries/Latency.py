"""How long packets take: through the gateway and without it, at rest, under load, beside TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from robot.libraries.BuiltIn import BuiltIn

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.base.waiting import until
from gatepass.endpoint import beside_tcp
from gatepass.endpoint.beside_tcp import BesideTcp, joined
from gatepass.endpoint.delay_probes import Target
from gatepass.results.datagrams import Carried
from gatepass.results.delays import LARGE, SMALL, Kind
from gatepass.results.measurements import observed
from gatepass.results.record import figure
from gatepass.verdict.delay_trials import (
    AskedRig,
    DelayOfTheRig,
    added_by,
    disturbed,
    in_words,
)
from gatepass.verdict.disturbance import Watched, aside_in_words
from gatepass.verdict.judgement import WITHOUT, Rig
from gatepass.verdict.throughput import LONGEST_SERIES, must_be_enough
from support import words
from support.connections import address_over
from support.delays import DelayRunner, Measure, Tried, measured, through_the_gateway
from support.guard import keyword
from support.keyword_library import Context, KeywordLibrary
from support.policies import COUNTERS_LAG_S, counter_of
from support.reasons import conclude
from support.steps import Steps

_IPV6_ROW = 40
"""Of the test policy for IPv6, among the numbers that the rule set leaves free."""
_FILLED = 1.2
"""How much longer than a full queue takes an overload lasts."""
_OVERLOAD_SHOWS = 0.9
"""The least share of the tier's rate that must come through for an overload to be one."""
_TCP_RESTS, _TCP_TRIES = 3, 3
"""For how many times the rest TCP lasts, and how often it is tried on a rig that is disturbed."""
_VERSIONS: Mapping[words.IpVersion, int] = {"IPv4": 4, "IPv6": 6}
_SIZES: Mapping[words.PacketSize, str] = {"small": SMALL, "large": LARGE}


class Delayed(Steps):
    """What was sent.

    Attributes:
        tried: the probes beside one load.
        kind: of the probe that the check is about.
        load: what they were sent beside.
        beside_tcp: probes beside TCP both ways.
    """

    tried: Tried
    kind: Kind
    load: words.DelayLoad
    beside_tcp: BesideTcp


class Latency(KeywordLibrary):
    """Keywords about the delay that the gateway adds to packets."""

    def __init__(self, context: Context | None = None) -> None:
        """What one check of a load has seen serves the others: all kinds are sent at once."""
        super().__init__(context)
        self._tried: dict[tuple[str, str], Tried] = {}

    @keyword()
    def test_traffic_over_ipv6_is_permitted_as_well(self) -> None:
        """One more test policy, between the IPv6 addresses; nothing where the testbed has none."""
        rules, ends = self.run.rules, self.run.testbed.endpoints
        number = rules.free_id(_IPV6_ROW)
        if ends.client.address6 and ends.server.address6 and not rules.holds(number):
            rules.add(rules.ipv6_row(number, ends.client.address6, ends.server.address6))

    @keyword("${size} packets are sent over ${version} ${load}")
    def packets_are_sent(
        self, size: words.PacketSize, version: words.IpVersion, load: words.DelayLoad
    ) -> None:
        """Probes through the gateway and without it, until the delay is decided about.

        Example: ``Small Packets Are Sent Over IPv4 At Half The Tier's Rate``

        Probes of all kinds are sent at the same time, beside datagrams at the load's rate; the
        other checks of the same load and rule set take them from there.

        Args:
            size: small (64 bytes; over IPv6 82) or large (1518 bytes of Ethernet frame).
            version: IPv4 or IPv6.
            load: at rest, at half or at the whole of the tier's rate, in an overload of 1.5 times
                that, where the order has a shaper to hold it.

        Raises:
            NotApplicable: the testbed has no IPv6, or the order no shaper.
            NotProven: the rig disturbed so many trials that too few are left.
        """
        address_over(self.run, version, "server")
        if load == "in an overload" and self.run.order.shaper is None:
            raise NotApplicable(say("no_shaper"))
        key = (load, str(self.check.conditions))
        if key not in self._tried:
            self._tried[key] = self._try(load)
        left = self._left
        left.tried, left.load = self._tried[key], load
        left.kind = Kind(_SIZES[size], _VERSIONS[version])
        must_be_enough(left.tried.series, self._runner.rule)

    @keyword()
    def the_policy_should_have_counted_them_and_the_server_seen_the_client(self) -> None:
        """The policy of that version of IP counted the probes, and they came from the client.

        Raises:
            AssertionError: it did not, or they did not.
        """
        tried, kind = self._left.tried, self._left.kind
        counted, received = tried.counted.get(kind.version, 0), tried.received(kind.version)
        self.check.evidence(
            say("delay_counted"),
            f"Over IPv{kind.version} it counted {counted:,} bytes; {received:,} arrived.",
            counted >= received,
        )
        pairs = [trial.pairs[kind] for trial in tried.series.counted]
        seen = [pair.through for pair in pairs if pair.through]
        self.check.evidence(say("delay_seen"), *self._came_from(seen, f"IPv{kind.version}"))

    @keyword()
    def the_delay_should_keep_its_limit(self) -> None:
        """The gateway adds no more to 99 of 100 packets than the profile allows.

        At rest and up to the tier's rate that is `added_delay_ms`, in an overload `queue_delay_ms`:
        then the tier's queue is full, and only how long it may get is asked.

        Raises:
            AssertionError: it adds more, and the rig does not.
            NotProven: the rig does as well, or the interval straddles the limit.
        """
        tried, kind, load = self._left.tried, self._left.kind, self._left.load
        trials, rule = tried.series.counted, self._runner.rule
        self.check.measured(self._measure(load, self.check.conditions)(trials, kind))
        if load == "in an overload":
            self._must_have_overloaded()
        added = added_by(kind, trials, lost_is_late=load != "in an overload")
        told = in_words(added, rule, self.check.measurement.threshold)
        rig = DelayOfTheRig(tried.control, kind, rule)
        aside = [(Watched(0.0, one.conduct), why) for one, why in tried.series.aside]
        conclude(
            self.check,
            self.check.measurement,
            rig,
            lambda: f"{told} {rig.compared()}",
            disturbed=aside_in_words(aside),
        )
        BuiltIn().set_test_message(told)

    # -- beside TCP ---------------------------------------------------------------------------

    @keyword("TCP fills the path both ways between two times of rest")
    def tcp_fills_the_path_both_ways(self) -> None:
        """Probes all the time; in the middle of it TCP both ways (what flent calls RRUL).

        As many streams each way as the profile has, each direction offered at most what it offers
        of TCP. The probes go from the client to the server.

        Raises:
            AssertionError: the probes did not come from the client.
            NotProven: the rig was disturbed each time, or TCP carried nothing one way.
        """
        aside = []
        for _ in range(_TCP_TRIES):
            seen = self._beside_tcp(through_the_gateway(self.run))
            if not (why := disturbed(seen.trial)):
                break
            aside.append((Watched(0.0, seen.trial.conduct), why))
        else:
            raise NotProven(aside_in_words(aside))
        self._left.beside_tcp = seen
        self.check.evidence(
            say("delay_seen"), *self._came_from([seen.through], "IPv4")
        )
        rates = f"{figure(seen.to_server_mbps)} and {figure(seen.to_client_mbps)} Mbit/s"
        if not min(seen.to_server_mbps, seen.to_client_mbps):
            raise NotProven(f"TCP carried {rates} to the server and to the client.")
        streams = self.run.profile.streams
        told = f"It carried {rates} to the server and to the client, in {streams} streams each."
        self.check.evidence(say("delay_filled"), told, True)

    @keyword()
    def the_delay_should_have_kept_its_limit_meanwhile(self) -> None:
        """In no tenth of a second the mean delay was longer than `queue_delay_ms` allows.

        Raises:
            AssertionError: it was, and without the gateway it was not.
            NotProven: the rig delays by as much itself.
        """
        seen, limit = self._left.beside_tcp, self.run.profile.queue_delay_ms
        every = seen.series_ms()
        series, interval_s = joined(every, LONGEST_SERIES)
        conditions = say("tcp_both_ways", streams=self.run.profile.streams)
        held = observed("queue_delay", conditions, max(every), threshold=limit)
        held = replace(held, series=series, series_interval_s=interval_s)
        held.facts.update(
            median_ms=round(median(every), 3),
            to_server_mbps=round(seen.to_server_mbps, 3),
            to_client_mbps=round(seen.to_client_mbps, 3),
        )
        self.check.measured(held)
        alone: list[float] = []

        def without() -> str:
            target = through_the_gateway(self.run)
            if not target.beside:
                return Rig(None).limits(held)
            alone.append(max(self._beside_tcp(Target(target.beside, {}, target.first_port))
                             .series_ms()))
            if alone[0] > limit / 2:
                return f"{WITHOUT} delays by {alone[0]:.1f} ms itself beside TCP both ways."
            return ""

        conclude(
            self.check,
            held,
            AskedRig(without),
            lambda: f"{WITHOUT} delayed by {alone[0]:.1f} ms at most beside TCP both ways.",
        )

    # -- helpers ------------------------------------------------------------------------------

    @property
    def _left(self) -> Delayed:
        return self.check.left(Delayed)

    @property
    def _runner(self) -> DelayRunner:
        return DelayRunner(self.check)

    def _try(self, load: words.DelayLoad) -> Tried:
        """All kinds of probe beside a load, and what the policies counted meanwhile."""
        policies, before = self._policies(), {}
        for version, number in policies.items():
            before[version] = counter_of(self.run, number).get("bytes", 0)
        kinds = [Kind(size, version) for version in policies for size in (SMALL, LARGE)]
        rate = self.run.promised("stateful_throughput") * words.DELAY_LOADS[load][1]
        measure = self._measure(load, self.check.conditions)
        target, seconds = through_the_gateway(self.run), self._seconds(load, rate)
        tried = self._runner.until_told(target, kinds, rate, measure, seconds)

        def counted() -> bool:
            for version, number in policies.items():
                now = counter_of(self.run, number).get("bytes", 0)
                tried.counted[version] = now - before[version]
            return all(seen >= tried.received(version) for version, seen in tried.counted.items())

        until(counted, COUNTERS_LAG_S)
        return tried

    def _seconds(self, load: words.DelayLoad, rate: float) -> float:
        """Of a trial; in an overload as long as it takes to fill a queue of the limit's length."""
        profile, ceiling = self.run.profile, self.run.order.ceiling_mbps
        if load != "in an overload" or rate <= ceiling:
            return profile.delay_trial_s
        filled_s = profile.queue_delay_ms / 1000 * ceiling / (rate - ceiling)
        return max(profile.delay_trial_s, _FILLED * filled_s)

    def _policies(self) -> dict[int, int]:
        """The test policies by the version of IP that they permit."""
        rules = self.run.rules
        sixth = rules.free_id(_IPV6_ROW)
        return {4: rules.test_id} | ({6: sixth} if rules.holds(sixth) else {})

    def _measure(self, load: words.DelayLoad, rules: Phrase) -> Measure:
        profile = self.run.profile
        overload = load == "in an overload"

        def conditions(kind: Kind) -> Phrase:
            packets, by = say(f"{kind.size}_packets"), f"IPv{kind.version}"
            name, _ = words.DELAY_LOADS[load]
            what = say("delay_of", packets=packets, by=by, load=say(name))
            return say("delay_with_rules", what=what, rules=rules) if rules else what

        return measured(
            "queue_delay" if overload else "added_delay",
            conditions,
            profile.queue_delay_ms if overload else profile.added_delay_ms,
            self._runner.rule,
            lost_is_late=not overload,
        )

    def _must_have_overloaded(self) -> None:
        """A queue that was hardly filled says nothing of how long it may get.

        Raises:
            NotProven: all of the load came through, or too little for a tier's rate.
        """
        loads = [trial.load for trial in self._left.tried.series.counted if trial.load]
        carried = min(load.received_mbps for load in loads)
        lost = min(load.loss_ratio for load in loads)
        promised = self.run.promised("stateful_throughput")
        if lost == 0 or carried < promised * _OVERLOAD_SHOWS:
            offered = promised * words.DELAY_LOADS["in an overload"][1]
            raise NotProven(
                f"of {offered:g} Mbit/s of datagrams {figure(carried)} came through and "
                f"{100 * lost:.1f} % got lost, so no queue of the tier's was shown to be full. See "
                "the checks of the tier's ceiling."
            )
        told = f"Of the datagrams of the load {100 * lost:.1f} % or more did not get through."
        self.check.evidence(say("delay_overloaded"), told, True)

    def _came_from(self, seen: Sequence[Carried], version: words.IpVersion) -> tuple[str, bool]:
        """From which addresses probes came, and whether it is the client's alone."""
        wanted = address_over(self.run, version, "client")
        sources = set().union(*(one.sources for one in seen))
        told = " and ".join(sorted(sources)) or "none"
        return f"It saw {told}; expected is {wanted}, the client's.", sources == {wanted}

    def _beside_tcp(self, target: Target) -> BesideTcp:
        profile, run = self.run.profile, self.run
        load = self.runner.load(promised_mbps=run.promised("stateful_throughput"))
        load = replace(load, seconds=_TCP_RESTS * profile.delay_trial_s, omit_s=0)
        port = run.testbed.endpoints.server.iperf3_port
        run.trials += 1
        begun = run.rig.mark({"client": run.client, "server": run.server})
        seen = beside_tcp.run(run.client, run.server, target, port, load, profile.delay_trial_s)
        trial = replace(seen.trial, conduct=run.rig.since(begun))
        self._runner.keep(trial, target.through[4])
        return replace(seen, trial=trial)
