"""Promises of docs/security.md that hold at every moment of a whole run, by their numbers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from robot.api import ExecutionResult

from faults.faulty_lab import Ended
from lab.base.process import wait_until
from runs.conftest import Watches
from runs.listeners import Listeners, listening

_LISTENS = """
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
sys.stdin.read()
"""


def test_promise_4_no_secret_is_in_a_command_line_or_an_environment(
    whole_run: Ended, watches: Watches
) -> None:
    assert not watches.secrets.seen
    assert len(watches.secrets.processes) > 20, whole_run.output


def test_promise_5_nothing_listens_on_the_machine_in_any_chapter(
    whole_run: Ended, watches: Watches
) -> None:
    suite = ExecutionResult(str(whole_run.folder / "output.xml")).suite
    assert len(suite.suites) > 10 and watches.listeners.most > 3
    for chapter in suite.suites:
        looks = watches.listeners.within(
            chapter.start_time.timestamp(), chapter.end_time.timestamp()
        )
        assert looks or chapter.elapsed_time.total_seconds() < 2, chapter.name
        assert [found for found in looks if found] == [], chapter.name


def test_where_processes_listen_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listening([os.getpid()]) == [f"0100007F:{port:04X}"]


def test_what_a_child_listens_at_is_found() -> None:
    """Otherwise finding nothing above would prove nothing."""
    child = subprocess.Popen([sys.executable, "-c", _LISTENS], stdin=subprocess.PIPE)
    try:
        with Listeners(Path(f"/proc/{child.pid}/ns/net")).at_work() as watch:
            assert wait_until(lambda: any(found for _, found in watch.looks), 30)
    finally:
        child.communicate()
