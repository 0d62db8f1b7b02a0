"""How long packets take: through the gateway and without it, at rest and under load."""

from __future__ import annotations

from collections.abc import Mapping

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.base.waiting import until
from gatepass.results.delays import LARGE, SMALL, Kind
from gatepass.results.record import figure
from gatepass.results.trial import POLICING
from gatepass.verdict.throughput import must_be_enough
from support import words
from support.connections import address_over
from support.delays import (
    Delayed,
    DelayRunner,
    Measure,
    Tried,
    came_from,
    delay_should_keep,
    measured,
    through_the_gateway,
)
from support.guard import keyword
from support.keyword_library import Context, KeywordLibrary
from support.policies import COUNTERS_LAG_S, counter_of
from support.robot_log import set_check_message

_IPV6_ROW = 40
"""Of the test policy for IPv6, among the numbers that the rule set leaves free."""
_OVERLOAD: words.DelayLoad = "in an overload"
_FILLED = 1.2
"""How much longer than a full queue takes an overload lasts."""
_WITH_EASE_MBPS = 1000
"""What an endpoint sends and takes with ease; more is offered no further above the tier than that
the ceiling shows (`POLICING`)."""
_OVERLOAD_SHOWS = 0.9
"""The least share of the tier's rate that must come through for an overload to be one."""
_VERSIONS: Mapping[words.IpVersion, int] = {"IPv4": 4, "IPv6": 6}
_SIZES: Mapping[words.PacketSize, str] = {"small": SMALL, "large": LARGE}


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
                that (beyond 1,000 Mbit/s of 1.25), where the order has a shaper to hold it.

        Raises:
            NotApplicable: the testbed has no IPv6, or the order no shaper.
            NotProven: the rig disturbed so many trials that too few are left.
        """
        address_over(self.run, version, "server")
        if load == _OVERLOAD and self.run.order.shaper is None:
            raise NotApplicable(say("no_shaper"))
        key = (load, str(self.check.conditions))
        if key not in self._tried:
            self._tried[key] = self._try(load)
        left = self._left
        left.tried, left.lost_is_late = self._tried[key], load != _OVERLOAD
        left.kind = Kind(_SIZES[size], _VERSIONS[version])
        left.measure = self._measure(load, self.check.conditions)
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
        wanted = address_over(self.run, f"IPv{kind.version}", "client")
        came_from(self.check, self._left.through(), wanted)

    @keyword()
    def the_delay_should_keep_its_limit(self) -> None:
        """The gateway adds no more to 99 of 100 packets than the profile allows.

        At rest and up to the tier's rate that is `added_delay_ms`, in an overload `queue_delay_ms`:
        then the tier's queue is full, and only how long it may get is asked.

        Raises:
            AssertionError: it adds more, and the rig does not.
            NotProven: the rig does as well, or the interval straddles the limit.
        """
        left, rule = self._left, self._runner.rule
        held = left.measure(left.tried.series.counted, left.kind, left.tried.clocks)
        self.check.measured(held)
        if not left.lost_is_late:
            self._must_have_overloaded()
        set_check_message(delay_should_keep(self.check, left, rule))

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
        rate = self._rate(load)
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

    def _rate(self, load: words.DelayLoad) -> float:
        """Of the load with all that goes its way, Mbit/s; in an overload more than the ceiling."""
        promised = self.run.promised("stateful_throughput")
        rate = promised * words.DELAY_LOADS[load][1]
        if load != _OVERLOAD:
            return rate
        if rate > _WITH_EASE_MBPS:
            rate = promised * POLICING
        return max(rate, (self.run.order.ceiling_mbps or 0) * POLICING)

    def _seconds(self, load: words.DelayLoad, rate: float) -> float:
        """Of a trial; in an overload as long as it takes to fill a queue of the limit's length."""
        profile, ceiling = self.run.profile, self.run.order.ceiling_mbps
        if load != _OVERLOAD or rate <= ceiling:
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
        overload = load == _OVERLOAD

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
            raise NotProven(
                f"of {self._rate(_OVERLOAD):g} Mbit/s of datagrams {figure(carried)} came through "
                f"and {100 * lost:.1f} % were lost, so it is not shown that the tier's queue was "
                "full. See the checks of the tier's ceiling."
            )
        told = f"Of the datagrams of the load {100 * lost:.1f} % or more did not get through."
        self.check.evidence(say("delay_overloaded"), told, True)
