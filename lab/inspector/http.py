"""HTTP/1.1 as far as a proxy must know it: heads, and where bodies end (RFC 9112).

Heads are passed on byte for byte. What two programs could read in two ways is refused, as it could
carry past the inspection what the inspection read otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LARGEST_HEAD = 65_536
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST = re.compile(rb"(%s) ([!-~\x80-\xff]+) HTTP/(1\.[01])" % _TOKEN)
_STATUS = re.compile(rb"HTTP/(1\.[01]) ([1-5]\d\d)(?: [^\r\n\0]*)?")
_FIELD = re.compile(rb"(%s):[ \t]*([^\r\n\0]*?)[ \t]*" % _TOKEN)
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n\0]*)?")


class Unreadable(ValueError):
    """Bytes that are no HTTP, or HTTP that can be read in two ways."""


NONE, LENGTH, CHUNKED, UNTIL_CLOSE = range(4)


@dataclass(slots=True)
class Head:
    """The head of a request or response.

    Attributes:
        first: method and target of a request; status code of a response.
        fields: names in small letters -> values.
        version: such as 1.1.
    """

    first: tuple[str, ...]
    fields: dict[str, str]
    version: str

    def body(self, request_method: str | None = None) -> tuple[int, int]:
        """How the body ends, and its length where that is known.

        Args:
            request_method: of the request that a response answers; None for a request.

        Raises:
            Unreadable: it can be read in two ways.
        """
        coding, length = self.fields.get("transfer-encoding"), self.fields.get("content-length")
        if coding is not None and (length is not None or coding.lower() != "chunked"):
            raise Unreadable("the end of the body is ambiguous")
        if length is not None and not re.fullmatch(r"\d{1,15}", length):
            raise Unreadable("the length of the body")
        if request_method is not None:
            status = int(self.first[0])
            if request_method == "HEAD" or status < 200 or status in (204, 304):
                return NONE, 0
        if coding is not None:
            return CHUNKED, 0
        if length is not None:
            return (LENGTH, int(length)) if int(length) else (NONE, 0)
        return (NONE, 0) if request_method is None else (UNTIL_CLOSE, 0)


def head_end(data: bytes | bytearray) -> int:
    """Where the head that `data` begins with ends; -1 where it is not there yet.

    Raises:
        Unreadable: it is too long.
    """
    end = data.find(b"\r\n\r\n")
    if (end if end >= 0 else len(data)) > LARGEST_HEAD:
        raise Unreadable("the head is too long")
    return end + 4 if end >= 0 else -1


def request(data: bytes) -> Head:
    """Parse the head of a request."""
    line, fields = _split(data)
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise Unreadable("the request line")
    method, target, version = (part.decode("latin-1") for part in found.groups())
    return Head((method, target), fields, version)


def response(data: bytes) -> Head:
    """Parse the head of a response."""
    line, fields = _split(data)
    found = _STATUS.fullmatch(line)
    if found is None:
        raise Unreadable("the status line")
    version, status = (part.decode() for part in found.groups())
    return Head((status,), fields, version)


def _split(data: bytes) -> tuple[bytes, dict[str, str]]:
    lines = data[:-4].split(b"\r\n")
    fields: dict[str, str] = {}
    for line in lines[1:]:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise Unreadable("a header field")
        name, value = found[1].lower().decode(), found[2].decode("latin-1")
        if name in fields:
            if name in ("content-length", "transfer-encoding", "host") and fields[name] != value:
                raise Unreadable(f"two fields {name}")
            value = value if name == "host" else f"{fields[name]}, {value}"
            if name == "content-length":
                value = fields[name]
        fields[name] = value
    return lines[0], fields


class Chunks:
    """Finds the payload in a chunked body."""

    def __init__(self) -> None:
        self._left = 0
        self._state = "size"
        self._line = b""
        self.over = False

    def feed(self, data: bytes | memoryview) -> Iterator[tuple[int, int]]:
        """The payload in the next bytes, as (from, to); `used` says where the body ended.

        Raises:
            Unreadable: it is no chunked body.
        """
        at, end = 0, len(data)
        while at < end and not self.over:
            if self._state == "data":
                size = min(self._left, end - at)
                yield at, at + size
                at += size
                self._left -= size
                if not self._left:
                    self._state = "after"
                continue
            line, at = self._take_line(data, at)
            if line is not None:
                self._next(line)
        self.used = at

    def _take_line(self, data: bytes | memoryview, at: int) -> tuple[bytes | None, int]:
        piece = bytes(data[at : at + 4096])
        end = piece.find(b"\n")
        taken = piece if end < 0 else piece[: end + 1]
        self._line += taken
        if len(self._line) > 4096:
            raise Unreadable("a line in a chunked body")
        if end < 0:
            return None, at + len(taken)
        line, self._line = self._line, b""
        if not line.endswith(b"\r\n"):
            raise Unreadable("a line in a chunked body")
        return line[:-2], at + len(taken)

    def _next(self, line: bytes) -> None:
        if self._state == "after":
            if line:
                raise Unreadable("the end of a chunk")
            self._state = "size"
        elif self._state == "size":
            found = _CHUNK.fullmatch(line)
            if found is None:
                raise Unreadable("the size of a chunk")
            self._left = int(found[1], 16)
            self._state = "data" if self._left else "trailer"
        elif not line:
            self.over = True
