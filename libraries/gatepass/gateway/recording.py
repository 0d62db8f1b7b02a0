"""A recorded conversation with a gateway, read from its file: what a stranger sends until then.

A JSON object a line, gzip or not: first who was talked to by whom, then the exchanges in their
order and between them how each check ended, then that this is the end.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from gatepass.base.chapters import called_now
from gatepass.base.errors import InputError
from gatepass.base.files import trouble_with
from gatepass.base.formats import MARK
from gatepass.base.printable import shown
from gatepass.gateway.exchange import KINDS, key_of
from gatepass.gateway.transport import Answer

VERSION = 1
MOST_BYTES = 128 * 2**20
"""Of all lines, not compressed."""
LONGEST_LINE = 32 * 2**20
_ROOM = 2**16
"""Beyond the bound there is room for the last line."""
_GZIP = b"\x1f\x8b"
WHOLE, BOUND = "whole", "bound"
"""How a recording ends."""


def _asker(check: str) -> str:
    """Who asked, though its chapter was called otherwise when that was recorded."""
    chapter, dot, name = check.partition(".")
    return called_now(chapter) + dot + name


Asker = Annotated[str, AfterValidator(_asker)]
"""Chapter and name of a check; empty between two of them."""


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class Head(_Line):
    """Who was talked to by whom."""

    gatepass_recording: Literal[1] = VERSION
    gatepass: str = Field(max_length=40)
    """Its version."""
    began: str = Field(pattern=r"^\d{4}-\d\d-\d\dT[0-9:+-]{8,20}$")
    mark: str = Field(pattern=f"^{MARK}$")
    profile: str = Field(max_length=64)
    order: dict[str, Any]
    testbed: dict[str, Any]


class _Failure(_Line):
    kind: Literal[KINDS]  # type: ignore[valid-type]
    words: str = Field(max_length=300)


class _Exchange(_Line):
    check: Asker = Field("", max_length=400)
    at: float = Field(ge=0, le=1e11, allow_inf_nan=False)
    connection: int = Field(ge=1)
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str = Field(max_length=4000)
    query: dict[str, str] = {}
    body: Any = None
    anonymous: bool = False
    status: int | None = Field(None, ge=100, le=599)
    answer: Any = None
    text: str | None = None
    failure: _Failure | None = None
    milliseconds: float = Field(ge=0, le=1e8, allow_inf_nan=False)

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if (self.status is None) == (self.failure is None):
            raise ValueError("a status or a failure is expected")
        return self


class _Ended(_Line):
    check: Asker = Field(max_length=400)
    verdict: Literal["pass", "fail", "not proven", "not applicable"]


class _End(_Line):
    end: Literal["whole", "bound"]


@dataclass(frozen=True)
class Recorded:
    """One exchange.

    Attributes:
        key: what its question is known by; see `exchange.key_of`.
        check: chapter and name of the one that asked; empty where none did.
        connection: by a number.
        answer: what came; None where nothing did.
        failure: kind and words of why nothing came.
    """

    key: str
    check: str
    connection: int
    answer: Answer | None
    failure: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Recording:
    """A conversation.

    Attributes:
        head: who was talked to by whom.
        exchanges: in their order.
        verdicts: of each check, by chapter and name.
        bounded: whether it stops at its bound, and not at the end of the run.
    """

    head: Head
    exchanges: list[Recorded]
    verdicts: dict[str, str] = field(default_factory=dict)
    bounded: bool = False

    @classmethod
    def read(cls, path: Path) -> Recording:
        """Read a file.

        Raises:
            InputError: it is missing, damaged, breaks off, or is no recording; one sentence.
        """
        if trouble := trouble_with(path):
            raise InputError(f"{path}: the recording {trouble}. Check its name and its rights.")
        with closing(_lines(path)) as lines:
            head = _head(path, next(lines, b""))
            found = cls(head, [])
            for number, line in enumerate(lines, start=2):
                entry = _entry(path, number, line)
                if isinstance(entry, _End):
                    if next(lines, None) is not None:
                        raise _damaged(path, number + 1, "nothing comes after the end")
                    return cls(head, found.exchanges, found.verdicts, entry.end == BOUND)
                if isinstance(entry, _Ended):
                    found.verdicts[entry.check] = entry.verdict
                else:
                    found.exchanges.append(_recorded(entry))
        raise InputError(
            f"{path}: the recording breaks off after {len(found.exchanges)} exchanges: its run was "
            "killed, or it was not copied whole. Copy it once more, or record it again."
        )


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, which may be compressed.

    Raises:
        InputError: it cannot be read, or is larger than any recording.
    """
    number = size = 0
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == _GZIP
            stream: IO[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore
            while line := stream.readline(LONGEST_LINE + 1):
                number, size = number + 1, size + len(line)
                if len(line) > LONGEST_LINE or size > MOST_BYTES + _ROOM:
                    raise InputError(
                        f"{path}, line {number}: this is longer than anything in a recording. Name "
                        "a file that --record-api has made."
                    )
                yield line
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or "it is damaged, or was not copied whole"
        raise InputError(
            f"{path}: the recording cannot be read after line {number}: {why}. Copy it once more, "
            "or record it again."
        ) from None


def _head(path: Path, line: bytes) -> Head:
    try:
        told = json.loads(line)
        version = told["gatepass_recording"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError(
            f"{path}: this is no recording of Gatepass. Name a file that --record-api has made."
        ) from None
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            f"{path}: this recording is of a newer Gatepass, whose recordings are of version "
            f"{version}; this one knows version {VERSION}. Use a newer Gatepass."
        )
    return _shaped(Head, path, 1, told)


def _entry(path: Path, number: int, line: bytes) -> _Exchange | _Ended | _End:
    if not line.endswith(b"\n"):
        raise _damaged(path, number, "the line breaks off")
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise _damaged(path, number, "this is no JSON") from None
    named = told if isinstance(told, dict) else {}
    shape = _Ended if "verdict" in named else _End if "end" in named else _Exchange
    return _shaped(shape, path, number, told)


def _shaped(shape: Any, path: Path, number: int, told: object) -> Any:
    try:
        return shape.model_validate(told)
    except ValidationError as failure:
        first = failure.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(step)[:40] for step in first["loc"]) or "the whole"
        raise _damaged(path, number, f"{where}: {first['msg']}") from None


def _damaged(path: Path, number: int, why: str) -> InputError:
    return InputError(
        f"{path}, line {number}: the recording is damaged ({shown(why, 200)}). Copy it once more, "
        "or record it again."
    )


def _recorded(told: _Exchange) -> Recorded:
    key = key_of(told.model_dump(include={"method", "path", "query", "body", "anonymous"}))
    if told.failure:
        failure = told.failure.kind, told.failure.words
        return Recorded(key, told.check, told.connection, None, failure)
    text = json.dumps(told.answer) if told.text is None else told.text
    took_s = told.milliseconds / 1000
    answer = Answer(
        told.method, f"/api/v2/{told.path}", told.status, text.encode(), told.at, took_s
    )
    return Recorded(key, told.check, told.connection, answer)
