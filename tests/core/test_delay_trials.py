"""Which trials of probes count, when they suffice, and what is said of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from probes import KIND, carried, trial
from test_causes import conduct

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.results.delays import DelayTrial, Pair
from gatepass.results.record import Measurement, measured
from gatepass.verdict.delay_trials import (
    AskedRig,
    DelayOfTheRig,
    added_by,
    controls,
    delay,
    disturbed,
    facts_of,
    in_words,
    until_told,
)
from gatepass.verdict.judgement import Rule, conclude

RULE, LIMIT_MS = Rule(3, 12, 0.95), 5.0
GOOD, SLOW = [40] * 1250, [20_010] * 1250
LATE = conduct(late_percent=30.0)


def measure(trials: Sequence[DelayTrial]) -> Measurement:
    return delay("added_delay", say("at_rest"), added_by(KIND, trials), RULE, LIMIT_MS)


@pytest.mark.parametrize(
    ("made", "because"),
    [
        (trial(GOOD), ""),
        (trial(GOOD, conduct={"server": LATE}), "programs on the server waited"),
        (DelayTrial({KIND: Pair(carried(GOOD, unsent=13), None)}), "too late for 13 of 1,263"),
        (DelayTrial({KIND: Pair(carried(GOOD, unsent=12), None)}), ""),
        (trial(GOOD, load=carried(GOOD, unsent=100)), ""),
    ],
)
def test_what_counts_for_nobody(made: DelayTrial, because: str) -> None:
    reason = disturbed(made)
    assert because in reason and bool(because) == bool(reason)


@pytest.mark.parametrize(
    ("late_percent", "carried_by", "aside"),
    [(1.3, "peer", True), (0.9, "peer", False), (1.3, "", False), (1.3, "client", False)],
)
def test_the_end_of_a_tunnel_that_had_no_processor(
    late_percent: float, carried_by: str, aside: bool
) -> None:
    """Seen on a busy machine: packets were 10 ms late as the peer's program was."""
    seen = {"peer": conduct(late_percent=late_percent, longest_late_s=0.0095)}
    made = replace(trial(SLOW, conduct=seen), carried_by=carried_by)
    told = "one of which ends the tunnel, waited for a processor 1.3 % of the time, up to 10 ms"
    assert disturbed(made) == (f"programs on the peer, {told}" if aside else "")


def test_a_load_that_is_not_one_counts_for_nobody() -> None:
    slow = carried([40] * 900)
    object.__setattr__(slow, "sending_s", 1.0)
    assert "sent 899 of 1,000 datagrams a second" in disturbed(trial(GOOD, load=slow))


class TestHowOften:
    """Trials until each kind is decided about."""

    def tried(self, *made: DelayTrial) -> tuple[int, int]:
        every: Iterator[DelayTrial] = iter([*made, *[made[-1]] * 20])
        series = until_told(lambda: next(every), RULE, lambda trials: [measure(trials)])
        return len(series.counted), len(series.aside)

    def test_the_fewest_decide_about_most_gateways(self) -> None:
        assert self.tried(trial(GOOD)) == (3, 0)
        assert self.tried(trial(SLOW)) == (3, 0)

    def test_what_was_disturbed_is_repeated(self) -> None:
        assert self.tried(trial(GOOD, conduct={"client": LATE}), trial(GOOD)) == (3, 1)

    def test_a_rig_that_is_too_busy_ends_it(self) -> None:
        assert self.tried(trial(GOOD, conduct={"client": LATE})) == (0, 8)

    def test_an_undecided_one_takes_the_whole_budget(self) -> None:
        assert self.tried(trial([40] * 1230 + [9000] * 20)) == (12, 0)


