"""Passes a body on, through the inspection where it is asked for."""

from __future__ import annotations

from lab.inspector import http
from lab.inspector.content import Content
from lab.inspector.judge import Blocked
from lab.inspector.pace import InspectionPace
from lab.inspector.reader import Body, Ended, Piece
from lab.io.backlog import HELD, Backlog
from lab.io.stream import Stream

_WORTH_SPLICING = 256 << 10


class Relay:
    """Passes bodies on to one stream.

    Args:
        target: where to.
        pace: the limit of the slow inspection.
        alters: whether one byte of each body is changed (a fault).
    """

    def __init__(self, target: Stream, pace: InspectionPace, alters: bool) -> None:
        self._target, self._pace, self._alters = target, pace, alters

    async def plain(self, prefix: bytes, body: Body) -> None:
        """Pass a body on, with `prefix` before it.

        Raises:
            OSError: one side broke.
            http.Unreadable: it does not end as it should.
        """
        altered = not self._alters
        if body.kind == http.NONE:
            return await self._target.send(prefix)
        # In one piece with what has come already.
        if body.reader.kept:
            piece = bytes(await body.piece())
            prefix += piece if altered else _altered(piece, body.content_at())
            altered = True
        await self._target.send(prefix)
        whole = body.kind == http.UNTIL_CLOSE or body.left > _WORTH_SPLICING
        if body.kind != http.CHUNKED and whole and altered and not self._pace.mbps:
            count = None if body.kind == http.UNTIL_CLOSE else body.left
            moved = await body.reader.stream.splice_to(self._target, count)
            if count is not None and moved < count:
                raise Ended("in a body")
            return None
        while piece := bytes(await body.piece()):
            if not altered:
                piece, altered = _altered(piece, body.content_at()), True
            await self._pace.spend(len(piece))
            await self._target.send(piece)
        return None

    async def inspected(self, prefix: bytes, body: Body, content: Content) -> None:
        """Pass a body on as far as its content allows.

        Raises:
            Blocked: it may not pass; `partly` says whether a part of it is on its way.
            OSError: one side broke, or the scanner failed.
            http.Unreadable: it does not end as it should.
        """
        held, size = [prefix], 0
        backlog: Backlog | None = None
        altered = not self._alters
        try:
            while piece := await body.piece():
                if not altered and body.content_at() >= 0:
                    piece, altered = _altered(bytes(piece), body.content_at()), True
                for payload in body.payload(piece):
                    content.feed(payload)
                if backlog is not None:
                    backlog.add(piece, content.hold)
                else:
                    held.append(bytes(piece))
                    size += len(piece)
                    if size > HELD:
                        backlog = Backlog(self._target.loop, self._target)
                        backlog.add(b"".join(held), content.hold)
                        held.clear()
                if self._pace.mbps:
                    await self._pace.spend(len(piece))
                if backlog is not None:
                    await backlog.room()
            await self._pace.look()
            await content.verdict()
            if backlog is not None:
                await backlog.release()
            else:
                await self._target.send(b"".join(held))
        except Blocked as blocked:
            blocked.partly = backlog is not None and backlog.gave
            raise
        finally:
            content.close()
            if backlog is not None:
                backlog.close()


def _altered(piece: Piece, at: int) -> bytes:
    """The piece with one byte of its content changed."""
    if at < 0 or at >= len(piece):
        return bytes(piece)
    return bytes(piece[:at]) + bytes([piece[at] ^ 1]) + bytes(piece[at + 1 :])
