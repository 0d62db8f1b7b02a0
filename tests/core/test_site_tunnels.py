"""Tunnels between sites on the lab's own gateway process: made, placed, shown and taken away."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from gateway_client import GatewayUnderTest
from robot import running

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import ADDRESS, POLICY, RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED
from gatepass.gateway.undo import undo
from gatepass.inputs.proposals import PROPOSALS, ProposalName
from gatepass.scenarios.site_to_site.tunnels import (
    MOST,
    PHASE1,
    PHASE2,
    ROUTE,
    Site,
    SiteTunnels,
    Tunnel,
)

FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")
SITE = Site("port3", "198.18.4.1", "198.18.4.10")
STRONG = PROPOSALS["aes256-sha256-dh14"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def tunnels(gateway: FortiGate, changes: Changes) -> SiteTunnels:
    return SiteTunnels(gateway, changes, RuleSet(gateway, changes, FLOW), SITE)


def made(tunnels: SiteTunnels, count: int = 1, **more: object) -> list[Tunnel]:
    some = [tunnels.new(number, STRONG, **more) for number in range(1, count + 1)]
    tunnels.make(some)
    return some


def count(gateway: FortiGate) -> dict[str, int]:
    return {path: len(gateway.rows(path)) for path in (ADDRESS, PHASE1, PHASE2, ROUTE, POLICY)}


def test_a_tunnel_and_what_it_takes(gateway: FortiGate, tunnels: SiteTunnels) -> None:
    tunnels.prepare()
    before = count(gateway)
    (one,) = made(tunnels, keylife_s=120, initiates=True)
    assert {path: after - before[path] for path, after in count(gateway).items()} == {
        **{ADDRESS: 1, PHASE1: 1, PHASE2: 1, ROUTE: 2, POLICY: 2}
    }
    phase1, phase2 = gateway.row(PHASE1, one.name), gateway.row(PHASE2, one.name)
    assert (phase1["remote-gw"], phase1["proposal"], phase1["dhgrp"]) == (
        "198.19.200.1",
        "aes256-sha256",
        "14",
    )
    assert (phase2["keylifeseconds"], phase2["auto-negotiate"]) == (120, "enable")
    routes = [row for row in gateway.rows(ROUTE) if row["dst"].startswith("198.19.100.0 ")]
    assert [(row["device"], row["blackhole"]) for row in routes] == [
        (one.name, "disable"),
        ("", "enable"),
    ]
    into, out = (row for row in gateway.rows(POLICY) if one.name in str(row))
    assert into["dstintf"][0]["name"] == out["srcintf"][0]["name"] == one.name
    tunnels.remove([one])
    assert count(gateway) == before


def test_many_have_two_policies_and_all_of_it_goes(
    gateway: FortiGate, changes: Changes, tunnels: SiteTunnels
) -> None:
    tunnels.prepare()
    before = count(gateway)
    some = made(tunnels, 30)
    assert count(gateway)[PHASE1] == before[PHASE1] + 30
    assert count(gateway)[POLICY] == before[POLICY] + 2
    kept = tunnels.new(MOST + 1, STRONG)
    tunnels.make([kept])
    tunnels.remove(some)
    assert [row["name"] for row in gateway.rows(PHASE1)] == [kept.name]
    made(tunnels, 3)
    told = undo(gateway, changes.journal, changes.journal.path.with_name(SAVED))
    assert told.identical, told


def test_nothing_is_left_of_what_is_refused(
    gateway: FortiGate, device: GatewayUnderTest, tunnels: SiteTunnels
) -> None:
    tunnels.prepare()
    before = count(gateway)
    with pytest.raises(Refused):
        made(tunnels, keylife_s=1)
    assert count(gateway) == before
    made(tunnels)


def test_the_key_is_no_object_of_the_journal_and_shows_nowhere(
    gateway: FortiGate,
    changes: Changes,
    tunnels: SiteTunnels,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    (one,) = made(tunnels)
    assert "vpn.ipsec/phase1-interface" in caplog.text and one.psk not in caplog.text
    assert len(one.psk) > 20
    assert one.psk not in changes.journal.path.read_text()
    assert one.psk not in gateway.backup()
    assert one.psk not in repr(one)
    other = tunnels.new(2, STRONG)
    assert other.psk != one.psk


def test_every_tunnel_has_addresses_of_its_own(tunnels: SiteTunnels) -> None:
    every = [tunnels.new(number, STRONG) for number in range(1, MOST + 2)]
    assert len({one.network for one in every}) == len({one.remote for one in every}) == MOST + 1
    assert len({one.name for one in every}) == MOST + 1
    assert all(len(one.name) <= 15 for one in every)  # of an IPsec interface
    assert every[0].network == "198.19.100.0/24" and every[-2].network == "198.19.199.0/24"
    assert every[-1].host == "198.19.201.1"


def test_what_can_be_ordered_is_what_the_chapter_tries() -> None:
    assert set(get_args(ProposalName)) == set(PROPOSALS)
    table = ROOT / "suites" / "09__site_to_site_vpn" / "1__proposals.robot"
    suite = running.TestSuite.from_file_system(table)
    rows = {test.name: test.body[0].args for test in suite.tests}
    assert rows == {one.label: (name,) for name, one in PROPOSALS.items()}
