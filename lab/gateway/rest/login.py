"""Logins with a password: `/logincheck` before 7.6.3, `/api/v2/authentication` from then on."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from aiohttp import web

from lab.gateway.access import Access
from lab.gateway.call import parse_query
from lab.gateway.device import Device
from lab.gateway.rest.envelope import HTML, Answer, html, to_json

_PATHS = ("logincheck", "logout")
_AUTHENTICATION = "api/v2/authentication"
_FAILED, _OK, _LOCKED = "0", "1", "2"
LOGIN_SUCCESS, LOGIN_FAILED, LOGIN_LOCKED = 5, -1, -2


class Login:
    """Serves logins and log-outs.

    Args:
        device: the gateway.
        access: keeps the sessions.
    """

    def __init__(self, device: Device, access: Access) -> None:
        self._device = device
        self._access = access
        number = int(hashlib.md5(device.identity.serial.encode(),
                                 usedforsecurity=False).hexdigest()[:12], 16)
        self.session_cookie = f"APSCOOKIE_{number}"

    def serves(self, path: str) -> bool:
        """Whether a path is one of this release's logins."""
        path = path.rstrip("/")
        if path == _AUTHENTICATION:
            return not self._device.identity.version.cookie_login
        return path in _PATHS

    async def answer(self, path: str, request: web.Request) -> Answer:
        """Serve one call."""
        path = path.rstrip("/")
        address = request.remote or "0.0.0.0"
        if path == "logout":
            return self._log_out(request)
        if path == _AUTHENTICATION and request.method == "DELETE":
            kind, _, key = request.headers.get("Authorization", "").partition(" ")
            self._access.log_out(key if kind.lower() == "bearer" else "")
            return Answer(200, to_json({"status_code": LOGIN_SUCCESS,
                                        "status_message": "LOGOUT_SUCCESS"}))
        if request.method != "POST":
            return html(405, "Method Not Allowed", "The method is not allowed here.")
        if path == _AUTHENTICATION:
            return self._authenticate(_object(await request.read()), address)
        form = parse_query((await request.read()).decode(errors="replace"))
        return self._log_in(form.get("username", [""])[-1], form.get("secretkey", [""])[-1],
                            address)

    def _log_in(self, name: str, password: str, address: str) -> Answer:
        if self._access.lock_out.is_locked(address):
            return Answer(200, _LOCKED.encode(), HTML)
        session = self._access.log_in(name, password, address, with_csrf=True)
        if session is None:
            return Answer(200, _FAILED.encode(), HTML)
        body = f'{_OK}document.location="/prompt?viewOnly&redir=%2F";\n'.encode()
        if not self._device.identity.version.cookie_login:
            self._access.log_out(session[0])
            return Answer(200, body, HTML)
        attributes = "path=/; secure; HttpOnly; SameSite=Lax"
        return Answer(200, body, HTML, (
            f'{self.session_cookie}="{session[0]}"; {attributes}',
            f'{self._csrf_cookie}="{session[1].csrf}"; path=/; secure; SameSite=Lax'))

    @property
    def _csrf_cookie(self) -> str:
        port = self._device.database.state.singleton("system/global")["admin-sport"]
        name = f"ccsrftoken_{port}"
        if self._device.identity.version.hashed_csrf_cookie:
            name += "_" + hashlib.md5(self.session_cookie.encode(),
                                      usedforsecurity=False).hexdigest()[:16]
        return name

    def _authenticate(self, body: dict[str, Any], address: str) -> Answer:
        name, password = body.get("username"), body.get("secretkey")
        if not isinstance(name, str) or not isinstance(password, str):
            return Answer(424, to_json({"status_code": LOGIN_FAILED,
                                        "status_message": "LOGIN_FAILED"}))
        if self._access.lock_out.is_locked(address):
            return Answer(429, to_json({"status_code": LOGIN_LOCKED,
                                        "status_message": "LOGIN_LOCKED"}))
        session = self._access.log_in(name, password, address, with_csrf=False)
        if session is None:
            return Answer(401, to_json({"status_code": LOGIN_FAILED,
                                        "status_message": "LOGIN_FAILED"}))
        fields: dict[str, Any] = {"status_code": LOGIN_SUCCESS, "status_message": "LOGIN_SUCCESS"}
        if body.get("request_key"):
            fields["session_key"] = session[0]
        return Answer(200, to_json(fields))

    def _log_out(self, request: web.Request) -> Answer:
        key = request.cookies.get(self.session_cookie, "")
        self._access.log_out(key)
        gone = f'{self.session_cookie}=""; path=/; Max-Age=0'
        page = html(200, "Logged out", "The session has ended.")
        return Answer(page.status, page.body, page.content_type, (gone,))


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
