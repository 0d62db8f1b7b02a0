"""Envelope, errors and the ways to read the configuration."""

from __future__ import annotations

import pytest
from gateway_client import GatewayUnderTest, policy

ADDRESS = "cmdb/firewall/address"


@pytest.fixture(scope="module", autouse=True)
def objects(api: GatewayUnderTest) -> None:
    """A few objects for all tests here."""
    for number in range(1, 6):
        api.post(ADDRESS, {"name": f"host-{number}", "subnet": f"10.1.0.{number}/32",
                           "comment": "odd" if number % 2 else "even", "color": number})
    api.post("cmdb/firewall/addrgrp",
             {"name": "grp", "member": [{"name": "host-1"}, {"name": "host-2"}]})


def test_row_is_a_list_of_one_with_envelope(api: GatewayUnderTest) -> None:
    answer = api.call("GET", f"{ADDRESS}/host-1").json()
    assert answer["results"][0]["subnet"] == "10.1.0.1 255.255.255.255"
    assert answer["results"][0]["q_origin_key"] == "host-1"
    expected = {"http_method": "GET", "vdom": "root", "path": "firewall", "name": "address",
                "mkey": "host-1", "status": "success", "http_status": 200,
                "serial": "LABGW0000000001", "version": "v7.4.8", "build": 2795}
    assert {name: answer[name] for name in expected} == expected


def test_singleton_is_an_object(api: GatewayUnderTest) -> None:
    assert api.get("cmdb/system/global")["admin-sport"] == api.port


def test_trailing_slash_and_select_are_accepted(api: GatewayUnderTest) -> None:
    assert api.get(f"{ADDRESS}/host-1/") == api.get(f"{ADDRESS}/host-1/select")
    assert api.get("monitor/system/status/select") == api.get("monitor/system/status/")


def test_write_tells_old_and_new_revision(api: GatewayUnderTest) -> None:
    before = api.call("GET", ADDRESS).json()["revision"]
    answer = api.post(ADDRESS, {"name": "rev"})
    assert answer["old_revision"] == before != answer["revision"]
    assert answer["revision_changed"] is True
    same = api.put(f"{ADDRESS}/rev", {"color": 0})
    assert same["revision_changed"] is False
    assert same["revision"] == api.delete(f"{ADDRESS}/rev")["old_revision"]


def test_global_answers_a_list_of_envelopes(api: GatewayUnderTest) -> None:
    for parameters in ({"global": "1"}, {"vdom": "*"}):
        answer = api.call("GET", ADDRESS, params=parameters).json()
        assert [part["vdom"] for part in answer] == ["root"]
        assert "host-1" in [row["name"] for row in answer[0]["results"]]


def test_unknown_vdom_is_refused(api: GatewayUnderTest) -> None:
    assert api.call("GET", ADDRESS, params={"vdom": "other"}).status_code == 403


@pytest.mark.parametrize(("condition", "expected"), [
    (["name==host-1"], ["host-1"]),
    (["name==host-1,host-3"], ["host-1", "host-3"]),
    (["name==host-1,name==host-4"], ["host-1", "host-4"]),
    (["name=@host-", "comment==even"], ["host-2", "host-4"]),
    (["name=@host-", "comment!=even"], ["host-1", "host-3", "host-5"]),
    (["name=@host-", "name!@-3", "color<=4"], ["host-1", "host-2", "host-4"]),
    (["name=@host-", "color<2"], ["host-1"]),
    (["color>3", "color>=5"], ["host-5"]),
    (["subnet=@10.1.0.5"], ["host-5"]),
    (["name==nobody"], []),
])
def test_filter(api: GatewayUnderTest, condition: list[str], expected: list[str]) -> None:
    rows = api.get(ADDRESS, params={"filter": condition})
    assert [row["name"] for row in rows] == expected


