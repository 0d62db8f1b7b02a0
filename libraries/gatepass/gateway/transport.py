"""One call over HTTPS, bounded in time and size whatever the other side does.

The time-outs of `requests` are for each piece that comes: who sends a byte a second is waited for
without end. So a call runs beside the one who asks, who goes on when its time is over.

How calls get to a gateway is a `Way`: over HTTPS, or one that stands in its place for a whole run.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
        sent_s: when the call went out by this machine's clock, in seconds since 1970.
        took_s: seconds until the whole answer was there.
    """

    method: str
    path: str
    status: int
    content: bytes
    sent_s: float = 0.0
    took_s: float = 0.0

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


class Way:
    """How the calls of a run get to its gateway.

    Attributes:
        mark: that the run has to bear; empty where it may choose one.
        replayed: what is replayed, in words; empty where there is a gateway. In a replay there are
            no endpoints and no token either.
    """

    mark = ""
    replayed = ""

    def call(
        self, session: requests.Session, method: str, url: str, timeout_s: float, **more
    ) -> Answer:
        """See `call`."""
        return _over_https(session, method, url, timeout_s, **more)

    def elapsed_s(self) -> float:
        """A clock that only counts, in seconds, for whoever asks and waits in this thread."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Wait before a call is tried again."""
        time.sleep(seconds)

    def check_begins(self, check: str) -> None:
        """What comes belongs to this check; to none where its name is empty."""

    def check_ends(self, check: str, verdict: str) -> None:
        """The check ended so."""


current = Way()
"""The one of this process."""


@contextmanager
def by(way: Way) -> Iterator[None]:
    """Have all calls take a way for as long as the block lasts."""
    global current
    before, current = current, way
    try:
        yield
    finally:
        current = before


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
    return current.call(session, method, url, timeout_s, **more)


def _over_https(
    session: requests.Session, method: str, url: str, timeout_s: float, **more
) -> Answer:
    connect_s = min(_CONNECT_S, timeout_s)
    begun = threading.Event()
    made: list[Answer] = []
    failed: list[BaseException] = []
    sent_s, sent = time.time(), time.monotonic()

    def ask() -> None:
        try:
            limits = (connect_s, timeout_s)
            response = session.request(
                method, url, timeout=limits, allow_redirects=False, stream=True, **more
            )
            begun.set()
            with response:
                path = response.request.path_url.split("?")[0]
                content = _body(response)
                took_s = time.monotonic() - sent
                made.append(Answer(method, path, response.status_code, content, sent_s, took_s))
        except BaseException as error:
            failed.append(error)

    asking = threading.Thread(target=ask, name="REST call", daemon=True)
    ends = sent + connect_s + timeout_s
    asking.start()
    try:
        asking.join(connect_s + timeout_s)
    except BaseException:
        # whoever stops the run undoes what it did: not while the device still does more of it
        asking.join(max(0.0, ends - time.monotonic()))
        raise
    if failed:
        raise failed[0]
    if made:
        return made[0]
    if not begun.is_set():
        raise requests.exceptions.ReadTimeout
    raise TooLong(f"its answer was not whole after {connect_s + timeout_s:g} s")


def _body(response: requests.Response) -> bytes:
    parts, size = [], 0
    for part in response.iter_content(_PIECE):
        parts.append(part)
        size += len(part)
        if size > LARGEST_MIB * 2**20:
            raise TooLarge(f"its answer has more than {LARGEST_MIB} MiB")
    return b"".join(parts)
