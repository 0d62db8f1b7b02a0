"""The parts of RFC 2544 on a gateway that is reckoned, whose true rate and queue are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatepass.base.errors import NotProven
from gatepass.inputs.objectives import SIMPLE_IMIX
from gatepass.results.agreement import Agreement
from gatepass.scenarios.studies.back_to_back import back_to_back
from gatepass.scenarios.studies.conditions import CONDITIONS, SHORTEST, WHOLE
from gatepass.scenarios.studies.frames import IMIX, IPV4, IPV6, FrameSize, Way, Ways, sizes
from gatepass.scenarios.studies.latency import ONE_CLOCK, latency
from gatepass.scenarios.studies.loss_curve import loss_curve
from gatepass.scenarios.studies.recovery import recovery
from gatepass.scenarios.studies.rfc2544 import Rfc2544
from gatepass.scenarios.studies.search import NO_LOSS, SOME_LOSS, Effort, search
from gatepass.scenarios.studies.throughput import rig_rate, throughput
from gatepass.scenarios.studies.trials import ATTEMPTS, Ledger, Seen, by_rig, tried
from simulated_gateway import BESIDE, THROUGH, SimulatedGateway

WAYS = Ways(Way(THROUGH, 5301), Way(BESIDE, 5301))
LARGE, SMALL = FrameSize(IPV4, (1518,)), FrameSize(IPV4, (128,))
A_FRAME = 1.0
"""A second: a trial of a second counts whole ones."""
EFFORT = Effort(0.02, first_s=0.5, final_s=1.0, sum_s=1.0, exceed=0.0, limit_s=60.0)


def gateway(mbps: float = 10.0, **more: object) -> SimulatedGateway:
    return SimulatedGateway(mbps, **{"rig_per_s": 4_000.0, "queue": 20, **more})


def true_rate(size: FrameSize, mbps: float) -> float:
    return mbps / size.mbps(1)


class TestFrames:
    """Rates by hand."""

    def test_rates_of_a_size(self) -> None:
        assert LARGE.mbps(1000) == pytest.approx(12.144)
        assert LARGE.line_mbps(1000) == pytest.approx(12.304)

    @pytest.mark.parametrize(
        ("frame", "per_s"),
        [(64, 1_488_095), (128, 844_594), (256, 452_898), (512, 234_962), (1024, 119_731),
         (1518, 81_274)],
    )  # fmt: skip
    def test_theoretical_rates_are_those_of_rfc_5180(self, frame: int, per_s: int) -> None:
        assert int(FrameSize(IPV4, (frame,)).line_per_s(1000)) == per_s

    def test_what_is_too_small_over_ipv6_is_the_smallest_possible(self) -> None:
        assert [one.label for one in sizes(IPV6, (64, 82, 128))] == ["82", "128"]
        assert [one.label for one in sizes(IPV4, (64, 128))] == ["64", "128"]

    def test_the_mix_has_its_own_name(self) -> None:
        assert (IMIX.label, str(IMIX), str(LARGE)) == (
            "IMIX", "IMIX over IPv4", "1518 bytes over IPv4",
        )  # fmt: skip
        assert IMIX.sizes == SIMPLE_IMIX

    def test_the_whole_study_has_the_sizes_of_the_rfc(self) -> None:
        of_ipv4 = [one.label for one in WHOLE.searched if one.family == IPV4]
        assert of_ipv4 == ["64", "128", "256", "512", "1024", "1280", "1518", "IMIX"]
        assert (WHOLE.search.final_s, WHOLE.latency_repeats, WHOLE.bursts) == (60.0, 20, 50)

    @pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=lambda one: one.name)
    def test_what_is_looked_at_closer_is_searched(self, conditions: object) -> None:
        assert set(conditions.closer) <= set(conditions.searched)
        assert LARGE in conditions.searched  # the tier's rate is held against it


class TestSearch:
    @pytest.mark.parametrize("size", [LARGE, SMALL, IMIX], ids=str)
    @pytest.mark.parametrize("mbps", [1.0, 2.0, 3.0])
    def test_the_bounds_hold_the_true_rate(self, size: FrameSize, mbps: float) -> None:
        found = throughput(gateway(mbps), WAYS, size, replace(SHORTEST, search=EFFORT))
        true = true_rate(size, mbps)
        assert found.without_loss.lower <= true + A_FRAME
        assert found.without_loss.upper is not None
        assert true <= found.without_loss.upper + A_FRAME
        assert found.without_loss.lower > true * 0.9
        assert found.with_some_loss.lower > true * 0.9

    @pytest.mark.parametrize("burst_s", [0.0, 0.008, 0.05])
    @pytest.mark.parametrize("queue_s", [0.02, 0.2, 0.7])
    def test_a_queue_lifts_no_bound_and_a_burst_by_no_more_than_its_share_of_the_trial(
        self, queue_s: float, burst_s: float
    ) -> None:
        true = true_rate(LARGE, 20.0)
        device = gateway(20.0, queue=round(true * queue_s), burst_s=burst_s, rig_per_s=8000.0)
        found = throughput(device, WAYS, LARGE, SHORTEST)
        for bounds in (found.without_loss, found.with_some_loss):
            assert bounds.offered > true * (1 + queue_s / 2)  # of which hardly any was lost
            assert true * 0.96 < bounds.lower <= true * (1 + burst_s)
            assert true <= bounds.upper < true * (1.02 + burst_s)

    def test_what_the_rig_cannot_send_is_no_limit_of_the_gateway(self) -> None:
        found = throughput(gateway(1000.0, rig_per_s=900.0), WAYS, LARGE, SHORTEST)
        assert found.without_loss.upper is None
        assert "the test set-up carries no more" in found.without_loss.by_rig
        assert found.without_loss.lower == pytest.approx(found.rig_per_s, rel=0.02)

    def test_half_a_per_cent_is_told_apart_from_none(self) -> None:
        found = throughput(gateway(5.0, loses=250), WAYS, LARGE, SHORTEST)
        assert found.without_loss.lower <= 250 < found.with_some_loss.lower
        assert found.with_some_loss.lower == pytest.approx(true_rate(LARGE, 5.0), rel=0.1)

    def test_a_gateway_that_loses_at_every_rate_carries_nothing_without_loss(self) -> None:
        found = throughput(gateway(5.0, loses=2), WAYS, LARGE, SHORTEST)
        assert (found.without_loss.lower, found.with_some_loss.lower) == (0.0, 0.0)

    def test_a_search_whose_time_is_over_tells_what_it_has(self) -> None:
        device = gateway(5.0)

        def trial(per_s: float, seconds: float) -> tuple:
            return device([WAYS.through.stream(LARGE, per_s, seconds)]).one, ""

        found = search(trial, 1.0, 1000.0, replace(EFFORT, limit_s=1e-9))
        assert not found.whole
        assert found.bounds[NO_LOSS].lower <= true_rate(LARGE, 5.0) * 1.001
        assert set(found.bounds) == {NO_LOSS, SOME_LOSS} and found.traffic_s > 0

    def test_each_trial_sends_exactly_what_was_asked_for(self) -> None:
        device = gateway(5.0)
        throughput(device, WAYS, LARGE, SHORTEST)
        through = [one for trial in device.trials for one in trial if one.address == THROUGH]
        assert all(one.count == round(one.per_s * one.seconds) for one in through)


class TestTheRig:
    def test_its_rate_is_one_that_it_carries(self) -> None:
        assert 2_000 < rig_rate(gateway(), WAYS.beside, SMALL, 0.5) <= 4_000

    def test_one_that_loses_frames_beside_the_gateway_can_tell_nothing(self) -> None:
        device = gateway(5.0, loses=2)
        astray = Ways(WAYS.through, WAYS.through)
        with pytest.raises(NotProven, match="loses frames of 128 bytes over IPv4 at every rate"):
            throughput(device, astray, SMALL, SHORTEST)

    def test_a_trial_that_it_disturbed_is_repeated(self) -> None:
        device = gateway(1.0, disturbed=["the client stood still for 300 ms"])
        seen, why = tried(device, WAYS.through.stream(LARGE, 500, 1.0))
        assert (why, len(device.trials)) == ("", 2) and seen.one.lost

    def test_where_it_is_disturbed_each_time_the_rig_is_the_limit(self) -> None:
        device = gateway(1.0, disturbed=["the client stood still"] * 9)
        _, why = tried(device, WAYS.through.stream(LARGE, 500, 1.0))
        assert (why, len(device.trials)) == ("the client stood still", ATTEMPTS)

    def test_a_sender_that_is_far_too_slow_is_not_asked_again(self) -> None:
        device = gateway(100.0, rig_per_s=400.0)
        _, why = tried(device, WAYS.through.stream(LARGE, 500, 1.0))
        assert "too late" in why and len(device.trials) == 1
        _, why = tried(device, WAYS.through.stream(LARGE, 412, 1.0))
        assert "too late" in why and len(device.trials) == 1 + ATTEMPTS

    def test_a_rig_that_can_do_no_more_is_not_asked_again(self) -> None:
        device, trials = gateway(1.0), []

        def send(streams: object) -> Seen:
            trials.append(streams)
            return replace(device(streams), limit="The peer was at its own limit")

        _, why = tried(send, WAYS.through.stream(LARGE, 500, 1.0))
        assert (why, len(trials)) == ("The peer was at its own limit", 1)
        assert tried(send, WAYS.through.stream(LARGE, 50, 1.0))[1] == ""

    def test_without_loss_a_disturbance_changes_nothing(self) -> None:
        device = gateway(100.0, disturbed=["the client stood still"])
        assert tried(device, WAYS.through.stream(LARGE, 500, 1.0))[1] == ""

    def test_a_sender_and_a_receiver_that_are_late_are_its_doing(self) -> None:
        device = gateway(1.0, rig_per_s=1000.0)
        late = device([WAYS.beside.stream(LARGE, 2000, 1.0)])
        assert by_rig(late) == "the sender was too late for 1,000 of 2,000 frames"
        lossy = device([WAYS.through.stream(LARGE, 500, 1.0)])
        socket = Seen({"frames": replace(lossy.one, socket_lost=3)})
        assert by_rig(socket) == "the receiver's program was too late for 3 frames"
        assert by_rig(lossy) == ""

    def test_what_arrived_is_written_down(self) -> None:
        ledger = Ledger()
        send = ledger.kept(gateway(100.0))
        send([WAYS.through.stream(LARGE, 100, 1.0)])
        assert ledger.arrived({THROUGH}) == 100 * 1500
        assert ledger.sources({THROUGH, BESIDE}) == {"198.18.1.10"}
        # a mix that ends before its large frames is not taken for a whole one
        ledger.begin(0)
        send([WAYS.through.stream(IMIX, 19, 1.0)])
        assert ledger.arrived({THROUGH}) == 14 * 46 + 4 * 552 + 1500
        ledger.begin(7)
        assert (ledger.counted_before, ledger.arrived({THROUGH})) == (7, 0)


class TestLatency:
    def test_it_is_that_of_all_frames_less_the_clocks_offset(self) -> None:
        device = gateway(100.0)
        found = latency(device, WAYS, LARGE, 200.0, 20, 0.5, lambda: Agreement(25.0, 35.0, 9))
        frame_us = 1518 * 8 / 100
        assert found.through.mean.mean == pytest.approx(40 + frame_us - 30, abs=1)
        assert found.beside.mean.mean == pytest.approx(10)
        assert found.through.mean.half_width == pytest.approx(0, abs=1e-6)
        assert (found.error_us, found.through.lost) == (5.0, 0.0)
        through = [one for one in device.trials if one[0].address == THROUGH]
        assert len(through) == 20

    def test_clocks_that_drift_are_known_as_vaguely(self) -> None:
        looks = [Agreement(10.0, 20.0, 9), Agreement(24.0, 40.0, 9)]
        found = latency(gateway(100.0), WAYS, LARGE, 200.0, 2, 0.1, lambda: looks.pop(0))
        assert (found.beside.mean.mean, found.error_us) == (pytest.approx(40 - 25), 15.0)

    def test_a_clock_that_was_set_meanwhile_tells_no_latency(self) -> None:
        looks = [Agreement(10.0, 20.0, 9), Agreement(900.0, 30.0, 9)]
        with pytest.raises(NotProven, match="one of them was set"):
            latency(gateway(100.0), WAYS, LARGE, 200.0, 1, 0.1, lambda: looks.pop(0))

    def test_where_nothing_arrives_nothing_is_told(self) -> None:
        found = latency(gateway(5.0, queue=0), WAYS, LARGE, 100.0, 3, 0.2)
        assert found.through.mean.mean != found.through.mean.mean
        assert found.through.lost == 1.0


class TestLossCurve:
    def test_it_goes_down_until_two_trials_lose_nothing(self) -> None:
        points = loss_curve(gateway(6.0, queue=2), WAYS.through, LARGE, 1000.0, 1.0)
        true = true_rate(LARGE, 6.0)
        assert [point.percent for point in points] == [100, 90, 80, 70, 60, 50, 40, 30]
        for point in points:
            expected = max(0.0, 100 * (1 - true / point.per_s))
            assert point.loss_percent == pytest.approx(expected, abs=1.0)

    def test_what_the_rig_lost_is_no_point_of_it(self) -> None:
        device = gateway(6.0, queue=2, rig_per_s=800.0)
        points = loss_curve(device, WAYS.through, LARGE, 1000.0, 1.0)
        assert points[0].loss_percent is None and "too late" in points[0].by_rig
        assert points[2].loss_percent is not None


class TestBackToBack:
    @pytest.mark.parametrize("queue", [5, 50, 200])
    def test_the_longest_burst_is_what_the_queue_takes_in(self, queue: int) -> None:
        device = gateway(1.0, queue=queue)
        found = back_to_back(device, WAYS.through, LARGE, 3000.0, 0.5, 3)
        true = true_rate(LARGE, 1.0)
        longest = queue / (1 - true / 3000.0)
        assert found.frames == pytest.approx(longest, abs=3)
        assert (found.repeats, found.whole) == (3, False)

    def test_where_none_is_too_long_it_is_at_least_the_longest(self) -> None:
        found = back_to_back(gateway(1000.0), WAYS.through, LARGE, 3000.0, 0.5, 2)
        assert (found.frames, found.whole) == (1500, True)
        assert found.seconds == pytest.approx(0.5)

    def test_a_gateway_that_takes_in_none_has_none(self) -> None:
        found = back_to_back(gateway(1.0, queue=0), WAYS.through, LARGE, 3000.0, 0.1, 1)
        assert found.frames == 0

    def test_a_rig_that_loses_frames_itself_cannot_tell(self) -> None:
        device = gateway(1.0, rig_per_s=1000.0)
        with pytest.raises(NotProven, match="the sender was too late"):
            back_to_back(device, WAYS.through, LARGE, 3000.0, 0.5, 1)

    def test_a_pace_that_the_rig_cannot_keep_is_lowered(self) -> None:
        found = back_to_back(gateway(1.0, rig_per_s=1000.0), WAYS.through, LARGE, 1200.0, 0.5, 2)
        assert found.per_s == pytest.approx(1200 * 0.85)
        assert 0 < found.frames < 100 and not found.whole


class TestRecovery:
    def relieved(self, device: SimulatedGateway, per_s: float) -> object:
        return recovery(device, WAYS.through, LARGE, per_s, 4000.0, 2.0, 2.0)

    def test_a_queue_that_drops_its_tail_recovers_at_once(self) -> None:
        true = true_rate(LARGE, 5.0)
        found = self.relieved(gateway(5.0), true)
        assert found.lost > 0 and found.seconds == 0

    def test_a_gateway_that_goes_on_losing_is_told(self) -> None:
        found = self.relieved(gateway(5.0, loses=50), true_rate(LARGE, 5.0))
        assert found.seconds == pytest.approx(2.0, abs=0.15)

    def test_an_overload_that_the_rig_cannot_send_is_none(self) -> None:
        found = recovery(gateway(5.0), WAYS.through, LARGE, 3900.0, 4000.0, 2.0, 2.0)
        assert (found.seconds, found.why) == (None, "the rig carries no overload")

    def test_an_overload_that_a_queue_takes_in_is_none(self) -> None:
        found = self.relieved(gateway(5.0, queue=100_000), true_rate(LARGE, 5.0))
        assert found.seconds is None and "a queue took it in" in found.why


class TestStudy:
    def test_each_size_is_searched_once(self) -> None:
        device = gateway(5.0)
        study = Rfc2544(device, {IPV4: WAYS}, SHORTEST)
        study.throughputs()
        tried_before = len(device.trials)
        assert [one.size for one in study.throughputs()] == [LARGE]
        assert len(device.trials) == tried_before
        study.must_be_whole()

    def test_a_family_that_the_testbed_lacks_is_left_out(self) -> None:
        study = Rfc2544(gateway(5.0), {IPV4: WAYS}, WHOLE)
        assert {one.family for one in study.searched} == {IPV4}

    def test_a_size_that_cannot_be_measured_leaves_the_part_not_proven(self) -> None:
        astray = {IPV4: Ways(WAYS.through, WAYS.through)}
        study = Rfc2544(gateway(5.0, loses=2), astray, SHORTEST)
        assert study.throughputs() == []
        with pytest.raises(NotProven, match="frames of 1518 bytes over IPv4 could not be measured"):
            study.must_be_whole()

    def test_without_a_throughput_there_is_no_latency(self) -> None:
        study = Rfc2544(gateway(5.0, loses=2), {IPV4: WAYS}, SHORTEST)
        assert study.latencies(lambda: ONE_CLOCK, 0.95) == []
        with pytest.raises(NotProven, match="at every rate that was tried"):
            study.must_be_whole()
