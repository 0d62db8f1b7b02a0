"""One exchange with a gateway's REST API: what was asked, and how it failed."""

from __future__ import annotations

import base64
import json
from typing import Any

import requests

from gatepass.base.masking import Secrets
from gatepass.gateway import transport
from gatepass.gateway.answers import BROKEN_TLS, innermost, root_of
from gatepass.gateway.harmless import masked_half, masked_rows
from gatepass.gateway.masked_configuration import masked_configuration

_SCRIPT = "file_content"
"""What the API calls the content of a file that is sent to it; base64, such as a CLI script."""
_BROKEN = "ConnectionError"
_FAILURES: dict[str, type[requests.exceptions.RequestException]] = {
    kind.__name__: kind
    for kind in (
        requests.exceptions.SSLError,
        requests.exceptions.ConnectTimeout,
        requests.exceptions.ReadTimeout,
        requests.exceptions.ChunkedEncodingError,
        requests.exceptions.ConnectionError,
        transport.TooLong,
        transport.TooLarge,
    )
}
KINDS = tuple(_FAILURES)
"""In which calls fail without an answer."""


def asked(
    session: requests.Session, method: str, url: str, more: dict[str, Any], secrets: Secrets
) -> dict[str, Any]:
    """What a call asks, without secrets, as a recording tells it.

    Args:
        session, method, url, more: see `transport.call`.
        secrets: of the conversation.
    """
    query = {name: str(value) for name, value in (more.get("params") or {}).items()}
    told = {
        "method": method,
        "path": secrets.taken_from(url.partition("/api/v2/")[2]),
        "query": secrets.taken_from(query),
    }
    if (body := more.get("json")) is not None:
        secrets.learn(body)
        told["body"] = without_secrets(_readable(body, secrets), told)
    if "Authorization" not in session.headers:
        told["anonymous"] = True
    return told


def key_of(told: dict[str, Any]) -> str:
    """What tells one question from another; the order of attributes does not."""
    parts = [told.get("anonymous", False), told["method"], told["path"], told.get("query") or {}]
    body = without_secrets(told.get("body"), told)  # an older recording may show more of it
    return json.dumps([*parts, body], sort_keys=True)


def without_secrets(value: Any, told: dict[str, Any]) -> Any:
    """What was sent or answered, as parsed from JSON, with what may be secret masked.

    Args:
        value: without what is known to be secret.
        told: the question; what a table is declared as holds nothing of a configuration.
    """
    if (told.get("query") or {}).get("action") == "schema":
        return value
    taken = masked_rows(value, _table(told))
    if isinstance(value, dict) and isinstance(script := value.get(_SCRIPT), str):
        taken[_SCRIPT] = masked_configuration(script)
    return taken


def text_without_secrets(text: str, told: dict[str, Any]) -> str:
    """An answer that is no JSON: a configuration, a page, or the half of something.

    Args:
        text: without what is known to be secret.
        told: the question.
    """
    if text.startswith(("<", "{", "[")):
        return masked_half(text, _table(told))
    return masked_configuration(text)


def _table(told: dict[str, Any]) -> str:
    """The table that a question is about; empty where it is about none."""
    kind, *steps = told["path"].split("/")
    return "/".join(steps[:2]) if kind == "cmdb" else ""


def failure_of(error: requests.exceptions.RequestException) -> dict[str, str]:
    """Why there was no answer, as a recording tells it."""
    kind = type(error).__name__
    if kind not in _FAILURES or (kind == "SSLError" and isinstance(root_of(error), BROKEN_TLS)):
        kind = _BROKEN
    return {"kind": kind, "words": innermost(error)[:300]}


def failed(kind: str, words: str) -> requests.exceptions.RequestException:
    """The same failure once more."""
    return _FAILURES[kind](words)


def _readable(body: object, secrets: Secrets) -> object:
    """A body without secrets; a script in it as text, in which they would show otherwise."""
    taken = secrets.taken_from(body)
    if not (isinstance(body, dict) and isinstance(taken, dict) and _SCRIPT in body):
        return taken
    try:
        script = base64.b64decode(str(body[_SCRIPT]), validate=True).decode()
    except ValueError:
        return taken
    return taken | {_SCRIPT: secrets.taken_from_text(script)}
