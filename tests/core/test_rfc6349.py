"""RFC 6349 on a path that is reckoned: what follows from it, and how TCP fared on it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_causes import TRIAL, conduct

from gatepass.results.trial import Load, Trial
from gatepass.scenarios.studies import rfc6349_tables as tables
from gatepass.scenarios.studies.rfc6349 import (
    ATTEMPTS,
    CONDITIONS,
    Baseline,
    by_connections,
    by_window,
)

PATH = Baseline(mtu=1500, rtt_ms=20.0, frames_per_s=8_000.0)
SHORT = CONDITIONS["short"]
QUIET = {"client": conduct(), "server": conduct()}


class Path:
    """TCP on it: as fast as window and bottleneck let it, with queues of so many milliseconds.

    Args:
        disturbed: trials at the beginning that the rig disturbs.
    """

    def __init__(self, disturbed: int = 0, queue_ms: float = 5.0) -> None:
        self.loads: list[Load] = []
        self._disturbed, self._queue_ms = disturbed, queue_ms

    def __call__(self, load: Load) -> Trial:
        self.loads.append(load)
        window = load.window_bytes and load.window_bytes * load.streams
        bad = len(self.loads) <= self._disturbed
        hosts = {**QUIET, "client": conduct(longest_late_s=0.3)} if bad else QUIET
        return replace(
            TRIAL,
            mbps=PATH.ideal_mbps(window) * 0.9,
            rtt_ms=20.0 + self._queue_ms,
            least_rtt_ms=20.0,
            sent_bytes=1_000_000,
            retransmits=7,
            mss=1448,
            conduct=hosts,
            wire_mbps=None,
        )


class TestThePath:
    """By hand."""

    def test_what_tcp_can_have_at_most(self) -> None:
        assert PATH.goodput_mbps == pytest.approx(8000 * 1448 * 8 / 1e6)
        assert PATH.product_bytes == pytest.approx(8000 * 1448 * 0.02)

    def test_a_window_limits_what_is_under_way(self) -> None:
        assert PATH.ideal_mbps(65_536) == pytest.approx(65_536 * 8 / 0.02 / 1e6)
        assert PATH.ideal_mbps(10**7) == PATH.ideal_mbps(None) == PATH.goodput_mbps

    def test_windows_are_around_the_product_and_some_that_are_common(self) -> None:
        product = round(PATH.product_bytes)
        assert {product, product * 2, 65_536} <= set(PATH.windows)
        assert list(PATH.windows) == sorted(set(PATH.windows))

    def test_no_window_is_smaller_than_a_socket_can_have(self) -> None:
        assert min(replace(PATH, rtt_ms=0.05).windows) == 4096


class TestTcp:
    def test_each_window_once_over_one_connection(self) -> None:
        path = Path()
        found = by_window(path, PATH, SHORT)
        assert [one.window_bytes for one in found] == list(PATH.windows)
        assert {load.streams for load in path.loads} == {1}
        assert {load.window_bytes for load in path.loads} == set(PATH.windows)

    def test_connections_have_windows_of_their_own(self) -> None:
        path = Path()
        found = by_connections(path, PATH, SHORT)
        assert [one.connections for one in found] == list(SHORT.connections)
        assert {load.window_bytes for load in path.loads} == {None}

    def test_the_three_metrics(self) -> None:
        found = by_window(Path(), PATH, SHORT)
        for one in found:
            assert one.ratio == pytest.approx(1 / 0.9)
            assert one.efficiency_percent == pytest.approx(100 * 1e6 / (1e6 + 7 * 1448))
            assert one.buffer_delay_percent == pytest.approx(25.0)

    def test_a_trial_that_the_rig_disturbed_is_repeated(self) -> None:
        path = Path(disturbed=1)
        found = by_connections(path, PATH, SHORT)
        assert len(path.loads) == len(found) + 1 and not any(one.disturbed for one in found)

    def test_one_that_it_disturbs_each_time_is_told(self) -> None:
        found = by_connections(Path(disturbed=ATTEMPTS), PATH, SHORT)
        assert found[0].disturbed == "the client stood still for 300 ms"
        assert not found[1].disturbed
        told = tables.connection_table(found).rows
        assert told[0]["told"] == "not told: the client stood still for 300 ms"

    def test_a_window_is_asked_for_where_there_is_one(self) -> None:
        assert "-w 65536" in Load(1, window_bytes=65_536).arguments()
        assert "-w" not in Load(1).arguments()


class TestTables:
    def test_what_was_measured_stands_beside_the_ideal(self) -> None:
        rows = tables.window_table(by_window(Path(), PATH, SHORT)).rows
        assert [row["ideal"] for row in rows] == sorted(row["ideal"] for row in rows)
        assert all(row["mbps"] == pytest.approx(row["ideal"] * 0.9, abs=0.02) for row in rows)

    def test_the_path_and_what_the_tier_promises(self) -> None:
        rows = {row["what"]: row["value"] for row in tables.path_table(PATH, 300.0).rows}
        assert rows["Path MTU"] == 1500
        assert rows["Bandwidth-delay product"] == round(PATH.product_bytes)
        assert rows["What the tier promises, TCP goodput"] == 300.0

    @pytest.mark.parametrize("name", CONDITIONS)
    def test_short_trials_are_told(self, name: str) -> None:
        notes = tables.differences_table(CONDITIONS[name]).notes
        assert bool(notes) == (name != "whole")
