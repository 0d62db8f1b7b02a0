"""HTTP/1.1 as far as VPN clients speak it: requests out of bytes, answers into bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl

_LONGEST_HEAD, _LONGEST_BODY = 16_384, 65_536
_MOST_FIELDS = 100


class BadRequestError(Exception):
    """What came is no request that can be served.

    Args:
        status: of the answer.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        method: in capitals.
        path: without what follows a question mark.
        headers: by name in small letters; of several with one name the first.
        body: as it came.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def form(self) -> dict[str, str]:
        """The fields of a form in the body."""
        text = self.body.decode("utf-8", "replace")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))

    def cookie(self, name: str) -> str:
        """The value of a cookie; empty where there is none."""
        for pair in self.headers.get("cookie", "").split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                return value
        return ""

    @property
    def keeps_open(self) -> bool:
        """Whether more may follow on the connection."""
        return "close" not in self.headers.get("connection", "").lower()


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer.

    Attributes:
        status: of HTTP.
        body: text.
        kind: its media type.
        headers: in their order, before those that every answer has.
    """

    status: int = 200
    body: str = ""
    kind: str = "text/html"
    headers: tuple[tuple[str, str], ...] = ()

    def encode(self, keeps_open: bool = True) -> bytes:
        """The answer as bytes."""
        body = self.body.encode()
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            *(f"{name}: {value}" for name, value in self.headers),
            "Server: xxxxxxxx-xxxxx",
            f"Content-Length: {len(body)}",
            f"Content-Type: {self.kind}",
            "X-Frame-Options: SAMEORIGIN",
            "Cache-Control: no-store",
            *([] if keeps_open else ["Connection: close"]),
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Reader:
    """Takes requests out of a stream of bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take bytes.

        Raises:
            BadRequestError: there are more of them than a request may have.
        """
        self._rest += data
        if len(self._rest) > _LONGEST_HEAD + _LONGEST_BODY:
            raise BadRequestError(413)

    def request(self) -> Request | None:
        """The next request; None as long as it is not whole.

        Raises:
            BadRequestError: it is none.
        """
        head, end, rest = self._rest.partition(b"\r\n\r\n")
        if not end:
            if len(self._rest) > _LONGEST_HEAD:
                raise BadRequestError(431)
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[1].startswith("/"):
            raise BadRequestError(400)
        headers = _headers(lines)
        length = _length(headers)
        if len(rest) < length:
            return None
        self._rest = rest[length:]
        return Request(words[0].upper(), words[1].partition("?")[0], headers, rest[:length])

    def take_rest(self) -> bytes:
        """What came after the last request; it is no HTTP any more."""
        rest, self._rest = self._rest, b""
        return rest


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequestError(400)
        headers.setdefault(name.lower(), value.strip())
    return headers


def _length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise BadRequestError(501)
    text = headers.get("content-length", "0")
    if not (text.isascii() and text.isdecimal()):
        raise BadRequestError(400)
    if len(text) > 9 or int(text) > _LONGEST_BODY:
        raise BadRequestError(413)
    return int(text)
