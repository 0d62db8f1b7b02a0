"""From HTTP to the API: who calls, what is called, what goes wrong on purpose."""

from __future__ import annotations

import asyncio
import logging
import time

from aiohttp import web

from lab.gateway.access import Access, Caller
from lab.gateway.call import Call, parse_query, split_path
from lab.gateway.cmdb.editor import Location
from lab.gateway.device import Device
from lab.gateway.errors import INTERNAL, CmdbError
from lab.gateway.rest.cmdb import Cmdb
from lab.gateway.rest.envelope import VDOM, Answer, error_fields, html, to_json
from lab.gateway.rest.gui.pages import Gui
from lab.gateway.rest.log import Logs
from lab.gateway.rest.login import Login
from lab.gateway.rest.monitor import Monitors
from lab.gateway.rest.odd_answers import in_its_way
from lab.gateway.rest.server import body_of, response

log = logging.getLogger("lab.gateway.access")

_API = "api/v2/"


class Api:
    """The web server's handler.

    Args:
        device: the gateway.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._access = Access(device.database, device.vault, device.faults)
        self._login = Login(device, self._access)
        self._cmdb = Cmdb(device)
        self._monitors = Monitors(device)
        self._logs = Logs(device)
        self._gui = Gui(device)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request, whatever its path."""
        started, path = time.monotonic(), request.rel_url.raw_path
        try:
            answer = await self._answer(request)
        except CmdbError as error:
            answer = self._failed(request, error)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception:
            log.exception("%s %s ended in a fault of the gateway", request.method, path)
            answer = self._failed(request, CmdbError(INTERNAL, "Internal error."))
        log.info("%s %s %s %d %.1f ms", request.remote, request.method, path, answer.status,
                 1000 * (time.monotonic() - started))
        return await self._send(request, answer)

    async def _answer(self, request: web.BaseRequest) -> Answer:
        path = request.rel_url.raw_path.lstrip("/")
        if self._login.serves(path):
            return await self._login.answer(path, request)
        if self._gui.serves(path):
            session = self._login.session_of(request)
            return self._gui.answer(path, request, self._access.by_session(session))
        if not path.startswith(_API):
            return html(404, "Not Found", "The requested URL was not found on this server.")
        parts = split_path(path.removeprefix(_API))
        struck = await self._fault("/".join(parts), request.method)
        if struck is not None:
            return struck
        address = request.remote or "0.0.0.0"
        if self._access.lock_out.is_locked(address):
            return html(429, "Too Many Requests", "Access temporarily blocked after failed logins.")
        caller = self._caller(request, address)
        if caller is None:
            return html(401, "Unauthorized", "This server could not verify that you are "
                        "authorized to access the document requested.")
        if caller.csrf is not None and request.method != "GET" and (
                request.headers.get("X-CSRFTOKEN", "").strip('"') != caller.csrf):
            return html(403, "Forbidden", "The CSRF token is missing or wrong.")
        call = Call(request.method, parts, parse_query(request.rel_url.raw_query_string),
                    await body_of(request), caller, request.headers.get("X-TRANSACTION-ID"))
        return in_its_way(self._device.faults, call, await self._served(request, call))

    async def _served(self, request: web.BaseRequest, call: Call) -> Answer:
        branch = call.parts[0] if call.parts else ""
        if branch == "cmdb":
            if "gui-editor-saves" in self._device.faults and call.caller.csrf is not None:
                self._save_unasked(call)
            return self._cmdb.answer(call)
        if branch == "monitor":
            return await self._monitors.answer(call)
        if branch == "log":
            return self._logs.answer(call)
        return self._failed(request, CmdbError(-1, "There is no such branch of the API.", 404))

    def _save_unasked(self, call: Call) -> None:
        """What a session looks at by itself is changed."""
        _, *table, mkey = call.parts
        if call.method == "GET" and table == ["firewall", "policy"]:
            with self._device.database.change() as editor:
                editor.update(Location("firewall/policy", mkey), {"comments": "looked at"})

    def _caller(self, request: web.BaseRequest, address: str) -> Caller | None:
        """Who calls; a wrong token counts as a failed login, none does not."""
        token = self._token(request)
        if token is not None:
            caller = self._access.by_token(token, address)
            if caller is None:
                self._access.lock_out.fail(address)
            else:
                self._access.lock_out.succeed(address)
            return caller
        caller = self._access.by_session(self._login.session_of(request))
        if caller is None and "token-ignored" in self._device.faults:
            return self._access.anyone()
        return caller

    def _token(self, request: web.BaseRequest) -> str | None:
        header = request.headers.get("Authorization", "")
        kind, _, token = header.partition(" ")
        if kind.lower() == "bearer" and token.strip():
            return token.strip()
        in_url = request.query.get("access_token")
        switched_on = self._device.database.state.singleton("system/global").get(
            "rest-api-key-url-query") == "enable"
        if in_url and (self._device.identity.version.token_in_url or switched_on):
            return in_url
        return None

    async def _fault(self, path: str, method: str) -> Answer | None:
        """What a fault of the API answers in the place of the gateway."""
        faults = self._device.faults
        if faults.strikes("api-slow", path, method):
            await asyncio.sleep(faults.parameter("api-slow", "milliseconds") / 1000)
        if faults.strikes("api-hang", path, method):
            await asyncio.sleep(faults.parameter("api-hang", "seconds"))
            return html(504, "Gateway Timeout", "The server did not answer in time.")
        if faults.strikes("api-429", path, method):
            return html(429, "Too Many Requests", "Access temporarily blocked.")
        if faults.strikes("api-500", path, method):
            # no error number: that would be the command line's, and final
            return Answer(500, to_json({"http_method": method, "status": "error",
                                        "http_status": 500, "vdom": VDOM}
                                       | self._device.identity.signature()))
        return None

    def _failed(self, request: web.BaseRequest, error: CmdbError) -> Answer:
        fields = {"http_method": request.method, **error_fields(error), "vdom": VDOM,
                  "status": "error", "http_status": error.http_status}
        return Answer(error.http_status, to_json(fields | self._device.identity.signature()))

    async def _send(self, request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
        path = request.path.removeprefix("/" + _API).strip("/")
        if request.path.startswith("/" + _API) and self._device.faults.strikes(
                "api-drop", path, request.method):
            return await self._send_half(request, answer)
        return response(answer)

    @staticmethod
    async def _send_half(request: web.BaseRequest, answer: Answer) -> web.StreamResponse:
        """Half of an answer, after which the connection is gone."""
        half = web.StreamResponse(status=answer.status)
        half.content_type = answer.content_type
        half.content_length = len(answer.body)
        await half.prepare(request)
        await half.write(answer.body[:len(answer.body) // 2])
        if request.transport is not None:
            request.transport.abort()
        return half
