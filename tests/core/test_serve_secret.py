"""Who may read the pages over the results: who has the address that was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from served import COOKIES, FIRST, SECOND, asked, results, served, token_of

NONE = "Cookie: other=1"
PATHS = (
    *("/", "/runs.csv", f"/compare?run={FIRST}&run={SECOND}", "/compare.csv", "/live.js"),
    *("/events", f"/events/{FIRST}", f"/runs/{FIRST}", f"/files/{FIRST}/certificate.html"),
    *(f"/left/{'0' * 64}/{FIRST}/certificate.html", "/files/nobody/a.txt", "/nothing"),
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(results(tmp_path_factory.mktemp("results"))) as there:
        yield there


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_who_lacks_the_secret_learns_nothing(url: str, path: str, method: str) -> None:
    """Not even what there is: all of it is refused alike."""
    for word in (NONE, f"{NONE}; {COOKIES[url][:-1]}", f"{NONE}; {COOKIES[url]}x", "Cookie: ä=ö"):
        status, answer = asked(url, f"{method} {path}\n{word}")
        assert status == 403 and "Set-Cookie" not in answer and "Oy" not in answer
        if method != "HEAD":
            body = answer.partition("\r\n\r\n")[2]
            assert body == (
                "Copy the address that ./run.sh serve has printed into the address bar of your "
                "browser: it holds the secret that opens these pages.\n"
            )


@pytest.mark.parametrize("token", ["", "x", "%00", "%C3%A4", "A" * 43])
def test_a_wrong_secret_is_none(url: str, token: str) -> None:
    status, answer = asked(url, f"GET /?token={token}\n{NONE}")
    assert status == 403 and "Set-Cookie" not in answer


def test_the_printed_address_is_exchanged_for_a_cookie(url: str) -> None:
    """So that the secret stays in no history, and is sent to nobody as a referrer."""
    status, answer = asked(url, f"GET /runs/{FIRST}?token={token_of(url)}&text=a\n{NONE}")
    assert status == 303
    assert f"\r\nLocation: /runs/{FIRST}?text=a\r\n" in answer
    (cookie,) = re.findall(r"\r\nSet-Cookie: ([^\r]*)", answer)
    assert cookie.startswith(COOKIES[url]) and "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie and "Max-Age" not in cookie and "expires" not in cookie
    for path in ("/", f"/runs/{FIRST}", f"/files/{FIRST}/certificate.html"):
        status, page = asked(url, f"GET {path}")
        assert status == 200 and token_of(url) not in page


@pytest.mark.parametrize("site", ["cross-site", "same-site", "other"])
def test_another_site_sends_nobody_here(url: str, site: str) -> None:
    """Not one on another port of the loopback either."""
    for path in ("/", f"/files/{FIRST}/certificate.html", f"/?token={token_of(url)}"):
        assert asked(url, f"GET {path}\nSec-Fetch-Site: {site}")[0] == 403
    for own in ("same-origin", "none"):
        assert asked(url, f"GET /\nSec-Fetch-Site: {own}")[0] == 200


def test_no_other_site_shows_anything_of_it(url: str) -> None:
    for path in ("/", f"/files/{FIRST}/certificate.html", "/live.js", "/nothing"):
        assert "\r\nCross-Origin-Resource-Policy: same-origin\r\n" in asked(url, f"GET {path}")[1]
    assert "\r\nCross-Origin-Resource-Policy: same-origin\r\n" in asked(url, f"GET /\n{NONE}")[1]


def test_a_page_that_a_run_has_left_opens_the_files_of_that_run_alone(url: str) -> None:
    """A browser keeps it in a box, out of which no cookie is sent."""
    status, answer = asked(url, f"GET /files/{FIRST}/certificate.html\nSec-Fetch-Dest: document")
    (there,) = re.findall(r"\r\nLocation: (/left/[0-9a-f]{64}/\S+)", answer)
    assert status == 303 and there.endswith(f"/{FIRST}/certificate.html")
    boxed = f"Sec-Fetch-Site: cross-site\n{NONE}"
    assert asked(url, f"GET {there}\n{boxed}")[0] == 200
    beside = there.replace("certificate.html", "trials.csv")
    assert asked(url, f"GET {beside}\n{boxed}")[0] == 200
    assert asked(url, f"GET {there.replace(FIRST, SECOND)}\n{boxed}")[0] == 403
    for out in (f"../{SECOND}/certificate.html", "gateway-before.conf", f"%2e%2e/{SECOND}/a.html"):
        assert asked(url, f"GET {there.replace('certificate.html', out)}\n{boxed}")[0] in (403, 404)


def test_each_server_has_a_secret_of_its_own(tmp_path: Path, url: str) -> None:
    with served(results(tmp_path)) as other:
        assert token_of(other) != token_of(url)
        assert COOKIES[other].partition("=")[0] != COOKIES[url].partition("=")[0]
        assert asked(other, f"GET /\nCookie: {COOKIES[url]}")[0] == 403