def test_filter_looks_into_lists(api: GatewayUnderTest) -> None:
    rows = api.get("cmdb/firewall/addrgrp", params={"filter": "member==host-2"})
    assert [row["name"] for row in rows] == ["grp"]
    assert api.get("cmdb/firewall/addrgrp", params={"filter": "member.name==host-9"}) == []


def test_filter_that_cannot_be_read(api: GatewayUnderTest) -> None:
    answer = api.call("GET", ADDRESS, params={"filter": "nonsense"})
    assert answer.status_code == 424
    assert "nonsense" in answer.json()["cli_error"]


def test_format_and_paging(api: GatewayUnderTest) -> None:
    condition = {"filter": "name=@host-", "format": "name|color", "start": 1, "count": 2}
    answer = api.call("GET", ADDRESS, params=condition).json()
    assert answer["results"] == [
        {"name": f"host-{n}", "q_origin_key": f"host-{n}", "color": n} for n in (2, 3)]
    assert answer["matched_count"] == 5
    assert answer["limit_reached"] is True


@pytest.mark.parametrize(("sort", "expected"), [
    (["color,dsc"], [5, 4, 3, 2, 1]),
    (["color,asc"], [1, 2, 3, 4, 5]),
    (["comment", "color,desc"], [4, 2, 5, 3, 1]),
    (["comment,dsc,color"], [1, 3, 5, 2, 4]),
    (["comment,color,dsc"], [4, 2, 5, 3, 1]),
    ([], [1, 2, 3, 4, 5]),
])
def test_sorting(api: GatewayUnderTest, sort: list[str], expected: list[int]) -> None:
    asked = {"filter": "name=@host-", "sort": sort}
    assert [row["color"] for row in api.get(ADDRESS, params=asked)] == expected
    page = api.get(ADDRESS, params=asked | {"start": 1, "count": 2})
    assert [row["color"] for row in page] == expected[1:3]


def test_child_table(api: GatewayUnderTest) -> None:
    member = "cmdb/firewall/addrgrp/grp/member"
    assert [row["name"] for row in api.get(member)] == ["host-1", "host-2"]
    api.post(member, {"name": "host-3"})
    assert api.get(f"{member}/host-3")[0]["name"] == "host-3"
    assert api.call("POST", member, {"name": "host-3"}).json()["error"] == -5
    api.delete(f"{member}/host-1")
    assert [row["name"] for row in api.get(member)] == ["host-2", "host-3"]
    assert api.call("GET", f"{member}/host-1").status_code == 404


def test_group_of_attributes(api: GatewayUnderTest) -> None:
    api.put("cmdb/system/interface/port2", {"ipv6": {"ip6-address": "2001:2:0:1::1/64"}})
    api.put("cmdb/system/interface/port2/ipv6", {"ip6-allowaccess": "ssh ping"})
    assert api.get("cmdb/system/interface/port2/ipv6") == {
        "ip6-mode": "static", "ip6-address": "2001:2:0:1::1/64", "ip6-allowaccess": "ping ssh",
        "ip6-send-adv": "disable", "ip6-extra-addr": []}


def test_schema_and_default(api: GatewayUnderTest) -> None:
    schema = api.get("cmdb/firewall/policy", params={"action": "schema"})
    assert schema["mkey"] == "policyid"
    assert [o["name"] for o in schema["children"]["nat"]["options"]] == ["enable", "disable"]
    assert schema["children"]["srcaddr"]["category"] == "table"
    default = api.get("cmdb/firewall/policy", params={"action": "default"})
    assert (default["status"], default["action"], default["srcaddr"]) == ("enable", "deny", [])


