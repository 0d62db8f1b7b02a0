"""The client of the REST API against a server that misbehaves in known ways."""

from __future__ import annotations

import logging
import socket
import traceback
from pathlib import Path

import pytest
import requests
from api_server import ScriptedApi, broken_off, refused, silence, text, told
from gateway_client import make_certificates

from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused, broken

PAGE = "<html><body>Please log in</body></html>"
PATH = "firewall/address"


@pytest.mark.parametrize(
    "trouble",
    [told(429), text(500, PAGE), told(500), told(503), broken_off, silence],
    ids=["429", "500 with a page", "500 without a reason", "503", "broken off", "silence"],
)
def test_passing_trouble_is_tried_again(api: ScriptedApi, client: FortiGate, trouble) -> None:
    api.script = [trouble, trouble, told(results=[{"name": "a"}])]
    assert client.rows(PATH) == [{"name": "a"}]
    assert len(api.calls) == 3
    assert (client.retries, client.lost) == (2, "")


def test_a_handshake_that_breaks_is_tried_again(api: ScriptedApi, client: FortiGate) -> None:
    api.broken_handshakes = 2
    assert client.rows(PATH) == []
    assert client.retries == 2


def test_pauses_grow_and_end(
    api: ScriptedApi, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("gatepass.gateway.fortigate.time.sleep", pauses.append)
    client = FortiGate(api.url, "t", certificates / "ca.pem")
    api.otherwise = told(429)
    with pytest.raises(GatewayLost, match="429"):
        client.rows(PATH)
    assert pauses == sorted(pauses) and len(pauses) == len(api.calls) - 1 >= 4
    client.close()


@pytest.mark.parametrize(
    ("answer", "divided"),
    [
        (told(results={"vdom-mode": "multi-vdom"}), True),
        (told(results={"vdom-mode": "no-vdom"}), False),
        (told(results={}), False),
        (told(403), False),
    ],
    ids=["several", "one", "not told", "not allowed to know"],
)
def test_several_vdoms_take_no_script(
    api: ScriptedApi, client: FortiGate, answer, divided: bool
) -> None:
    api.script = [answer]
    if divided:
        with pytest.raises(Refused, match="several VDOMs") as caught:
            client.run_script("s", "config firewall policy\nend\n")
        assert caught.value.status == 405  # which leads to the next way
    else:
        client.run_script("s", "config firewall policy\nend\n")
    uploads = [call for call in api.calls if "config-script" in call.path]
    assert len(uploads) == (0 if divided else 1)


@pytest.mark.parametrize("code", [-5, -23, -651, -3])
def test_a_refusal_of_the_cli_is_final(api: ScriptedApi, client: FortiGate, code: int) -> None:
    api.script = [refused(code, "command parse error before 'x'")]
    with pytest.raises(Refused, match="command parse error") as caught:
        client.create(PATH, {"name": "a"})
    assert (caught.value.code, caught.value.status) == (code, 500)
    assert len(api.calls) == 1


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (text(401, PAGE), "refuses the API token"),
        (told(403), "may not do this"),
        (text(200, PAGE), "is not the REST API"),
        (text(302, "", Location="/login"), "is not the REST API"),
        (told(200, **{"status": "error", "error": -1}), "refuses GET"),
        (text(405, "null"), "refuses GET"),
    ],
)
def test_answers_that_are_no_answer(
    api: ScriptedApi, client: FortiGate, answer, sentence: str
) -> None:
    api.script = [answer]
    with pytest.raises(Refused, match=sentence):
        client.rows(PATH)
    assert len(api.calls) == 1


