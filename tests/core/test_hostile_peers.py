"""Promise 3 of docs/security.md: whatever a gateway or an endpoint answers is read within bounds.

Which bound ended it is told by the sentence; nothing here measures how long that took.
"""

from __future__ import annotations

import socket
import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from api_server import ScriptedApi, broken_off, silence, text

from gatepass.endpoint import ssh_session
from gatepass.endpoint.login_shell import NoShell, wrapped
from gatepass.endpoint.script import Script
from gatepass.endpoint.ssh_session import Session, TooLarge
from gatepass.gateway import transport
from gatepass.gateway.answers import Malformed, Refused
from gatepass.gateway.fortigate import FortiGate, GatewayLost

PATH = "firewall/address"
LIMIT_S, PATIENCE_S, LARGEST_MIB = 0.1, 20, 1


def sends(
    head: str, *parts: bytes, again: bytes = b"", pause_s: float = 0
) -> Callable[[Any], None]:
    """An answer of raw bytes, the last of them again and again until nobody reads on."""

    def answer(handler: Any) -> None:
        handler.close_connection = True
        handler.wfile.write(f"HTTP/1.1 {head}\r\n".encode())
        for part in parts:
            handler.wfile.write(part)
        while again and not handler.server.ended.wait(pause_s):
            handler.wfile.write(again)

    return answer


def _packed(mib: int) -> bytes:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(pack.compress(bytes(2**20)) for _ in range(mib)) + pack.flush()


BOMB = _packed(8)
CHUNK = b"10000\r\n" + b"[" * 0x10000 + b"\r\n"
SPACES = b" " * 2**16
GATEWAYS = {
    "says nothing": (silence, "no answer within"),
    "breaks off": (broken_off, "broke the connection off"),
    "drips its body": (sends("200 OK", b"\r\n", again=b" ", pause_s=0.02), "not whole after"),
    "drips its head": (sends("200 OK", b"X: ", again=b"x", pause_s=0.02), "no answer within"),
    "has a head without end": (sends("200 OK", again=b"X: y\r\n"), "connection broke"),
    "has a line without end": (sends("200 OK", again=b"x" * 2**16), "connection broke"),
    "goes on to say continue": (
        sends("100 Continue", again=b"\r\nHTTP/1.1 100 Continue\r\n", pause_s=0.02),
        "no answer within",
    ),
    "has a body without end": (sends("200 OK", b"\r\n", again=SPACES), "more than 1 MiB"),
    "has chunks without end": (
        sends("200 OK", b"Transfer-Encoding: chunked\r\n\r\n", again=CHUNK),
        "more than 1 MiB",
    ),
    "promises more than there is": (
        sends("200 OK", b"Content-Length: 99999999999\r\n\r\n", again=SPACES),
        "more than 1 MiB",
    ),
    "sends a bomb": (
        sends("200 OK", b"Content-Encoding: gzip\r\n\r\n", BOMB),
        "more than 1 MiB",
    ),
    "nests without end": (text(200, "[" * 200_000), "is not the REST API"),
    "counts without end": (text(200, f'{{"results": [{"9" * 200_000}]}}'), ""),
    "leads elsewhere": (text(302, "", Location="https://127.0.0.1:9/"), "is not the REST API"),
    "leads round in circles": (text(307, "", Location="/api/v2/cmdb/x"), ""),
}


@pytest.mark.parametrize("how", GATEWAYS)
def test_promise_3_a_gateway_is_read_within_bounds(
    api: ScriptedApi, client: FortiGate, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    answer, sentence = GATEWAYS[how]
    monkeypatch.setattr(transport, "LARGEST_MIB", LARGEST_MIB)
    late = sentence in ("no answer within", "not whole after")
    limit_s = LIMIT_S if late else PATIENCE_S  # a busy machine may be late with any other answer
    monkeypatch.setattr(transport, "_CONNECT_S", limit_s)
    client.timeout_s, api.otherwise = limit_s, answer
    with pytest.raises((GatewayLost, Refused, Malformed), match=sentence) as told:
        client.rows(PATH)
    assert len(str(told.value)) < 500


def test_promise_3_a_gateway_that_agrees_on_no_tls_is_not_waited_for(
    client: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "_CONNECT_S", LIMIT_S)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}"
        one = FortiGate(url, "t", client.ca_file, timeout_s=LIMIT_S)
        with pytest.raises(GatewayLost, match="no answer within"):
            one.rows(PATH)
        one.close()


