"""Streams of numbered datagrams: how they are counted, and streams with the real programs."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_shell import LocalShell

from carried_examples import PORT, carried_of, stream
from crowd import Crowd
from gatepass.base.errors import NotProven
from gatepass.endpoint import overload, remote
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.remote.datagram_tally import Tally
from gatepass.endpoint.remote.datagram_wire import NUMBER_BITS
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.inputs.objectives import SIMPLE_IMIX
from gatepass.results.datagrams import Carried, Spread, Stream
from gatepass.results.trial import Load

NS = 1_000_000_000
REMOTE = Path(remote.__file__).parent
STALLS = f"""
import pathlib, runpy, socket, struct, sys, time
folder, _, stop, _ = sys.argv[1:]
began, clock, done = time.monotonic(), time.monotonic, []
def late():
    if not done and clock() > began + 0.5:  # it has waited for longer than for the last ones
        done.append(True)
        data = struct.pack("<QQ", 7 << {NUMBER_BITS}, time.time_ns())
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(data, ("127.0.0.1", {PORT}))
        pathlib.Path(stop).write_text('{{"one": 2}}')
        time.sleep(0.1)
    return clock()
time.monotonic = late
del sys.argv[1]
sys.path.insert(0, folder)
runpy.run_path(f"{{folder}}/datagram_take.py", run_name="__main__")
"""
"""A receiver that has no processor for a moment, just after it found nothing there."""


def tally(*batches: list[int], delay_us: int = 50) -> Tally:
    """What is counted of these numbers; number n was sent n milliseconds after the begin."""
    counted = Tally()
    for numbers in batches:
        sent = [NS + number * 1_000_000 for number in numbers]
        counted.add(numbers, sent, [moment + delay_us * 1000 for moment in sent])
    return counted


class TestTally:
    """By hand."""

    def test_in_order(self) -> None:
        told = tally([0, 1, 2], [3, 4]).told()
        assert (told["received"], told["doubled"], told["overtaken"]) == (5, 0, 0)
        assert told["delays_us"] == [(50, 5)]
        assert told["variations_us"] == [(0, 4)]
        assert told["gaps"] == []

    def test_a_gap_and_one_that_comes_late_and_one_that_comes_twice(self) -> None:
        told = tally([0, 1, 4, 5], [3, 3, 6]).told()
        assert (told["received"], told["doubled"], told["overtaken"]) == (6, 1, 1)
        assert told["gaps"] == [[2, 2, NS + 4_000_000]]

    def test_the_variation_is_between_neighbours_alone(self) -> None:
        counted = tally([0, 1], delay_us=50)
        sent = [NS + number * 1_000_000 for number in (2, 5)]
        counted.add([2, 5], sent, [moment + 80_000 for moment in sent])
        assert dict(counted.variations) == {0: 1, 30: 1}

    def test_a_tick_is_the_one_in_which_it_was_sent(self) -> None:
        assert dict(tally(list(range(150))).ticks) == {10: 100, 11: 50}

    def test_a_day_of_gaps_is_told_in_part(self) -> None:
        told = tally(list(range(0, 5000, 2))).told()
        assert len(told["gaps"]) == 1000 and told["received"] == 2500


@given(
    st.permutations(range(12)),
    st.lists(st.integers(0, 11), max_size=6),
    st.sets(st.integers(0, 11), max_size=6),
    st.lists(st.integers(1, 5), max_size=12),
)
def test_whatever_comes_in_whatever_order(
    order: list[int], twice: list[int], lost: set[int], sizes: list[int]
) -> None:
    came = [number for number in [*order, *twice] if number not in lost]
    batches, rest = [], came
    for size in [*sizes, len(came)]:
        batches.append(rest[:size])
        rest = rest[size:]
    counted = tally(*batches)
    assert counted.received == len(set(came))
    assert counted.doubled == len(came) - len(set(came))
    highest, overtaken = -1, 0
    for place, number in enumerate(came):
        overtaken += number < highest and number not in came[:place]
        highest = max(highest, number)
    assert counted.overtaken == overtaken
    assert sum(counted.delays.values()) == counted.received
    left = [number for low, high in counted.missing for number in range(low, high)]
    assert left == [number for number in range(highest) if number not in came]


@given(st.lists(st.integers(-1000, 100_000), min_size=1), st.floats(0.1, 100))
def test_percentiles(times: list[int], percent: float) -> None:
    spread = Spread(Counter(times).items())
    assert spread.count == len(times)
    assert spread.mean == pytest.approx(sum(times) / len(times))
    place = math.ceil(percent / 100 * len(times) - 1e-9)
    assert spread.percentile(percent) in sorted(times)[max(0, place - 1) : place + 1]
    assert spread.percentile(100) == max(times)


def test_of_none_there_is_no_percentile() -> None:
    assert math.isnan(Spread([]).percentile(50)) and math.isnan(Spread([]).mean)


class TestStream:
    """Frames and what they hold."""

    def test_payloads(self) -> None:
        assert stream(frames=(64, 1518)).payloads == (18, 1472)
        assert stream(address="::1", frames=(82, 1518)).payloads == (16, 1452)

    def test_rate(self) -> None:
        made = Stream.at_rate(
            10, name="a", address="127.0.0.1", port=PORT, frames=SIMPLE_IMIX, seconds=2
        )
        assert made.per_s * sum(SIMPLE_IMIX) / 12 * 8 == pytest.approx(10e6)
        assert made.count == round(made.per_s * 2)

    def test_what_cannot_be_told_apart_is_refused(self) -> None:
        with pytest.raises(ValueError, match="at least 82 bytes"):
            stream(address="::1", frames=(64,))
        with pytest.raises(ValueError, match="of one size"):
            stream(frames=SIMPLE_IMIX, segmented=True)
        with pytest.raises(ValueError, match="of one size"):
            stream(frames=SIMPLE_IMIX, reflected=True)
        with pytest.raises(ValueError, match="where the stream comes from"):
            stream(knocks=True, source="127.0.0.1")


@pytest.mark.usefixtures("one_host")
class TestWithTheProgram:
    """In a network namespace of its own, on processors that it shares with others."""

    @pytest.fixture(autouse=True)
    def _before(self) -> None:
        self.crowd = Crowd()

    def whole(self, *seen: Carried) -> bool:
        """Whether all of these arrived, but for what the machine itself had no room for."""
        assert all(one.sent > 0 for one in seen)
        return self.crowd.accounts_for(sum(one.lost for one in seen))

    def sent(self, shell: LocalShell, *streams: Stream) -> dict[str, Carried]:
        return DatagramTrial(shell, shell, streams).wait()

    def filtered(self, shell: LocalShell, rule: str) -> None:
        """Have what comes in pass a rule."""
        table = f"table inet t {{ chain c {{ type filter hook input priority 0; {rule}; }}; }}"
        assert shell.run(Script(f"nft '{table};'")).status == 0

    @pytest.mark.parametrize(
        "given",
        [
            {},
            {"frames": (64,)},
            {"frames": SIMPLE_IMIX},
            {"address": "::1"},
            {"frames": (9018,)},
            {"frames": (1000,), "segmented": True, "per_s": 20_000.0},
        ],
    )
    def test_all_arrive_and_are_what_was_asked_for(self, apart: LocalShell, given: dict) -> None:
        asked = stream(**given)
        (seen,) = self.sent(apart, asked).values()
        assert seen.sent + seen.unsent == asked.count
        assert self.whole(seen) and seen.received + seen.socket_lost + seen.lost == seen.sent
        assert (seen.doubled, seen.overtaken, seen.foreign) == (0, 0, 0)
        assert sum(count for _, count, _ in seen.gaps) <= seen.socket_lost + seen.lost
        assert sum(sent for sent, _ in seen.ticks) == seen.sent
        assert sum(came for _, came in seen.ticks) == seen.received == sum(seen.arrivals)
        assert seen.delay.count == seen.received and seen.delay.percentile(50) >= 0
        behind_gaps = sum(first > 0 for first, _, _ in seen.gaps)
        assert seen.variation.count == seen.received - 1 - behind_gaps
        assert seen.sources == {asked.address}
        assert 0 < seen.sender_cpu_s < 10 and 0 < seen.receiver_cpu_s < 10

    def test_several_at_once_each_with_its_own_class(self, apart: LocalShell) -> None:
        self.filtered(apart, "ip dscp 46 counter")
        voice = stream(name="voice", dscp=46, per_s=500.0)
        seen = self.sent(apart, voice, stream(port=PORT + 1))
        assert self.whole(*seen.values())
        told = apart.run(Script("nft list chain inet t c")).output
        passed = seen["voice"].received + seen["voice"].socket_lost
        assert f"packets {passed} bytes" in told
        assert {name: one.dscps for name, one in seen.items()} == {"voice": {46}, "one": {0}}

    def test_a_mark_that_was_changed_on_the_way(self, apart: LocalShell) -> None:
        self.filtered(apart, f"udp dport {PORT} ip dscp set cs0")
        changed = stream(dscp=46)
        kept = stream(name="kept", address="::1", port=PORT + 1, dscp=10)
        seen = self.sent(apart, changed, kept)
        assert {name: one.dscps for name, one in seen.items()} == {"one": {0}, "kept": {10}}

    def test_one_after_the_other(self, apart: LocalShell) -> None:
        later = stream(name="later", port=PORT + 1, after_s=0.6, seconds=0.2)
        seen = self.sent(apart, stream(seconds=0.2), later)
        assert self.whole(*seen.values())
        first, second = (one.arrivals for one in (seen["one"], seen["later"]))
        assert sum(first) == seen["one"].received and sum(second) == seen["later"].received

    def test_a_session_begun_from_the_other_side(self, apart: LocalShell) -> None:
        self.filtered(apart, f"udp dport {PORT} ct state new drop")
        usual = {"source": "127.0.0.1", "source_port": PORT + 7, "dscp": 46}
        (shut,) = self.sent(apart, stream(**usual)).values()
        (seen,) = self.sent(apart, stream(**usual, knocks=True)).values()
        assert shut.received == 0 and self.whole(seen)

    def test_what_came_while_the_receiver_had_no_processor(self, tmp_path: Path) -> None:
        """Between two steps of it the last one comes, and the time to wait for it is over."""
        stop, plan, asked = tmp_path / "stop", tmp_path / "plan.json", stream()
        plan.write_text(json.dumps({"run": 7, "streams": {asked.name: asked.place()}}))
        stalls = tmp_path / "stalls.py"
        stalls.write_text(STALLS)
        program = [sys.executable, str(stalls), str(REMOTE), str(plan), str(stop), "20"]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as taking:
            assert "ready" in taking.stdout.readline()
            seen = json.loads(taking.communicate(timeout=60)[0])
        assert seen[asked.name]["received"] == 1

    def test_what_has_all_come_is_not_waited_for(self, apart: LocalShell, tmp_path: Path) -> None:
        apart.run(Script(f"cp {REMOTE}/datagram_*.py {tmp_path}/"))
        take, quiet, limit = tmp_path / "datagram_take.py", "QUIET_S = 0.3", "now > give_up"
        patient = take.read_text().replace(quiet, "QUIET_S = 1e9").replace(limit, "False")
        assert "QUIET_S = 1e9" in patient and limit not in patient
        take.write_text(patient)
        try:
            (seen,) = self.sent(apart, stream(per_s=200.0)).values()
        except NotProven:  # it is waited for until the program is ended
            assert self.crowd.most
        else:
            assert seen.received == seen.sent > 0

    @pytest.mark.parametrize("given", [{}, {"address": "::1", "frames": (1518,)}])
    def test_there_and_back(self, apart: LocalShell, given: dict) -> None:
        (seen,) = self.sent(apart, stream(reflected=True, **given)).values()
        assert self.whole(seen)
        assert self.crowd.accounts_for(seen.sent - seen.lost - seen.round_trip.count)
        assert seen.round_trip.percentile(50) >= seen.delay.percentile(50)

    def test_what_is_lost_on_the_way_back_has_no_round_trip(self, apart: LocalShell) -> None:
        self.filtered(apart, f"udp sport {PORT} numgen inc mod 10 == 3 drop")
        (seen,) = self.sent(apart, stream(reflected=True)).values()
        sent_back = seen.sent - seen.lost
        missing = sent_back - _one_in_ten(sent_back) - seen.round_trip.count
        assert 0 <= missing < seen.sent / 100  # a busy machine may send the last back too late
        assert seen.lost < seen.sent / 100

    def test_what_is_lost_on_the_way_is_counted_where_it_was(self, apart: LocalShell) -> None:
        self.filtered(apart, f"udp dport {PORT} numgen inc mod 10 == 3 drop")
        (seen,) = self.sent(apart, stream()).values()
        assert seen.loss_ratio == seen.lost / seen.sent
        if crowded_out := self.crowd.most:  # before they are counted
            possible = range(min(crowded_out, seen.sent) + 1)
            assert seen.lost in {one + _one_in_ten(seen.sent - one) for one in possible}
        else:
            assert seen.lost == _one_in_ten(seen.sent)
            assert {count for _, count, _ in seen.gaps} == {1}
            assert [first % 10 for first, _, _ in seen.gaps] == [3] * len(seen.gaps)

    def test_what_the_receiver_itself_loses_is_not_lost_on_the_way(
        self, apart: LocalShell, tmp_path: Path
    ) -> None:
        apart.run(Script(f"cp {Path(remote.__file__).parent}/datagram_*.py {tmp_path}/"))
        wire = tmp_path / "datagram_wire.py"
        wire.write_text(wire.read_text().replace("BUFFER = 16 << 20", "BUFFER = 4096"))
        take, step = tmp_path / "datagram_take.py", "        came = take("
        slow = take.read_text().replace(step, f"        time.sleep(0.02)\n{step}")
        assert slow != take.read_text()
        take.write_text(slow)
        (seen,) = self.sent(apart, stream(per_s=5000.0)).values()
        assert seen.socket_lost > 0 and self.whole(seen)

    def test_what_could_not_be_sent_in_time_is_unsent_and_not_lost(
        self, apart: LocalShell
    ) -> None:
        (seen,) = self.sent(apart, stream(frames=(1518,), per_s=5e6, seconds=0.1)).values()
        assert seen.unsent > 0
        assert seen.sent + seen.unsent == seen.stream.count
        assert self.whole(seen)

    def test_what_goes_nowhere_is_lost(self, apart: LocalShell) -> None:
        self.filtered(apart, f"udp dport {PORT} drop")
        (seen,) = self.sent(apart, stream()).values()
        assert seen.received == 0 and seen.delay.count == 0
        assert seen.lost == seen.sent > 0

    def test_the_port_is_taken(self, apart: LocalShell) -> None:
        hold = f"import socket, time; s = socket.socket(2, 2); s.bind(('127.0.0.1', {PORT}))"
        ready = Script(f"ss -Hlun 'sport = :{PORT}' | grep -q .")
        stem = f"{apart.folder()}/other"
        holds = Script(f'python3 -c "{hold}; time.sleep(30)"')
        other = Detached.start(apart, stem, holds, 40, ready)
        with pytest.raises(NotProven, match=r"cannot be handled on the client: .*in use"):
            self.sent(apart, stream())
        other.stop()

    def test_another_runs_datagrams_are_foreign(self, apart: LocalShell) -> None:
        asked = stream(seconds=1.0)
        stray = (
            f"import socket; s = socket.socket(2, 2); "
            f"[s.sendto(bytes(size), ('127.0.0.1', {PORT})) for size in (0, 5, 15, 16, 1400)]"
        )
        trial = DatagramTrial(apart, apart, [asked])
        assert apart.run(Script(f'python3 -c "{stray}"')).status == 0
        (seen,) = trial.wait().values()
        assert self.crowd.accounts_for(5 - seen.foreign) and seen.doubled == 0
        assert self.whole(seen)


def _one_in_ten(count: int) -> int:
    """Of so many that are counted from 0, those whose number ends in 3."""
    return (count + 6) // 10


class TestOverload:
    """What iperf3 cannot send is sent by these programs, and is a trial like any other."""

    @pytest.mark.parametrize(
        ("load", "engine"),
        [
            (Load(1), False),
            (Load(1, udp_mbps=800), False),
            (Load(1, udp_mbps=2500), True),
            (Load(1, udp_mbps=2500, reverse=True), False),
        ],
    )
    def test_needed(self, load: Load, engine: bool) -> None:
        assert overload.needed(load) is engine

    def test_a_trial(self, apart: LocalShell, tmp_path: Path) -> None:
        load, crowd = Load(1, omit_s=0.3, interval_s=0.2, udp_mbps=50), Crowd()
        trial = overload.run(apart, apart, "127.0.0.1", PORT, load, tmp_path / "001")
        assert 0 < trial.mbps < 55
        assert trial.datagrams and trial.mss is None
        assert crowd.accounts_for(round(trial.lost_percent / 100 * trial.datagrams))
        assert 0 < trial.received_bytes < trial.all_bytes
        assert trial.seen == {"127.0.0.1"}
        assert len(trial.intervals) >= 3 and trial.interval_s == 0.2
        assert trial.client_cpu > 0 and trial.server_cpu > 0
        assert 0 < trial.ended - trial.began < 20
        kept = json.loads((tmp_path / "001-datagrams.json").read_text())
        assert kept["stream"]["frames"] == [1446] and kept["sent"] > 0

    def test_loss_is_that_of_the_measured_time(self) -> None:
        ticks = ((50, 0), (100, 0), (100, 90), (100, 100), (30, 30))
        seen = carried_of(ticks=ticks, sent=380, received=220, arrivals=(10, 40, 60, 70, 40))
        trial = overload.trial_of(seen, Load(0.2, omit_s=0.1, interval_s=0.1, udp_mbps=8))
        assert trial.lost_percent == 5
        assert trial.intervals == pytest.approx((60 * 954 * 80 / 1e6, 70 * 954 * 80 / 1e6))
        assert trial.seconds == pytest.approx(0.2)

    def test_what_was_never_under_way_has_no_figure(self) -> None:
        with pytest.raises(NotProven, match="no datagrams were sent in the measured 1 s"):
            overload.trial_of(carried_of(ticks=((5, 5),)), Load(1, udp_mbps=8))


def test_rates_of_what_arrived() -> None:
    seen = carried_of()
    assert seen.sent_per_s == pytest.approx(1000)
    assert seen.received_mbps == pytest.approx(7.2)
    assert replace(seen, received=950, socket_lost=50).lost == 0
