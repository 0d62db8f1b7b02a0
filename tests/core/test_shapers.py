"""Which shapers of the gateway are in use, and at which rate."""

from __future__ import annotations

from gatepass.fortigate import FortiGate
from gatepass.shapers import Shaper, in_use

SHAPERS, POLICIES = "firewall.shaper/traffic-shaper", "firewall/shaping-policy"


def test_the_delivered_shaper(gateway: FortiGate) -> None:
    used = [row["id"] for row in gateway.rows(POLICIES)]
    assert in_use(gateway) == [Shaper("sgw-200", 320.0, 0.0, tuple(used))]


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
