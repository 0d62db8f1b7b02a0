"""Probes through tunnels: where they go, who has to count them, whose they have to be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from played import Played
from probes import KIND, trial

import LatencyThrough as module
from gatepass.results.delays import DelayTrial
from gatepass.verdict.judgement import Rule, TrialSeries
from support.delays import Tried
from support.vpn_users import VpnUsers

GOOD = [40] * 1250


class Sent:
    """Stands in for what runs trials, and keeps what it was asked for."""

    def __init__(self, *trials: DelayTrial) -> None:
        self.trials, self.asked = list(trials), []
        self.rule = Rule(3, 7, 0.95)

    def __call__(self, check: object) -> Sent:
        return self

    def until_told(self, target, kinds, load_mbps, measure, far=None, carried_by="") -> Tried:
        self.asked.append((target, load_mbps, far, carried_by))
        return Tried(TrialSeries(self.trials), tuple(kinds))


@contextmanager
def nothing(*given: object) -> Iterator[None]:
    yield


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Three good trials."""
    made = Sent(*[trial(GOOD)] * 3)
    monkeypatch.setattr(module, "DelayRunner", made)
    monkeypatch.setattr(module, "held", lambda *given: "no shaper")
    monkeypatch.setattr(module, "held_alike", nothing)
    monkeypatch.setattr(module, "COUNTERS_LAG_S", 0)
    return made


def keywords(
    outgoing: int = 0, incoming: int = 0, in_user_space: bool = True
) -> module.LatencyThrough:
    """With a tunnel whose counters grow by so much, and endpoints."""
    far = SimpleNamespace(
        address="198.18.2.10", address6=None, direct_address="198.18.3.20", direct_address6=None,
        probe_port=5301, iperf3_port=5311,
    )  # fmt: skip
    looks = iter([0, 1, 1])
    took = iter([0, 1, 1])
    vpn = SimpleNamespace(
        current=SimpleNamespace(
            name="t1", host="198.19.100.1", proposal=SimpleNamespace(label="AES256-GCM, DH 14")
        ),
        gateway=SimpleNamespace(status=lambda one: {"outgoing_bytes": outgoing * next(looks)}),
        child=lambda one: SimpleNamespace(bytes_in=incoming * next(took)),
        peer=SimpleNamespace(charon=SimpleNamespace(in_user_space=in_user_space)),
    )
    ends = SimpleNamespace(server=far, peer=far)
    return module.LatencyThrough(
        Played(
            testbed=SimpleNamespace(endpoints=ends, gateway=SimpleNamespace(client_port="port2")),
            order=SimpleNamespace(vpn=SimpleNamespace(ipsec_mbps=20, remote_access_mbps=None)),
            profile=SimpleNamespace(added_delay_ms=5.0),
            site_vpn=vpn,
            site=SimpleNamespace(peer="198.18.4.10", port="port3"),
            peer=SimpleNamespace(name="peer"),
            client=SimpleNamespace(name="client"),
            gateway=None,
            rules=None,
            workspace=SimpleNamespace(changes=None),
            remote_access=SimpleNamespace(way=module.say("ssl_vpn")),
        )
    )


def test_a_tunnel_is_held_against_the_path_beside_it(sent: Sent) -> None:
    library = keywords(67_500, 67_500)
    library.packets_are_sent_through_the_tunnel_and_beside_it()
    ((target, load, far, carried_by),) = sent.asked
    assert target.through == {4: "198.19.100.1"} and target.beside == {4: "198.18.4.10"}
    assert (load, far.name, carried_by) == (10, "peer", "peer")
    ports = target.ports()
    assert [next(ports), next(ports)] == [5312, 5313]  # 5311 is iperf3's
    left = library._left
    assert left.tried.path == "The same path without a tunnel"
    measured = left.measure(left.tried.series.counted, KIND, left.tried.clocks)
    assert str(measured.conditions) == (
        "small packets over IPv4, beside 10 Mbit/s, through a tunnel of AES256-GCM, DH 14"
    )


@pytest.mark.parametrize("counted", [(67_499, 67_500), (67_500, 67_499)])
def test_both_ends_of_the_tunnel_have_to_count(sent: Sent, counted: tuple[int, int]) -> None:
    with pytest.raises(AssertionError, match="67,499"):
        keywords(*counted).packets_are_sent_through_the_tunnel_and_beside_it()


def test_where_the_peers_kernel_ends_the_tunnel_no_program_carries_packets(sent: Sent) -> None:
    library = keywords(67_500, 67_500, in_user_space=False)
    library.packets_are_sent_through_the_tunnel_and_beside_it()
    assert sent.asked[0][3] == ""


def test_a_users_packets_have_to_come_from_the_tunnels_address(sent: Sent) -> None:
    library = keywords()
    user = SimpleNamespace(address="198.18.1.10")
    library.check.left(VpnUsers).connected = [user]
    library.packets_are_sent_over_remote_access()
    ((target, load, _, carried_by),) = sent.asked
    assert (target.source, load, carried_by) == ("198.18.1.10", 0, "client")
    assert target.through == {4: "198.18.2.10"} and target.beside == {4: "198.18.3.20"}
    user.address = "198.18.9.1"
    with pytest.raises(AssertionError, match=r"saw 198\.18\.1\.10; expected is 198\.18\.9\.1"):
        library.packets_are_sent_over_remote_access()
