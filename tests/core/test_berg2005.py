"""Berg 2005 on a path that is reckoned: what is sent, how often, and what the tables tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gatepass.base.errors import NotProven
from gatepass.base.paths import VARIABLES
from gatepass.inputs.published import load_published
from gatepass.results.trial import Load
from gatepass.scenarios.studies import berg2005_tables as tables
from gatepass.scenarios.studies.berg2005 import (
    ATTEMPTS,
    CONDITIONS,
    CONNECTIONS,
    FIFTY,
    ONE,
    TRANSFERS,
    WINDOW_BYTES,
    Carried,
    Path,
    Traffic,
)
from gatepass.scenarios.studies.berg2005_tables import PACKET_FILTER, VPN, Added

WHOLE, SHORT = CONDITIONS["whole"], CONDITIONS["short"]
PUBLISHED = load_published(VARIABLES / "published_results.yaml")
REST_MS = 0.5


class Wire:
    """TCP on it: as fast as its rate and the window over the round trip let it.

    Args:
        rate: of all connections, Mbit/s.
        disturbed: trials at the beginning that the rig disturbs.
        acts: whether delays that are asked for are added.
        most_ms: longer ones are refused.
    """

    def __init__(
        self, rate: float = 500.0, disturbed: int = 0, acts: bool = True, most_ms: float = 100.0
    ) -> None:
        self.rate, self.delay_ms = rate, 0.0
        self.loads: list[Load] = []
        self._disturbed, self._acts, self._most_ms = disturbed, acts, most_ms

    def __call__(self, kind: Traffic, load: Load) -> Carried:
        self.loads.append(load)
        rtt = REST_MS + (self.delay_ms if self._acts else 0)
        window = load.window_bytes
        mbps = min(self.rate, window * kind.streams * 8 / rtt / 1e3) if window else self.rate
        why = "the client stood still" if len(self.loads) <= self._disturbed else ""
        sent = (mbps if kind.there else None, mbps if kind.back else None)
        return Carried(*sent, rtt_ms=rtt + 1, least_rtt_ms=rtt, disturbed=why)

    @contextmanager
    def longer(self, delay_ms: float) -> Iterator[None]:
        if delay_ms > self._most_ms:
            raise NotProven("it is not root.")
        self.delay_ms = delay_ms
        yield

    def path(self, asked=SHORT) -> Path:
        return Path(self, self.longer, asked)


def carried(wire: Wire | None = None, asked=SHORT) -> Path:
    path = (wire or Wire()).path(asked)
    path.measure(CONNECTIONS, asked.delays_ms)
    path.measure(TRANSFERS, asked.transfer_delays_ms)
    return path


class TestWhatIsSent:
    def test_whole_is_the_sources_delays_each_several_times(self) -> None:
        wire = Wire()
        found = wire.path(WHOLE).measure(CONNECTIONS, WHOLE.delays_ms)
        assert {one.delay_ms for one in found} == {0, 7, 14, 20, 40}
        assert len(found) == 3 * 5 and len(wire.loads) == 3 * 5 * WHOLE.repeats
        assert {load.streams for load in wire.loads} == {1, 50}
        assert all(one.together.half_width == 0 for one in found)  # of three that are the same

    def test_a_file_keeps_its_window_and_counts_its_slow_start(self) -> None:
        loads = [kind.load(WHOLE) for kind in TRANSFERS]
        assert {load.window_bytes for load in loads} == {WINDOW_BYTES}
        assert {load.omit_s for load in loads} == {0}
        assert [load.reverse for load in loads] == [False, True, False, False]
        assert ONE.load(WHOLE).window_bytes is None and ONE.load(WHOLE).omit_s

    def test_one_trial_tells_no_spread(self) -> None:
        (one,) = Wire().path().measure([ONE], [0])
        assert one.together.half_width is None


class TestTroubles:
    def test_a_disturbed_trial_is_begun_anew(self) -> None:
        wire = Wire(disturbed=ATTEMPTS - 1)
        path = wire.path()
        path.measure([ONE], [0])
        path.must_be_whole()
        assert len(wire.loads) == ATTEMPTS

    def test_one_that_is_disturbed_each_time_is_not_proven(self) -> None:
        path = carried(Wire(disturbed=ATTEMPTS))
        table = tables.connection_table(PACKET_FILTER, list(path.found.values()), {}, PUBLISHED)
        assert table.rows[0]["told"] == "not told: the client stood still"
        with pytest.raises(NotProven, match="as the client stood still"):
            path.must_be_whole()

    def test_what_limited_the_rig_itself_is_told_and_no_trouble(self) -> None:
        path = Path(lambda kind, load: Carried(200.0, limit="ESP"), Wire().longer, SHORT)
        table = tables.connection_table(VPN, path.measure([ONE], [0]), {}, PUBLISHED)
        path.must_be_whole()
        assert table.rows[0]["told"] == "at least: ESP"

    def test_a_delay_that_does_not_act_is_not_proven(self) -> None:
        path = Wire(acts=False).path()
        assert [one.delay_ms for one in path.measure([ONE], [0, 7])] == [0]
        with pytest.raises(NotProven, match=r"7 ms added .* 0\.50 ms, so the delay did not act"):
            path.must_be_whole()

    def test_what_cannot_be_added_leaves_the_rest(self) -> None:
        path = Wire(most_ms=0).path()
        assert len(path.measure(CONNECTIONS, SHORT.delays_ms)) == len(CONNECTIONS)
        with pytest.raises(NotProven, match=r"7 ms added \(1 more\) .* it is not root"):
            path.must_be_whole()


class TestTables:
    def test_published_figures_stand_beside_the_measured(self) -> None:
        found = Wire().path(WHOLE).measure(CONNECTIONS, WHOLE.delays_ms)
        rows = tables.connection_table(PACKET_FILTER, found, {}, PUBLISHED).rows
        one = next(row for row in rows if row["traffic"] == ONE.name and row["delay"] == 0)
        devices = ("astaro", "isg-2000", "debian", "sidewinder")
        assert [one[f"berg-2005-{name}"] for name in devices] == [500, 930, 927, 925]
        assert one["there"] == one["together"] == 500.0 and one["back"] is None

    def test_of_the_vpn_as_well(self) -> None:
        found = Wire().path(WHOLE).measure(CONNECTIONS, WHOLE.delays_ms)
        rows = tables.connection_table(VPN, found, {}, PUBLISHED).rows
        fifty = next(row for row in rows if row["traffic"] == FIFTY.name and row["delay"] == 40)
        assert (fifty["berg-2005-astaro"], fifty["berg-2005-debian"]) == (265, 215)
        assert "berg-2005-sidewinder" not in fifty

    def test_transfers_fall_with_the_delay_as_the_published_do(self) -> None:
        found = Wire().path(WHOLE).measure(TRANSFERS, WHOLE.transfer_delays_ms)
        rows = tables.transfer_table(PACKET_FILTER, found, {}, PUBLISHED).rows
        there = [row for row in rows if row["traffic"] == TRANSFERS[0].name]
        assert [row.get("berg-2005-debian") for row in there] == [400, 254, 138, 115, None]
        assert [row["there"] for row in there] == sorted(row["there"] for row in there)[::-1]
        both = next(row for row in rows if row["traffic"] == TRANSFERS[2].name)
        assert both["berg-2005-debian"] == 220 + 195
        assert both["together"] == both["there"] + both["back"]

    @pytest.mark.parametrize(
        ("rate", "told"), [(500.0, "at least"), (300.0, "")]
    )
    def test_what_the_rig_limits_is_told(self, rate: float, told: str) -> None:
        rig = carried().found
        found = Wire(rate).path().measure(CONNECTIONS, SHORT.delays_ms)
        rows = tables.connection_table(PACKET_FILTER, found, rig, PUBLISHED).rows
        assert {row["told"] for row in rows} == {told}
        assert rows[0]["rig"] == 500.0

    def test_the_relay_is_told_by_itself(self) -> None:
        rig = carried().found
        slow = tables.ceilings(rig, 7)
        added = [Added(None, "", 0.5, 900, 900, "it was busy"), Added(7.0, "relay", 7.6, *slow)]
        bare, seven = tables.delay_table(added, 600.0).rows
        assert bare["own"] is None and bare["by"] == "nobody" and bare["told"] == "it was busy"
        assert seven["own"] == pytest.approx(0.1)
        assert seven["told"] == "below the tier's 600 Mbit/s: the rig's limit"
        assert tables.ceilings(rig, 14) == (None, None, "")

    @pytest.mark.parametrize("name", CONDITIONS)
    def test_short_trials_are_told(self, name: str) -> None:
        notes = tables.differences_table(CONDITIONS[name]).notes
        assert bool(notes) == (name != "whole")
