"""Connections that talk, and how long they were silent."""

from __future__ import annotations

import socket
import time
from importlib import resources
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.talk import Answering, Asking
from standstill import stands_still

PORT = 29_018  # none that the kernel gives to others


@pytest.fixture
def ends(tmp_path: Path) -> list[LocalShell]:
    shells = [LocalShell(name, tmp_path / name) for name in ("client", "server")]
    for shell in shells:
        Path(shell.folder()).mkdir()
    return shells


def test_each_connection_is_answered(ends: list[LocalShell]) -> None:
    client, server = ends
    answering = Answering(server, "127.0.0.1", PORT, 20)
    try:
        asking = Asking(client, "127.0.0.1", PORT, 3, 0.01, 20)
        time.sleep(1)
        talked = asking.end()
    finally:
        answering.stop()
    assert talked.opened == 3
    assert talked.said >= talked.heard > 30


def test_silence_is_told(ends: list[LocalShell]) -> None:
    client, server = ends
    answering = Answering(server, "127.0.0.1", PORT, 20)
    try:
        asking = Asking(client, "127.0.0.1", PORT, 1, 0.01, 20)
        answering.stop()
        time.sleep(0.5)
        assert asking.end().longest_s > 0.3
    finally:
        answering.stop()


def test_nobody_opens_where_nobody_answers(ends: list[LocalShell]) -> None:
    asking = Asking(ends[0], "127.0.0.1", PORT, 2, 0.01, 20)
    assert asking.end().opened == 0


def test_a_port_that_is_taken_is_told(ends: list[LocalShell]) -> None:
    answering = Answering(ends[1], "127.0.0.1", PORT, 20)
    try:
        with pytest.raises(NotProven, match="Free the TCP port"):
            Answering(ends[0], "127.0.0.1", PORT, 20)
    finally:
        answering.stop()


def test_a_program_that_stands_still_says_so(ends: list[LocalShell]) -> None:
    client, server = ends
    answering = Answering(server, "127.0.0.1", PORT, 60)
    try:
        asking = Asking(client, "127.0.0.1", PORT, 1, 0.01, 60)
        with stands_still(Path(client.folder()) / "talk-ask"):
            begun = time.monotonic()
            assert until(lambda: time.monotonic() > begun + 0.6, 20)
        talked = asking.end()
    finally:
        answering.stop()
    assert talked.still_s > 0.4
    assert talked.longest_s - talked.still_s < 0.4


def test_an_answer_counts_from_when_its_word_was_said(ends: list[LocalShell]) -> None:
    """However late it is read."""
    text = resources.files("gatepass.endpoint.remote").joinpath("talk.py").read_text()
    talk = run_whole(text.removesuffix("main()\n"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        asking = talk["Connection"]("127.0.0.1", server.getsockname()[1])
        other, _ = server.accept()
        with other, asking.socket:
            for said_at in (10.0, 10.1):
                asking.speak(said_at)
            other.sendall(other.recv(8))
            assert until(lambda: asking.hear(99.0) or asking.heard, 20)
    assert (asking.last, asking.answered) == (99.0, 10.0)


def run_whole(source: str) -> dict:
    """What a program defines."""
    names: dict = {}
    exec(compile(source, "talk.py", "exec"), names)
    return names