@pytest.mark.parametrize(("method", "path", "body", "status", "error"), [
    ("POST", ADDRESS, {"name": "host-1"}, 500, -5),
    ("POST", "cmdb/firewall/addrgrp", {"name": "host-1", "member": [{"name": "all"}]}, 500, -5),
    ("POST", ADDRESS, {"name": "bad", "subnet": "10.0.0.300 255.0.0.0"}, 500, -651),
    ("POST", ADDRESS, {"name": "bad", "type": "planet"}, 500, -651),
    ("POST", ADDRESS, {"name": "bad", "color": 99}, 500, -651),
    ("POST", ADDRESS, {"name": "bad", "color": 10**400}, 500, -651),
    ("POST", ADDRESS, {"name": "x" * 80}, 500, -651),
    ("POST", ADDRESS, {"name": ["x"]}, 500, -651),
    ("POST", ADDRESS, {"subnet": "10.0.0.0/8"}, 424, -651),
    ("POST", "cmdb/firewall/policy", policy("p", srcaddr=[{"name": "nobody"}]), 500, -651),
    ("POST", "cmdb/firewall/policy", policy("p", srcintf=[{"name": "port9"}]), 500, -651),
    ("POST", "cmdb/firewall/policy", policy("p", srcaddr=[]), 500, -56),
    ("POST", "cmdb/firewall/policy", policy("p", srcaddr="all"), 500, -651),
    ("POST", "cmdb/firewall/policy", policy("p", srcaddr=["all"]), 500, -651),
    ("POST", "cmdb/system/interface", {"name": "port7", "type": "physical"}, 500, -4),
    ("DELETE", "cmdb/system/interface/port1", None, 500, -37),
    ("DELETE", f"{ADDRESS}/host-2", None, 500, -23),
    ("DELETE", "cmdb/firewall.service/custom", None, 500, -23),
    ("DELETE", f"{ADDRESS}/nobody", None, 404, -3),
    ("GET", f"{ADDRESS}/nobody", None, 404, -3),
    ("PUT", f"{ADDRESS}/nobody", {}, 404, -3),
    ("GET", "cmdb/firewall/nothing", None, 404, -3),
    ("GET", "cmdb/firewall", None, 404, -3),
    ("GET", "cmdb/firewall/policy/abc", None, 404, -3),
    ("GET", "monitor/nothing/here", None, 404, -1),
    ("GET", "nothing", None, 404, -1),
    ("PUT", ADDRESS, {}, 405, -1),
    ("POST", f"{ADDRESS}/host-1", {}, 405, -1),
    ("PATCH", f"{ADDRESS}/host-1", {}, 405, -1),
    ("DELETE", "cmdb/system/global", None, 405, -1),
    ("POST", "cmdb/system/global", {}, 405, -1),
    ("POST", "monitor/system/status", {}, 405, -1),
    ("POST", f"{ADDRESS}?action=dance", {}, 424, -651),
])
def test_errors(api: GatewayUnderTest, method: str, path: str, body: object, status: int,
                error: int) -> None:
    answer = api.call(method, path, body)
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert answer.json()["status"] == "error"
    assert answer.json()["http_status"] == status
    assert answer.json()["cli_error"]


@pytest.mark.parametrize("raw", [b"{", b"[]", b"\xff\xfe", b"5", b"[" * 5000,
                                 b'{"name": "\\ud800"}'])
def test_body_that_is_no_object(api: GatewayUnderTest, raw: bytes) -> None:
    answer = api.session.post(f"{api.url}/api/v2/{ADDRESS}", data=raw, timeout=60)
    assert answer.status_code == 424


def test_body_too_large(api: GatewayUnderTest) -> None:
    answer = api.session.post(f"{api.url}/api/v2/{ADDRESS}", data=b" " * (17 << 20), timeout=60)
    assert answer.status_code == 413
    assert answer.json()["http_status"] == 413


def test_body_wrapped_in_json(api: GatewayUnderTest) -> None:
    api.post(ADDRESS, {"json": {"name": "wrapped", "subnet": "10.2.0.0 255.255.0.0"}})
    assert api.get(f"{ADDRESS}/wrapped")[0]["subnet"] == "10.2.0.0 255.255.0.0"
    api.delete(f"{ADDRESS}/wrapped")


def test_bad_requests_leave_no_traceback(api: GatewayUnderTest) -> None:
    assert "Traceback" not in (api.folder / "gateway.log").read_text()
