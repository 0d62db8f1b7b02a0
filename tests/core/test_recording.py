"""A recording comes from a stranger: it is read, or told in one sentence what is wrong with it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.mangling import damaged, mangled
from gatepass.base.errors import InputError
from gatepass.base.printable import printable
from gatepass.gateway import recording as module
from gatepass.gateway.recording import Recording

HEAD = {
    "gatepass_recording": 1, "gatepass": "1.0", "began": "2026-01-01T00:00:00+00:00",
    "mark": "gp0a1b2c", "profile": "quick", "order": {"order": "A"}, "testbed": {"testbed": "t"},
}
EXCHANGE = {
    "check": "Before the test.The Licence Is Valid", "at": 1767225600.25, "connection": 1,
    "method": "GET", "path": "monitor/license/status", "query": {"vdom": "root"},
    "status": 200, "answer": {"results": {"vm": {"valid": True}}}, "milliseconds": 3.5,
}
FAILED = {name: EXCHANGE[name] for name in ("at", "connection", "method", "path", "milliseconds")}
FAILED |= {"failure": {"kind": "ReadTimeout", "words": "timed out"}}
VERDICT = {"check": "Before the test.The Licence Is Valid", "verdict": "pass"}
END = {"end": "whole"}
LINES = [HEAD, EXCHANGE, FAILED, VERDICT, END]


def text_of(*lines: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in lines)


def without(line: dict, *names: str) -> dict:
    return {name: value for name, value in line.items() if name not in names}


def test_all_of_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r"
    for content in (text_of(*LINES), gzip.compress(text_of(*LINES))):
        path.write_bytes(content)
        read = Recording.read(path)
        first, second = read.exchanges
        assert read.head.mark == HEAD["mark"] and not read.bounded
        assert read.verdicts == {VERDICT["check"]: "pass"}
        assert (first.answer.status, first.answer.json()) == (200, EXCHANGE["answer"])
        assert (first.answer.sent_s, first.answer.took_s) == (1767225600.25, 0.0035)
        assert (second.answer, second.failure) == (None, ("ReadTimeout", "timed out"))
    path.write_bytes(text_of(HEAD, {"end": "bound"}))
    assert Recording.read(path).bounded


GOOD = text_of(*LINES)
WRONG: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "another text": (b"# Gatepass\n", "is no recording of Gatepass"),
    "another JSON": (text_of({"name": "x"}), "is no recording of Gatepass"),
    "a list": (text_of([1]), "is no recording of Gatepass"),
    "nested without end": (b"[" * 100_000 + b"\n", "is no recording of Gatepass"),
    "binary": (bytes(range(256)) * 10, "is no recording of Gatepass"),
    "newer": (text_of(HEAD | {"gatepass_recording": 2}), "is of a newer Gatepass"),
    "no mark": (text_of(without(HEAD, "mark"), END), "line 1: the recording is damaged (mark"),
    "a wrong mark": (text_of(HEAD | {"mark": "../../x"}, END), "line 1"),
    "more in its head": (text_of(HEAD | {"more": 1}, END), "line 1"),
    "cut off in a line": (GOOD[:-40], "line 4: the recording is damaged (the line breaks off)"),
    "cut off after a line": (text_of(*LINES[:3]), "breaks off after 2 exchanges"),
    "its head alone": (text_of(HEAD), "breaks off after 0 exchanges"),
    "compressed and cut off": (gzip.compress(GOOD)[:-20], "cannot be read after line"),
    "compressed and damaged": (b"\x1f\x8b" + b"x" * 200, "cannot be read after line 0"),
    "no JSON": (text_of(HEAD) + b"GET /\n" + text_of(END), "line 2"),
    "a number": (text_of(HEAD, 7, END), "line 2"),
    "nested too deeply": (text_of(HEAD) + b"[" * 100_000 + b"\n", "line 2"),
    "no status": (text_of(HEAD, without(EXCHANGE, "status"), END), "line 2"),
    "status and failure": (text_of(HEAD, EXCHANGE | FAILED, END), "line 2"),
    "a wrong status": (text_of(HEAD, EXCHANGE | {"status": 7}, END), "status"),
    "another method": (text_of(HEAD, EXCHANGE | {"method": "TRACE"}, END), "method"),
    "a failure of its own": (
        text_of(HEAD, FAILED | {"failure": {"kind": "SystemExit", "words": ""}}, END),
        "failure.kind",
    ),
    "a time that is none": (text_of(HEAD, EXCHANGE | {"at": float("inf")}, END), "at"),
    "another verdict": (text_of(HEAD, VERDICT | {"verdict": "well"}, END), "verdict"),
    "something after its end": (text_of(HEAD, END, EXCHANGE), "line 3"),
    "two ends": (text_of(HEAD, END, END), "line 3"),
}


@pytest.mark.parametrize(("content", "telling"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, content: bytes, telling: str) -> None:
    path = tmp_path / "recorded.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as told:
        Recording.read(path)
    said = str(told.value)
    assert said.startswith(str(path)) and telling in said and said.endswith(".")
    assert "\n" not in said and printable(said) == said and len(said) < 600


@pytest.mark.parametrize(
    ("make", "telling"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is not a regular file"),
    ],
    ids=["missing", "a folder"],
)
def test_what_is_no_file(
    tmp_path: Path, make: Callable[[Path], object], telling: str
) -> None:
    make(tmp_path / "r")
    with pytest.raises(InputError, match=telling):
        Recording.read(tmp_path / "r")


def test_lines_and_files_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 5000)
    path = tmp_path / "r"
    path.write_bytes(gzip.compress(text_of(HEAD, EXCHANGE | {"answer": "x" * 6000}, END)))
    with pytest.raises(InputError, match="line 2: this is longer than anything in a recording"):
        Recording.read(path)
    monkeypatch.setattr(module, "MOST_BYTES", 2000 - module._ROOM)
    path.write_bytes(gzip.compress(text_of(HEAD, *[EXCHANGE] * 10, END)))
    with pytest.raises(InputError, match="this is longer than anything in a recording"):
        Recording.read(path)


@given(st.one_of(damaged(GOOD), damaged(gzip.compress(GOOD, mtime=0))))
@example(GOOD)
def test_damaged_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    _read_or_told(tmp_path_factory.getbasetemp() / "damaged", content)


@given(st.data())
def test_other_values(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(LINES) - 1))
    lines = [*LINES[:at], data.draw(mangled(LINES[at])), *LINES[at + 1 :]]
    _read_or_told(tmp_path_factory.getbasetemp() / "mangled", text_of(*lines))


def _read_or_told(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        assert Recording.read(path).head.mark.startswith("gp")
    except InputError as told:
        said = str(told)
        assert "\n" not in said and printable(said) == said and len(said) < 600
