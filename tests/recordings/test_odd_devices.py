"""A run of all checks that only talk to the gateway, on one that answers as some devices do.

One way at a time: the verdict is right, or *not proven* with a sentence that names it, and the
gateway is left as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from gateway_client import GatewayUnderTest

from gatepass.gateway.configuration import comparable
from gatepass.results.outcome import Outcome, read
from lab.gateway.rest.odd_answers import WAYS
from recordings.talker import a_gateway, call, testbed_of

NOT_PROVEN = "not proven"
LICENCE = "The Licence Is Valid"
READY, KNOWN = "The Gateway Is Ready", "The Gateway Knows All That Will Be Set On It"
RULES = (
    *("Every Policy Can Be Met", "No Policy Is Open To Everything"),
    *("Every Policy Logs What It Lets Through", "Every Policy Has The Ordered Profiles"),
)
TENANTS = "Every Tenant Is Set Up Whole And Goes Without A Trace"
CUT = "rows and does not give the others, so the answer is not taken for the whole"
PARTS = "The gateway shows only a part of firewall/policy (missing: action, srcintf, dstintf"
REFUSED = "The API user may not do this (403 on "
NO_REASON = "GET monitor/router/ipv6 with HTTP 500 and gives no reason"

ODD: Mapping[str, Mapping[str, str]] = {
    "table-cut": {},
    "table-ended": dict.fromkeys((KNOWN, READY, *RULES, TENANTS), CUT),
    "settings-in-part": {
        KNOWN: "not everything that the test will set on the gateway",
        READY: "the API user may not read system/global",
    },
    "rows-in-part": dict.fromkeys(RULES, PARTS)
    | {READY: "the API user may not read firewall.service/custom"},
    "old-lookup": {},
    "no-history": {},
    "no-serial": {},
    "nothing-to-show": {READY: NO_REASON},
    "no-disk": {},
    "unsupported-services": {},
    "html-refusals": dict.fromkeys((KNOWN, *RULES, TENANTS), REFUSED)
    | {READY: "has no right to write what belongs to fwgrp.policy"},
}
"""Way -> the checks that are not proven, each with words of its reason; all others pass."""
BESIDE: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "html-refusals": ("right-missing", {"part": "fwgrp.policy"})
}
"""What else is wrong, for a way to show."""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayUnderTest]:
    """As a provider delivers it."""
    with a_gateway(tmp_path_factory.mktemp("odd") / "gateway", "7.4.8") as one:
        yield one


def configuration(gateway: GatewayUnderTest) -> str:
    asked = {"destination": "file", "scope": "global"}
    answer = gateway.call("POST", "monitor/system/config/backup", asked)
    return comparable(answer.text)


def a_run(gateway: GatewayUnderTest, folder: Path) -> tuple[Outcome, str]:
    own = ("run", "--testbed", str(testbed_of(gateway)), "--profile", "smoke")
    done = call(folder, *own, "--", "--include", "api")
    (output,) = folder.glob("*/output.xml")
    return read(output), done.stdout + done.stderr


def test_all_ways_are_tried() -> None:
    assert set(ODD) == set(WAYS)


@pytest.mark.parametrize("way", ODD)
def test_the_verdict_is_right_or_not_proven(
    gateway: GatewayUnderTest, tmp_path: Path, way: str
) -> None:
    delivered = configuration(gateway)
    name, values = BESIDE.get(way, ("", {}))
    for fault, told in (("odd-answer", {"of": way}), *([(name, values)] if name else [])):
        status, answer = gateway.control("PUT", f"/faults/{fault}", told)
        assert status < 300, answer
    try:
        outcome, said = a_run(gateway, tmp_path)
    finally:
        gateway.control("DELETE", "/faults")
    ran = {check.name: check for check in outcome.checks if check.elapsed_s}
    ended = {check.name: (check.verdict, check.message) for check in ran.values()}
    odd = {name: one for name, one in ended.items() if one[0] != "pass"}
    assert {name: verdict for name, (verdict, _) in odd.items()} == dict.fromkeys(
        ODD[way], NOT_PROVEN
    ), odd
    assert not [name for name, words in ODD[way].items() if words not in odd[name][1]], odd
    assert LICENCE in ran and "Traceback" not in said
    assert configuration(gateway) == delivered
