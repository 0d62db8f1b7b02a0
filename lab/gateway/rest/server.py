"""The HTTP server below the API: how long it waits, and what it says to what is no request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from aiohttp import web

from lab.gateway.call import MOST_BODY_BYTES
from lab.gateway.errors import CmdbError, malformed
from lab.gateway.rest.envelope import Answer, html

log = logging.getLogger("lab.gateway.access")

HEAD_SECONDS = 20.0
"""From the first byte of a request, or from connecting, to the end of its head."""
BODY_SECONDS = 30.0
"""From the end of its head to the end of its body."""
LEFT_OVER_SECONDS = 3.0
"""For what is left of a body whose request was answered without it."""
IDLE_SECONDS = 300.0
"""Between two requests of a connection."""
SOFTWARE = "xxxxxxxx-xxxxx"
"""What a FortiGate says in the place of its web server's name."""

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def response(answer: Answer) -> web.Response:
    """An answer as it goes to the client; one to what could not be read ends the connection."""
    headers = [("Server", SOFTWARE), ("Cache-Control", "no-cache, no-store"),
               ("X-Frame-Options", "SAMEORIGIN")]
    headers += answer.headers
    headers += [("Set-Cookie", cookie) for cookie in answer.cookies]
    made = web.Response(status=answer.status, body=answer.body, headers=headers,
                        charset=answer.charset, content_type=answer.content_type)
    if answer.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_TIMEOUT):
        made.force_close()
    return made


class _Connection(web.RequestHandler):
    """One connection. Whoever is slower than a request needs loses it."""

    _timer: asyncio.TimerHandle | None = None
    _is_served = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_served:
            self._await_head()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.begin()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(HEAD_SECONDS, self._give_up)

    def _give_up(self) -> None:
        if self.transport is not None:
            # Closing in order would wait for the other side once more.
            self.transport.abort()

    def begin(self) -> None:
        """A head is there whole; what comes next is its body."""
        self._is_served = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end(self) -> None:
        """Its answer has been made; what comes next is another head."""
        self._is_served = False

    def handle_error(self, request: web.BaseRequest, status: int = 500,
                     exc: BaseException | None = None,
                     message: str | None = None) -> web.StreamResponse:
        """Answer what could not be read, with nothing of it: it may hold a token."""
        if request.writer.output_size > 0:
            raise ConnectionError("Part of an answer has gone out already.")
        log.info("%s what cannot be read as a request (%s) %d", request.remote,
                 type(exc).__name__, status)
        return response(_unreadable(status))


def _unreadable(status: int) -> Answer:
    text = ("Your browser sent a request that this server could not understand."
            if status == HTTPStatus.BAD_REQUEST else "The server could not complete the request.")
    return html(status, HTTPStatus(status).phrase, text)


class Server(web.Server):
    """Makes a connection of each that comes, and hands its requests on.

    Args:
        handler: answers a request.
    """

    def __init__(self, handler: Handler) -> None:
        super().__init__(self._serve, request_factory=self._request)
        self._handler = handler

    def __call__(self) -> web.RequestHandler:
        return _Connection(self, loop=asyncio.get_running_loop(), access_log=None,
                           keepalive_timeout=IDLE_SECONDS, lingering_time=LEFT_OVER_SECONDS)

    def _request(self, message: Any, payload: Any, protocol: Any, writer: Any,
                 task: Any) -> web.BaseRequest:
        protocol.begin()
        return web.BaseRequest(message, payload, protocol, writer, task,
                               asyncio.get_running_loop(), client_max_size=MOST_BODY_BYTES)

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._handler(request)
        finally:
            request.protocol.end()  # type: ignore[attr-defined]


async def body_of(request: web.BaseRequest) -> bytes:
    """The body of a request.

    Raises:
        CmdbError: it is too large, not what its head says, or not there whole in time.
    """
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await request.read()
    except TimeoutError:
        raise CmdbError(-1, "The body did not come in time.", HTTPStatus.REQUEST_TIMEOUT) from None
    except web.HTTPRequestEntityTooLarge:
        raise CmdbError(-1, f"The body is larger than {MOST_BODY_BYTES} bytes.", 413) from None
    except web.RequestPayloadError:
        raise malformed("The body is not what the header says.") from None
