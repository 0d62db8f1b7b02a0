"""Reads heads and bodies from a stream, with what came too early kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lab.inspector import http
from lab.io.stream import Stream

_SHARED = memoryview(bytearray(256 << 10))
"""Where bulk is read to. Whoever gets a view of it uses it before the next wait."""

Piece = bytes | memoryview


class Ended(OSError):
    """The other side ended in the middle of something."""


class Reader:
    """The reading side of a stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.kept = b""

    async def head(self, parse: Callable[[bytes], http.Head]) -> tuple[bytes, http.Head] | None:
        """The next head as it came and parsed; None at the end.

        Raises:
            http.Unreadable: it is none.
            OSError: the stream broke.
        """
        data = self.kept
        while (end := http.head_end(data)) < 0:
            piece = await self.stream.recv()
            if not piece:
                self.kept = data
                if data.strip(b"\r\n"):
                    raise Ended("in a head")
                return None
            # Empty lines before a request are allowed (RFC 9112, 2.2).
            data = (data + piece).lstrip(b"\r\n") if not data else data + piece
        self.kept = data[end:]
        return data[:end], parse(data[:end])

    async def take(self, limit: int) -> Piece:
        """The next bytes, at most so many; nothing at the end."""
        if self.kept:
            piece, self.kept = self.kept[:limit], self.kept[limit:]
            return piece
        size = await self.stream.recv_into(_SHARED[: min(limit, len(_SHARED))])
        return _SHARED[:size]


class Body:
    """A body, piece by piece as it comes.

    Attributes:
        left: bytes still to come, where the length is known.
    """

    def __init__(self, reader: Reader, kind: int, length: int) -> None:
        self.reader, self.kind, self.left = reader, kind, length
        self._chunks = http.Chunks() if kind == http.CHUNKED else None
        self._spans: list[tuple[int, int]] = []

    async def piece(self) -> Piece:
        """The next bytes on the wire, to be used before the next wait; nothing at the end.

        Raises:
            Ended: the other side ended too early.
            http.Unreadable: it is no chunked body.
        """
        if self.kind == http.NONE or (self.kind == http.LENGTH and not self.left):
            return b""
        if self._chunks is not None and self._chunks.over:
            return b""
        piece = await self.reader.take(self.left if self.kind == http.LENGTH else 1 << 30)
        if not piece and self.kind != http.UNTIL_CLOSE:
            raise Ended("in a body")
        self.left -= len(piece)
        if self._chunks is not None:
            self._spans = list(self._chunks.feed(piece))
            if self._chunks.used < len(piece):
                self.reader.kept = bytes(piece[self._chunks.used :]) + self.reader.kept
                piece = piece[: self._chunks.used]
        return piece

    def payload(self, piece: Piece) -> Iterator[Piece]:
        """What of the last piece is content."""
        if self._chunks is None:
            yield piece
        else:
            for low, high in self._spans:
                yield piece[low:high]

    def content_at(self) -> int:
        """Where content begins in the last piece; -1 where there is none."""
        if self._chunks is None:
            return 0
        return self._spans[0][0] if self._spans else -1
