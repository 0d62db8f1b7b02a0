"""A device's answers, recorded once and told again with one of them altered."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from hypothesis import strategies as st

from fuzz.mangling import damaged, mangled
from gatepass.gateway import transport
from gatepass.gateway.transport import Answer

Key = tuple[str, str, str]
_PAGES = (b"", b"{}", b"[]", b"null", b"0", b'"x"', b"<!DOCTYPE html><html></html>", b"\xff\xfe")


def key_of(method: str, url: str, more: dict) -> Key:
    """What a call is known by: method, path with query, body."""
    query = json.dumps(more.get("params") or {}, sort_keys=True, default=str)
    return method, f"{url.partition('/api/v2/')[2]}?{query}", json.dumps(more.get("json"))


class Recorder:
    """Calls a device and keeps what it answers, in order."""

    def __init__(self) -> None:
        self.answers: list[tuple[Key, Answer]] = []
        self._call = transport.call

    def __call__(self, session: object, method: str, url: str, timeout: float, **more) -> Answer:
        answer = self._call(session, method, url, timeout, **more)
        self.answers.append((key_of(method, url, more), answer))
        return answer


class Replay:
    """Answers as recorded, but for one.

    Args:
        answers: of a `Recorder`.
        at: which one is altered.
        instead: status and content that come for it.
    """

    def __init__(
        self, answers: list[tuple[Key, Answer]], at: int, instead: tuple[int, bytes]
    ) -> None:
        self._left: dict[Key, list[Answer]] = defaultdict(list)
        for number, (key, answer) in enumerate(answers):
            if number == at:
                answer = Answer(answer.method, answer.path, *instead)
            self._left[key].append(answer)

    def __call__(self, session: object, method: str, url: str, timeout: float, **more) -> Answer:
        left = self._left[key_of(method, url, more)]
        if not left:  # asked for otherwise than in the recording: the device knows nothing of it
            body = b'{"status": "error", "error": -3, "http_status": 404}'
            return Answer(method, url.partition("/api/v2")[2], 404, body)
        return left.pop(0) if len(left) > 1 else left[0]


class Altering:
    """Calls a device and alters one of its answers.

    Args:
        at: which one.
        instead: status and content that come for it; the device has done what it was told.
    """

    def __init__(self, at: int, instead: tuple[int, bytes]) -> None:
        self._at, self._instead, self._number = at, instead, -1
        self._call = transport.call

    def __call__(self, session: object, method: str, url: str, timeout: float, **more) -> Answer:
        answer = self._call(session, method, url, timeout, **more)
        self._number += 1
        if self._number != self._at:
            return answer
        return Answer(answer.method, answer.path, *self._instead)


@st.composite
def altered(draw: st.DrawFn, answer: Answer) -> tuple[int, bytes]:
    """Another status and content than those of an answer."""
    status = draw(st.sampled_from([answer.status] * 6 + [200, 204, 302, 401, 403, 404, 418, 424]))
    try:
        content: Any = answer.json()
    except ValueError:
        content = None
    ways = [damaged(answer.content), st.sampled_from(_PAGES)]
    if content is not None:
        ways = [mangled(content).map(lambda one: json.dumps(one).encode())] * 6 + ways
    return status, draw(st.one_of(*ways))
