"""The gateway's web page as HTTP has it: who is let in, where to, and under which headers."""

from __future__ import annotations

import re

import pytest
import requests
from gateway_client import GatewayUnderTest

from conftest import MakeGateway

POLICIES = "/ng/firewall/policy/policy/standard"
EVERY = ("/login", "/gui/policies.js", POLICIES)
RELEASES = ("7.4.8", "7.6.4")


def password(gateway: GatewayUnderTest) -> str:
    """The administrator's."""
    return (gateway.folder / "admin-password").read_text().strip()


def visit(session: requests.Session, gateway: GatewayUnderTest, path: str) -> requests.Response:
    """A page as it comes, wherever it leads."""
    return session.get(gateway.url + path, timeout=60, allow_redirects=False)


@pytest.fixture(params=RELEASES)
def gateway(request: pytest.FixtureRequest, gateway_of: MakeGateway) -> GatewayUnderTest:
    """One of each kind of log-in."""
    return gateway_of(request.param)


@pytest.fixture
def session(gateway: GatewayUnderTest) -> requests.Session:
    """A browser in which somebody has logged in as the page does it."""
    visitor = gateway.new_session(None)
    login = re.search(r'data-login="(\w+)"', visit(visitor, gateway, "/login").text)
    assert login
    fields = {"username": "admin", "secretkey": password(gateway)}
    if login[1] == "logincheck":
        told = visitor.post(f"{gateway.url}/logincheck", {**fields, "ajax": "1"}, timeout=60)
        assert told.text.startswith("1")
    else:
        told = visitor.post(f"{gateway.url}/api/v2/authentication", json=fields, timeout=60)
        assert told.json()["status_message"] == "LOGIN_SUCCESS"
    return visitor


@pytest.mark.parametrize("path", ["/", "/ng", POLICIES, "/prompt"])
def test_without_a_session_there_is_only_the_log_in(gateway: GatewayUnderTest, path: str) -> None:
    with gateway.new_session(None) as nobody:
        answer = visit(nobody, gateway, path)
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login?redir=%2F")
        page = visit(nobody, gateway, answer.headers["Location"])
    assert page.status_code == 200
    for name in ('id="username"', 'id="secretkey"', 'id="login_button"', "LAB"):
        assert name in page.text


def test_with_a_session_there_are_the_policies(
    gateway: GatewayUnderTest, session: requests.Session
) -> None:
    first = visit(session, gateway, "/")
    assert (first.status_code, first.headers["Location"]) == (302, POLICIES)
    page = visit(session, gateway, POLICIES)
    assert page.status_code == 200
    assert "LAB: a stand-in, not a FortiGate" in page.text
    assert gateway.version in page.text
    assert visit(session, gateway, "/ng/system/dashboard").status_code == 404


def test_a_log_out_ends_the_session(gateway: GatewayUnderTest, session: requests.Session) -> None:
    kept = session.cookies.copy()
    assert session.post(f"{gateway.url}/logout", timeout=60).status_code == 200
    session.cookies = kept
    assert visit(session, gateway, POLICIES).status_code == 302


@pytest.mark.parametrize("path", EVERY)
def test_a_browser_is_told_to_be_careful(
    gateway: GatewayUnderTest, session: requests.Session, path: str
) -> None:
    headers = visit(session, gateway, path).headers
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "max-age" in headers["Strict-Transport-Security"]


@pytest.mark.parametrize(
    "name", ["../pages.py", "%2e%2e/pages.py", "policies.html", "nothing.js", "", "/etc/passwd"]
)
def test_no_other_file_is_served(gateway: GatewayUnderTest, name: str) -> None:
    with gateway.new_session(None) as nobody:
        call = requests.Request("GET", f"{gateway.url}/gui/").prepare()
        call.url = f"{gateway.url}/gui/{name}"  # as it is, with its dots
        assert nobody.send(call, timeout=60, verify=nobody.verify).status_code == 404


@pytest.mark.parametrize(
    ("redir", "leads"),
    [
        ("/ng/firewall", "/ng/firewall"),
        ("https://elsewhere.test/", "/"),
        ("//elsewhere.test/", "/"),
        ("/\\elsewhere.test/", "/"),
        ("/\t/elsewhere.test/", "/"),
        ("javascript:alert(1)", "/"),
        ('/"><script>', "/&quot;&gt;&lt;script&gt;"),
    ],
)
def test_what_follows_the_log_in_is_here(
    gateway: GatewayUnderTest, session: requests.Session, redir: str, leads: str
) -> None:
    page = session.get(f"{gateway.url}/prompt", params={"redir": redir}, timeout=60)
    assert f'href="{leads}"' in page.text


def test_a_page_is_only_read(gateway: GatewayUnderTest, session: requests.Session) -> None:
    assert session.post(gateway.url + POLICIES, timeout=60).status_code == 405
