"""The study DeCusatis 2014: what it sends, what it tells, and what its keywords hold."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from played import Played
from test_rfc2544_keywords import CLIENT6, DIRECT6, SERVER6, TIER, Rules, shell

from Decusatis2014 import Decusatis2014
from Decusatis2014Tunnels import Decusatis2014Tunnels
from gatepass.base.errors import NotProven
from gatepass.gateway.fortigate import Refused
from gatepass.results.record import Measurement
from gatepass.scenarios.studies import decusatis2014 as study
from gatepass.scenarios.studies import decusatis2014_tables as tables
from gatepass.scenarios.studies.decusatis2014 import CONDITIONS, WORKLOADS, Round, tunnelled
from gatepass.scenarios.studies.frames import IPV4, Way, Ways
from gatepass.scenarios.studies.latency import ONE_CLOCK
from gatepass.scenarios.studies.throughput import throughput
from gatepass.verdict.judgement import Rule
from simulated_gateway import BESIDE, THROUGH, SimulatedGateway

WAYS = Ways(Way(THROUGH, 5301), Way(BESIDE, 5301))
GATEWAY, CLIENT = "198.18.2.1", "198.18.1.10"
SHORTEST = CONDITIONS["shortest"]


def device(**more: object) -> SimulatedGateway:
    return SimulatedGateway(**{"line_mbps": 3.0, "rig_per_s": 1000.0, "queue": 20, **more})


class TestWhatIsSent:
    def test_sizes_are_those_of_ip_packets(self) -> None:
        frames = [one.size.sizes for one in WORKLOADS if one.label != "IMIX, IPv4"]
        assert frames == [(1518,), (530,), (1518,)]
        assert study.LATENCY.packets_mbps(1000) == pytest.approx(512 * 8 / 1000)

    def test_no_packet_of_the_mix_is_larger_than_the_tunnel_takes_whole(self) -> None:
        mix, small = tunnelled(1400)
        assert (mix.size.label, max(mix.size.sizes), min(mix.size.sizes)) == ("IMIX", 1418, 64)
        assert small.size.sizes == (82,)
        assert max(tunnelled(1500)[0].size.sizes) == 1518

    def test_every_figure_of_the_source_stands_beside_one(self) -> None:
        told = study.figures("frame_throughput", WORKLOADS)
        assert list(told.values()) == [1000, 4100, 1500, 4000]
        told = study.figures("ipsec_throughput", tunnelled(1400))
        assert list(told.values()) == [66, 0.07]
        assert study.published_figure("frame_latency", {"frame": "512"}) is None


class TestRounds:
    def test_each_begins_with_all_tunnels_down_and_the_last_leaves_them_up(self) -> None:
        done: list[str] = []

        def up() -> Round:
            done.append("up")
            return Round(20, 0.25)

        found = study.brought_up(up, lambda: done.append("down"), 3)
        assert done == ["down", "up"] * 3
        assert [one.per_s for one in found] == [80.0] * 3

    def test_one_that_the_rig_disturbed_is_repeated_and_told_where_that_does_not_help(self) -> None:
        rounds = [Round(2, 1.0, 0.0, "late")] + [Round(2, 0.5)] + [Round(2, 1.0, 0.0, "late")] * 3
        found = study.brought_up(lambda: rounds.pop(0), lambda: None, 2)
        assert [one.disturbed for one in found] == ["", "late"] and not rounds
        told = tables.set_up_table(found, "3DES", 80.0, 0.95)
        assert [row["told"] for row in told.rows] == ["", "not told: late"]
        assert "mean of 1 rounds 4.0 tunnels a second" in told.caption

    def test_a_peer_at_its_limit_is_told(self) -> None:
        busy = tables.set_up_table([Round(20, 0.5, 180.0), Round(0, 0.0)], "3DES", 80.0, 0.95).rows
        assert busy[0]["told"].startswith("at least") and busy[1]["per_s"] == 0.0


class TestLatency:
    def test_at_ease_and_at_half_the_rate_that_is_carried(self) -> None:
        found = study.latencies(
            device(line_mbps=100.0, rig_per_s=8000.0), WAYS, 6000.0, SHORTEST,
            lambda: ONE_CLOCK, 0.95,
        )  # fmt: skip
        assert [one.per_s for one in found] == [1000.0, 3000.0]
        row = tables.latency_table(found, 2, 101.0).rows[0]
        assert row["added"] == pytest.approx(530 * 8 / 100, abs=1) and row["published"] == 101.0

    def test_a_slow_gateway_is_never_sent_more_than_half(self) -> None:
        found = study.latencies(device(), WAYS, 247.0, SHORTEST, lambda: ONE_CLOCK, 0.95)
        assert [one.per_s for one in found] == [123.5]


class TestTables:
    def test_measured_stands_beside_published(self) -> None:
        one = WORKLOADS[1]
        seen = throughput(device(), WAYS, one.size, SHORTEST.searches)
        (row,) = tables.throughput_table([(one, seen)], {one.label: 4100.0}).rows
        assert row["mbps"] == pytest.approx(3.0 * 1500 / 1518, rel=0.05)
        assert (row["published"], row["told"]) == (4100.0, "between the two")
        notes = tables.tunnel_table([], {"UDP, 64 B packets": 0.07}, "3DES", 1400).notes
        assert "1400 bytes" in notes[1] and "are 137 of them a second" in notes[2]
        assert row["mbps"] < row["offered"] <= row["rig"]

    @pytest.mark.parametrize("name", CONDITIONS)
    def test_short_trials_and_what_is_left_out_are_told(self, name: str) -> None:
        told = tables.differences_table(CONDITIONS[name], ["UDP, 512 B packets, IPv6"])
        assert bool(told.notes) == (name != "whole")
        assert told.rows[-1]["here"] == "left out: the testbed has no IPv6"


class NatRules(Rules):
    """Test policies that may translate, of a gateway that does as it is told or not."""

    def __init__(self, device: SimulatedGateway, obeys: bool) -> None:
        super().__init__()
        self._device, self._obeys = device, obeys

    def set(self, policies: int, nat: bool) -> int:
        super().set(policies, False)
        self._device.source = GATEWAY if nat and self._obeys else CLIENT
        return 7


def world(made: SimulatedGateway, obeys: bool = True) -> Played:
    asked: list[str] = []

    def monitor(path: str) -> dict:
        asked.append(path)
        rows = [{"policyid": number, "bytes": 10**8 * len(asked)} for number in (7, 104)]
        return {"results": rows}

    server = SimpleNamespace(address=THROUGH, address6=SERVER6, direct_address=BESIDE,
                             direct_address6=DIRECT6, probe_port=5301)  # fmt: skip
    client = SimpleNamespace(address=CLIENT, address6=CLIENT6)
    return Played(
        rules=NatRules(made, obeys),
        gateway=SimpleNamespace(monitor=monitor, lost=False,
                                interfaces=lambda: {"port2": {"ip": GATEWAY}}),
        testbed=SimpleNamespace(endpoints=SimpleNamespace(client=client, server=server),
                                gateway=SimpleNamespace(server_port="port2")),
        client=shell("a"),
        server=shell("a"),
        rig=None,
        profile=SimpleNamespace(studies="shortest", confidence=0.95),
        promised=lambda name: TIER,
        stop_responders=lambda: None,
        baselines={},
    )  # fmt: skip


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch):
    """Makes the library on a gateway that is reckoned, and keeps its tables."""

    def make(obeys: bool = True, **more: object) -> tuple[Decusatis2014, Played, list]:
        made, told = device(**more), []
        context = world(made, obeys)
        monkeypatch.setattr("support.frame_paths.between", lambda *others: made)
        library, note = Decusatis2014(context), context.check.note

        def kept(kind: str, content: object, aside: bool = False) -> None:
            told.append(content) if kind == "study" else note(kind, content, aside)

        context.check.note = kept
        return library, context, told

    return make


class TestKeywords:
    def test_table_1_with_proof_of_each_way(self, play) -> None:
        library, context, told = play()
        library.the_throughput_of_each_workload_is_searched()
        library.the_packets_should_have_passed_the_gateway()
        assert [table["name"] for table in told] == ["differences", "throughput"]
        assert [row["published"] for row in told[1]["rows"]] == [1000, 4100, 1500, 4000]
        assert len(context.evidence) == 8 and all(one.holds for one in context.evidence)
        assert any("NAT, 1500 B packets, IPv4: The server saw 198.18.2.1" in one.observed
                   for one in context.evidence)  # fmt: skip

    def test_what_cannot_be_measured_keeps_nothing_else_from_the_table(
        self, play, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        library, _, told = play()

        def searched(send, ways, size, conditions) -> object:
            if size == WORKLOADS[0].size:
                raise NotProven("the sender keeps no rate.")
            return throughput(send, ways, size, conditions)

        monkeypatch.setattr("Decusatis2014.throughput", searched)
        with pytest.raises(NotProven, match="IMIX, IPv4 could not be measured: the sender keeps"):
            library.the_throughput_of_each_workload_is_searched()
        assert len(told[1]["rows"]) == 3

    def test_a_gateway_that_does_not_translate_is_caught(self, play) -> None:
        library, *_ = play(obeys=False)
        library.the_throughput_of_each_workload_is_searched()
        with pytest.raises(AssertionError, match=r"NAT, 1500 B.*The server saw 198\.18\.1\.10"):
            library.the_packets_should_have_passed_the_gateway()

    def test_the_tiers_rate_with_translation_and_without(self, play) -> None:
        library, context, _ = play()
        library.the_tiers_rate_should_be_carried_without_nat()
        library.the_tiers_rate_should_be_carried_with_nat()
        held = [note for note in context.check.noted if isinstance(note, Measurement)]
        assert [str(one.conditions) for one in held] == [
            "IPv4, frame 1518", "IPv4, frame 1518, NAT on"
        ]  # fmt: skip

    def test_latency_at_ease_and_under_load(self, play) -> None:
        library, context, told = play(line_mbps=40.0, rig_per_s=3000.0)
        library.the_latency_of_packets_of_512_bytes_is_measured()
        library.the_packets_should_have_passed_the_gateway()
        noted = [str(note.conditions) for note in context.check.noted
                 if isinstance(note, Measurement)]  # fmt: skip
        assert noted == ["IPv4, frame 530, at ease", "IPv4, frame 530, under load"]
        assert [row["published"] for row in told[0]["rows"]] == [101, 101]

    def test_a_gateway_that_is_too_slow_fails(self, play) -> None:
        library, *_ = play(line_mbps=1.6)
        with pytest.raises(AssertionError, match=r"promised is at least 2\.079 Mbit/s"):
            library.the_tiers_rate_should_be_carried_with_nat()

    def test_a_rig_that_loses_packets_itself_proves_nothing(self, play) -> None:
        library, *_ = play(rig_per_s=150.0)
        with pytest.raises(NotProven, match="the test set-up was the limit"):
            library.the_tiers_rate_should_be_carried_without_nat()

    def test_without_what_was_sent_there_is_no_proof(self, play) -> None:
        library, *_ = play()
        with pytest.raises(NotProven, match="no earlier step of this check provided its evidence"):
            library.the_packets_should_have_passed_the_gateway()


class Vpn:
    """Tunnels that are made, or refused for their cipher."""

    def __init__(self, refuses: str = "") -> None:
        self.there: list = []
        self._refuses = refuses
        self.peer = SimpleNamespace(charon=self)
        self.ended = 0

    def new(self, proposal: object, count: int) -> list:
        return [SimpleNamespace(name=f"t{number}", proposal=proposal) for number in range(count)]

    def configure(self, tunnels: list) -> None:
        if tunnels[0].proposal.label == self._refuses:
            raise Refused("value not found")
        self.there = tunnels

    @property
    def current(self) -> object:
        return self.there[-1]

    def raise_one(self, tunnel: object, client: object) -> None:
        """It is up."""

    def terminate(self, names: list[str]) -> None:
        self.ended += 1

    def initiate(self, names: list[str]) -> dict[str, float]:
        return {name: 0.25 for name in names}

    def cpu_s(self) -> float:
        return 0.0


def with_tunnels(vpn: Vpn) -> Played:
    order = SimpleNamespace(
        vpn=SimpleNamespace(ipsec=["aes256-sha256-dh14"]),
        promise=SimpleNamespace(ipsec_tunnels=20),
        tier="SGW-200",
    )
    rig = SimpleNamespace(mark=lambda shells: 0, since=lambda begun: {})
    profile = SimpleNamespace(studies="shortest", confidence=0.95)
    return Played(site_vpn=vpn, order=order, rig=rig, profile=profile, client=None, peer=None,
                  rule=Rule(2, 9, 0.95))  # fmt: skip


class TestTunnels:
    @pytest.mark.parametrize(
        ("refuses", "label"),
        [("", "3DES, SHA1, DH 2"), ("3DES, SHA1, DH 2", "AES256, SHA256, DH 14")],
    )
    def test_the_sources_cipher_where_the_gateway_takes_it(self, refuses: str, label: str) -> None:
        context = with_tunnels(Vpn(refuses))
        Decusatis2014Tunnels(context).a_tunnel_encrypted_as_in_the_source_is_up()
        assert context.run.site_vpn.current.proposal.label == label

    def test_as_many_as_promised_are_brought_up_each_round(self) -> None:
        vpn = Vpn()
        context, tables_ = with_tunnels(vpn), []
        note = context.check.note
        context.check.note = lambda kind, content, aside=False: (
            tables_.append(content) if kind == "study" else note(kind, content, aside)
        )
        library = Decusatis2014Tunnels(context)
        library.as_many_tunnels_as_promised_are_configured_as_in_the_source()
        library.all_of_them_are_brought_up_at_once_several_times()
        (rate,) = [one for one in context.check.noted if isinstance(one, Measurement)]
        assert (rate.value, rate.unit, vpn.ended) == (80.0, "tunnels/s", 2)
        assert [row["published"] for row in tables_[0]["rows"]] == [80, 80]


def test_the_mix_is_of_ipv4() -> None:
    assert WORKLOADS[0].size.family == IPV4 and not WORKLOADS[0].nat
