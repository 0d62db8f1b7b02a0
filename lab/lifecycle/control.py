"""Speaks with the lab's gateway over its control socket, which no test run knows of."""

import http.client
import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.base.errors import LabError, LabMistake

_SECONDS = 30


class _Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        # A socket's path has room for 107 bytes; this one is short however deep the folder lies.
        folder = os.open(self._path.parent, os.O_PATH)
        try:
            self.sock.connect(f"/proc/self/fd/{folder}/{self._path.name}")
        finally:
            os.close(folder)


def call(path: Path, method: str, resource: str, content: Mapping[str, Any] | None = None) -> Any:
    """One call to the gateway.

    Args:
        path: the socket.
        method: `GET`, `PUT` or `DELETE`.
        resource: such as `/faults/packet-loss`.
        content: sent as JSON.

    Returns:
        What it answered, from JSON; None without a body.

    Raises:
        LabMistake: it does not know what was asked for.
        LabError: it does not answer, or could not do it.
    """
    connection = _Connection(path)
    body = None if content is None else json.dumps(content)
    try:
        connection.request(method, resource, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise LabError(
            f"The lab's gateway does not answer at its control socket ({error or 'timeout'}); "
            "take the lab down and build it anew."
        ) from None
    finally:
        connection.close()
    if answer.status >= 400:
        kind = LabMistake if answer.status < 500 else LabError
        raise kind(f"The lab's gateway refused {method} {resource}: {_reason(text)}")
    return json.loads(text) if text.strip() else None


def _reason(text: str) -> str:
    """The sentence in an answer, be it JSON with an `error` or plain text."""
    try:
        content = json.loads(text)
    except ValueError:
        return text.strip()
    return str(content.get("error", text)) if isinstance(content, dict) else text
