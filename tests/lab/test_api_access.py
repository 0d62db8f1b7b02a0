"""Tokens, trusted hosts, sessions, permissions and the lock-out, by version."""

from __future__ import annotations

import time
from typing import Any

import pytest
import requests
from gateway_client import TOKEN, GatewayUnderTest

from conftest import MakeGateway

STATUS = "/api/v2/monitor/system/status"


def get(gateway: GatewayUnderTest, token: str | None = None, **rest: Any) -> requests.Response:
    """A call of the status monitor with another token or none."""
    with gateway.new_session(token) as session:
        return session.get(gateway.url + STATUS, timeout=60, **rest)


def password(gateway: GatewayUnderTest) -> str:
    """The administrator's password."""
    return (gateway.folder / "admin-password").read_text().strip()


def unlock(gateway: GatewayUnderTest) -> None:
    """Forget failed logins: a right token does."""
    assert get(gateway, TOKEN).status_code == 200


def test_no_token_is_html_401_and_no_failed_login(api: GatewayUnderTest) -> None:
    for _ in range(5):
        answer = get(api)
        assert answer.status_code == 401
        assert answer.headers["Content-Type"].startswith("text/html")
        assert "<h1>" in answer.text
    assert get(api, TOKEN).status_code == 200


def test_wrong_tokens_lock_out(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    gateway.put("cmdb/system/global", {"admin-lockout-duration": 3})
    assert [get(gateway, "wrong").status_code for _ in range(4)] == [401, 401, 401, 429]
    assert get(gateway, TOKEN).status_code == 429
    time.sleep(3.1)
    assert get(gateway, TOKEN).status_code == 200


def test_token_of_an_untrusted_host(api: GatewayUnderTest) -> None:
    api.post("cmdb/system/api-user", {
        "name": "elsewhere", "accprofile": "super_admin", "vdom": [{"name": "root"}],
        "api-key": "token-elsewhere",
        "trusthost": [{"id": 1, "ipv4-trusthost": "192.0.2.0 255.255.255.0"}]})
    assert get(api, "token-elsewhere").status_code == 401
    unlock(api)
    api.put("cmdb/system/api-user/elsewhere",
            {"trusthost": [{"id": 1, "ipv4-trusthost": "127.0.0.1/32"}]})
    assert get(api, "token-elsewhere").status_code == 200
    api.put("cmdb/system/api-user/elsewhere", {"trusthost": []})
    assert get(api, "token-elsewhere").status_code == 401
    unlock(api)
    api.delete("cmdb/system/api-user/elsewhere")


def test_missing_permission_is_403(api: GatewayUnderTest) -> None:
    api.post("cmdb/system/api-user", {
        "name": "reader", "accprofile": "super_admin_readonly",
        "trusthost": [{"id": 1, "ipv4-trusthost": "127.0.0.0/8"}]})
    token = api.post("monitor/system/api-user/generate-key",
                     {"api-user": "reader"})["results"]["access_token"]
    assert get(api, token).status_code == 200
    address = f"{api.url}/api/v2/cmdb/firewall/address"
    with api.new_session(token) as reader:
        assert reader.get(address, timeout=60).status_code == 200
        assert reader.post(address, json={"name": "x"}, timeout=60).status_code == 403
        assert reader.post(f"{api.url}/api/v2/monitor/firewall/policy/clear_counters",
                           timeout=60).status_code == 403
        assert reader.post(f"{api.url}/api/v2/cmdb?action=transaction-start",
                           json={}, timeout=60).status_code == 403
    api.delete("cmdb/system/api-user/reader")


def test_a_profile_may_give_parts_of_a_group(api: GatewayUnderTest) -> None:
    profile = {
        "name": "parts",
        **{"fwgrp": "custom", "fwgrp-permission": {"address": "read-write", "policy": "read"}},
        **{"sysgrp": "custom", "sysgrp-permission": {"mnt": "read-write"}},
    }
    api.post("cmdb/system/accprofile", profile)
    api.post("cmdb/system/api-user", {
        "name": "some", "accprofile": "parts",
        "trusthost": [{"id": 1, "ipv4-trusthost": "127.0.0.0/8"}]})
    token = api.post("monitor/system/api-user/generate-key",
                     {"api-user": "some"})["results"]["access_token"]
    with api.new_session(token) as some:
        def status(method: str, path: str, body: dict | None = None) -> int:
            address = f"{api.url}/api/v2/{path}"
            return some.request(method, address, json=body, timeout=60).status_code

        backup = ("POST", "monitor/system/config/backup", {"scope": "global"})
        assert status("POST", "cmdb/firewall/address", {"name": "x"}) == 200
        assert status("DELETE", "cmdb/firewall/address/x") == 200
        assert status("GET", "cmdb/firewall/policy") == 200
        assert status("PUT", "cmdb/firewall/policy/1", {"comments": "x"}) == 403
        assert status("GET", "cmdb/firewall.service/custom") == 403
        assert status("GET", "cmdb/router/static") == 403
        assert status("GET", "monitor/system/status") == 200, "anyone may"
        assert status("GET", "monitor/system/resource/usage") == 403
        assert status(*backup) == 403, "it takes the right to administrators as well"
        parts = {"mnt": "read-write", "admin": "read-write"}
        api.put("cmdb/system/accprofile/parts", {"sysgrp-permission": parts})
        assert status(*backup) == 200
    api.delete("cmdb/system/api-user/some")
    api.delete("cmdb/system/accprofile/parts")


def test_token_in_the_url(api: GatewayUnderTest, gateway_of: MakeGateway) -> None:
    assert get(api, params={"access_token": TOKEN}).status_code == 401
    older = gateway_of("7.4.4")
    assert get(older, params={"access_token": TOKEN}).status_code == 200
    newer = gateway_of("7.6.2")
    assert get(newer, params={"access_token": TOKEN}).status_code == 401
    newer.put("cmdb/system/global", {"rest-api-key-url-query": "enable"})
    assert get(newer, params={"access_token": TOKEN}).status_code == 200
    assert TOKEN not in (older.folder / "gateway.log").read_text()


def test_cookie_session(api: GatewayUnderTest) -> None:
    with api.new_session(None) as session:
        form = {"username": "admin", "secretkey": password(api), "ajax": "1"}
        answer = session.post(f"{api.url}/logincheck", data=form, timeout=60)
        assert answer.text[0] == "1"
        csrf = next(c.value for c in session.cookies if c.name.startswith("ccsrftoken"))
        assert any(c.name.startswith("APSCOOKIE_") for c in session.cookies)
        assert session.get(api.url + STATUS, timeout=60).status_code == 200
        address = f"{api.url}/api/v2/cmdb/firewall/address"
        body = {"name": "by-cookie"}
        assert session.post(address, json=body, timeout=60).status_code == 403
        session.headers["X-CSRFTOKEN"] = csrf.strip('"')
        assert session.post(address, json=body, timeout=60).status_code == 200
        assert session.delete(f"{address}/by-cookie", timeout=60).status_code == 200
        assert session.get(f"{api.url}/logout", timeout=60).status_code == 200
        assert session.get(api.url + STATUS, timeout=60).status_code == 401


def test_wrong_passwords_lock_out(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    form = {"username": "admin", "secretkey": "wrong", "ajax": "1"}
    with gateway.new_session(None) as session:
        answers = [session.post(f"{gateway.url}/logincheck", data=form, timeout=60).text[0]
                   for _ in range(4)]
    assert answers == ["0", "0", "0", "2"]
    assert get(gateway, TOKEN).status_code == 429


def log_in(gateway: GatewayUnderTest, session: requests.Session,
           **more: Any) -> requests.Response:
    """A log-in by `/api/v2/authentication`."""
    body = {"username": "admin", "secretkey": password(gateway), "ack_pre_disclaimer": True,
            "ack_post_disclaimer": True, **more}
    return session.post(f"{gateway.url}/api/v2/authentication", json=body, timeout=60)


@pytest.fixture(params=["7.4.8", "7.6.4"])
def gateway(gateway_of: MakeGateway, request: pytest.FixtureRequest) -> GatewayUnderTest:
    """A gateway before and after `/logincheck` was given up."""
    return gateway_of(request.param)


def test_authentication_by_a_key(gateway: GatewayUnderTest) -> None:
    with gateway.new_session(None) as session:
        answer = log_in(gateway, session, request_key=True)
        assert not session.cookies
        told = answer.json()
        assert (told["status_code"], told["status_message"]) == (5, "LOGIN_SUCCESS")
        key = told["session_key"]
        assert get(gateway, key).status_code == 200
        with gateway.new_session(key) as by_key:
            address = f"{gateway.url}/api/v2/cmdb/firewall/address"
            assert by_key.post(address, json={"name": "by-key"}, timeout=60).status_code == 200
            assert by_key.delete(f"{address}/by-key", timeout=60).status_code == 200
        wrong = log_in(gateway, session, request_key=True, secretkey="wrong")
        assert wrong.status_code == 401
        session.delete(answer.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        assert get(gateway, key).status_code == 401
    unlock(gateway)


def test_authentication_by_cookies(gateway: GatewayUnderTest) -> None:
    with gateway.new_session(None) as session:
        answer = log_in(gateway, session)
        assert "session_key" not in answer.json()
        cookies = {cookie.name: (cookie.value or "").strip('"') for cookie in session.cookies}
        behind = {name.rpartition(f"_{gateway.port}")[2] for name in cookies}
        assert {name.partition(f"_{gateway.port}")[0] for name in cookies} == {
            "session_key", "ccsrf_token"}
        assert len(behind) == 1 and (behind == {""}) == (gateway.version == "7.4.8")
        assert session.get(gateway.url + STATUS, timeout=60).status_code == 200
        address = f"{gateway.url}/api/v2/cmdb/firewall/address"
        assert session.post(address, json={"name": "by-cookie"}, timeout=60).status_code == 403
        session.headers["X-CSRFTOKEN"] = next(
            value for name, value in cookies.items() if name.startswith("ccsrf_token"))
        assert session.post(address, json={"name": "by-cookie"}, timeout=60).status_code == 200
        assert session.delete(f"{address}/by-cookie", timeout=60).status_code == 200
        assert session.delete(answer.url, timeout=60).json()["status_message"] == "LOGOUT_SUCCESS"
        assert session.get(gateway.url + STATUS, timeout=60).status_code == 401


@pytest.mark.parametrize("names", [
    ("7.4.8", {"ccsrftoken_{port}", "ccsrftoken"}), ("7.6.2", {"ccsrftoken_{port}_{hash}"}),
    ("7.6.4", set())])
def test_the_cookies_of_logincheck_by_release(
        gateway_of: MakeGateway, names: tuple[str, set[str]]) -> None:
    gateway = gateway_of(names[0])
    with gateway.new_session(None) as session:
        form = {"username": "admin", "secretkey": password(gateway)}
        session.post(f"{gateway.url}/logincheck", data=form, timeout=60)
        found = {cookie.name for cookie in session.cookies}
    csrf = {name for name in found if name.startswith("ccsrftoken")}
    tail = next((name.rpartition("_")[2] for name in csrf), "")
    assert csrf == {name.format(port=gateway.port, hash=tail) for name in names[1]}
    assert len(found - csrf) == bool(csrf)


@pytest.mark.parametrize(("version", "build", "has_sessions"), [
    ("7.4.8", 2795, False), ("7.6.2", 3462, True), ("7.6.3", 3510, True)])
def test_versions(gateway_of: MakeGateway, version: str, build: int, has_sessions: bool) -> None:
    gateway = gateway_of(version)
    status = gateway.call("GET", "monitor/system/status").json()
    assert (status["version"], status["build"]) == (f"v{version}", build)
    assert status["serial"].startswith("LAB")
    found = gateway.call("GET", "monitor/firewall/sessions?count=2").status_code
    assert found == (200 if has_sessions else 404)
    authentication = gateway.call("POST", "authentication", {"username": "x", "secretkey": "y"})
    assert authentication.status_code == 401


def test_the_log_holds_no_secret(api: GatewayUnderTest) -> None:
    get(api, params={"access_token": TOKEN})
    text = (api.folder / "gateway.log").read_text()
    assert TOKEN not in text
    assert password(api) not in text
    assert "monitor/system/status" in text
