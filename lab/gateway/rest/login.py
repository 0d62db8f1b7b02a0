"""Logins with a password: by `/logincheck`, and by `/api/v2/authentication`."""

from __future__ import annotations

import hashlib
import json
from http.cookies import CookieError, SimpleCookie
from typing import Any

from aiohttp import web

from lab.gateway.access import Access, AdminSession
from lab.gateway.call import parse_query
from lab.gateway.device import Device
from lab.gateway.rest.envelope import HTML, Answer, html, to_json
from lab.gateway.rest.server import body_of

_AUTHENTICATION = "api/v2/authentication"
_PATHS = ("logincheck", "logout", _AUTHENTICATION)
_FAILED, _OK, _LOCKED = "0", "1", "2"
LOGIN_SUCCESS, LOGIN_FAILED, LOGIN_LOCKED = 5, -1, -2
_BEFORE_PORTS = "ccsrftoken"
"""What the CSRF cookie was called before 7.2.4, and the only name that some clients know."""


class Login:
    """Serves logins and log-outs.

    Args:
        device: the gateway.
        access: keeps the sessions.
    """

    def __init__(self, device: Device, access: Access) -> None:
        self._device = device
        self._access = access
        number = int(_digest(device.identity.serial)[:12], 16)
        self._session_cookie = f"APSCOOKIE_{number}"

    def serves(self, path: str) -> bool:
        """Whether a path is one of the logins."""
        return path.rstrip("/") in _PATHS

    def session_of(self, request: web.BaseRequest) -> str:
        """The session that a request names in a cookie; empty if it names none."""
        try:
            cookies = SimpleCookie(request.headers.get("Cookie", ""))
        except CookieError:
            return ""
        found = (cookies.get(name) for name in (self._session_cookie, self._named("session_key")))
        return next((cookie.value for cookie in found if cookie is not None), "")

    def _named(self, cookie: str) -> str:
        """The name of a cookie, which tells the port, and in later releases the device."""
        port = self._device.database.state.singleton("system/global")["admin-sport"]
        name = f"{cookie}_{port}"
        if self._device.identity.version.hashed_cookies:
            name += f"_{_digest(self._session_cookie)[:16]}"
        return name

    async def answer(self, path: str, request: web.BaseRequest) -> Answer:
        """Serve one call."""
        path = path.rstrip("/")
        address = request.remote or "0.0.0.0"
        if path == "logout":
            return self._log_out(request)
        if path == _AUTHENTICATION and request.method == "DELETE":
            kind, _, key = request.headers.get("Authorization", "").partition(" ")
            self._access.log_out(key if kind.lower() == "bearer" else self.session_of(request))
            return _outcome(200, LOGIN_SUCCESS, "LOGOUT_SUCCESS")
        if request.method != "POST":
            return html(405, "Method Not Allowed", "The method is not allowed here.")
        if path == _AUTHENTICATION:
            return self._authenticate(_object(await body_of(request)), address)
        form = parse_query((await body_of(request)).decode(errors="replace"))
        return self._log_in(form.get("username", [""])[-1], form.get("secretkey", [""])[-1],
                            address)

    def _log_in(self, name: str, password: str, address: str) -> Answer:
        """`/logincheck`, which yields no session any more from 7.6.3 on."""
        if self._access.lock_out.is_locked(address):
            return Answer(200, _LOCKED.encode(), HTML)
        session = self._access.log_in(name, password, address, with_csrf=True)
        if session is None:
            return Answer(200, _FAILED.encode(), HTML)
        body = f'{_OK}document.location="/prompt?viewOnly&redir=%2F";\n'.encode()
        version = self._device.identity.version
        if not version.cookie_login:
            self._access.log_out(session[0])
            return Answer(200, body, HTML)
        csrf = [self._named("ccsrftoken")]
        if not version.hashed_cookies:
            csrf.append(_BEFORE_PORTS)
        return Answer(200, body, HTML, self._cookies(session, self._session_cookie, *csrf))

    def _authenticate(self, body: dict[str, Any], address: str) -> Answer:
        """`/api/v2/authentication`: a key where one is requested, else cookies."""
        name, password = body.get("username"), body.get("secretkey")
        if password is None and not self._device.identity.version.cookie_login:
            password = body.get("password")
        if not isinstance(name, str) or not isinstance(password, str):
            return _outcome(424, LOGIN_FAILED, "LOGIN_FAILED")
        if self._access.lock_out.is_locked(address):
            return _outcome(429, LOGIN_LOCKED, "LOGIN_LOCKED")
        wants_key = body.get("request_key") is True
        session = self._access.log_in(name, password, address, with_csrf=not wants_key)
        if session is None:
            return _outcome(401, LOGIN_FAILED, "LOGIN_FAILED")
        if wants_key:
            return _outcome(200, LOGIN_SUCCESS, "LOGIN_SUCCESS", session_key=session[0])
        return _outcome(200, LOGIN_SUCCESS, "LOGIN_SUCCESS", self._cookies(
            session, self._named("session_key"), self._named("ccsrf_token")))

    def _cookies(
        self, session: tuple[str, AdminSession], name: str, *csrf: str
    ) -> tuple[str, ...]:
        """The cookies of a session: its key by this name, what its writes repeat by the others."""
        key, csrf_token = session[0], session[1].csrf
        bare = "gui-cookie-bare" in self._device.faults
        attributes = "path=/" if bare else "path=/; secure; SameSite=Lax"
        return (f'{name}="{key}"; {attributes}' + "; HttpOnly" * (not bare),
                *(f'{one}="{csrf_token}"; {attributes}' for one in csrf))

    def _log_out(self, request: web.BaseRequest) -> Answer:
        self._access.log_out(self.session_of(request))
        gone = f'{self._session_cookie}=""; path=/; Max-Age=0'
        page = html(200, "Logged out", "The session has ended.")
        return Answer(page.status, page.body, page.content_type, (gone,))


def _outcome(status: int, code: int, message: str, cookies: tuple[str, ...] = (),
             **more: str) -> Answer:
    fields = {"status_code": code, "status_message": message, **more}
    return Answer(status, to_json(fields), cookies=cookies)


def _digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