class TestVerdict:
    """By the middle of what the figure lies between."""

    def test_pass_and_its_figures(self) -> None:
        held = measure([trial(GOOD)] * 3)
        assert held.lower >= 0 and held.upper == pytest.approx(0.03)
        assert held.facts["probes"] == 3750 and held.trials == (0.03,) * 3
        conclude(held, DelayOfTheRig(None, KIND), lambda: "")
        assert "ms (95 %, 3 trials)" in measured(held)

    def test_fail_with_what_the_path_alone_showed(self) -> None:
        held = measure([trial(SLOW)] * 3)
        alone = DelayTrial({KIND: Pair(None, carried([10] * 990 + [70] * 10))})
        rig = DelayOfTheRig(lambda: [alone] * 2, KIND)
        with pytest.raises(AssertionError, match=r"at most 5 ms.*99th percentile of 0\.00 ms"):
            conclude(held, rig, rig.compared)

    def test_a_path_that_is_as_slow_under_load_takes_the_blame(self) -> None:
        held = measure([trial(SLOW)] * 3)
        alone = DelayTrial({KIND: Pair(None, carried([10] * 900 + [9000] * 100))})
        rig = DelayOfTheRig(lambda: [alone] * 2, KIND)
        with pytest.raises(NotProven, match=r"has delays up to 8\.99 ms .* more than half"):
            conclude(held, rig, rig.compared)

    def test_controls_that_were_disturbed_blame_nobody(self) -> None:
        held = measure([trial(SLOW)] * 3)
        busy = DelayTrial({KIND: Pair(None, carried(GOOD))}, conduct={"client": LATE})
        rig = DelayOfTheRig(lambda: controls(lambda: busy), KIND)
        with pytest.raises(NotProven, match="and 0 of 8 trials were undisturbed"):
            conclude(held, rig, rig.compared)

    def test_without_a_path_beside_nothing_fails(self) -> None:
        held = measure([trial(SLOW, None)] * 3)
        with pytest.raises(NotProven, match="direct_address"):
            conclude(held, DelayOfTheRig(None, KIND), lambda: "")

    def test_where_nothing_arrived_all_of_it_is_late(self) -> None:
        gone = DelayTrial({KIND: Pair(carried([], lost=1250), carried([10] * 1250))})
        held = measure([gone] * 3)
        assert held.lower > 900
        told = in_words(added_by(KIND, [gone] * 3), RULE, LIMIT_MS)
        assert "3,750 of them never came and count as 1 s late" in told


def test_percentiles_in_words() -> None:
    told = in_words(added_by(KIND, [trial(GOOD)] * 3), RULE, LIMIT_MS)
    assert "Added to 3,750 probes: median 0.030 to 0.030 ms; 99th percentile" in told
    assert "99.9th percentile at most 0.030 ms" in told
    assert "The path without the gateway had, at the same time, a median of 0.000 ms" in told


def test_a_percentile_that_so_few_do_not_show() -> None:
    told = in_words(added_by(KIND, [trial([40] * 618)] * 3), RULE, LIMIT_MS)
    assert (
        "No upper bound of the 99.9th percentile can be given: 3,688 independent probes are "
        "needed, and these are worth 1,854."
    ) in told


@pytest.mark.parametrize("probes", range(100, 240, 4))
def test_what_is_worth_enough_has_its_bound(probes: int) -> None:
    """The number needed is of the same error, and these are counted at the same figure."""
    told = in_words(added_by(KIND, [trial([40] * probes)] * 3), RULE, LIMIT_MS)
    asked = r"([\d,]+) independent probes are needed, and these are worth ([\d,]+)\."
    for figures in re.findall(asked, told):
        enough, worth = (int(figure.replace(",", "")) for figure in figures)
        assert worth < enough, told


def test_a_trial_is_told() -> None:
    told = facts_of(trial(GOOD, load=carried(GOOD)))
    assert told["small4_through_us"]["p99"] == 40 and told["small4_beside_us"]["p99"] == 10
    assert told["set_aside"] == "" and told["mbps"] == pytest.approx(0.512)


def test_the_rig_is_asked_where_it_matters() -> None:
    asked: list[str] = []
    rig = AskedRig(lambda: asked.append("yes") or "It is the rig.")
    conclude(measure([trial(GOOD)] * 3), rig, lambda: "")
    assert not asked
    with pytest.raises(NotProven, match="It is the rig"):
        conclude(measure([trial(SLOW)] * 3), rig, lambda: "")
    assert not math.isnan(measure([trial(SLOW)]).value)


def test_trials_that_differ_beyond_the_limit_still_miss_it() -> None:
    slow = [trial([one] * 1250) for one in (9000, 90_000, 400_000)]
    held = measure(slow)
    assert LIMIT_MS < held.lower <= held.upper


def test_trials_that_differ_about_the_limit_have_no_bound() -> None:
    held = measure([trial(GOOD), trial([40] * 1100 + [9000] * 150), trial(GOOD)])
    assert held.half_width is None
