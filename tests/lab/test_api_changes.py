"""Changes: order, copies, references, secrets, transactions, and what the data plane is told."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from gateway_client import GatewayUnderTest, policy

from conftest import MakeGateway

POLICY = "cmdb/firewall/policy"
ADDRESS = "cmdb/firewall/address"


@pytest.fixture(autouse=True)
def clean(api: GatewayUnderTest) -> Iterator[None]:
    """Each test begins without policies."""
    yield
    api.delete(POLICY)


def add(api: GatewayUnderTest, *names: str) -> list[int]:
    """Policies of these names; answers their ids."""
    return [api.post(POLICY, policy(name))["mkey"] for name in names]


def test_policyid_zero_takes_the_next_number(api: GatewayUnderTest) -> None:
    assert add(api, "a", "b") == [1, 2]
    api.post(POLICY, policy("c") | {"policyid": 9})
    assert add(api, "d") == [10]


def test_creation_order_is_evaluation_order(api: GatewayUnderTest) -> None:
    for number in (7, 3, 5):
        api.post(POLICY, policy(f"p{number}") | {"policyid": number})
    assert api.names("firewall/policy", "policyid") == [7, 3, 5]
    told = api.applied()["config"]["firewall/policy"]
    assert [row["policyid"] for row in told] == [7, 3, 5]


def test_move(api: GatewayUnderTest) -> None:
    a, b, c = add(api, "a", "b", "c")
    api.put(f"{POLICY}/{c}?action=move&before={a}", {})
    assert api.names("firewall/policy") == ["c", "a", "b"]
    api.put(f"{POLICY}/{c}?action=move&after={b}", {})
    assert api.names("firewall/policy") == ["a", "b", "c"]
    api.put(f"{POLICY}/{a}?action=move&after={b}", {})
    assert api.names("firewall/policy") == ["b", "a", "c"]
    assert [row["name"] for row in api.applied()["config"]["firewall/policy"]] == ["b", "a", "c"]


def test_a_move_that_moves_nothing_changes_nothing(api: GatewayUnderTest) -> None:
    a, b, c = add(api, "a", "b", "c")
    for query in (f"{b}?action=move&after={a}", f"{a}?action=move&before={b}",
                  f"{c}?action=move&after={b}", f"{a}?action=move&after={a}"):
        assert api.put(f"{POLICY}/{query}", {})["revision_changed"] is False
    assert api.put(f"{POLICY}/{c}?action=move&before={a}", {})["revision_changed"] is True
    assert api.names("firewall/policy") == ["c", "a", "b"]


def test_many_moves_between_the_same_two(api: GatewayUnderTest) -> None:
    a, b, c = add(api, "a", "b", "c")
    for _ in range(30):
        api.put(f"{POLICY}/{c}?action=move&after={a}", {})
        api.put(f"{POLICY}/{b}?action=move&after={a}", {})
    assert api.names("firewall/policy") == ["a", "b", "c"]
    api.kill()
    api.start()
    assert api.names("firewall/policy") == ["a", "b", "c"]


@pytest.mark.parametrize(("query", "status"), [
    ("", 424), ("&before=1&after=2", 424), ("&after=99", 500), ("&after=x", 404)])
def test_move_that_cannot_be(api: GatewayUnderTest, query: str, status: int) -> None:
    add(api, "a", "b")
    assert api.call("PUT", f"{POLICY}/1?action=move{query}", {}).status_code == status
    assert api.names("firewall/policy") == ["a", "b"]


def test_clone(api: GatewayUnderTest) -> None:
    add(api, "a")
    api.put(f"{POLICY}/1", {"comments": "copied"})
    assert api.post(f"{POLICY}/1?action=clone&nkey=0", {})["mkey"] == 2
    original, copy = api.get(POLICY)
    assert copy["comments"] == "copied"
    assert copy["uuid"] != original["uuid"]
    assert copy["name"] == ""
    api.post(f"{ADDRESS}/all?action=clone&nkey=all-2", {})
    assert api.get(f"{ADDRESS}/all-2")[0]["subnet"] == "0.0.0.0 0.0.0.0"
    api.delete(f"{ADDRESS}/all-2")


def test_policy_names_are_unique(api: GatewayUnderTest) -> None:
    add(api, "a", "b")
    assert api.call("POST", POLICY, policy("a")).json()["error"] == -5
    assert api.call("PUT", f"{POLICY}/2", {"name": "a"}).json()["error"] == -5
    api.put(f"{POLICY}/1", {"name": "c"})
    api.put(f"{POLICY}/2", {"name": "a"})


def test_put_changes_only_what_it_names(api: GatewayUnderTest) -> None:
    add(api, "a")
    before = api.get(f"{POLICY}/1")[0]
    api.put(f"{POLICY}/1", {"nat": "enable", "unknown-attribute": 1})
    assert api.get(f"{POLICY}/1")[0] == before | {"nat": "enable"}


def test_references_hold_and_let_go(api: GatewayUnderTest) -> None:
    api.post(ADDRESS, {"name": "used", "subnet": "10.0.0.0/24"})
    api.post(POLICY, policy("p", srcaddr=[{"name": "used"}]))
    refused = api.call("DELETE", f"{ADDRESS}/used")
    assert (refused.status_code, refused.json()["error"]) == (500, -23)
    api.put(f"{POLICY}/1", {"srcaddr": [{"name": "all"}]})
    api.delete(f"{ADDRESS}/used")


def test_rename_is_followed(api: GatewayUnderTest) -> None:
    api.post(ADDRESS, {"name": "old", "subnet": "10.0.0.0/24"})
    api.post("cmdb/firewall/addrgrp", {"name": "g", "member": [{"name": "old"}]})
    api.post(POLICY, policy("p", srcaddr=[{"name": "old"}]))
    api.put(f"{ADDRESS}/old", {"name": "new"})
    assert api.get(f"{POLICY}/1")[0]["srcaddr"] == [{"name": "new", "q_origin_key": "new"}]
    assert api.call("DELETE", f"{ADDRESS}/new").json()["error"] == -23
    assert api.call("GET", f"{ADDRESS}/old").status_code == 404
    api.delete(POLICY)
    api.delete("cmdb/firewall/addrgrp/g")
    api.delete(f"{ADDRESS}/new")


def test_groups_cannot_contain_themselves(api: GatewayUnderTest) -> None:
    group = "cmdb/firewall/addrgrp"
    api.post(group, {"name": "inner", "member": [{"name": "all"}]})
    api.post(group, {"name": "outer", "member": [{"name": "inner"}]})
    answer = api.call("PUT", f"{group}/inner", {"member": [{"name": "outer"}]})
    assert answer.json()["error"] == -651
    api.delete(f"{group}/outer")
    api.delete(f"{group}/inner")


def test_values_are_normalised(api: GatewayUnderTest) -> None:
    custom = "cmdb/firewall.service/custom"
    api.post(custom, {"name": "s", "tcp-portrange": "0080 8000-8000 90-99:1-5"})
    assert api.get(f"{custom}/s")[0]["tcp-portrange"] == "80 8000 90-99:1-5"
    api.delete(f"{custom}/s")
    api.post(ADDRESS, {"name": "a/b", "subnet": ["10.3.4.5", "255.255.0.0"]})
    assert api.get(f"{ADDRESS}/a%2Fb")[0]["subnet"] == "10.3.0.0 255.255.0.0"
    api.delete(f"{ADDRESS}/a%2Fb")
    api.put("cmdb/system/interface/port1", {"ip": "198.18.2.1/24", "allowaccess": "https ping"})
    port = api.get("cmdb/system/interface/port1")[0]
    assert (port["ip"], port["allowaccess"]) == ("198.18.2.1 255.255.255.0", "ping https")


def test_secrets_are_not_shown(api: GatewayUnderTest) -> None:
    path = "cmdb/system/admin/someone"
    api.post("cmdb/system/admin", {"name": "someone", "accprofile": "prof_admin",
                                   "password": "very-secret"})
    assert api.get(path)[0]["password"].startswith("ENC ")
    assert api.put(path, {"password": "very-secret"})["revision_changed"] is False
    before = str(api.applied())
    api.put(path, {"password": api.get(path)[0]["password"], "comments": "same"})
    assert "very-secret" in before and "very-secret" in str(api.applied())
    assert api.put(path, {"password": "another"})["revision_changed"] is True
    assert b"very-secret" not in (api.folder / "state.sqlite").read_bytes()
    assert b"very-secret" not in (api.folder / "state.sqlite-wal").read_bytes()
    api.delete(path)


def test_transaction_takes_hold_as_a_whole(api: GatewayUnderTest) -> None:
    number = api.post("cmdb?action=transaction-start", {"timeout": 60})["results"]["transaction-id"]
    header = {"X-TRANSACTION-ID": str(number)}
    api.post(ADDRESS, {"name": "in-tx"}, headers=header)
    told = api.post(POLICY, policy("p", srcaddr=[{"name": "in-tx"}]), headers=header)["mkey"]
    assert api.call("GET", f"{ADDRESS}/in-tx").status_code == 404
    assert api.get(f"{ADDRESS}/in-tx", headers=header)[0]["name"] == "in-tx"
    add(api, "meanwhile-by-another")
    refused = api.call("POST", "cmdb?action=transaction-commit", {"transaction-id": number})
    assert refused.json()["error"] == -5  # policy 1 was given to another meanwhile
    assert told == 1
    assert api.names("firewall/policy") == ["meanwhile-by-another"]
    assert api.call("GET", f"{ADDRESS}/in-tx").status_code == 404


def test_transaction_commit_and_abort(api: GatewayUnderTest) -> None:
    def start() -> dict[str, str]:
        answer = api.post("cmdb?action=transaction-start&vdom=root", {})
        return {"X-TRANSACTION-ID": str(answer["results"]["transaction-id"])}

    header = start()
    for name in ("a", "b"):
        api.post(POLICY, policy(name), headers=header)
    refused = api.call("POST", POLICY, policy("a"), headers=header)
    assert refused.json()["error"] == -5
    api.put(f"{POLICY}/2?action=move&before=1", {}, headers=header)
    api.post("cmdb/firewall/addrgrp", {"name": "tx-group", "member": [{"name": "all"}]})
    api.post("cmdb?action=transaction-commit", {"transaction-id": int(header["X-TRANSACTION-ID"])})
    assert api.names("firewall/policy") == ["b", "a"]
    api.delete("cmdb/firewall/addrgrp/tx-group")
    assert [row["name"] for row in api.applied()["config"]["firewall/policy"]] == ["b", "a"]
    header = start()
    api.delete(POLICY, headers=header)
    api.post("cmdb?action=transaction-abort", {"transaction-id": int(header["X-TRANSACTION-ID"])})
    assert api.names("firewall/policy") == ["b", "a"]
    late = api.call("POST", POLICY, policy("late"), headers=header)
    assert late.status_code == 424


def test_what_a_transaction_has_changed_is_nobody_elses(api: GatewayUnderTest) -> None:
    add(api, "theirs", "other")
    number = api.post("cmdb?action=transaction-start", {})["results"]["transaction-id"]
    header = {"X-TRANSACTION-ID": str(number)}
    api.put(f"{POLICY}/1", {"comments": "theirs"}, headers=header)
    refused = api.call("PUT", f"{POLICY}/1", {"comments": "mine"})
    assert refused.status_code == 500
    assert "another transaction" in refused.json()["cli_error"]
    api.put(f"{POLICY}/2", {"comments": "mine"})
    api.put(f"{POLICY}/1", {"comments": "again"}, headers=header)
    api.post("cmdb?action=transaction-abort", {"transaction-id": number})
    api.put(f"{POLICY}/1", {"comments": "mine"})


def test_transaction_times_out(api: GatewayUnderTest) -> None:
    answer = api.post("cmdb?action=transaction-start", {"timeout": 1})
    header = {"X-TRANSACTION-ID": str(answer["results"]["transaction-id"])}
    api.post(POLICY, policy("a"), headers=header)
    time.sleep(1.1)
    assert api.call("POST", POLICY, policy("b"), headers=header).status_code == 424
    assert api.names("firewall/policy") == []


def test_changes_while_one_is_applied_are_applied_together(api: GatewayUnderTest) -> None:
    before = api.applied()["applies"]
    held = api.folder / "plane-is-held"
    held.touch()
    try:
        add(api, *(f"p{n}" for n in range(10)))
    finally:
        held.unlink()
    told = api.applied()
    assert len(told["config"]["firewall/policy"]) == 10
    assert told["applies"] <= before + 2


def test_state_survives_a_kill(api: GatewayUnderTest) -> None:
    add(api, "a", "b")
    api.put(f"{POLICY}/2?action=move&before=1", {})
    before = api.get(POLICY)
    api.kill()
    api.start()
    assert api.get(POLICY) == before
    assert [row["name"] for row in api.applied()["config"]["firewall/policy"]] == ["b", "a"]
    assert api.call("DELETE", f"{ADDRESS}/all").json()["error"] == -23


def test_data_plane_is_closed_at_the_end(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    assert gateway.stop() == 0
    assert (gateway.folder / "closed").exists()
    assert not (gateway.folder / "control.sock").exists()
