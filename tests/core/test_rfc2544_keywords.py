"""The keywords of the study RFC 2544: what is permitted, told, and held against the order."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from played import Played

from gatepass.base.errors import NotProven
from gatepass.results.agreement import Agreement
from gatepass.results.record import Measurement
from Rfc2544 import Rfc2544
from simulated_gateway import BESIDE, THROUGH, SimulatedGateway

CLIENT6, SERVER6, DIRECT6 = "2001:2:0:1::10", "2001:2:0:2::10", "2001:2:0:3::20"
TIER = 2.0
"""Mbit/s of TCP goodput that the tier promises; 2.079 of frames of 1518 bytes."""


class Rules:
    """The gateway's test policies; they count what they are told to."""

    def __init__(self) -> None:
        self.test_id: int | None = None
        self.added: list[dict] = []
        self.sets = 0

    def set(self, policies: int, nat: bool) -> int:
        self.sets, self.test_id, self.added = self.sets + 1, 7, []
        assert (policies, nat) == (1, False)
        return 7

    def add(self, row: dict) -> None:
        self.added.append(row)

    def holds(self, number: int) -> bool:
        return any(row["policyid"] == number for row in self.added)

    def free_id(self, offset: int) -> int:
        return 100 + offset

    def ipv6_row(self, number: int, client: str, server: str) -> dict:
        return {"policyid": number, "srcaddr6": client, "dstaddr6": server}

    def in_force_within(self, seconds: float) -> float:
        return 0.0


def shell(boot: str) -> SimpleNamespace:
    return SimpleNamespace(run=lambda command, again=False: SimpleNamespace(output=boot))


def world(ipv6: bool = True, direct: bool = True, boots: tuple[str, str] = ("a", "a")) -> Played:
    """A run on a testbed; its policies count a megabyte each time that they are asked."""
    rules, asked = Rules(), []

    def monitor(path: str) -> dict:
        asked.append(path)
        rows = [{"policyid": number, "bytes": 10**6 * len(asked)} for number in (7, 104)]
        return {"results": rows}

    server = SimpleNamespace(
        address=THROUGH,
        address6=SERVER6 if ipv6 else None,
        direct_address=BESIDE if direct else None,
        direct_address6=DIRECT6 if ipv6 else None,
        probe_port=5301,
    )
    client = SimpleNamespace(address="198.18.1.10", address6=CLIENT6)
    return Played(
        rules=rules,
        gateway=SimpleNamespace(monitor=monitor, lost=False),
        testbed=SimpleNamespace(endpoints=SimpleNamespace(client=client, server=server)),
        client=shell(boots[0]),
        server=shell(boots[1]),
        rig=None,
        profile=SimpleNamespace(studies="shortest", confidence=0.95),
        promised=lambda name: TIER,
        stop_responders=lambda: None,
        baselines={},
    )


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch):
    """Makes the library on a gateway that is reckoned."""

    def make(context: Played, **device: object) -> Rfc2544:
        made = SimulatedGateway(**{"line_mbps": 3.0, "rig_per_s": 1000.0, "queue": 20, **device})
        monkeypatch.setattr("support.frame_paths.between", lambda *others: made)
        return Rfc2544(context)

    return make


def told(context: Played) -> list[Measurement]:
    return [note for note in context.check.noted if isinstance(note, Measurement)]


class TestPermitted:
    def test_over_both_families_once(self, study) -> None:
        context = world()
        library = study(context, line_mbps=1000.0)
        library.frames_are_permitted_through_the_gateway()
        library.frames_are_permitted_through_the_gateway()
        assert context.run.rules.sets == 1
        assert context.run.rules.added == [
            {"policyid": 104, "srcaddr6": CLIENT6, "dstaddr6": SERVER6}
        ]

    def test_without_ipv6_over_ipv4_alone(self, study) -> None:
        context = world(ipv6=False)
        study(context).frames_are_permitted_through_the_gateway()
        assert context.run.rules.added == []

    def test_without_a_direct_path_nothing_can_be_told(self, study) -> None:
        with pytest.raises(NotProven, match="names no direct_address"):
            study(world(direct=False)).frames_are_permitted_through_the_gateway()

    def test_frames_that_do_not_get_through_are_the_gateways_fault(self, study) -> None:
        with pytest.raises(AssertionError, match="No frame over IPv4 gets through the gateway"):
            study(world(), queue=0).frames_are_permitted_through_the_gateway()


