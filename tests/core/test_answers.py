"""Answers of a stranger: of another shape, without end, of another device."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable

import pytest
import requests
from api_server import ScriptedApi, broken_off, text, told

from gatepass.gateway import transport
from gatepass.gateway.answers import AnotherDevice, Malformed, Refused, broken
from gatepass.gateway.fortigate import FortiGate, GatewayLost

PATH = "firewall/address"
WHOLE = "#config-version=LAB\nconfig system global\n    set hostname x\nend\n"


@pytest.mark.parametrize(
    "body",
    [
        {"status": "success"},
        {"results": None},
        {"results": [None]},
        {"results": "text"},
        {"results": [{"name": "a"}, 5]},
        {"results": 5},
    ],
    ids=str,
)
def test_rows_that_are_none_say_nothing(api: ScriptedApi, client: FortiGate, body: dict) -> None:
    api.script, client.timeout_s = [text(200, json.dumps(body))], 10
    with pytest.raises(Malformed, match=r"answer to GET cmdb/firewall/address is not the API's"):
        client.rows(PATH)
    assert len(api.calls) == 1


@pytest.mark.parametrize("status", [200, 204])
@pytest.mark.parametrize(
    "write",
    [
        lambda client: client.create(PATH, {"name": "a"}),
        lambda client: client.change(PATH, "a", {"comment": "b"}),
        lambda client: client.delete(PATH, "a"),
    ],
    ids=["create", "change", "delete"],
)
def test_an_answer_without_a_word_is_no_success(
    api: ScriptedApi, client: FortiGate, write: Callable[[FortiGate], object], status: int
) -> None:
    api.script, client.timeout_s = [text(status, "")], 10  # else a busy machine has it asked again
    with pytest.raises(Malformed, match="it is not known whether the call was carried out"):
        write(client)


@pytest.mark.parametrize("rows", [[], [{}, {}]], ids=["none", "two"])
def test_what_there_is_one_of(api: ScriptedApi, client: FortiGate, rows: list) -> None:
    api.script = [told(results=rows)]
    with pytest.raises(Malformed, match=rf"with {len(rows)} rows, not one"):
        client.single("system/dns")


@pytest.mark.parametrize(
    "backup",
    [WHOLE[:-4], WHOLE[:40], WHOLE + 'config system x\n    set y "begun\n'],
    ids=["without its end", "half", "in quotes"],
)
def test_half_a_backup_is_none(api: ScriptedApi, client: FortiGate, backup: str) -> None:
    api.script = [text(200, WHOLE), text(200, backup)]
    assert client.backup() == WHOLE
    with pytest.raises(Malformed, match="breaks off after"):
        client.backup()


def test_a_right_that_the_user_lacks_is_told_apart_from_a_wrong_token(
    api: ScriptedApi, client: FortiGate
) -> None:
    api.script = [text(401, ""), told(serial="FGT1", results=[]), text(401, ""), text(403, "")]
    with pytest.raises(Refused, match=r"refuses the API token.*valid licence: without one it acc"):
        client.rows(PATH)
    client.rows(PATH)
    with pytest.raises(Refused, match="although it has taken the token for other calls"):
        client.delete(PATH, "a")
    assert "with 401" in client.forbidden
    with pytest.raises(Refused, match="may not do this"):
        client.change(PATH, "a", {})
    assert "403 on PUT" in client.forbidden


# without end


def drip(handler) -> None:
    """A byte now and then."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.ended.wait(0.05):
        handler.wfile.write(b" ")


def endless_head(handler) -> None:
    """One header after another."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.server.ended.wait(0.05):
        handler.wfile.write(b"x-more: 1\r\n")
        handler.wfile.flush()


@pytest.mark.parametrize("endless", [drip, endless_head])
def test_an_answer_that_does_not_end_is_not_waited_for(
    api: ScriptedApi, client: FortiGate, endless: Callable
) -> None:
    client.patience_s, client.timeout_s = 0, 0.3
    api.script = [endless]
    begun = time.monotonic()
    with pytest.raises(GatewayLost, match=r"not whole after 0\.6 s|no answer within 0\.3 s|broke"):
        client.rows(PATH)
    assert time.monotonic() - begun < 20  # it would be waited for as long as it goes on
    client.timeout_s = 10
    assert client.rows(PATH) == []  # on another connection


class _Deaf(requests.Session):
    """Calls of it never get to their time-outs, as on a machine that is too busy for them."""

    ended = threading.Event()

    def request(self, *args: object, **named: object) -> requests.Response:
        self.ended.wait(60)
        raise requests.exceptions.ConnectionError


def test_where_no_answer_began_it_is_told_so() -> None:
    try:
        with pytest.raises(requests.exceptions.ReadTimeout) as never:
            transport.call(_Deaf(), "GET", "https://198.51.100.1/", 0.1)
    finally:
        _Deaf.ended.set()
    assert broken(never.value, 0.1) == "connected, but no answer within 0.1 s"


def test_a_bomb_is_not_unpacked_whole(
    api: ScriptedApi, client: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "LARGEST_MIB", 1)
    client.patience_s, client.timeout_s = 0, 10

    def bomb(handler) -> None:
        body = gzip.compress(b" " * 2**24)
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(body)

    api.script = [bomb]
    with pytest.raises(GatewayLost, match="more than 1 MiB"):
        client.rows(PATH)


def test_more_rows_than_any_gateway_has(
    api: ScriptedApi, client: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepass.gateway.answers.MOST_ROWS", 3)
    api.script = [told(results=[{}] * 4)]
    with pytest.raises(Malformed, match="with 4 rows; 3 are the most"):
        client.rows(PATH)


def test_nested_without_end(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [text(200, '{"results":' + "[" * 200_000)]
    with pytest.raises(Exception, match="is not the REST API"):
        client.rows(PATH)


# another device


@pytest.mark.parametrize(
    ("serial", "who"), [("FGVM2", "FGVM2"), (5, "5")]
)
def test_another_device_is_told_and_nothing_more_is_sent(
    api: ScriptedApi, client: FortiGate, serial: object, who: str
) -> None:
    api.script = [told(results=[], serial="FGVM1"), told(results=[], serial=serial)]
    client.rows(PATH)
    with pytest.raises(AnotherDevice, match=rf"{who}.*this run began with FGVM1"):
        client.rows(PATH)
    with pytest.raises(AnotherDevice):
        client.delete(PATH, "a")
    assert len(api.calls) == 2


def test_a_lost_answer_is_of_no_other_device(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [
        told(results=[], serial="FGVM1"),
        broken_off,
        told(503),
        told(results=[], serial="FGVM1"),
    ]
    assert [client.rows(PATH) for _ in range(2)] == [[], []]
