"""Which shapers of the gateway are in use, and at which rate."""

from __future__ import annotations

import pytest

from gatepass.gateway.answers import Malformed
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.gateway.shapers import SHAPERS, Held, held, held_alike, in_use
from gatepass.gateway.shapers import SHAPING as POLICIES
from gatepass.results.gateway_state import Shaper

TIER = Held("sgw-200", "sgw-200")
FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")


def test_the_delivered_shaper(gateway: FortiGate) -> None:
    """Those of marked packets alone limit nobody else."""
    rows = gateway.rows(POLICIES)
    unmarked = [row["id"] for row in rows if row["tos-mask"] == "0x00"]
    assert 0 < len(unmarked) < len(rows)
    assert in_use(gateway) == [Shaper("sgw-200", 326.0, 0.0, tuple(unmarked))]


def test_units_and_what_no_enabled_policy_uses(gateway: FortiGate) -> None:
    gateway.change(
        SHAPERS,
        "sgw-200",
        {"maximum-bandwidth": 2, "guaranteed-bandwidth": 1, "bandwidth-unit": "gbps"},
    )
    (shaper,) = in_use(gateway)
    assert (shaper.mbps, shaper.guaranteed_mbps) == (2000.0, 1000.0)
    for row in gateway.rows(POLICIES):
        gateway.change(POLICIES, row["id"], {"status": "disable"})
    assert in_use(gateway) == []


@pytest.mark.parametrize(
    ("incoming", "outgoing", "shapers"),
    [("port2", "port1", TIER), ("ssl.root", "port1", Held()), ("port2", "port3", Held())],
)
def test_what_holds_a_way_through_the_gateway(
    gateway: FortiGate, incoming: str, outgoing: str, shapers: Held
) -> None:
    assert held(gateway, incoming, outgoing) == shapers


def test_a_policy_for_every_interface_holds_tunnels_too(gateway: FortiGate) -> None:
    assert (str(Held()), str(TIER), str(Held("a", "b"))) == (
        "no shaper", '"sgw-200"', '"a" and "b"',
    )
    gateway.change(POLICIES, 1, {"srcintf": [{"name": "any"}]})
    assert held(gateway, "ssl.root", "port1") == TIER


def test_the_path_beside_a_tunnel_takes_its_shapers_and_gives_them_back(
    gateway: FortiGate, changes: Changes
) -> None:
    rules, before = RuleSet(gateway, changes, FLOW), gateway.rows(POLICIES)
    for wanted in (Held(), Held("sgw-200", "")):
        with held_alike(gateway, changes, rules, "port1", wanted):
            first = gateway.rows(POLICIES)[0]
            names = [wanted.onward or "gp0a1b2c-unlimited", "gp0a1b2c-unlimited"]
            assert [first["traffic-shaper"], first["traffic-shaper-reverse"]] == names
            assert first["srcaddr"][0]["name"] == "gp0a1b2c-client"
            assert gateway.row(SHAPERS, "gp0a1b2c-unlimited")["maximum-bandwidth"] == 0
        assert gateway.rows(POLICIES) == before


def test_what_takes_the_same_shapers_already_is_left_alone(
    gateway: FortiGate, changes: Changes
) -> None:
    rules, before = RuleSet(gateway, changes, FLOW), gateway.rows(POLICIES)
    with held_alike(gateway, changes, rules, "port1", TIER):
        assert gateway.rows(POLICIES) == before


@pytest.mark.parametrize(
    "values",
    [{"maximum-bandwidth": "a lot"}, {"guaranteed-bandwidth": -1}, {"bandwidth-unit": "tbps"}],
)
def test_a_shaper_that_cannot_be_read_is_refused(
    gateway: FortiGate, monkeypatch: pytest.MonkeyPatch, values: dict
) -> None:
    rows = {
        POLICIES: [{"id": 1, "traffic-shaper": "s", "tos-mask": "0x00"}],
        SHAPERS: [{"name": "s", "maximum-bandwidth": 10, **values}],
    }
    monkeypatch.setattr(gateway, "rows", lambda path, **_: rows[path])
    with pytest.raises(Malformed, match="traffic-shaper"):
        in_use(gateway)


def test_a_mask_that_is_no_number_is_one(
    gateway: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the policy may be for some marked packets alone."""
    row = {"id": 1, "traffic-shaper": "s", "tos-mask": "0xfc;"}
    rows = {POLICIES: [row], SHAPERS: [{"name": "s"}]}
    monkeypatch.setattr(gateway, "rows", lambda path, **_: rows[path])
    assert in_use(gateway) == []
