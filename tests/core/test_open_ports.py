"""Open ports and what they speak: real sockets on the loopback."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from played import Played

import Management
from gatepass.base.errors import NotProven
from gatepass.gateway import open_ports, port_language
from gatepass.gateway.open_ports import Looked, look
from gatepass.gateway.port_language import CLEAR, REDIRECT, SSH, TLS, UNKNOWN, language_of

HERE = "127.0.0.1"
Start = Callable[[Callable[[socket.socket], None]], int]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_language, "_PATIENCE_S", 0.3)


@pytest.fixture
def serve() -> Iterator[Start]:
    """Starts a server whose connections are handled as told, and gives its port."""
    servers: list[socket.socket] = []

    def start(handle: Callable[[socket.socket], None]) -> int:
        server = socket.create_server((HERE, 0), backlog=512)
        servers.append(server)

        def work() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    handle(connection)

        threading.Thread(target=work, daemon=True).start()
        return server.getsockname()[1]

    yield start
    for server in servers:
        server.close()


def http(answer: Callable[[bytes], bytes]) -> Callable[[socket.socket], None]:
    """A web server that answers a request line with this."""

    def handle(connection: socket.socket) -> None:
        line = connection.recv(4096).split(b"\r\n")[0]
        connection.sendall(b"HTTP/1.1 " + answer(line) + b"\r\nContent-Length: 0\r\n\r\n")

    return handle


def says(words: bytes) -> Callable[[socket.socket], None]:
    def handle(connection: socket.socket) -> None:
        connection.sendall(words)
        connection.recv(4096)

    return handle


def silent(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


def closed() -> int:
    """A port of nobody."""
    with socket.create_server((HERE, 0)) as server:
        return server.getsockname()[1]


def test_every_port_that_is_told_is_tried(serve: Start) -> None:
    known, other = serve(silent), serve(silent)
    assert look(HERE, known, [closed(), other, known]) == Looked(3, tuple(sorted((known, other))))


def test_all_ports_of_an_address_are_tried(serve: Start) -> None:
    ports = {serve(silent) for _ in range(3)}
    looked = look(HERE, min(ports))
    assert looked.tried == 65_535 and ports <= set(looked.open)


def test_silence_proves_nothing_where_the_known_port_is_silent_as_well() -> None:
    with pytest.raises(NotProven, match=r"answered 0 of 1 times .* their silence proves nothing"):
        look(HERE, port := closed(), [port])


def test_time_is_bounded(serve: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_ports, "_LIMIT_S", -1)
    with pytest.raises(NotProven, match="only a part of the 65,535 TCP ports"):
        look(HERE, serve(silent))


@pytest.mark.parametrize(
    ("answers", "language", "words"),
    [
        (says(b"SSH-2.0-x\r\n"), SSH, ""),
        (says(b"\xff\xfd\x18"), CLEAR, "Telnet"),
        (says(b"220 files here\r\n"), CLEAR, "“220 files here”"),
        (http(lambda line: b"401 Unauthorized"), CLEAR, "HTTP 401"),
        (http(lambda line: b"200 OK"), CLEAR, "HTTP 200"),
        (http(lambda line: b"302 Found\r\nLocation: https://x/"), REDIRECT, "https://x/"),
        (http(lambda line: b"302 Found\r\nLocation: http://x/login"), CLEAR, "HTTP 302"),
        (
            # a log-in that is served beside a redirect of everything else
            http(
                lambda line: b"200 OK"
                if line.startswith(b"POST /logincheck")
                else b"302 Found\r\nLocation: https://x/"
            ),
            CLEAR,
            "HTTP 200",
        ),
        (silent, UNKNOWN, ""),
    ],
)
def test_what_a_port_speaks(serve: Start, answers: Callable, language: str, words: str) -> None:
    spoken = language_of(HERE, serve(answers))
    assert (spoken.language, spoken.words) == (language, words)


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_3])
def test_tls_of_any_version_is_recognised(
    serve: Start, certificates: Path, newest: ssl.TLSVersion
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True):
            pass

    assert language_of(HERE, serve(handle)).language == TLS


@pytest.fixture
def check(serve: Start, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The check of a gateway with these open ports beside its own; what it observed."""

    def run(*answers: Callable[[socket.socket], None]) -> str:
        known = serve(says(b"SSH-2.0-x\r\n"))  # stands for what is encrypted
        ports = [known, *map(serve, answers)]
        monkeypatch.setattr(
            Management.open_ports, "look", lambda host, known: look(host, known, ports)
        )
        testbed = SimpleNamespace(gateway=SimpleNamespace(host=HERE, port=known))
        context = Played(testbed=testbed)
        Management.Management(context).the_management_plane_should_answer_over_https_only()
        return context.evidence[-1].observed

    return run


def test_clear_text_on_any_port_fails_the_check(check: Callable[..., str]) -> None:
    with pytest.raises(AssertionError, match=r"Port \d+ answers HTTP 401 to a call in clear text"):
        check(http(lambda line: b"401 Unauthorized"), silent)
    with pytest.raises(AssertionError, match=r"Port \d+ answers Telnet .* allowaccess"):
        check(says(b"\xff\xfd\x18"))


def test_what_cannot_be_told_is_not_proven(check: Callable[..., str]) -> None:
    with pytest.raises(NotProven, match=r"port \d+ accepts connections but sends nothing"):
        check(silent)


def test_what_is_encrypted_or_sends_on_passes_and_is_told(check: Callable[..., str]) -> None:
    seen = check(http(lambda line: b"301 Moved\r\nLocation: https://x/"))
    assert "speaks SSH" in seen and "only sends the caller to https://x/" in seen
    assert "All 2 TCP ports of 127.0.0.1 were tried; 2 of them accepted a connection." in seen
