"""The faults of the API, and that those of the data plane reach it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Iterator

import pytest
import requests
from gateway_client import GatewayUnderTest, free_port, policy

ADDRESS = "cmdb/firewall/address"


@pytest.fixture(autouse=True)
def clean(api: GatewayUnderTest) -> Iterator[None]:
    """Each test leaves a gateway without faults."""
    yield
    assert api.control("DELETE", "/faults")[0] == 200
    api.session.close()


def put(api: GatewayUnderTest, name: str, **parameters: object) -> None:
    """Put a fault into effect."""
    status, answer = api.control("PUT", f"/faults/{name}", parameters)
    assert status == 200, answer


def status_of(api: GatewayUnderTest, method: str = "GET", path: str = ADDRESS) -> int:
    """The status of a call."""
    return api.call(method, path, {"name": "f"} if method == "POST" else None).status_code


@pytest.mark.parametrize(("name", "status"), [("api-500", 500), ("api-429", 429)])
def test_failing_answers(api: GatewayUnderTest, name: str, status: int) -> None:
    put(api, name, path="firewall/address", after=1, times=2)
    assert [status_of(api) for _ in range(4)] == [200, status, status, 200]
    assert status_of(api, path="cmdb/firewall/policy") == 200
    put(api, name, method="POST")
    assert [status_of(api), status_of(api, "POST")] == [200, status]
    put(api, name, path="monitor/system")
    assert [status_of(api), status_of(api, path="monitor/system/status")] == [200, status]
    assert api.control("DELETE", f"/faults/{name}")[0] == 200
    assert status_of(api, path="monitor/system/status") == 200


def test_a_fault_begins_with_the_call_that_it_names(api: GatewayUnderTest) -> None:
    """However many others come before it; from then on every call is hit."""
    put(api, "api-500", path="firewall/address", method="POST", after=1, times=2, then="every")
    other = "cmdb/firewall/policy"
    assert [status_of(api), status_of(api, path=other), status_of(api, "POST")] == [200] * 3
    api.delete(f"{ADDRESS}/f")
    assert [status_of(api, "POST"), status_of(api, path=other)] == [500, 500]
    assert [status_of(api), status_of(api, path=other)] == [200, 200]


def test_hang(api: GatewayUnderTest) -> None:
    put(api, "api-hang", path="monitor/system/time", times=1)
    with pytest.raises(requests.Timeout):
        api.session.get(f"{api.url}/api/v2/monitor/system/time", timeout=0.3)
    assert status_of(api, path="monitor/system/time") == 200


def test_drop(api: GatewayUnderTest) -> None:
    put(api, "api-drop", method="POST", times=1)
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        api.call("POST", ADDRESS, {"name": "dropped"})
    # The change was made although its answer broke off: what a client must be ready for.
    assert api.get(f"{ADDRESS}/dropped")
    api.delete(f"{ADDRESS}/dropped")


def test_delete_ignored(api: GatewayUnderTest) -> None:
    api.post(ADDRESS, {"name": "stays"})
    put(api, "delete-ignored")
    assert api.delete(f"{ADDRESS}/stays")["status"] == "success"
    assert api.get(f"{ADDRESS}/stays")
    assert status_of(api, "DELETE", f"{ADDRESS}/nobody") == 404
    api.control("DELETE", "/faults/delete-ignored")
    api.delete(f"{ADDRESS}/stays")


def test_lost_objects(api: GatewayUnderTest) -> None:
    put(api, "objects-lost", path="firewall/address", every=3)
    names = [f"object{number}" for number in range(6)]
    assert all(api.post(ADDRESS, {"name": name})["status"] == "success" for name in names)
    assert [status_of(api, path=f"{ADDRESS}/{name}") for name in names] == [200, 200, 404] * 2
    for name in names:
        api.call("DELETE", f"{ADDRESS}/{name}")


def test_slow(api: GatewayUnderTest) -> None:
    put(api, "api-slow", milliseconds=600_000, method="PUT")
    assert status_of(api) == 200
    with pytest.raises(requests.Timeout):
        api.session.put(f"{api.url}/api/v2/{ADDRESS}/all", json={}, timeout=0.3)


def test_plain_http(api: GatewayUnderTest) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/api/v2/monitor/system/status"
    put(api, "http-open", port=port)
    assert api.session.get(url, timeout=60).status_code == 200
    api.control("DELETE", "/faults/http-open")
    with pytest.raises(requests.ConnectionError):
        requests.get(url, timeout=60)


def handshake(api: GatewayUnderTest, highest: ssl.TLSVersion) -> str | None:
    """The TLS version that a client of this age gets; None if it is refused."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = highest
    with contextlib.suppress(ssl.SSLError, ConnectionError), socket.create_connection(
            ("127.0.0.1", api.port), timeout=60) as raw, context.wrap_socket(raw) as tls:
        return tls.version()
    return None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_tls(api: GatewayUnderTest) -> None:
    assert handshake(api, ssl.TLSVersion.TLSv1_1) is None
    assert handshake(api, ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert status_of(api) == 200
    put(api, "tls-old")
    assert handshake(api, ssl.TLSVersion.TLSv1_3) in ("TLSv1", "TLSv1.1")
    with pytest.raises(requests.ConnectionError):
        status_of(api)
    api.control("DELETE", "/faults/tls-old")
    assert status_of(api) == 200


def test_other_certificate(api: GatewayUnderTest) -> None:
    assert status_of(api) == 200
    put(api, "other-certificate")
    with pytest.raises(requests.exceptions.SSLError):
        status_of(api)
    api.control("DELETE", "/faults/other-certificate")
    assert status_of(api) == 200


def test_token_ignored(api: GatewayUnderTest) -> None:
    url = f"{api.url}/api/v2/monitor/system/status"
    with api.new_session(None) as anyone:
        assert anyone.get(url, timeout=60).status_code == 401
        put(api, "token-ignored")
        assert anyone.get(url, timeout=60).status_code == 200


def test_licences(api: GatewayUnderTest) -> None:
    def licence() -> dict[str, object]:
        return api.get("monitor/license/status")["vm"]

    put(api, "licence-expired")
    assert (licence()["valid"], licence()["status"]) == (False, "vm_expired")
    api.control("DELETE", "/faults")
    put(api, "too-few-resources")
    assert (licence()["cpu_used"], licence()["mem_used"]) == (1, 2 * 1024**3)
    api.control("DELETE", "/faults")
    put(api, "evaluation-licence")
    assert licence()["status"] == "vm_eval"
    for name in ("a", "b", "c"):
        api.post("cmdb/firewall/policy", policy(name))
    assert api.call("POST", "cmdb/firewall/policy", policy("d")).json()["error"] == -4
    api.delete("cmdb/firewall/policy")


def test_an_evaluation_licence_has_weak_encryption_alone(api: GatewayUnderTest) -> None:
    row = {
        "name": "weak", "interface": "port1", "remote-gw": "198.18.4.10", "ike-version": "2",
        "psksecret": "very-secret", "peertype": "any", "dhgrp": "14",
    }
    path = "cmdb/vpn.ipsec/phase1-interface"
    put(api, "evaluation-licence")
    refused = api.call("POST", path, row | {"proposal": "des-sha256 aes256-sha256"})
    assert (refused.status_code, refused.json()["error"]) == (500, -651)
    assert "aes256-sha256" in refused.json()["cli_error"]
    api.post(path, row | {"proposal": "des-sha256"})
    api.delete(path)
    api.control("DELETE", "/faults")
    api.post(path, row | {"proposal": "aes256-sha256"})
    api.delete(path)


def test_another_device_with_another_firmware(api: GatewayUnderTest) -> None:
    def told() -> tuple[str, str, str]:
        status = api.call("GET", "monitor/system/status").json()
        assert api.call("GET", ADDRESS).json()["serial"] == status["serial"]
        return status["serial"], status["version"], status["results"]["model_number"]

    serial, version, model = told()
    put(api, "other-device")
    assert told()[1] == version
    assert told()[0] != serial and told()[2] != model
    api.control("DELETE", "/faults")
    put(api, "other-firmware")
    assert told() == (serial, "v7.2.11", model)


def test_clock_off(api: GatewayUnderTest) -> None:
    put(api, "clock-off", minutes=3)
    ahead = api.get("monitor/system/time")["time"] - time.time()
    assert 175 < ahead <= 180


def test_data_plane_faults_are_in_effect_when_the_answer_comes(api: GatewayUnderTest) -> None:
    put(api, "packet-loss", percent=5)
    put(api, "any-any")
    told = api.applied()["faults"]
    assert told == {"packet-loss": {"percent": 5}, "any-any": {}}
    api.kill()
    api.start()
    assert api.applied()["faults"] == told
    api.control("DELETE", "/faults/any-any")
    assert api.applied()["faults"] == {"packet-loss": {"percent": 5}}


@pytest.mark.parametrize(("path", "body"), [
    ("/faults/no-such-fault", {}), ("/faults/api-500", {"colour": 1}),
    ("/faults/api-500", {"after": "x"}), ("/faults/api-500", {"after": -1}),
    ("/faults/api-500", {"path": 5}), ("/faults/api-500", [])])
def test_faults_that_cannot_be(api: GatewayUnderTest, path: str, body: object) -> None:
    status, answer = api.control("PUT", path, body)
    assert status == 400
    assert answer["error"]
    assert api.control("GET", "/faults")[1]["active"] == {}


def test_port_follows_the_setting(api: GatewayUnderTest) -> None:
    old, api_port = api.port, free_port()
    api.put("cmdb/system/global", {"admin-sport": api_port})
    api.port = api_port
    deadline = time.monotonic() + 60
    while True:
        try:
            assert status_of(api) == 200
            break
        except requests.ConnectionError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    with pytest.raises(ConnectionError), socket.create_connection(("127.0.0.1", old), timeout=2):
        pass
