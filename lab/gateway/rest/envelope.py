"""The envelope around each answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lab.gateway.errors import CmdbError
from lab.gateway.identity import Identity

VDOM = "root"
JSON = "application/json"
HTML = "text/html"


@dataclass(frozen=True)
class Answer:
    """What goes back to the client.

    Attributes:
        status: HTTP status.
        body: as sent.
        content_type: of the body.
        cookies: values of Set-Cookie headers.
        headers: further ones, each with its name.
    """

    status: int
    body: bytes
    content_type: str = JSON
    cookies: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def charset(self) -> str | None:
        """Of what is not JSON, which has but one."""
        return "utf-8" if self.content_type != JSON else None


def html(status: int, title: str, text: str) -> Answer:
    """An answer of the web server rather than of the API."""
    page = ("<!DOCTYPE html>\n<html><head>\n"
            f"<title>{status} {title}</title>\n</head><body>\n<h1>{title}</h1>\n"
            f"<p>{text}</p>\n</body></html>\n")
    return Answer(status, page.encode(), HTML)


def revision(identity: Identity, path: str, number: int) -> str:
    """The revision of a table: changes whenever the table does."""
    return hashlib.md5(f"{identity.serial} {path} {number}".encode(),
                       usedforsecurity=False).hexdigest()


def to_json(value: Any) -> bytes:
    """A value as JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


def with_results(before: dict[str, Any], rows: Sequence[bytes], after: dict[str, Any]) -> bytes:
    """An envelope whose results are rows that are JSON already."""
    return b"".join((to_json(before)[:-1], b',"results":[', b",".join(rows), b"],",
                     to_json(after)[1:]))


def error_fields(error: CmdbError) -> dict[str, Any]:
    """The fields that tell of an error."""
    return {"error": error.code, "cli_error": error.cli_error}
