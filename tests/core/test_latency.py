"""What the checks of delay make of trials that were played."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from played import Played
from probes import KIND, carried, trial

import Latency
from gatepass.base.errors import NotApplicable, NotProven
from gatepass.results.agreement import NOTHING_KNOWN
from gatepass.results.delays import DelayTrial
from gatepass.verdict.judgement import Rule, TrialSeries
from support.delays import Tried, first_port

GOOD, FULL = [40] * 1250, [200_000] * 1250
OVERLOAD = "in an overload"


def keywords(shaper: object = "sgw-200") -> Latency.Latency:
    """Of a client and a server without IPv6."""
    client = SimpleNamespace(address="198.18.1.10", address6=None)
    server = SimpleNamespace(address="198.18.2.10", address6=None)
    return Latency.Latency(
        Played(
            testbed=SimpleNamespace(endpoints=SimpleNamespace(client=client, server=server)),
            order=SimpleNamespace(shaper=shaper, ceiling_mbps=330.0),
            rule=Rule(3, 12, 0.95),
            profile=SimpleNamespace(
                min_trials=3, confidence=0.95, added_delay_ms=5.0, queue_delay_ms=400.0,
                delay_trial_s=1.0,
            ),
            promised=lambda promise: 300.0,
        )
    )  # fmt: skip


def sent(library: Latency.Latency, load: str, *trials: DelayTrial, counted: int = 10**6) -> None:
    """Have these trials of small packets over IPv4 in the check."""
    library._tried[load, ""] = Tried(
        TrialSeries(list(trials)), (KIND,), NOTHING_KNOWN, {4: counted}
    )
    library.packets_are_sent("small", "IPv4", load)


def overload(through_mbps: float, lost: int) -> DelayTrial:
    """A second of it: how much came through, and how many got lost."""
    count = round(through_mbps * 1e6 / 8 / 1518)
    load = carried([200_000] * count, lost, per_s=count + lost, frame=1518)
    return trial(FULL, load=load)


def test_what_the_policy_counted_and_the_server_saw() -> None:
    library = keywords()
    sent(library, "at rest", *[trial(GOOD)] * 3)
    library.the_policy_should_have_counted_them_and_the_server_seen_the_client()
    assert "1,000,000 bytes; 67,500 arrived" in library._context.evidence[0].observed


def test_a_policy_that_counted_too_little_fails() -> None:
    library = keywords()
    sent(library, "at rest", *[trial(GOOD)] * 3, counted=67_499)
    with pytest.raises(AssertionError, match="67,499 bytes"):
        library.the_policy_should_have_counted_them_and_the_server_seen_the_client()


def test_probes_of_somebody_else_fail() -> None:
    library = keywords()
    library.run.testbed.endpoints.client.address = "198.18.1.11"
    sent(library, "at rest", *[trial(GOOD)] * 3)
    with pytest.raises(AssertionError, match=r"saw 198\.18\.1\.10; expected is 198\.18\.1\.11"):
        library.the_policy_should_have_counted_them_and_the_server_seen_the_client()


def test_too_few_trials_decide_nothing() -> None:
    with pytest.raises(NotProven, match="only 2 of 2 trials could be used"):
        sent(keywords(), "at rest", *[trial(GOOD)] * 2)


def test_what_the_testbed_or_the_order_lacks() -> None:
    with pytest.raises(NotApplicable, match="no IPv6"):
        keywords().packets_are_sent("small", "IPv6", "at rest")
    with pytest.raises(NotApplicable, match="no shaper"):
        keywords(shaper=None).packets_are_sent("small", "IPv4", OVERLOAD)


class TestOverload:
    """Only a queue that was full shows how long it may get."""

    def held(self, *trials: DelayTrial) -> str:
        library = keywords()
        sent(library, OVERLOAD, *trials)
        left = library._left
        measured = left.measure(left.tried.series.counted, left.kind, left.tried.clocks)
        library._must_have_overloaded()
        return f"{measured.promise} {measured.conditions} {measured.upper:.0f}"

    def test_a_full_queue_is_held_against_its_own_limit(self) -> None:
        told = self.held(*[overload(330, lost=9000)] * 3)
        assert told == "queue_delay small packets over IPv4, in an overload 200"

    @pytest.mark.parametrize(("mbps", "lost"), [(345.0, 0), (250.0, 9000)])
    def test_a_queue_that_was_not_full_or_a_rate_that_was_none(
        self, mbps: float, lost: int
    ) -> None:
        with pytest.raises(NotProven, match="not shown that the tier's queue was full"):
            self.held(*[overload(mbps, lost)] * 3)

    def test_it_lasts_as_long_as_a_queue_takes_to_fill(self) -> None:
        library = keywords()
        rate = library._rate(OVERLOAD)
        assert rate == 450
        assert library._seconds(OVERLOAD, rate) * (450 - 330) > 0.4 * 330
        library.run.profile.delay_trial_s = 10
        assert library._seconds(OVERLOAD, rate) == 10
        assert library._seconds("at half the tier's rate", 150) == 10

    def test_a_fast_tier_is_offered_no_more_than_shows_its_ceiling(self) -> None:
        library = keywords()
        library.run.promised, library.run.order.ceiling_mbps = lambda promise: 2000.0, 2000.0
        assert library._rate(OVERLOAD) == 2500

    def test_it_is_more_than_any_ceiling(self) -> None:
        library = keywords()
        library.run.order.ceiling_mbps = 600.0
        assert library._rate(OVERLOAD) == 750


@pytest.mark.parametrize("port", [5301, 65_500, 65_534])
def test_there_are_ports_for_all_probes(port: int) -> None:
    first = first_port(port)
    assert first + 20 < 1 << 16 and not first <= port <= first + 20
