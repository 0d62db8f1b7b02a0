"""What went to and fro in a check: transfers of files, connections, what a log told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileTransfer:
    """A file that was asked for.

    Attributes:
        request: its lines, as they were sent.
        answer: the lines of status and headers, as they came; of FTP the server's replies.
        received: bytes of content that arrived.
        expected: bytes of the server's file; None where that is not known.
        sha256: of what arrived, hexadecimal; empty where nothing was kept of it.
        expected_sha256: of the server's file; empty where that is not known.
        beginning: the first bytes of what arrived.
        problem: what the client's program complained of; empty where it did not.
    """

    request: Sequence[str]
    answer: Sequence[str]
    received: int
    expected: int | None = None
    sha256: str = ""
    expected_sha256: str = ""
    beginning: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class ConnectionTry:
    """A connection that was tried.

    Attributes:
        source: the endpoint that tried it.
        target: protocol, address and port.
        outcome: answered, refused or silent.
        seen: the source address that the far side saw; empty where it saw none.
    """

    source: str
    target: str
    outcome: str
    seen: str = ""


@dataclass(frozen=True)
class LogExcerpt:
    """What a log of the gateway answered.

    Attributes:
        log: device and type, such as ``memory/virus``.
        asked: filters of the query.
        rows: the entries, newest first.
    """

    log: str
    asked: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
