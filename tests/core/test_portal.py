"""The control of a failed VPN log-in: the portal asked without the VPN program."""

from __future__ import annotations

import hashlib
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.scenarios.remote_access import portal
from gatepass.scenarios.remote_access.configuration import VpnUser
from gatepass.scenarios.remote_access.portal import Portal, log_in, must_be_the_gateways

USER = VpnUser(1, "alice", "right & secret", None)
XML = "<sslvpn-tunnel ver='2'><ipv4><assigned-addr ipv4='198.19.210.1'/></ipv4></sslvpn-tunnel>"
LET_IN, NO_ADDRESS = Portal(True, True, True, "198.19.210.1", ""), Portal(True, True, True, "", "x")


class Front(BaseHTTPRequestHandler):
    """As much of a portal as a log-in needs."""

    seen: list[str]
    xml = XML

    def do_GET(self) -> None:
        known = "SVPNCOOKIE=good" in self.headers.get("Cookie", "")
        self.seen.append(self.path)
        self._tell(200 if known or self.path == "/remote/login" else 403, self.xml)

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.seen.append("password " + form["credential"][0])
        right = form["credential"] == [USER.password]
        cookie = "SVPNCOOKIE=good; path=/" if right else "SVPNCOOKIE=; path=/"
        self._tell(200, "ret=1" if right else "ret=0,err=denied", cookie)

    def _tell(self, status: int, text: str, cookie: str = "") -> None:
        self.send_response(status)
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def front(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPServer]:
    """A portal on this machine, which may be busy."""
    monkeypatch.setattr(portal, "_PATIENCE_S", 60)
    Front.seen = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    with HTTPServer(("127.0.0.1", 0), Front) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def fingerprint(certificates: Path) -> str:
    """Of its certificate."""
    text = (certificates / "server.pem").read_text()
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(text[: text.index("-----END") + 30])).hexdigest()


def test_a_user_is_let_in_and_logged_out_again(
    shell: LocalShell, front: HTTPServer, fingerprint: str
) -> None:
    told = log_in(shell, "127.0.0.1", front.server_port, fingerprint, USER)
    assert told == LET_IN
    assert Front.seen[-1] == "/remote/logout"
    assert not Path(shell.folder(), "portal.job").exists()


def test_a_wrong_password_is_refused(
    shell: LocalShell, front: HTTPServer, fingerprint: str
) -> None:
    other = VpnUser(1, "alice", "wrong", None)
    told = log_in(shell, "127.0.0.1", front.server_port, fingerprint, other)
    assert (told.reached, told.let_in, told.address) == (True, False, "")
    assert "ret=0,err=denied" in must_be_the_gateways(told, "openconnect")


def test_nobody_else_gets_the_password(shell: LocalShell, front: HTTPServer) -> None:
    told = log_in(shell, "127.0.0.1", front.server_port, "00" * 32, USER)
    assert (told.reached, told.same, told.let_in) == (True, False, False)
    assert Front.seen == []


def test_nobody_there(shell: LocalShell, front: HTTPServer) -> None:
    told = log_in(shell, "127.0.0.1", 1, "00" * 32, USER)
    assert not told.reached and "refused" in told.words


def test_what_the_portal_grants_may_be_the_programs_fault() -> None:
    with pytest.raises(NotProven, match=r"gives the address 198\.19\.210\.1: .* Check openconn"):
        must_be_the_gateways(LET_IN, "openconnect")


def test_a_log_in_without_an_address_is_the_gateways() -> None:
    assert "gets no address (x)" in must_be_the_gateways(NO_ADDRESS, "openconnect")