def test_a_page_is_no_success_of_a_write(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [text(200, PAGE)]
    with pytest.raises(Refused):
        client.create(PATH, {"name": "a"})


def test_a_row_that_is_not_there(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [told(404), refused(-3), told(results=[]), told(results=[{"name": "a"}])]
    assert [client.row(PATH, "a") for _ in range(4)] == [None, None, None, {"name": "a"}]


def test_a_post_whose_answer_was_lost_is_no_duplicate(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [broken_off, refused(-5, "duplicate")]
    assert client.create(PATH, {"name": "a"}) == "a"
    api.script = [refused(-5, "duplicate")]
    with pytest.raises(Refused):
        client.create(PATH, {"name": "a"})


def test_a_row_that_is_gone_already_is_deleted(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [broken_off, told(404)]
    client.delete(PATH, "a")
    assert [call.method for call in api.calls] == ["DELETE", "DELETE"]


@pytest.mark.parametrize("mkey", ["", ".", ".."])
def test_no_key_ever_means_the_whole_table(
    api: ScriptedApi, client: FortiGate, mkey: str
) -> None:
    for call in (client.delete, client.row):
        with pytest.raises(ValueError, match="needs a key"):
            call(PATH, mkey)
    assert api.calls == []


def test_a_key_is_one_part_of_the_path(api: ScriptedApi, client: FortiGate) -> None:
    client.delete(PATH, "a/b c?d=1#e/../..")
    assert api.calls[0].path == (
        "/api/v2/cmdb/firewall/address/a%2Fb%20c%3Fd%3D1%23e%2F..%2F..?vdom=root"
    )


def test_a_lost_gateway_is_tried_once_a_call_until_it_answers(
    api: ScriptedApi, client: FortiGate
) -> None:
    api.otherwise = told(503)
    with pytest.raises(GatewayLost):
        client.rows(PATH)
    assert client.lost
    before = len(api.calls)
    with pytest.raises(GatewayLost, match="503"):
        client.rows(PATH)
    assert len(api.calls) == before + 1
    api.otherwise = told(results=[])
    assert client.rows(PATH) == []
    assert client.lost == ""
    api.script = [told(503)]
    assert client.rows(PATH) == []  # and has its patience again


def test_another_certificate_is_refused_at_once(
    api: ScriptedApi, tmp_path: Path, quick_retries: None
) -> None:
    make_certificates(tmp_path / "other")
    ca_file = tmp_path / "other" / "ca.pem"
    client = FortiGate(api.url, "t", ca_file)
    with pytest.raises(GatewayLost, match=r"must chain to .*other/ca.pem"):
        client.rows(PATH)
    assert (api.calls, client.retries) == ([], 0)
    client.close()


def test_nothing_listens(api: ScriptedApi, client: FortiGate) -> None:
    api.shutdown()
    api.server_close()
    with pytest.raises(GatewayLost, match=r"connection broke \(.*refused"):
        client.rows(PATH)


@pytest.mark.parametrize(
    "answer",
    [told(429), text(401, PAGE), told(403), refused(-5), broken_off, silence, text(302, "")],
)
def test_the_token_is_told_to_nobody(
    api: ScriptedApi, client: FortiGate, caplog: pytest.LogCaptureFixture, answer
) -> None:
    caplog.set_level(logging.DEBUG)
    api.otherwise = answer
    if answer is silence:
        client.timeout_s = 0.3
    with pytest.raises((GatewayLost, Refused)) as caught:
        client.create(PATH, {"name": "a"})
    shown = [repr(client), str(client), caplog.text, repr(caught.value)]
    shown += traceback.format_exception(caught.value)
    assert not any("the-secret-token" in words for words in shown)
    assert api.calls[0].headers["Authorization"] == "Bearer the-secret-token"
    assert not any("the-secret-token" in call.path for call in api.calls)


def test_a_redirect_is_not_followed_with_the_token(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [text(307, "", Location=f"{api.url}/elsewhere")]
    with pytest.raises(Refused):
        client.create(PATH, {"name": "a"})
    assert len(api.calls) == 1


def test_a_proxy_of_the_environment_is_not_asked(
    api: ScriptedApi, client: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert client.rows(PATH) == []


def _started_19() -> list:
    return [told(results={"transaction-id": 19})]


def test_a_transaction_is_committed(api: ScriptedApi, client: FortiGate) -> None:
    api.script = _started_19()
    with client.transaction():
        client.create(PATH, {"name": "a"})
    client.rows(PATH)
    assert [call.headers.get("X-TRANSACTION-ID") for call in api.calls] == [None, "19", None, None]
    assert "action=transaction-commit" in api.calls[2].path
    assert api.calls[2].body == {"transaction-id": 19}


def test_a_transaction_is_aborted(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [*_started_19(), refused(-651, "no such service")]
    with pytest.raises(Refused, match="no such service"), client.transaction():
        client.create(PATH, {"name": "a"})
    assert "action=transaction-abort" in api.calls[-1].path
    assert "X-TRANSACTION-ID" not in api.calls[-1].headers


def test_an_abort_that_fails_does_not_hide_why(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [*_started_19(), refused(-651, "no such service"), refused(-1, "unknown")]
    with pytest.raises(Refused, match="no such service"), client.transaction():
        client.create(PATH, {"name": "a"})
    client.rows(PATH)
    assert "X-TRANSACTION-ID" not in api.calls[-1].headers


def test_vlans_and_aggregates_are_asked_for_as_well(api: ScriptedApi, client: FortiGate) -> None:
    """FortiOS leaves them out of the monitor of interfaces unless told."""
    api.script = [told(results={"agg1": {"ip": "198.18.1.1"}, "vlan7": {"ip": "198.18.7.1"}})]
    assert client.port_address("vlan7") == "198.18.7.1"
    (call,) = api.calls
    assert "include_vlan=true" in call.path and "include_aggregate=true" in call.path


def test_backup(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [text(200, "#config-version=FGVM64\nconfig system x\nend\n")]
    assert client.backup().startswith("#config-version")
    api.script = [told(405), text(200, "#config-version=FGVM64\n")]  # before 7.4
    assert client.backup().startswith("#config-version")
    assert [call.method for call in api.calls] == ["POST", "POST", "GET"]
    assert "destination=file&scope=global" in api.calls[-1].path


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (told(403), "read and write access to administrator users and maintenance"),
        (text(200, PAGE), "no backup"),
        (text(401, PAGE), "API token"),
    ],
)
def test_no_backup(api: ScriptedApi, client: FortiGate, answer, sentence: str) -> None:
    api.script = [answer]
    with pytest.raises(Refused, match=sentence):
        client.backup()


def test_connections_are_kept(api: ScriptedApi, client: FortiGate) -> None:
    made: list[object] = []
    finish = api.finish_request
    api.finish_request = lambda *one: (made.append(one), finish(*one))
    for _ in range(5):
        client.rows(PATH)
    assert len(made) == 1


def test_how_long_a_handshake_was_waited_for_is_told() -> None:
    """Less than for an answer: what accepts a connection and speaks no TLS is soon known."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(requests.Timeout) as late:
            requests.get(url, timeout=(0.2, 30))
    assert broken(late.value, 30) == "connected, but no answer within 0.2 s"
