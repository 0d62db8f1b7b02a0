"""Troubles on purpose: the testbed's commands, what a kill leaves, and what is made of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.download import FileSource
from gatepass.endpoint.repeated import RepeatedDownload, Try
from gatepass.gateway import troubles
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.troubles import Troubles, end_left
from gatepass.inputs import testbed as bed
from gatepass.inputs.testbed import Trouble
from gatepass.scenarios.trouble.forbidden import Sent
from gatepass.scenarios.trouble.inspection import Asked, Endured

HEAD = {"mark": "gp123abc", "serial": "LAB1", "testbed": "bed.yaml"}
FILE, OTHER = "f" * 64, "0" * 64


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    folder = tmp_path / "run-1"
    folder.mkdir()
    return Journal.start(folder / NAME, HEAD)


def _testbed(**named: Trouble) -> SimpleNamespace:
    gateway = SimpleNamespace(troubles=bed.TestbedTroubles(**named))
    return SimpleNamespace(gateway=gateway, path=Path("bed.yaml"), environment=[])


def _commands(tmp_path: Path) -> Trouble:
    return Trouble(begin=f"touch '{tmp_path}/there'", end=f"rm '{tmp_path}/there'")


def test_a_trouble_is_brought_about_and_ended(journal: Journal, tmp_path: Path) -> None:
    own = Troubles(_testbed(memory=_commands(tmp_path)), journal)
    assert own.commands("licence") is None
    own.begin("memory")
    assert (tmp_path / "there").exists()
    assert Journal.read(journal.path).troubles == ["memory"]
    own.end("memory")
    assert not (tmp_path / "there").exists()
    assert Journal.read(journal.path).troubles == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("echo 'no such machine.' >&2; exit 3", r"ended with exit code 3: no such machine\. Try"),
        ("exit 1", r"ended with exit code 1\. Try it yourself and correct it in bed\.yaml"),
        ("sleep 60 & wait", r"did not end in time\."),
    ],
)
def test_a_command_that_fails_is_told(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, command: str, told: str
) -> None:
    monkeypatch.setattr(troubles, "_LIMIT_S", 0.5)
    own = Troubles(_testbed(inspection=Trouble(begin=command, end="true")), journal)
    with pytest.raises(NotProven, match=f"gateway.troubles.inspection.begin {told}"):
        own.begin("inspection")
    assert journal.troubles == ["inspection"], "nobody knows how far it came"
    own.end("inspection")
    assert journal.troubles == []


def test_what_a_killed_run_brought_about_is_ended(journal: Journal, tmp_path: Path) -> None:
    testbed = _testbed(licence=_commands(tmp_path))
    Troubles(testbed, journal).begin("licence")
    journal.release()  # as a kill does
    left = Journal.read(journal.path)
    assert left.adopt()
    (problem,) = end_left(_testbed(), left)
    assert "still in the disturbance “licence”" in problem and "has no gateway.troubles" in problem
    assert left.troubles == ["licence"]
    assert end_left(testbed, left) == []
    assert not (tmp_path / "there").exists()
    assert Journal.read(journal.path).troubles == []


class _Web(ThreadingHTTPServer):
    """Answers with the content that it has, or not at all while that is None."""

    content: bytes | None = b"clean"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = self.server.content
        if content is None:
            self.send_error(503)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def test_a_file_is_asked_for_until_the_end(shell: LocalShell) -> None:
    web = _Web()
    threading.Thread(target=web.serve_forever, daemon=True).start()
    source = FileSource("http", "127.0.0.1", web.server_port)
    asking = RepeatedDownload(shell, "asking", source, "f", 60)
    try:
        digest = _first(asking, lambda tries: bool(tries))[-1].digest
        web.content = None
        _first(asking, lambda tries: tries[-1].digest != digest)
        web.content = b"clean"
        _first(asking, lambda tries: tries[-1].digest == digest)
        tries = asking.end()
    finally:
        asking.stop()
        web.shutdown()
        web.server_close()
    away = Asked(tries, digest).away(tries[0].began)
    assert away and 0 < away < tries[-1].ended - tries[0].began
    assert all(one.began <= one.ended for one in tries)


def _first(asking: RepeatedDownload, holds: Callable[[list[Try]], bool]) -> list[Try]:
    seen: list[list[Try]] = []

    def look() -> bool:
        seen.append(asking.tries())
        return bool(seen[-1]) and holds(seen[-1])

    assert until(look, 20)
    return seen[-1]


def test_a_client_without_curl_is_told(shell: LocalShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "gatepass.endpoint.repeated.FileSource.options", lambda self: ["--no-such-option"]
    )
    nobody = FileSource("http", "127.0.0.1", 9)
    asking = RepeatedDownload(shell, "asking", nobody, "f", 60)
    time.sleep(0.3)
    assert all(one.digest != FILE for one in asking.end())


def _tries(*arrived: bool) -> list[Try]:
    """One a second, each half a second long."""
    return [
        Try(float(number), number + 0.5, FILE if there else OTHER)
        for number, there in enumerate(arrived)
    ]


@pytest.mark.parametrize(
    ("arrived", "away"),
    [
        ((True, True, True, True), 0.0),
        ((True, False, False, True), 3.0),
        ((True, False, True, True, False, False, True), 3.0),
        ((True, True, False, False), None),
    ],
)
def test_how_long_a_file_was_away(arrived: tuple[bool, ...], away: float | None) -> None:
    assert Asked(_tries(*arrived), FILE).away(0.4) == away


def test_what_failed_before_is_not_of_the_trouble() -> None:
    assert Asked(_tries(True, False, True, True), FILE).away(2.0) == 0


def _endured(clean: list[Try], harmful: list[Try]) -> Endured:
    files = (Asked(clean, FILE), Asked(harmful, FILE))
    return Endured(1.9, 2.0, 4.0, *files, Sent("server to client", 100, {"tcp": 0}))


SOUND = _endured(_tries(True, True, False, False, True), _tries(*[False] * 5))


def test_a_trouble_that_was_seen_proves_something() -> None:
    SOUND.must_have_been_seen()
    assert SOUND.harmful.arrived(SOUND.asked, SOUND.over) == (0, 2)


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (replace(SOUND, clean=Asked(_tries(False, False, True), FILE)), "no clean file arrived"),
        (replace(SOUND, harmful=Asked(_tries(True, False, False), FILE)), "arrived even before"),
        (replace(SOUND, harmful=Asked(_tries(False, False), FILE)), "no harmful file was"),
    ],
)
def test_what_was_not_seen_proves_nothing(seen: Endured, told: str) -> None:
    with pytest.raises(NotProven, match=told):
        seen.must_have_been_seen()


def test_a_try_that_began_before_the_trouble_and_ended_in_it_is_one_of_it() -> None:
    """The client stood still between writing down the time and asking."""
    late = [Try(0.0, 0.5, OTHER), Try(1.8, 2.6, FILE), Try(3.0, 3.5, OTHER)]
    seen = replace(SOUND, harmful=Asked(late, FILE))
    seen.must_have_been_seen()
    assert seen.harmful.arrived(seen.asked, seen.over) == (1, 2)


def test_one_that_may_have_been_asked_after_the_trouble_was_not_tried_in_it() -> None:
    late = [Try(0.0, 0.5, OTHER), Try(3.9, 5.0, OTHER)]
    with pytest.raises(NotProven, match="no harmful file was asked for"):
        replace(SOUND, harmful=Asked(late, FILE)).must_have_been_seen()