class TestTheTiersRate:
    @pytest.mark.parametrize("mbps", [2.3, 3.0])
    def test_a_gateway_that_carries_it_passes(self, study, mbps: float) -> None:
        context = world(ipv6=False)
        study(context, line_mbps=mbps).the_tiers_rate_should_be_carried_in_the_largest_frames()
        (held,) = told(context)
        assert held.threshold == pytest.approx(2.079, abs=0.001)
        assert held.threshold <= held.value <= mbps * 1.01

    def test_one_that_does_not_fails(self, study) -> None:
        context = world(ipv6=False)
        with pytest.raises(AssertionError, match=r"promised is at least 2\.079 Mbit/s.*carried"):
            study(context, line_mbps=1.6).the_tiers_rate_should_be_carried_in_the_largest_frames()

    def test_what_the_rig_cannot_carry_is_not_proven(self, study) -> None:
        library = study(world(ipv6=False), rig_per_s=150.0)
        with pytest.raises(NotProven, match="the test set-up was the limit"):
            library.the_tiers_rate_should_be_carried_in_the_largest_frames()

    def test_a_queue_that_hides_a_slow_shaper_is_seen_through(self, study) -> None:
        library = study(world(ipv6=False), line_mbps=1.9, queue=60)
        with pytest.raises(AssertionError, match=r"1\.8\d Mbit/s.*promised is at least 2\.079"):
            library.the_tiers_rate_should_be_carried_in_the_largest_frames()


class TestEvidence:
    def test_counters_and_the_clients_address(self, study) -> None:
        context = world()
        library = study(context, line_mbps=1000.0)
        library.frames_are_permitted_through_the_gateway()
        library.the_frames_should_have_passed_the_gateway()
        assert [one.holds for one in context.evidence] == [True, True]
        assert context.evidence[1].observed == "The server saw 198.18.1.10."

    def test_policies_that_do_not_count_are_told(self, study, monkeypatch) -> None:
        monkeypatch.setattr("support.frame_paths.COUNTERS_LAG_S", 0)
        context = world()
        context.run.gateway.monitor = lambda path: {"results": []}
        library = study(context, line_mbps=1000.0)
        library.frames_are_permitted_through_the_gateway()
        with pytest.raises(AssertionError, match="counted 0 bytes more than before"):
            library.the_frames_should_have_passed_the_gateway()


class TestClocks:
    def test_one_machine_has_one_clock(self, study) -> None:
        context = world(ipv6=False)
        study(context).the_latency_at_the_throughput_is_measured()
        (latency,) = told(context)
        assert (latency.promise, latency.unit) == ("frame_latency", "us")

    def test_those_of_two_machines_are_compared_beside_the_gateway(
        self, study, monkeypatch
    ) -> None:
        asked, tables = [], []

        def compared(*where: object) -> Agreement:
            asked.append(where[2:])
            return Agreement(1.0, 5.0, 100)

        monkeypatch.setattr("support.frame_paths.agreement", compared)
        context = world(ipv6=False, boots=("a", "b"))
        context.check.note = lambda kind, content, aside=False: tables.append(content)
        study(context).the_latency_at_the_throughput_is_measured()
        assert asked == [(BESIDE, 5301)] * 2
        assert tables[0]["rows"][0]["error"] == 2.0

    def test_those_that_cannot_be_compared_tell_no_latency(self, study, monkeypatch) -> None:
        def failed(*where: object) -> Agreement:
            raise NotProven("clocks cannot be compared on the server.")

        monkeypatch.setattr("support.frame_paths.agreement", failed)
        library = study(world(ipv6=False, boots=("a", "b")))
        with pytest.raises(NotProven, match="clocks cannot be compared"):
            library.the_latency_at_the_throughput_is_measured()


def test_each_part_leaves_its_table(study, monkeypatch) -> None:
    context = world(ipv6=False)
    tables = []
    monkeypatch.setattr(
        context.check, "note",
        lambda kind, content, aside=False: tables.append(content) if kind == "study" else None,
    )  # fmt: skip
    library = study(context)
    library.the_throughput_of_each_frame_size_is_searched()
    library.the_latency_at_the_throughput_is_measured()
    library.the_frame_loss_rate_is_measured()
    library.the_longest_burst_is_measured()
    library.the_recovery_from_overload_is_measured()
    assert [table["name"] for table in tables] == [
        "differences", "throughput", "latency", "loss", "back_to_back", "recovery"
    ]  # fmt: skip
    assert all(table["rows"] for table in tables)
