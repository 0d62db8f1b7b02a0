"""A call of the API, read from HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote

from lab.gateway.access import Caller
from lab.gateway.errors import malformed

MOST_BODY_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        method: GET, POST, PUT or DELETE.
        parts: the path behind `/api/v2/`, decoded.
        query: parameters of the URL.
        raw: the body.
        caller: who calls.
        transaction: the header X-TRANSACTION-ID.
    """

    method: str
    parts: tuple[str, ...]
    query: Mapping[str, list[str]]
    raw: bytes
    caller: Caller
    transaction: str | None = None

    @property
    def path(self) -> str:
        """The path behind `/api/v2/`."""
        return "/".join(self.parts)

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET"

    def parameter(self, name: str) -> str | None:
        """The last value of a parameter of the URL."""
        values = self.query.get(name)
        return values[-1] if values else None

    def body(self) -> dict[str, Any]:
        """The body as an object; `{"json": {…}}` is unwrapped, an empty one is `{}`.

        Raises:
            CmdbError: it is not a JSON object.
        """
        if not self.raw.strip():
            return {}
        try:
            value = json.loads(self.raw)
            if b"\\ud" in self.raw.lower():
                # Half a surrogate pair is JSON and yet no text that could be stored.
                json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise malformed("The body is not JSON in Unicode.") from None
        if isinstance(value, dict) and isinstance(value.get("json"), dict):
            value = value["json"]
        if not isinstance(value, dict):
            raise malformed("The body is not a JSON object.")
        return value

    def argument(self, name: str, body: Mapping[str, Any]) -> Any:
        """A parameter of a monitor, in its body or in the URL."""
        return body[name] if name in body else self.parameter(name)


def split_path(raw_path: str) -> tuple[str, ...]:
    """The parts of a path, each decoded, so that a key may hold a slash.

    A trailing slash is dropped.
    """
    return tuple(unquote(part) for part in raw_path.strip("/").split("/") if part)


def parse_query(text: str) -> dict[str, list[str]]:
    """The parameters of a URL."""
    return parse_qs(text, keep_blank_values=True)
