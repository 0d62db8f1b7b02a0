"""Replays a recorded conversation: answers what was answered to the same question.

The run bears the recorded mark, so that its objects have the recorded names. What is asked several
times is answered in the order of the recording: what was asked within the same check, over the
connection that began alike, comes first.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from weakref import WeakKeyDictionary

import requests

from gatepass.base.masking import Secrets
from gatepass.gateway import transport
from gatepass.gateway.answers import GatewayLost
from gatepass.gateway.exchange import asked, failed, key_of
from gatepass.gateway.recording import Recorded, Recording
from gatepass.gateway.transport import Answer

_ALL = 0
"""Stands for all connections; they are numbered from 1 on."""


class NotRecorded(GatewayLost):
    """The recording does not tell what the gateway would have answered."""


class Player(transport.Way):
    """The way to a recording.

    Args:
        recording: of a run.

    Attributes:
        verdicts: of the checks that have ended, by chapter and name.
        unanswered: those that asked what the recording has no answer to.
    """

    def __init__(self, recording: Recording) -> None:
        self.mark = recording.head.mark
        self.replayed = f"what a gateway answered on {recording.head.began[:10]}"
        self.verdicts: dict[str, str] = {}
        self.unanswered: set[str] = set()
        self._check = ""
        self._exchanges = recording.exchanges
        self._places: dict[tuple[int, str], list[int]] = defaultdict(list)
        self._begun: dict[str, list[int]] = defaultdict(list)
        connections: set[int] = set()
        for place, one in enumerate(self._exchanges):
            if one.connection not in connections:
                connections.add(one.connection)
                self._begun[one.key].append(one.connection)
            self._places[one.connection, one.key].append(place)
            self._places[_ALL, one.key].append(place)
        self._parts = _parts(self._exchanges)
        self._part = range(0)
        self.check_begins("")
        self._given: dict[tuple[int, str], int] = {}
        self._connections: WeakKeyDictionary[requests.Session, int] = WeakKeyDictionary()
        self._secrets = Secrets()
        self._waited = threading.local()
        self._choosing = threading.Lock()

    def call(
        self, session: requests.Session, method: str, url: str, timeout_s: float, **more
    ) -> Answer:
        """Answer as recorded, or fail as recorded.

        Raises:
            NotRecorded: nobody asked this when the recording was made.
        """
        told = asked(session, method, url, more, self._secrets)
        key = key_of(told)
        with self._choosing:
            place = self._place(session, key)
        if place is None:
            return self.unknown(told)
        found = self._exchanges[place]
        if found.answer is None:
            raise failed(*found.failure)
        self._waited.s = getattr(self._waited, "s", 0.0) + found.answer.took_s
        return found.answer

    def unknown(self, told: dict[str, Any]) -> Answer:
        """What is answered to a question that the recording does not know.

        Args:
            told: the question; see `exchange.asked`.

        Raises:
            NotRecorded: always.
        """
        query = "&".join(f"{name}={value}" for name, value in told["query"].items())
        what = f"{told['method']} {told['path']}{f'?{query}' if query else ''}"
        body = f" with {str(told['body'])[:200]}" if "body" in told else ""
        self.unanswered.add(self._check)
        raise NotRecorded(
            f"the recording has no answer to {what}{body}: nobody asked that when it was made. "
            "Record it again with this version of Gatepass."
        )

    def elapsed_s(self) -> float:
        """A clock for which each answer takes as long as it took."""
        return time.monotonic() + getattr(self._waited, "s", 0.0)

    def pause(self, seconds: float) -> None:
        """Nobody is given time by waiting."""
        self._waited.s = getattr(self._waited, "s", 0.0) + seconds

    def check_begins(self, check: str) -> None:
        """Go to where the same check began, or to what came between two checks."""
        self._check, here = check, self._part.stop
        later = [part for name, part in self._parts if name == check and part.start >= here]
        if check:
            any_of = [part for name, part in self._parts if name == check]
            self._part = next(iter(later or any_of), range(here, here))
        else:
            between = [part for part in later if part.start == here]
            self._part = next(iter(between), range(here, here))

    def check_ends(self, check: str, verdict: str) -> None:
        """Keep how it ended."""
        self.verdicts[check] = verdict

    def _place(self, session: requests.Session, key: str) -> int | None:
        """Where the answer to a question stands; None where it was never asked."""
        connection = self._connections.get(session)
        if connection is None:
            begun_alike = self._begun.get(key)
            connection = begun_alike.pop(0) if begun_alike else _ALL
            self._connections[session] = connection
        asked_so = connection if (connection, key) in self._places else _ALL
        places = self._places.get((asked_so, key))
        if not places:
            return None
        given = self._given.get((asked_so, key), -1)
        within = [place for place in places if place in self._part]
        if within:
            place = next((one for one in within if one > given), within[-1])
        else:  # as it was last, where this check did not ask
            before = [one for one in places if one < self._part.start]
            place = before[-1] if before else places[0]
        self._given[asked_so, key] = place
        return place


def _parts(exchanges: Sequence[Recorded]) -> list[tuple[str, range]]:
    """What belongs together: one check, or what came between two of them."""
    parts, start = [], 0
    for check, group in groupby(exchanges, key=lambda one: one.check):
        stop = start + sum(1 for _ in group)
        parts.append((check, range(start, stop)))
        start = stop
    return parts

