"""Sessions of TLS, and of protocols that the inspector does not know."""

from __future__ import annotations

from lab.inspector import http
from lab.inspector.certificate import covers, names_of
from lab.inspector.judge import FROM_CLIENT, FROM_SERVER
from lab.inspector.reader import Body, Reader
from lab.inspector.relay import Relay
from lab.inspector.session import InspectedSession
from lab.inspector.tls import NoHello, server_name


class RawSession(InspectedSession):
    """A session that is passed on as it is, with a look for signatures."""

    async def upward(self) -> None:
        await self.look_through(self.from_client, self.to_server, FROM_CLIENT)
        self.server.end()

    async def downward(self) -> None:
        await self.look_through(self.from_server, self.to_client, FROM_SERVER)
        self.client.end()

    async def look_through(self, reader: Reader, relay: Relay, flow: str) -> None:
        """Pass everything on until the end or until something is found."""
        search = self.judge.search(flow, "packet", "body")
        body = Body(reader, http.UNTIL_CLOSE, 0)
        if search is None:
            self.judge.unknown_application()
            await relay.plain(b"", body)
            return
        while piece := bytes(await body.piece()):
            self.judge.hit(list(search.feed(piece)))
            self.judge.unknown_application()
            await relay.plain(piece, Body(reader, http.NONE, 0))


class TlsSession(RawSession):
    """A session of TLS: judged by the server's name, then passed on."""

    service = "HTTPS"

    async def upward(self) -> None:
        judge, hello = self.judge, b""
        while True:
            piece = await self.client.recv()
            hello += piece
            try:
                name = server_name(hello)
            except NoHello:
                break
            if name is not None or not piece:
                judge.hostname = await self._rated(name or "") or self.leg.dest[0]
                judge.url = f"https://{judge.hostname}/"
                judge.look(FROM_CLIENT, "host", judge.hostname.encode())
                judge.web(None)
                break
        self.from_client.kept = hello
        await super().upward()

    async def _rated(self, asked: str) -> str:
        """The name that the session is judged by: the one asked for, or the certificate's own.

        Raises:
            OSError: they differ, and the profile is strict.
        """
        if self.policy.server_name_check == "disable":
            return asked
        names = await names_of(self.room.loop, self.leg, asked)
        if not names or covers(names, asked):
            return asked
        if self.policy.server_name_check == "strict":
            raise OSError("the server's certificate is another's")
        return names[0]
