"""One call over HTTPS, bounded in time and size whatever the other side does.

The time-outs of `requests` are for each piece that comes: who sends a byte a second is waited for
without end. So a call runs beside the one who asks, who goes on when its time is over.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass

import requests

LARGEST_MIB = 64
"""More than the configuration of a large FortiGate, which has some ten."""
_CONNECT_S = 5
_PIECE = 2**16


@dataclass(frozen=True)
class Answer:
    """What came back.

    Attributes:
        method, path: of the call, without its query.
        status: of HTTP.
        content: the whole body.
    """

    method: str
    path: str
    status: int
    content: bytes

    def json(self) -> object:
        """The body as JSON, nothing at all as an empty object.

        Raises:
            ValueError: it is none.
        """
        try:
            return json.loads(self.content or b"{}")
        except RecursionError:
            raise ValueError("it is nested too deeply") from None


class TooLong(requests.exceptions.RequestException):
    """An answer began and did not come to its end in time."""


class TooLarge(requests.exceptions.RequestException):
    """An answer has more bytes than any that is asked for."""


def call(session: requests.Session, method: str, url: str, timeout_s: float, **more) -> Answer:
    """Send a request and take in its answer.

    Args:
        session: of the one who asks.
        method, url: of the call.
        timeout_s: for the whole answer, once there is a connection.
        more: further arguments of `requests.Session.request`.

    Raises:
        requests.exceptions.RequestException: there is no whole answer; its kind tells why.
    """
    connect_s = min(_CONNECT_S, timeout_s)
    made: list[Answer] = []
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            limits = (connect_s, timeout_s)
            response = session.request(
                method, url, timeout=limits, allow_redirects=False, stream=True, **more
            )
            with response:
                path = response.request.path_url.split("?")[0]
                made.append(Answer(method, path, response.status_code, _body(response)))
        except BaseException as error:
            failed.append(error)

    asking = threading.Thread(target=ask, name="REST call", daemon=True)
    ends = time.monotonic() + connect_s + timeout_s
    asking.start()
    try:
        asking.join(connect_s + timeout_s)
    except BaseException:
        # whoever stops the run undoes what it did: not while the device still does more of it
        asking.join(max(0.0, ends - time.monotonic()))
        raise
    if failed:
        raise failed[0]
    if not made:
        raise TooLong(f"its answer was not whole after {connect_s + timeout_s:g} s")
    return made[0]


def _body(response: requests.Response) -> bytes:
    parts, size = [], 0
    for part in response.iter_content(_PIECE):
        parts.append(part)
        size += len(part)
        if size > LARGEST_MIB * 2**20:
            raise TooLarge(f"its answer has more than {LARGEST_MIB} MiB")
    return b"".join(parts)
