"""What went to and fro in a check that did not pass, as its page shows it.

Each part of the page is bounded; what has no room there stands in a file beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from gatepass.base.flight_recorder import FlightRecorder
from gatepass.base.masking import masked_line
from gatepass.results.exchanges import ConnectionTry, FileTransfer, LogExcerpt

MOST_TRANSFERS, MOST_TRIES, MOST_ROWS = 6, 30, 10
"""On the page, the latest."""
_MOST_LINES, _LONGEST = 20, 200
_BEGINNING = 64
"""Bytes of what arrived."""
_OF_A_ROW = ("date", "time", "action", "srcip", "dstip", "policyid")
_WHAT = ("virus", "attack", "app", "hostname", "url", "filename", "filetype", "msg")
_PCAP_HEADER, _PACKET_HEADER = 24, 16


@dataclass(frozen=True)
class ShownTransfer:
    """A transfer in a reader's words.

    Attributes:
        at: the time of day, UTC.
        before: how many went alike right before it, and since when; empty without any.
        request, answer: lines, without secrets.
        received: bytes, of how many.
        content: what the digests say.
        beginning: the first bytes in hexadecimal and as letters; empty where none came.
        problem: of the client's program.
    """

    at: str
    before: str
    request: Sequence[str]
    answer: Sequence[str]
    received: str
    content: str
    beginning: str
    problem: str


@dataclass(frozen=True)
class ShownLog:
    """A log of the gateway as it was read last.

    Attributes:
        log: device and type.
        count: of all its entries, in words.
        rows: what the latest say, cell by cell.
    """

    log: str
    count: str
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Exchanges:
    """What went to and fro.

    Attributes:
        transfers, tries, logs: on the page.
        beside: files of the run with what was captured or listed: path from the run's folder on,
            and what is in it.
        more: how many transfers and tries there were before those.
    """

    transfers: Sequence[ShownTransfer] = ()
    tries: Sequence[tuple[str, ConnectionTry]] = ()
    logs: Sequence[ShownLog] = ()
    beside: Sequence[tuple[str, str]] = ()
    more: tuple[int, int] = (0, 0)


def exchanges(
    recorder: FlightRecorder, since: float, beside: Sequence[tuple[str, str]] = ()
) -> Exchanges:
    """What was noted since a check began.

    Args:
        recorder: that noted it.
        since: seconds since the epoch.
        beside: see `Exchanges`.
    """
    alike = [list(same) for _, same in groupby(recorder.since(since, FileTransfer), _alike)]
    tries = recorder.since(since, ConnectionTry)
    logs = {one.log: one for _, one in recorder.since(since, LogExcerpt)}
    return Exchanges(
        [_transfer(same) for same in alike[-MOST_TRANSFERS:]],
        [(_clock(at), one) for at, one in tries[-MOST_TRIES:]],
        [_log(one) for one in logs.values()],
        beside,
        (max(0, len(alike) - MOST_TRANSFERS), max(0, len(tries) - MOST_TRIES)),
    )


def to_be_kept(recorder: FlightRecorder, since: float) -> Iterable[tuple[str, str, list[Any]]]:
    """Name, meaning and rows of the files that hold all of it."""
    kinds: tuple[tuple[str, str, type, Callable], ...] = (
        ("transfers", "each file that was asked for, with its answer", FileTransfer, _plain),
        ("connections", "each connection that was tried", ConnectionTry, asdict),
    )
    for name, meaning, kind, told in kinds:
        if rows := [{"at": at} | told(one) for at, one in recorder.since(since, kind)]:
            yield f"exchanges/{name}.json", meaning, rows
    for log, rows in {one.log: one.rows for _, one in recorder.since(since, LogExcerpt)}.items():
        if rows:
            meaning = f"gateway: its log {log}, as the check read it"
            yield f"gateway/log-{log.replace('/', '-')}.json", meaning, list(rows)


def packets_in(capture: Path) -> int:
    """How many packets a pcap file of this machine's byte order holds."""
    content, at, count = capture.read_bytes(), _PCAP_HEADER, 0
    order = "little" if content[:1] in (b"\xd4", b"\x4d") else "big"
    while at + _PACKET_HEADER <= len(content):
        at += _PACKET_HEADER + int.from_bytes(content[at + 8 : at + 12], order)
        count += 1
    return count


def _alike(noted: tuple[float, FileTransfer]) -> tuple[object, ...]:
    """The same for transfers that went alike, whatever the time in their headers."""
    _, one = noted
    return tuple(one.request), tuple(one.answer[:1]), one.received, one.sha256, one.problem


def _transfer(same: Sequence[tuple[float, FileTransfer]]) -> ShownTransfer:
    """The last of some that went alike."""
    at, one = same[-1]
    before = f"and {len(same) - 1} alike since {_clock(same[0][0])}" if len(same) > 1 else ""
    received = f"{one.received:,} bytes"
    if one.expected is not None:
        received = f"{one.received:,} of {one.expected:,} bytes"
    return ShownTransfer(
        _clock(at),
        before,
        _lines(one.request),
        _lines(one.answer),
        received,
        _content(one),
        _dump(one.beginning[:_BEGINNING]),
        one.problem[:_LONGEST],
    )


def _content(one: FileTransfer) -> str:
    if not one.expected_sha256 or not one.received:
        return ""
    if one.sha256 == one.expected_sha256:
        return f"SHA-256 {one.sha256}, the same as the server's file"
    return f"SHA-256 {one.sha256}; the server's file has {one.expected_sha256}"


def _dump(content: bytes) -> str:
    """Sixteen bytes a line, in hexadecimal and as letters."""
    parts = [content[at : at + 16] for at in range(0, len(content), 16)]
    return "\n".join(
        f"{part.hex(' '):<47}  {''.join(chr(one) if 32 <= one < 127 else '.' for one in part)}"
        for part in parts
    )


def _lines(lines: Sequence[str]) -> list[str]:
    return [masked_line(line)[:_LONGEST] for line in lines[:_MOST_LINES]]


def _plain(one: FileTransfer) -> dict[str, Any]:
    fields = {"request": _lines(one.request), "answer": _lines(one.answer)}
    return asdict(one) | fields | {"beginning": one.beginning.hex()}


def _log(one: LogExcerpt) -> ShownLog:
    rows = [
        [
            *(str(row.get(name, ""))[:_LONGEST] for name in _OF_A_ROW),
            ", ".join(f"{name} {row[name]}" for name in _WHAT if row.get(name))[:_LONGEST],
        ]
        for row in one.rows[:MOST_ROWS]
    ]
    asked = ", ".join(f"{name} {value}" for name, value in one.asked.items())
    count = f"{len(one.rows):,} entries" if len(one.rows) != 1 else "1 entry"
    return ShownLog(one.log, f"{count} ({asked})", rows)


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%H:%M:%S.%f}"[:-3]
