"""Bazzi 2011 on a gateway that is reckoned: when it is sure, and what it tells then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import cycle

import pytest
from test_causes import TRIAL, conduct

from gatepass.base.paths import VARIABLES
from gatepass.inputs.published import load_published
from gatepass.scenarios.studies import bazzi2011_tables as tables
from gatepass.scenarios.studies.bazzi2011 import (
    CONDITIONS,
    DIRECT,
    EXCHANGES,
    STREAMS,
    THROUGH,
    Compared,
    Conditions,
    ExchangeCell,
    Sample,
    StreamCell,
    compare,
    disturbed,
)

WHOLE = CONDITIONS["whole"]
PUBLISHED = load_published(VARIABLES / "published_results.yaml")
CELL = StreamCell(56, 4)
STEADY = (94.3, 94.4, 94.35)
STOOD = "the client stood still for 300 ms"


class Played:
    """Trials on both paths, with these figures again and again.

    Args:
        direct, through: figures.
        disturbed: how many trials at the beginning the rig disturbs, on each path.
    """

    def __init__(
        self, direct: Iterable[float], through: Iterable[float], disturbed: int = 0
    ) -> None:
        self._figures = {DIRECT: cycle(direct), THROUGH: cycle(through)}
        self._left = {DIRECT: disturbed, THROUGH: disturbed}
        self.order: list[str] = []

    def compared(self, asked: Conditions = WHOLE, cell: StreamCell = CELL) -> Compared:
        """What is found with them."""
        return compare(cell, {path: self._once(path) for path in self._figures}, asked)

    def _once(self, path: str) -> Callable[[], Sample]:
        def once() -> Sample:
            self.order.append(path)
            self._left[path] -= 1
            why = STOOD if self._left[path] >= 0 else ""
            return Sample(next(self._figures[path]), None, why)

        return once


class TestHowOften:
    def test_five_times_where_that_is_enough(self) -> None:
        found = Played(STEADY, (90.0, 90.1)).compared()
        assert found.sure
        assert [len(found.counted(path)) for path in (DIRECT, THROUGH)] == [5, 5]

    def test_more_often_where_one_of_the_two_scatters(self) -> None:
        found = Played(STEADY, (90.0, 90.8, 89.4)).compared()
        assert found.sure and 5 < len(found.counted(THROUGH)) < WHOLE.most
        assert len(found.counted(DIRECT)) == len(found.counted(THROUGH))

    def test_up_to_the_limit(self) -> None:
        found = Played(STEADY, (80.0, 99.0)).compared()
        assert not found.sure and not found.by_rig
        assert len(found.counted(THROUGH)) == WHOLE.most

    def test_the_paths_take_turns_in_who_is_first(self) -> None:
        played = Played(STEADY, STEADY)
        played.compared()
        assert played.order[:6] == [DIRECT, THROUGH, THROUGH, DIRECT, DIRECT, THROUGH]

    def test_a_trial_that_the_rig_disturbed_is_repeated(self) -> None:
        found = Played((50.0, *STEADY * 9), STEADY, disturbed=1).compared()
        assert found.sure and len(found.trials[DIRECT]) == 6
        assert found.mean(DIRECT).mean == pytest.approx(94.35, abs=0.05)

    def test_where_too_many_are_nothing_is_told(self) -> None:
        found = Played(STEADY, STEADY, disturbed=WHOLE.most - 4).compared()
        assert found.by_rig == STOOD and found.degradation is None
        assert _known(found)["told"] == f"not told: {STOOD}"
        assert "loss" not in _row(found)

    def test_nothing_is_known_of_a_gateway_where_the_path_beside_it_carries_nothing(self) -> None:
        found = Played((0.0,), (0.0,)).compared()
        assert found.by_rig == "nothing arrives without the gateway either"


class TestDisturbed:
    """A small socket loses datagrams by itself."""

    @pytest.mark.parametrize(("lost", "told"), [(24, ""), (26, "the server lost 26 packets")])
    def test_by_a_few_datagrams_it_is_not(self, lost: int, told: str) -> None:
        hosts = {"client": conduct(), "server": conduct(socket_lost=lost)}
        trial = replace(TRIAL, datagrams=10_000, conduct=hosts, wire_mbps=None)
        assert disturbed(trial).startswith(told) and bool(disturbed(trial)) == bool(told)

    def test_tcp_that_lost_none_is_judged_as_ever(self) -> None:
        hosts = {"client": conduct(), "server": conduct(longest_late_s=0.3)}
        trial = replace(TRIAL, conduct=hosts, wire_mbps=None)
        assert disturbed(trial) == "the server stood still for 300 ms"


class TestDegradation:
    def test_by_hand(self) -> None:
        cost = Played((100.0, 100.1, 99.9), (90.0, 90.1, 89.9)).compared().degradation
        assert cost.percent == pytest.approx(10, abs=0.05)
        assert cost.lower < 10 < cost.upper

    def test_a_gateway_that_lets_nothing_through_costs_all(self) -> None:
        assert Played(STEADY, (0.0,)).compared().degradation.percent == 100


class TestTraffic:
    """What is asked for, by hand."""

    def test_tcp_in_full_segments_fills_the_sources_line(self) -> None:
        load = CELL.load("TCP", 600)
        assert load.pace_mbps == pytest.approx(100 * 1448 / 1538)
        assert load.arguments().endswith("-C cubic -w 57344 -l 4096 --fq-rate 94148244")

    @pytest.mark.parametrize(
        ("cell", "share"), [(STREAMS[1], 4096 / (4104 + 3 * 58)), (STREAMS[2], 1024 / 1090)]
    )
    def test_a_datagram_that_is_too_large_for_a_frame_is_several(
        self, cell: StreamCell, share: float
    ) -> None:
        load = cell.load("UDP", 600)
        assert load.udp_mbps == pytest.approx(100 * share)
        assert f"-l {load.datagram_bytes} -w 32768" in load.arguments()

    def test_the_published_figures_without_a_firewall_are_those_of_the_line(self) -> None:
        for protocol in ("TCP", "UDP"):
            for row in _told(protocol, STREAMS):
                load = StreamCell(row["socket_kib"], row["message_kib"]).load(protocol, 1)
                line = load.pace_mbps or load.udp_mbps
                for host in ("xp", "win7"):
                    assert row[f"{host}_direct"] == pytest.approx(line, rel=0.003)


class TestTables:
    """The source's own percentages follow from its figures."""

    @pytest.mark.parametrize(
        ("protocol", "xp", "win7"),
        [("TCP", (10.16, 11.25, 11.29), (3.36, 3.55, 3.57)),
         ("UDP", (1.93, 1.84, 2.78), (4.08, 4.06, 0.54))],
    )  # fmt: skip
    def test_streams(self, protocol: str, xp: tuple, win7: tuple) -> None:
        rows = _told(protocol, STREAMS)
        assert tuple(row["xp_loss"] for row in rows) == xp
        assert tuple(row["win7_loss"] for row in rows) == pytest.approx(win7, abs=0.01)

    @pytest.mark.parametrize(
        ("protocol", "xp", "win7"),
        [("TCP", (53.92, 12.05, 34.44, 35.02), (50.12, 12.25, 24.39, 30.00)),
         ("UDP", (53.86, 8.48, 13.33, 27.53, 13.11), (49.96, 50.54, 9.47, 25.57, 9.39))],
    )  # fmt: skip
    def test_transactions(self, protocol: str, xp: tuple, win7: tuple) -> None:
        rows = _told(protocol, EXCHANGES[protocol])
        assert tuple(row["xp_loss"] for row in rows) == pytest.approx(xp, abs=0.01)
        assert tuple(row["win7_loss"] for row in rows) == pytest.approx(win7, abs=0.01)

    def test_what_was_measured_stands_beside(self) -> None:
        found = Played((100.0,), (90.0,)).compared()
        row, known = _row(found), _known(found)
        assert (row["direct"], row["through"], row["loss"]) == (100.0, 90.0, 10.0)
        assert row["win7_direct"] == 94.37
        assert known["repeats"] == "5 and 5" and known["told"] == "both to within 0.5 %"

    def test_the_limit_is_told(self) -> None:
        known = _known(Played(STEADY, (80.0, 99.0)).compared())
        assert known["told"] == "the limit of repeats"
        assert known["direct_within"] < 0.5 < known["through_within"]

    @pytest.mark.parametrize("name", CONDITIONS)
    def test_shorter_and_fewer_trials_are_told(self, name: str) -> None:
        notes = tables.differences_table(CONDITIONS[name]).notes
        assert bool(notes) == (name != "whole")


def _row(found: Compared) -> dict:
    return tables.stream_tables("TCP", [found], PUBLISHED)[0].rows[0]


def _known(found: Compared) -> dict:
    return tables.stream_tables("TCP", [found], PUBLISHED)[1].rows[0]


def _told(protocol: str, cells: Iterable[StreamCell | ExchangeCell]) -> tuple[dict, ...]:
    found = [Played(STEADY, STEADY).compared(cell=cell) for cell in cells]
    make = tables.stream_tables if cells is STREAMS else tables.transaction_tables
    return make(protocol, found, PUBLISHED)[0].rows
