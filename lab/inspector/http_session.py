"""A session of HTTP."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from lab.inspector import http
from lab.inspector.content import Content
from lab.inspector.judge import FROM_CLIENT, FROM_SERVER, HTTP_BROWSER, Blocked, Judge
from lab.inspector.pages import page
from lab.inspector.reader import Body
from lab.inspector.session import InspectedSession

_DRAIN_S = 2.0


@dataclass(slots=True)
class Exchange:
    """A request whose response is to come.

    Attributes:
        judge: knows the request.
        method: of the request.
        blocked: why it may not pass.
        tunnel: whether the connection is the two sides' own from here; None until that is known.
    """

    judge: Judge
    method: str
    blocked: Blocked | None = None
    tunnel: bool | None = None


class HttpSession(InspectedSession):
    """Requests go up as they come, and are remembered until their responses come down."""

    service = "HTTP"

    def __init__(self, *args) -> None:
        super().__init__(*args)
        self._exchanges: deque[Exchange] = deque()

    async def upward(self) -> None:
        while True:
            found = await self.from_client.head(http.request)
            if found is None:
                self.server.end()
                return
            raw, head = found
            kind, length = head.body()
            exchange = Exchange(copy.copy(self.judge), head.first[0])
            try:
                _decide(exchange.judge, raw, head, self.leg.dest[0])
                self._remember(exchange)
                await self._request_body(exchange, raw, Body(self.from_client, kind, length))
            except Blocked as blocked:
                exchange.blocked = blocked
                self._remember(exchange)
                self.server.reset()
                return
            if "upgrade" in head.fields or exchange.method == "CONNECT":
                while exchange.tunnel is None:
                    await self.changed.wait()
                if exchange.tunnel:
                    await self.to_server.plain(b"", Body(self.from_client, http.UNTIL_CLOSE, 0))
                    self.server.end()
                    return

    async def _request_body(self, exchange: Exchange, raw: bytes, body: Body) -> None:
        if body.kind != http.NONE and not exchange.judge.exempt:
            content = Content(exchange.judge, self.room.clamd, upload=True)
            if content.needed:
                return await self.to_server.inspected(raw, body, content)
        return await self.to_server.plain(raw, body)

    def _remember(self, exchange: Exchange) -> None:
        if exchange not in self._exchanges:
            self._exchanges.append(exchange)
        self.changed.wake()

    async def downward(self) -> None:
        while True:
            exchange = await self._next()
            if exchange is None:
                self.client.end()
                return
            try:
                goes_on = exchange.blocked is None and await self._response(exchange)
            except Blocked as blocked:
                exchange.blocked = blocked
            except OSError:
                # The upward way closes the server's half when it finds something.
                if exchange.blocked is None:
                    raise
            if exchange.blocked is not None:
                await self._refuse(exchange.blocked)
                return
            if not goes_on:
                return
            self._exchanges.popleft()

    async def _next(self) -> Exchange | None:
        """The next exchange; None when the server ends before there is one."""
        while not self._exchanges:
            if self.server.closed:
                await self.changed.wait()
            elif await self.server.readable_or(self.changed) and not self._exchanges:
                if self.from_server.kept or await self.server.recv(1):
                    raise http.Unreadable("a response without a request")
                return None
        return self._exchanges[0]

    async def _response(self, exchange: Exchange) -> bool:
        """Pass the response on; answers whether the connection goes on as HTTP."""
        judge = exchange.judge
        while True:
            found = await self.from_server.head(http.response)
            if found is None:
                self.client.end()
                return False
            raw, head = found
            status = int(head.first[0])
            if not judge.exempt:
                judge.look(FROM_SERVER, "header", raw)
                judge.look(FROM_SERVER, "packet", raw)
            if status == 101 or (exchange.method == "CONNECT" and 200 <= status < 300):
                exchange.tunnel = True
                self.changed.wake()
                await self.to_client.plain(raw, Body(self.from_server, http.UNTIL_CLOSE, 0))
                self.client.end()
                return False
            if status >= 200:
                break
            await self.client.send(raw)
        exchange.tunnel = False
        self.changed.wake()
        body = Body(self.from_server, *head.body(exchange.method))
        if body.kind != http.NONE and not judge.exempt:
            content = Content(judge, self.room.clamd, upload=False)
            if content.needed:
                await self.to_client.inspected(raw, body, content)
                return self._after(body)
        await self.to_client.plain(raw, body)
        return self._after(body)

    def _after(self, body: Body) -> bool:
        if body.kind == http.UNTIL_CLOSE:
            self.client.end()
            return False
        return True

    async def _refuse(self, blocked: Blocked) -> None:
        """Give the client a page where it has got nothing yet, else break off."""
        self.server.reset()
        if blocked.partly or not blocked.page:
            raise blocked
        await self.client.send(page(blocked.kind, blocked.facts))
        self.client.end()
        # A close with something unread would reset, and take the page from the client.
        self.room.loop.spawn(self._close_later())
        if self._ways == 1:  # nobody else reads
            while await self.client.recv():
                pass

    async def _close_later(self) -> None:
        await self.room.loop.sleep(_DRAIN_S)
        self.client.close()


def _decide(judge: Judge, raw: bytes, head: http.Head, address: str) -> None:
    """Hold a request against application list, sensor and web filter.

    Raises:
        Blocked: it may not pass.
        http.Unreadable: nothing tells which host it is for.
    """
    host, path = _target(head, address)
    judge.hostname, judge.url = host, f"http://{host}{path}"
    judge.filename = unquote(path.partition("?")[0].rpartition("/")[2])[:255]
    if judge.has_signatures:
        judge.look(FROM_CLIENT, "host", host.encode())
        judge.look(FROM_CLIENT, "uri", head.first[1].encode("latin-1"))
        judge.look(FROM_CLIENT, "header", raw)
        judge.look(FROM_CLIENT, "packet", raw)
        if not judge.recognised:
            judge.application(*HTTP_BROWSER)
    judge.web(unquote(path, "latin-1"))


def _target(head: http.Head, address: str) -> tuple[str, str]:
    """Host without port and path with query."""
    target, host = head.first[1], head.fields.get("host", "")
    if head.first[0] == "CONNECT":
        host, path = target, "/"
    elif target.startswith("/") or target == "*":
        path = target
    else:
        try:
            parts = urlsplit(target)
        except ValueError:
            raise http.Unreadable("the target") from None
        host = parts.netloc.rpartition("@")[2]
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    name = host.partition("]")[0][1:] if host.startswith("[") else host.partition(":")[0]
    return (name or address).lower().rstrip("."), path
