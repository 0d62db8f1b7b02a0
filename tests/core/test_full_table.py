"""A full session table: what is asked of the gateway, and what is made of what was seen."""

from __future__ import annotations

import pytest

from gatepass.base.errors import NotProven
from gatepass.endpoint.talk import Talked
from gatepass.gateway.fortigate import GatewayLost
from gatepass.gateway.session_limit import SessionLimit
from gatepass.scenarios.trouble import full_table
from gatepass.scenarios.trouble.forbidden import Sent
from gatepass.scenarios.trouble.full_table import TRIED, FullTable
from lab.gateway.dataplane.intent.table import Room, SessionTable


def seen(opened: int = 12, silent_s: float = 0.03, kept: int = 1) -> FullTable:
    talked = Talked(kept, 60, 60, longest_s=1.1, silent_s=silent_s)
    return FullTable(90, opened, 1.2, talked, 0.4, Sent("a to b", 300, {}))


def test_a_connection_that_is_answered_in_between_has_gone_on() -> None:
    assert seen().kept_on
    assert not seen(silent_s=1.2).kept_on


def test_a_silence_that_began_late_as_the_limit_did_is_one_all_the_same() -> None:
    """What counts is the time since the table was seen to be full, not since it was told to be."""
    late = FullTable(90, 12, 1.0, Talked(1, 9, 9, 1.4, silent_s=1.4), 0.4, Sent("a to b", 3, {}))
    assert not late.kept_on


def test_a_client_that_stood_still_cannot_tell() -> None:
    kept = Talked(1, 9, 9, 1.4, silent_s=1.4, still_s=0.9)
    late = FullTable(90, 12, 1.0, kept, 0.4, Sent("a to b", 3, {}))
    with pytest.raises(NotProven, match="the client stood still for 900 ms"):
        _ = late.kept_on


def test_a_table_that_was_never_full_proves_nothing() -> None:
    seen().must_have_been_full()
    with pytest.raises(NotProven, match=r"all 300 connections opened, although .* 90 sessions"):
        seen(opened=TRIED).must_have_been_full()


def test_nor_does_a_connection_that_never_opened() -> None:
    with pytest.raises(NotProven, match="did not open even while there was room"):
        seen(kept=0).must_have_been_full()


class Device:
    """Tells of sessions."""

    def __init__(self, results: dict) -> None:
        self._results = results

    def monitor(self, path: str, **_more: object) -> dict:
        return {"results": self._results}


class Changes:
    """Of a run on such a device."""

    def __init__(self, results: dict) -> None:
        self.gateway = Device(results)


def test_a_gateway_that_does_not_count_its_sessions_is_told() -> None:
    with pytest.raises(NotProven, match="does not report how many sessions it has"):
        SessionLimit(Changes({"cpu": []}), 30)


class Limit:
    """A limit whose gateway has no room for who wants to end it, for some calls."""

    def __init__(self, lost: int) -> None:
        self.lost = lost

    def drop(self) -> None:
        self.lost -= 1
        if self.lost >= 0:
            raise GatewayLost("no room")


def test_the_limit_is_dropped_as_soon_as_there_is_room() -> None:
    limit = Limit(lost=2)
    full_table._drop(limit)
    assert limit.lost == -1


def test_one_that_cannot_be_dropped_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_table, "BACK_S", 0.1)
    with pytest.raises(GatewayLost):
        full_table._drop(Limit(lost=100))


def test_the_lab_asks_for_its_room_once() -> None:
    counts = iter([40, 70])
    room = Room(lambda: next(counts))
    assert room.of(SessionTable()).room is None
    assert room.of(SessionTable(50)).room == 10
    assert room.of(SessionTable(50)).room == 10, "as long as the limit is the same"
    assert room.of(SessionTable(60)).room == 0, "never less than none"
    assert room.of(SessionTable()).room is None
    assert room.of(SessionTable(stays=True)).room is None


def test_a_faulty_lab_keeps_its_limit() -> None:
    room = Room(lambda: 40)
    room.of(SessionTable(50))
    kept = room.of(SessionTable(stays=True))
    assert (kept.limit, kept.room) == (50, 10)
    assert room.of(SessionTable()).room is None, "until the fault is gone"
