"""Classes of service: what is sent, what is measured of it, and what that is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from carried_examples import carried_of
from gatepass.base.errors import NotProven
from gatepass.inputs.objectives import ServiceClass
from gatepass.results.agreement import Agreement
from gatepass.results.conduct import Conduct
from gatepass.results.datagrams import Carried, Spread
from gatepass.results.record import measured
from gatepass.scenarios.objectives import figures
from gatepass.scenarios.objectives.figures import Figure, Shown
from gatepass.scenarios.objectives.held import Beside, Held, conclude_all, is_close, taken
from gatepass.scenarios.objectives.sent import Sent, each_undisturbed, together, undisturbed
from gatepass.scenarios.objectives.streams import (
    BEYOND,
    COMMITTED_STEPS,
    EXCESS,
    TO_CLIENT,
    TO_SERVER,
    Ends,
    all_at_once,
    beyond_mbps,
    in_steps,
    probe_name,
    step_name,
    steps,
)

VOICE = ServiceClass(
    name="voice",
    dscp="EF",
    cir_mbps=8.0,
    eir_mbps=2.0,
    frames=1000,
    loss_percent=1.0,
    delay_ms=10.0,
    delay_percentile=99.0,
    mean_delay_ms=5.0,
    variation_ms=2.0,
    variation_percentile=99.0,
    availability_percent=60.0,
)
OTHER = ServiceClass(name="other", dscp=0, cir_mbps=20.0)
ENDS = Ends("198.18.1.10", "198.18.2.10", 5401)
AGREED = Agreement(-10, 10, 100)
SHOWN = Shown(VOICE, TO_SERVER, 0.95)
QUIET = Conduct(1.0, 10, 0, 0, 0, 0, None, None, 0, 0, 0)


def sent_of(clocks: Agreement = AGREED, **streams: Carried) -> Sent:
    """What was sent to the server, and as much to the client."""
    named = {name.replace("_", " "): one for name, one in streams.items()}
    return Sent({TO_SERVER: named, TO_CLIENT: named}, {"client": QUIET}, clocks)


def ticks(*seconds: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Tenths of these seconds: how many were sent in each, and how many arrived."""
    return tuple((sent // 10, came // 10) for sent, came in seconds for _ in range(10))


class TestStreams:
    """What is sent."""

    def test_a_class_in_steps(self) -> None:
        assert steps(VOICE) == {
            "25": 2, "50": 4, "75": 6, "100": 8, EXCESS: 10, BEYOND: pytest.approx(11.55),
        }  # fmt: skip
        assert list(steps(OTHER)) == ["25", "50", "75", "100", BEYOND]

    @pytest.mark.parametrize(("eir", "rate"), [(0, 10), (1, 11), (2, 11.55), (8, 18.48)])
    def test_beyond_what_was_agreed(self, eir: float, rate: float) -> None:
        one = VOICE.model_copy(update={"eir_mbps": eir})
        assert beyond_mbps(one) == pytest.approx(rate)

    def test_no_two_steps_at_a_time(self) -> None:
        streams = in_steps(ENDS, TO_SERVER, [VOICE, OTHER], 0.5)
        assert all(two.after_s > one.after_s + one.seconds for one, two in pairwise(streams))
        longer = {one.name for one in streams if one.seconds > 0.5}
        assert longer == {"voice beyond", "other beyond"}
        assert len({stream.port for stream in streams}) == len(streams) == 11
        assert {stream.dscp for stream in streams} == {46, 0}

    def test_some_of_the_steps(self) -> None:
        first, second = in_steps(ENDS, TO_SERVER, [VOICE, OTHER], 0.5, {"voice 50", "other 25"})
        assert (first.name, second.name) == ("voice 50", "other 25")
        assert first.after_s == 0 and 0.5 < second.after_s < 1

    def test_what_goes_to_the_client_is_asked_for_by_it(self) -> None:
        (up, _), (down, _) = (all_at_once(ENDS, way, [VOICE, OTHER], 3) for way in
                              (TO_SERVER, TO_CLIENT))
        assert (up.address, up.source, up.knocks) == ("198.18.2.10", "198.18.1.10", False)
        assert (down.address, down.source, down.knocks) == ("198.18.1.10", "198.18.2.10", True)
        assert up.count == down.count == 3000

    def test_the_last_one_may_send_more(self) -> None:
        voice, other = all_at_once(ENDS, TO_SERVER, [VOICE, OTHER], 1, last_mbps=100)
        assert voice.per_s == 1000 and other.per_s == pytest.approx(5 * OTHER.frames_per_s(20))

    def test_frames_that_come_back_are_of_the_classs_own_rate(self) -> None:
        streams = all_at_once(ENDS, TO_SERVER, [VOICE], 1, probed=True)
        main, probe = streams
        assert probe.name == probe_name(VOICE) and probe.reflected and probe.dscp == 46
        assert main.per_s + 2 * probe.per_s == pytest.approx(1000)

    def test_many_frames_a_second_of_one_size_are_cut_late(self) -> None:
        fast = OTHER.model_copy(update={"frames": 1518, "cir_mbps": 300.0})
        (stream,) = all_at_once(ENDS, TO_SERVER, [fast], 1)
        assert stream.segmented
        assert not all_at_once(ENDS, TO_SERVER, [OTHER], 1)[0].segmented


class TestFigures:
    """What is measured."""

    def test_the_worst_step_is_the_committed_rate(self) -> None:
        parts = {
            step_name(VOICE, str(step)): carried_of(sent=1000, received=1000 if step < 75 else 900)
            for step in COMMITTED_STEPS
        }
        seen = figures.committed(SHOWN, Sent({TO_SERVER: parts}, {}))
        assert (seen.value, seen.threshold, seen.relation) == (7.2, 7.92, "at least")
        assert seen.facts == {
            "at_25_percent": 2, "at_50_percent": 4, "at_75_percent": 5.4, "at_100_percent": 7.2,
        }  # fmt: skip

    def test_of_nothing_that_was_sent_nothing_arrived(self) -> None:
        name = step_name(VOICE, EXCESS)
        seen = figures.excess(SHOWN, Sent({TO_SERVER: {name: carried_of(sent=0)}}, {}))
        assert (seen.value, seen.threshold) == (0, 9.8)

    def test_what_a_queue_takes_in_is_not_carried(self) -> None:
        """A second at 10 Mbit/s into a shaper of 8: the last frame waits a quarter of a second."""
        waiting = Spread((round(250 * number), 1) for number in range(1000))
        name = step_name(VOICE, EXCESS)
        seen = carried_of(received=1000, delay=waiting)
        shown = figures.excess(SHOWN, Sent({TO_SERVER: {name: seen}}, {}))
        assert shown.value == pytest.approx(8, rel=0.01)
        uneven = carried_of(received=1000, delay=Spread([(30, 990), (90_000, 10)]))
        assert figures.excess(SHOWN, Sent({TO_SERVER: {name: uneven}}, {})).value == 10

    def test_a_burst_is_no_rate(self) -> None:
        """A policer that lets 400 frames pass at once, and 100 each tenth of a second after."""
        name, arrivals = step_name(VOICE, BEYOND), (400, 100, 100, 100, 100, 3)
        seen = carried_of(received=sum(arrivals), receiving_s=0.5, arrivals=arrivals)
        shown = figures.policed(SHOWN, Sent({TO_SERVER: {name: seen}}, {}))
        assert (shown.value, shown.threshold, shown.relation) == (8, 10.5, "at most")

    @pytest.mark.parametrize("held_up", [2, 4, 6, 8])
    def test_frames_that_were_held_up_are_no_rate(self, held_up: int) -> None:
        """A stall of 40 ms, after which all come at once: in the mean of what is left 105."""
        arrivals = [400, 100, *[100] * 7, 3]
        arrivals[held_up - 1] -= 40
        arrivals[held_up] += 40
        assert self._policed(arrivals) == 8

    def test_of_more_that_comes_through_all_is_told(self) -> None:
        assert self._policed([400, *[120] * 9, 3]) == pytest.approx(9.6)

    @staticmethod
    def _policed(arrivals: Sequence[int]) -> float:
        seen = carried_of(received=sum(arrivals), receiving_s=1.0, arrivals=tuple(arrivals))
        name = step_name(VOICE, BEYOND)
        return figures.policed(SHOWN, Sent({TO_SERVER: {name: seen}}, {})).value

    def test_of_few_frames_all_count(self) -> None:
        name = step_name(VOICE, BEYOND)
        seen = carried_of(received=11, receiving_s=1.0, arrivals=(1,) * 11)
        assert figures.policed(SHOWN, Sent({TO_SERVER: {name: seen}}, {})).value == 0.08

    def test_no_loss_shows_as_little_as_so_many_frames_can(self) -> None:
        seen = figures.loss(SHOWN, sent_of(voice=carried_of(sent=3688, received=3688)))
        assert seen.value == 0 and seen.upper == pytest.approx(0.1, abs=0.001)

    def test_losses_in_bursts_are_less_sure(self) -> None:
        apart = carried_of(sent=10_000, received=9900, ticks=ticks(*[(1000, 990)] * 10))
        burst = replace(apart, ticks=ticks(*[(1000, 1000)] * 9, (1000, 900)))
        wide, narrow = (figures.loss(SHOWN, sent_of(voice=one)) for one in (burst, apart))
        assert wide.value == narrow.value == 1 and wide.half_width > 3 * narrow.half_width

    def test_delays_are_corrected_by_the_clocks(self) -> None:
        late = carried_of(delay=Spread([(3000, 99), (9000, 1)]))
        seen = sent_of(Agreement(900, 1100, 9), voice=late)
        assert figures.delay(SHOWN, seen).value == 2
        assert figures.mean_delay(SHOWN, seen).value == 2.06
        back = replace(SHOWN, way=TO_CLIENT)
        assert figures.delay(back, seen).value == 4
        assert figures.delay(SHOWN, seen).facts["clock_error_ms"] == 0.1

    def test_there_and_back_needs_no_clocks(self) -> None:
        probe = carried_of(round_trip=Spread([(4000, 100)]))
        ways = {TO_SERVER: {"voice": carried_of(), probe_name(VOICE): probe}}
        seen = figures.delay(SHOWN, Sent(ways, {}))
        assert (seen.value, seen.facts["there_and_back"]) == (4, "yes")
        assert "clock_error_ms" not in seen.facts

    def test_of_none_that_arrived_there_is_no_delay(self) -> None:
        seen = sent_of(voice=carried_of(received=0))
        assert math.isnan(figures.delay(SHOWN, seen).value)
        assert math.isnan(figures.variation(SHOWN, seen).value)

    def test_variation_and_disorder(self) -> None:
        seen = sent_of(
            voice=carried_of(variation=Spread([(500, 99), (4000, 1)]), doubled=60, overtaken=36)
        )
        assert figures.variation(SHOWN, seen).value == 0.5
        wrong = figures.disorder(SHOWN, seen)
        assert wrong.value == pytest.approx(10) and wrong.threshold == 1.0

    def test_impaired_and_unavailable_seconds(self) -> None:
        bad, good, half = (100, 40), (100, 100), (100, 50)
        seconds = [good] * 20 + [bad] * 10 + [half] + [bad] * 9
        seen = sent_of(voice=carried_of(ticks=ticks(*seconds)))
        assert figures.impaired(SHOWN, seen).value == 19
        shown = figures.availability(SHOWN, seen)
        assert (shown.value, shown.facts["unavailable_s"]) == (75, 10)
        assert shown.lower == pytest.approx(58.8, abs=0.1)

    @pytest.mark.parametrize(("seconds", "least"), [(10, 69.15), (900, 99.59)])
    def test_a_short_time_shows_little_availability(self, seconds: int, least: float) -> None:
        seen = sent_of(voice=carried_of(ticks=ticks(*[(100, 100)] * seconds)))
        assert figures.availability(SHOWN, seen).lower == pytest.approx(least, abs=0.01)


class TestDisturbed:
    """What the rig did is set aside."""

    @pytest.mark.parametrize(
        ("seen", "why"),
        [
            ({"unsent": 11}, "the client could not send 11 of 1,000 frames in time"),
            ({"sent": 9000, "socket_lost": 6}, "the server's program was late for 6 frames"),
        ],
    )
    def test_of_an_endpoint(self, seen: dict, why: str) -> None:
        assert sent_of(voice=carried_of(**seen)).disturbed == why

    def test_of_a_host(self) -> None:
        behind = sent_of(voice=carried_of(unsent=500))
        busy = replace(behind, conduct={"client": replace(QUIET, late_percent=40.0)})
        assert "programs on the client waited" in busy.disturbed  # why it was behind
        assert sent_of(voice=carried_of()).disturbed == ""

    def test_it_is_sent_again(self) -> None:
        bad, good = sent_of(voice=carried_of(unsent=500)), sent_of(voice=carried_of())
        turns = [bad, bad, good]
        assert undisturbed(lambda: turns.pop(0), 3) is good
        with pytest.raises(NotProven, match=r"sent 2 times, .*could not send 500 of 1,000"):
            undisturbed(lambda: bad, 2)

    def test_only_a_step_that_was_disturbed_is_sent_again(self) -> None:
        good, bad = carried_of(), carried_of(unsent=500)
        turns = [
            sent_of(voice=good, video=bad, data=good),
            sent_of(video=carried_of(received=7)),
        ]
        asked = []

        def send(names: Sequence[str]) -> Sent:
            asked.append(list(names))
            return turns.pop(0)

        seen = each_undisturbed(send, ["voice", "video", "data"], 2, 9).ways[TO_SERVER]
        assert asked == [["voice", "video", "data"], ["video"]]
        assert (seen["voice"], seen["data"], seen["video"].received) == (good, good, 7)

    @pytest.mark.parametrize(
        ("tries", "alone", "times", "unsent"),
        [(2, 9, "3 times", 500), (2, 2, "2 times", 500), (1, 9, "once", 400)],
        ids=["traffic", "alone", "once"],
    )
    def test_it_is_not_sent_for_ever(
        self, tries: int, alone: int, times: str, unsent: int
    ) -> None:
        """Two at first, then one of them as often as leaves it at so much traffic; the last reason
        is of the one that was never left alone."""
        first = sent_of(voice=carried_of(), video=carried_of(unsent=400))
        turns = [first, *[sent_of(video=carried_of(unsent=500))] * 9]
        with pytest.raises(NotProven, match=rf"sent {times}, .*could not send {unsent} of 1,000"):
            each_undisturbed(lambda names: turns.pop(0), ["voice", "video"], tries, alone)


def test_parts_are_one() -> None:
    first = carried_of(delay=Spread([(10, 1)]), ticks=((1, 1),), dscps=frozenset({46}))
    second = replace(first, delay=Spread([(10, 2), (20, 1)]), late_us=70, dscps=frozenset({0}))
    whole = together([
        sent_of(Agreement(0, 10, 1), voice=first), sent_of(Agreement(5, 30, 1), voice=second)
    ])
    seen = whole.ways[TO_SERVER]["voice"]
    assert (seen.sent, seen.received, seen.late_us) == (2000, 1800, 70)
    assert list(seen.delay.counts()) == [(10, 3), (20, 1)]
    assert seen.ticks == ((1, 1), (1, 1)) and seen.dscps == {46, 0}
    assert seen.stream.seconds == 2
    assert (whole.clocks.low_us, whole.clocks.high_us) == (0, 30)


class TestHeld:
    """Verdicts."""

    def held(
        self, figure: Figure, through: Sent, beside: Sent | None = None, by_rig: bool = True
    ) -> Sequence[Held]:
        control = Beside(beside and (lambda: beside), figure, SHOWN)
        return [Held(figure(SHOWN, through), control if by_rig else None)]

    def test_a_loss(self) -> None:
        lossy = sent_of(voice=carried_of(sent=10_000, received=9000))
        whole = sent_of(voice=carried_of(sent=10_000, received=10_000))
        conclude_all(self.held(figures.loss, whole))
        with pytest.raises(AssertionError, match=r"10.0.*at most 1 %.*without the gateway shows"):
            conclude_all(self.held(figures.loss, lossy, whole))
        with pytest.raises(NotProven, match=r"as well\. Run again"):
            conclude_all(self.held(figures.loss, lossy, lossy))
        with pytest.raises(NotProven, match="direct_address"):
            conclude_all(self.held(figures.loss, lossy))

    def test_too_few_frames_for_so_small_a_loss(self) -> None:
        few = sent_of(voice=carried_of(sent=100, received=100))
        with pytest.raises(NotProven, match=r"at most 1 %.*both sides.*longer"):
            conclude_all(self.held(figures.loss, few, few))

    @pytest.mark.parametrize(
        ("late_us", "error_us", "verdict"),
        [
            (9_000, 500, None),
            (12_000, 500, AssertionError),
            (9_800, 500, NotProven),
            (10_200, 500, NotProven),
        ],
    )
    def test_a_delay_by_clocks(
        self, late_us: int, error_us: int, verdict: type[Exception] | None
    ) -> None:
        clocks = Agreement(-error_us, error_us, 9)
        seen, quick = (
            sent_of(clocks, voice=carried_of(delay=Spread([(us, 100)]))) for us in (late_us, 50)
        )
        held = self.held(figures.delay, seen, quick)
        if verdict is None:
            conclude_all(held)
            return
        with pytest.raises(verdict, match=r"clocks agree to within 0\.5 ms"):
            conclude_all(held)

    def test_a_clock_that_was_set_meanwhile_tells_nothing(self) -> None:
        seen = sent_of(Agreement(9, 1, 9), voice=carried_of(delay=Spread([(50, 100)])))
        with pytest.raises(NotProven, match="were set meanwhile"):
            conclude_all(self.held(figures.delay, seen, seen))

    @pytest.mark.parametrize(
        ("late_us", "verdict"), [(9_000, None), (15_000, NotProven), (21_000, AssertionError)]
    )
    def test_a_delay_there_and_back(self, late_us: int, verdict: type[Exception] | None) -> None:
        def sent(us: int) -> Sent:
            probe = carried_of(round_trip=Spread([(us, 100)]))
            return Sent({TO_SERVER: {"voice": carried_of(), probe_name(VOICE): probe}}, {})

        held = self.held(figures.delay, sent(late_us), sent(50))
        if verdict is None:
            conclude_all(held)
            return
        with pytest.raises(verdict, match="clocks do not agree, so it is there and back"):
            conclude_all(held)

    def test_more_than_was_agreed_is_never_the_rigs(self) -> None:
        name = step_name(VOICE, BEYOND)
        seen = Sent({TO_SERVER: {name: carried_of(received=2000, receiving_s=1.0)}}, {})
        with pytest.raises(AssertionError, match=r"16.0 Mbit/s.*at most 10.5"):
            conclude_all(self.held(figures.policed, seen, by_rig=False))

    @pytest.mark.parametrize(
        ("frames", "close"), [(2000, False), (1440, True), (1312, False), (1000, False)]
    )
    def test_what_misses_by_little_is_sent_again(self, frames: int, close: bool) -> None:
        seen = carried_of(received=frames, receiving_s=1.0)
        sent = Sent({TO_SERVER: {step_name(VOICE, BEYOND): seen}}, {})
        assert is_close(figures.policed(SHOWN, sent)) is close

    @pytest.mark.parametrize(
        ("frames", "others", "value"),
        [
            (1200, None, 9.6),  # of at most 10.5: it is not sent again
            (2000, None, 16.0),  # a miss that no stall explains is not, either
            (1400, (1200, 1250), 10.0),
            (1400, (1200, 1390), 11.12),
        ],
    )
    def test_of_three_the_one_in_the_middle_counts(
        self, frames: int, others: Sequence[int] | None, value: float
    ) -> None:
        def sent(count: int) -> Sent:
            seen = carried_of(received=count, receiving_s=1.0)
            return Sent({TO_SERVER: {step_name(VOICE, BEYOND): seen}}, {})

        def again() -> list[Sent]:
            assert others is not None
            return [sent(count) for count in others]

        figure = taken(figures.policed, SHOWN, sent(frames), again)
        assert figure.value == pytest.approx(value, rel=0.01)
        assert ("(the middle of 3)" in measured(figure)) is (others is not None)

    def test_of_many_that_fail_the_first_are_told_in_full(self) -> None:
        late, quick = (sent_of(voice=carried_of(delay=Spread([(us, 100)]))) for us in (40_000, 50))
        with pytest.raises(AssertionError) as told:
            conclude_all(self.held(figures.delay, late, quick) * 12)
        assert str(told.value).count("promised is") == 3
        assert str(told.value).count("40.0 ms") == 12
        assert "The same of: Delay of a class, voice, to the server, 40.0 ms; " in str(told.value)

    def test_all_that_fail_are_told_and_none_that_cannot_be(self) -> None:
        lossy = sent_of(voice=carried_of(sent=10_000, received=9000))
        few = sent_of(voice=carried_of(sent=100, received=100))
        whole = sent_of(voice=carried_of(sent=10_000, received=10_000))
        held = [
            *self.held(figures.loss, few, few),
            *self.held(figures.loss, lossy, whole),
            *self.held(figures.disorder, sent_of(voice=carried_of(doubled=500)), whole),
        ]
        with pytest.raises(AssertionError, match=r"Frame loss.*came twice or late") as told:
            conclude_all(held)
        assert "both sides" not in str(told.value)
