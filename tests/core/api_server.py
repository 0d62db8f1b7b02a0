"""A small HTTPS server on the loopback that answers what a test tells it to."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

Answer = Callable[["_Handler"], None]


@dataclass
class Call:
    """A call that came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


def told(status: int = 200, /, **fields: Any) -> Answer:
    """An answer in the API's envelope."""
    return text(status, json.dumps({"status": "success" if status < 400 else "error", **fields}))


def refused(error: int, words: str = "") -> Answer:
    """A refusal by the CLI, as FortiOS answers it: HTTP 500 with an error number."""
    return told(500, error=error, cli_error=words)


def text(status: int, body: str, **headers: str) -> Answer:
    """Any text."""

    def answer(handler: _Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body.encode())))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


def broken_off(handler: _Handler) -> None:
    """A connection that ends in the middle of the body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"results": [')
    handler.close_connection = True


def silence(handler: _Handler) -> None:
    """No answer until the server ends."""
    handler.server.ended.wait(20)
    handler.close_connection = True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedApi

    def _serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(content) if content else None
        self.server.calls.append(Call(self.command, self.path, dict(self.headers), body))
        script = self.server.script
        (script.pop(0) if script else self.server.otherwise)(self)

    do_GET = do_POST = do_PUT = do_DELETE = _serve

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@dataclass
class _Script:
    script: list[Answer] = field(default_factory=list)
    otherwise: Answer = field(default_factory=lambda: told(results=[]))
    calls: list[Call] = field(default_factory=list)
    broken_handshakes: int = 0


class ScriptedApi(_Script, ThreadingHTTPServer):
    """The server.

    Attributes:
        script: answers to the next calls, one each.
        otherwise: the answer when the script is at its end.
        calls: what came in.
        broken_handshakes: how many connections are closed before TLS is agreed.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, certificates: Path) -> None:
        _Script.__init__(self)
        self.ended = threading.Event()
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificates / "server.pem", certificates / "server.key")
        ThreadingHTTPServer.__init__(self, ("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"https://127.0.0.1:{self.server_port}"

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Agree on TLS, in the connection's own thread."""
        if self.broken_handshakes:
            self.broken_handshakes -= 1
            return
        with self._tls.wrap_socket(request, server_side=True) as tls:
            super().finish_request(tls, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()
        self._thread.join(5)
