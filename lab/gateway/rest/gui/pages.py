"""Serves the web page, at the addresses that FortiOS has its own at."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from string import Template
from urllib.parse import quote

from aiohttp import web

from lab.gateway.access import Caller
from lab.gateway.device import Device
from lab.gateway.rest.envelope import HTML, Answer
from lab.gateway.rest.envelope import html as error_page

POLICIES = "ng/firewall/policy/policy/standard"
"""Where the list of policies is."""
_LOGIN, _PROMPT, _FILES = "login", "prompt", "gui/"
_HERE = Path(__file__).parent / "files"
_LOCAL = re.compile(r"/(?!/)[!-\[\]-~]*")
"""Printable, without the backslash and white space that browsers read as something else."""
_TYPES = {".css": "text/css", ".js": "text/javascript"}
_SERVED = {file.name: file for file in _HERE.iterdir() if file.suffix in _TYPES}
_HEADERS = (
    ("Content-Security-Policy", "default-src 'self'; img-src data:; frame-ancestors 'self'"),
    ("Strict-Transport-Security", "max-age=15552000"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
)
_FRAMED = (("Content-Security-Policy", "default-src 'self'; img-src data:; frame-ancestors *"),)


class Gui:
    """The web page.

    Args:
        device: the gateway.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._pages = {
            name: Template((_HERE / f"{name}.html").read_text(encoding="utf-8"))
            for name in ("login", "prompt", "policies")
        }

    def serves(self, path: str) -> bool:
        """Whether a path is one of the page's."""
        path = path.rstrip("/")
        return path in ("", _LOGIN, _PROMPT) or path.startswith(("ng/", _FILES)) or path == "ng"

    def answer(self, path: str, request: web.BaseRequest, caller: Caller | None) -> Answer:
        """Serve one call.

        Args:
            path: without its first slash.
            request: with its query.
            caller: of a session; None for nobody.
        """
        if request.method not in ("GET", "HEAD"):
            return error_page(405, "Method Not Allowed", "The method is not allowed here.")
        path = path.rstrip("/")
        if path.startswith(_FILES):
            return _file(path.removeprefix(_FILES))
        if path == _LOGIN:
            return self._page("login")
        if caller is None:
            return _elsewhere(f"/{_LOGIN}?redir={quote('/' + path, safe='')}")
        if path == _PROMPT:
            return self._page("prompt", next=_local(request.query.get("redir", "")))
        if path == POLICIES:
            return self._page("policies", administrator=caller.name, bent=self._bent())
        if path in ("", "ng"):
            return _elsewhere(f"/{POLICIES}")
        return error_page(404, "Not Found", "The lab's gateway has no such page.")

    def _page(self, name: str, **more: str) -> Answer:
        version = self._device.identity.version
        hostname = self._device.database.state.singleton("system/global")["hostname"]
        words = {
            "hostname": hostname,
            "release": str(version),
            "login": "logincheck" if version.cookie_login else "authentication",
            **more,
        }
        escaped = {key: html.escape(text) for key, text in words.items()}
        page = self._pages[name].substitute(escaped).encode()
        framed = "gui-frameable" in self._device.faults
        return Answer(200, page, HTML, headers=_FRAMED if framed else _HEADERS)

    def _bent(self) -> str:
        """What the list is to do wrong on purpose."""
        faults = self._device.faults
        told = {name: name in faults for name in ("gui-search-misses", "gui-script-error")}
        slow = "gui-slows-down"
        pair_us = faults.parameter(slow, "microseconds") if slow in faults else 0
        return json.dumps({**told, slow: pair_us})


def _file(name: str) -> Answer:
    file = _SERVED.get(name)
    if file is None:
        return error_page(404, "Not Found", "The requested URL was not found on this server.")
    return Answer(200, file.read_bytes(), _TYPES[file.suffix], headers=_HEADERS)


def _elsewhere(path: str) -> Answer:
    page = error_page(302, "Found", "The page is elsewhere.")
    return replace(page, headers=(*_HEADERS, ("Location", path)))


def _local(target: str) -> str:
    """A path on this server; what points anywhere else leads to the first page."""
    return target if _LOCAL.fullmatch(target) else "/"
