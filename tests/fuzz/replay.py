"""A device's answers, recorded once and told again with one of them altered."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from fuzz.mangling import damaged, mangled
from gatepass.base.masking import Secrets
from gatepass.gateway import transport
from gatepass.gateway.exchange import asked, key_of
from gatepass.gateway.player import Player
from gatepass.gateway.recording import Head, Recorded, Recording
from gatepass.gateway.transport import Answer

_HEAD = Head(
    gatepass="0", began="2026-01-01T00:00:00+00:00", mark="gp0a1b2c", profile="quick", order={},
    testbed={},
)
_PAGES = (b"", b"{}", b"[]", b"null", b"0", b'"x"', b"<!DOCTYPE html><html></html>", b"\xff\xfe")


class Keeper(transport.Way):
    """Calls a device and keeps what it answers, in order."""

    def __init__(self) -> None:
        self.exchanges: list[Recorded] = []
        self._secrets = Secrets()

    @property
    def answers(self) -> list[Answer]:
        return [one.answer for one in self.exchanges]

    def call(self, session: Any, method: str, url: str, timeout_s: float, **more: Any) -> Answer:
        answer = super().call(session, method, url, timeout_s, **more)
        key = key_of(asked(session, method, url, more, self._secrets))
        self.exchanges.append(Recorded(key, "", 1, answer))
        return answer


class Replay(Player):
    """Answers as recorded, but for one.

    Args:
        exchanges: of a `Keeper`.
        at: which one is altered.
        instead: status and content that come for it.
    """

    def __init__(self, exchanges: list[Recorded], at: int, instead: tuple[int, bytes]) -> None:
        altered = replace(exchanges[at], answer=_altered(exchanges[at].answer, instead))
        super().__init__(Recording(_HEAD, [*exchanges[:at], altered, *exchanges[at + 1 :]]))

    def unknown(self, told: dict[str, Any]) -> Answer:
        """Asked for otherwise than in the recording: the device knows nothing of it."""
        body = b'{"status": "error", "error": -3, "http_status": 404}'
        return Answer(told["method"], told["path"], 404, body)


class Altering(transport.Way):
    """Calls a device and alters one of its answers.

    Args:
        at: which one.
        instead: status and content that come for it; the device has done what it was told.
    """

    def __init__(self, at: int, instead: tuple[int, bytes]) -> None:
        self._at, self._instead, self._number = at, instead, -1

    def call(self, session: Any, method: str, url: str, timeout_s: float, **more: Any) -> Answer:
        answer = super().call(session, method, url, timeout_s, **more)
        self._number += 1
        return _altered(answer, self._instead) if self._number == self._at else answer


def _altered(answer: Answer, instead: tuple[int, bytes]) -> Answer:
    status, content = instead
    return replace(answer, status=status, content=content)


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
