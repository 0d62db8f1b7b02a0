"""The gateway answers in ways that some devices have, where it is told to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gateway_client import GatewayUnderTest

from lab.base.faults import FAULTS
from lab.gateway.rest.odd_answers import WAYS

SERVICES = "cmdb/firewall.service/custom"


@pytest.fixture(autouse=True)
def clean(api: GatewayUnderTest) -> Iterator[None]:
    yield
    assert api.control("DELETE", "/faults")[0] == 200
    api.session.close()


def odd(api: GatewayUnderTest, way: str) -> None:
    status, answer = api.control("PUT", "/faults/odd-answer", {"of": way})
    assert status == 200, answer


def test_the_fault_names_all_ways() -> None:
    assert set(FAULTS["odd-answer"].parameters["of"].choices) == set(WAYS)


def test_a_table_is_cut_and_goes_on(api: GatewayUnderTest) -> None:
    whole = api.get(SERVICES)
    odd(api, "table-cut")
    first = api.call("GET", SERVICES).json()
    assert (len(first["results"]), first["limit_reached"], first["next_idx"]) == (3, True, 2)
    assert first["matched_count"] == len(whole)
    rest = api.call("GET", f"{SERVICES}?start=3").json()
    assert rest["results"] == whole[3:6]
    last = api.call("GET", f"{SERVICES}?start={len(whole) - 1}").json()
    assert (last["results"], last["limit_reached"]) == (whole[-1:], False)
    odd(api, "table-ended")
    assert api.call("GET", SERVICES).json()["results"] == whole[:3]
    rest = api.call("GET", f"{SERVICES}?start=3").json()
    assert (rest["results"], rest["limit_reached"]) == ([], True)


def test_settings_and_rows_come_in_part(api: GatewayUnderTest) -> None:
    odd(api, "settings-in-part")
    assert len(api.call("GET", "cmdb/system/global").json()["results"]) == 4
    assert len(api.get(SERVICES)[0]) > 4
    odd(api, "rows-in-part")
    assert {len(row) for row in api.get(SERVICES)} == {4}
    assert len(api.get("cmdb/firewall/address")[0]) > 3
    assert len(api.call("GET", "cmdb/system/global").json()["results"]) > 3


def test_policy_look_up_of_fortios_6(api: GatewayUnderTest) -> None:
    odd(api, "old-lookup")
    asked = "srcintf=port2&sourceip=198.18.1.10&protocol=TCP&dest=198.18.2.10&destport=22"
    answer = api.call("GET", f"monitor/firewall/policy-lookup?{asked}").json()
    assert answer["results"] == {"success": False}


def test_what_comes_without_history_serial_or_reason(api: GatewayUnderTest) -> None:
    odd(api, "no-history+no-serial+nothing-to-show+no-disk")
    usage = api.call("GET", "monitor/system/resource/usage").json()["results"]
    assert all(set(one) == {"current"} for meters in usage.values() for one in meters)
    row = {"name": "odd", "subnet": "10.0.0.0 255.0.0.0"}
    answer = api.call("POST", "cmdb/firewall/address", row)
    assert answer.status_code == 200 and "serial" not in answer.json()
    assert "serial" in api.call("GET", "cmdb/firewall/address/odd").json()
    api.delete("cmdb/firewall/address/odd")
    for path in ("monitor/router/bgp/neighbors", "log/disk/virus"):
        answer = api.call("GET", path)
        assert answer.status_code == 500 and "error" not in answer.json()
        assert "serial" in answer.json()
    assert api.call("GET", "monitor/user/banned").status_code == 200
    assert api.call("GET", "log/memory/virus").status_code == 200
    assert api.call("GET", "monitor/system/interface").status_code == 200


def test_a_licence_in_other_words(api: GatewayUnderTest) -> None:
    odd(api, "unsupported-services")
    told = api.call("GET", "monitor/license/status").json()["results"]
    assert told["antivirus"]["status"] == "no_support" and "valid" not in told["vm"]


def test_a_refusal_is_a_page(api: GatewayUnderTest) -> None:
    assert api.control("PUT", "/faults/right-missing", {"part": "fwgrp.policy"})[0] == 200
    assert api.call("GET", "cmdb/firewall/policy").json()["error"] == -37
    odd(api, "html-refusals")
    answer = api.call("GET", "cmdb/firewall/policy")
    assert answer.status_code == 403 and answer.headers["Content-Type"].startswith("text/html")