class Time:
    """A clock that goes on only where somebody waits, and a little with each look."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """Seconds."""
        self.now += 0.001
        return self.now

    def select(self, *sockets: object) -> None:
        """Wait for as long as is asked for, at most half a second."""
        self.now += min(sockets[-1], 0.5)


class Channel:
    """A session whose other side does as it likes.

    Args:
        time: that goes by.
        comes: what stands on both channels at each look: standard output, standard error.
        ends: whether it says at once that nothing more will come.
    """

    closed = False
    exit_status = -1

    def __init__(self, time: Time, comes: Callable[[], tuple[bytes, bytes]], ends: bool) -> None:
        self._time, self._comes, self.eof_received = time, comes, ends
        self.read, self._now = 0, (b"", b"")
        self.status_event = SimpleNamespace(wait=self._wait)

    def settimeout(self, seconds: float) -> None:
        """Nothing here waits by itself."""

    def exec_command(self, command: str) -> None:
        """Taken."""

    def send(self, data: memoryview) -> int:
        """Taken as well."""
        return len(data)

    def recv_ready(self) -> bool:
        """Whether there is any standard output."""
        self._now = self._comes()
        return bool(self._now[0])

    def recv_stderr_ready(self) -> bool:
        """Whether there is any standard error."""
        return bool(self._now[1])

    def recv(self, most: int) -> bytes:
        """Some of it."""
        self.read += len(self._now[0][:most])
        return self._now[0][:most]

    def recv_stderr(self, most: int) -> bytes:
        """Some of it."""
        self.read += len(self._now[1][:most])
        return self._now[1][:most]

    def _wait(self, seconds: float) -> bool:
        self._time.now += seconds
        return False


def once(*words: bytes) -> Callable[[], tuple[bytes, bytes]]:
    """What comes at the first looks; nothing afterwards."""
    left = list(words)
    return lambda: (left.pop(0) if left else b"", b"")


_FULL = b"x" * 2**18
ENDPOINTS = {
    # what comes, whether it says that nothing more will; how that ends
    "says nothing": (lambda: (b"", b""), False, NoShell),
    "begins and goes on": (once(b"MARK"), False, TimeoutError),
    "drips": (lambda: (b"MARK", b""), False, TimeoutError),
    "drips on standard error": (lambda: (b"", b"x"), False, NoShell),
    "floods": (lambda: (_FULL, b""), False, TooLarge),
    "floods standard error": (lambda: (b"", _FULL), False, TooLarge),
    "floods both": (lambda: (_FULL, _FULL), False, TooLarge),
    "floods after its end": (lambda: (_FULL, b""), True, TooLarge),
    "ends without a status": (once(b"MARK"), True, EOFError),
    "ends without a word": (lambda: (b"", b""), True, EOFError),
}
COMMAND_S, MOST = 15, 2**21


@pytest.mark.parametrize("how", ENDPOINTS)
def test_promise_3_an_endpoint_is_read_within_bounds(
    monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    comes, ends, why = ENDPOINTS[how]
    time, asked = Time(), wrapped(Script("true"))
    mark = f"{asked.mark}\n".encode()

    def marked() -> tuple[bytes, bytes]:
        out, err = comes()
        return out.replace(b"MARK", mark), err

    monkeypatch.setattr(ssh_session, "time", time)
    monkeypatch.setattr(ssh_session, "select", time)
    channel, began = Channel(time, marked, ends), time.now
    with pytest.raises(why):
        Session(channel, began + COMMAND_S, MOST).run(asked)
    assert time.now - began <= COMMAND_S + 5
    assert channel.read <= MOST + len(_FULL)
