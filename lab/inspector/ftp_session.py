"""Sessions of FTP: the control connection, and the data connections that it announces."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from lab.inspector import ftp, http
from lab.inspector.content import Content
from lab.inspector.ftp_data import Expectation
from lab.inspector.judge import FROM_CLIENT, FROM_SERVER, Blocked
from lab.inspector.legs import Leg, opened
from lab.inspector.pages import ftp_refusal
from lab.inspector.reader import Body, Ended, Reader
from lab.inspector.relay import Relay
from lab.inspector.session import InspectedSession, Room
from lab.io.stream import Stream

_LONGEST_LINE = 8192
_UPLOADS = ("STOR", "APPE", "STOU")
_CONNTRACK = Path("/proc/thread-self/net/nf_conntrack")


@dataclass(slots=True)
class Transfer:
    """A file that goes over a data connection; `upload` None for a listing."""

    filename: str
    upload: bool | None


class FtpSession(InspectedSession):
    """A control connection."""

    service = "FTP"

    def __init__(self, *args) -> None:
        super().__init__(*args)
        self.transfer = Transfer("", None)
        self.transferring = False
        self.data: FtpData | None = None

    async def _lines(self, reader: Reader):
        """The next line as it came; nothing at the end."""
        while (end := reader.kept.find(b"\n")) < 0:
            if len(reader.kept) > _LONGEST_LINE:
                raise http.Unreadable("a line of FTP")
            piece = await reader.stream.recv()
            if not piece:
                if reader.kept:
                    raise Ended("in a line")
                return b""
            reader.kept += piece
        line, reader.kept = reader.kept[: end + 1], reader.kept[end + 1 :]
        return line

    async def upward(self) -> None:
        while line := await self._lines(self.from_client):
            word, argument = ftp.command(line)
            self.judge.look(FROM_CLIENT, "packet", line)
            self.judge.look(FROM_CLIENT, "header", line)
            if word in ("AUTH", "PBSZ", "PROT", "CCC"):
                # Behind encryption nothing could be inspected.
                await self.client.send(b"502 Not available through this gateway.\r\n")
                continue
            if word in ("PORT", "EPRT"):
                line = self._active(word, argument)
                if not line:
                    await self.client.send(b"501 Not an address of yours.\r\n")
                    continue
            elif word == "RETR" or word in _UPLOADS:
                self.transfer, self.transferring = Transfer(argument, word in _UPLOADS), True
            elif word in ("LIST", "NLST", "MLSD"):
                self.transfer, self.transferring = Transfer("", None), True
            await self.server.send(line)
        self.server.end()

    def _active(self, word: str, argument: str) -> bytes:
        """Expect a data connection from the server; what to tell the server, with its view."""
        client, server = self.leg.source[0], self.leg.dest[0]
        found = ftp.active(word, argument)
        # To another host than the client itself: a bounce (RFC 2577, 3).
        if found is None or found[0] != client:
            return b""
        seen = self._seen_by_server() if self.policy.nat else client
        place = (seen, found[1])
        self.room.expected.add(server, place, self.leg.slot, Expectation(self, client=found))
        return ftp.as_command(word, place)

    def _seen_by_server(self) -> str:
        """The address that the policy's translation gave this session, from the session table."""
        own, to = self.server.sock.getsockname(), self.leg.dest
        host, server = (ipaddress.ip_address(text).exploded for text in (own[0], to[0]))
        wanted = f"src={host} dst={server} sport={own[1]} dport={to[1]} "
        with _CONNTRACK.open() as lines:
            for line in lines:
                if wanted in line:
                    answer = re.findall(r"dst=(\S+)", line)[1]
                    return str(ipaddress.ip_address(answer))
        raise Ended("the session is not in the session table")

    async def downward(self) -> None:
        try:
            while line := await self._lines(self.from_server):
                self.judge.look(FROM_SERVER, "packet", line)
                await self._reply(line)
            self.client.end()
        finally:
            self.room.expected.forget(self)

    async def _reply(self, line: bytes) -> None:
        found = ftp.reply(line)
        if found is not None and not found[1]:
            code, client = found[0], self.leg.source[0]
            if code == 227 and (dest := ftp.passive(line)):
                self.room.expected.add(client, dest, self.leg.slot, Expectation(self))
            elif code == 229 and (port := ftp.extended_passive(line)):
                dest = (self.leg.dest[0], port)
                self.room.expected.add(client, dest, self.leg.slot, Expectation(self))
            elif code >= 200 and self.transferring:
                self.transferring = False
                line = await self._last_word(code) or line
        await self.client.send(line)

    async def _last_word(self, code: int) -> bytes | None:
        """What to say in the place of the last reply on a transfer; it waits for the verdict."""
        data, self.data = self.data, None
        if data is None or (code >= 400 and not data.moved):
            return None
        while not data.over:
            await self.changed.wait()
        if data.blocked is None:
            return None
        return ftp_refusal(data.blocked.kind, list(data.blocked.facts.values())[-1])


class FtpData(InspectedSession):
    """A data connection. Its first half is the client's or, in active mode, the server's."""

    service = "FTP"

    def __init__(self, room: Room, leg: Leg, expectation: Expectation[FtpSession]) -> None:
        super().__init__(room, leg)
        self._expectation = expectation
        self._control = expectation.control
        self._control.data = self
        self._control.changed.wake()
        self.blocked: Blocked | None = None
        self.moved = self.over = False

    async def open(self) -> Stream:
        """Open the other half; in active mode towards the client, as the server opened it."""
        client = self._expectation.client
        return await opened(self.room.loop, self.leg, client, plain=client is not None)

    async def upward(self) -> None:
        active = self._expectation.client is not None
        await self._pass(self.from_client, self.to_server, upload=not active)
        self.server.end()

    async def downward(self) -> None:
        active = self._expectation.client is not None
        await self._pass(self.from_server, self.to_client, upload=active)
        self.client.end()

    async def _pass(self, reader: Reader, relay: Relay, upload: bool) -> None:
        """Pass one direction on; `upload` is the direction as client and server see it."""
        reader.kept = await reader.stream.recv()
        transfer, judge = self._control.transfer, self._control.judge
        if not reader.kept:
            if upload == bool(transfer.upload):
                self.over = True
                self._control.changed.wake()
            return
        self.moved = True
        body = Body(reader, http.UNTIL_CLOSE, 0)
        try:
            if transfer.upload is upload:
                judge.filename = transfer.filename.rpartition("/")[2]
                content = Content(judge, self.room.clamd, upload)
                if content.needed:
                    await relay.inspected(b"", body, content)
                    return
            await relay.plain(b"", body)
        except Blocked as blocked:
            self.blocked = blocked
            raise
        finally:
            self.over = True
            self._control.changed.wake()

    def abort(self) -> None:
        super().abort()
        self.over = True
        self._control.changed.wake()
