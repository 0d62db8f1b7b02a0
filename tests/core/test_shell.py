"""Programs that outlive the command that started them, with a real shell and real processes."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.waiting import until
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Busy, Detached, ProgramEnded


@pytest.fixture
def stem(tmp_path: Path) -> str:
    return f"{tmp_path}/program"


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen]:
    """A program of somebody else, with a session of its own."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        yield other
        other.kill()


def alive(stem: str) -> list[str]:
    """The command lines of what lives in the program's session."""
    pid = Path(f"{stem}.pid").read_text().strip()
    words = ["ps", "-o", "stat=,args=", "-g", pid]
    lines = subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()
    return [line for line in lines if not line.startswith("Z")]


def ends(stem: str) -> bool:
    """Whether nothing of the program is left after a moment."""
    return until(lambda: not alive(stem), 5)


def test_output_and_status(shell: LocalShell, stem: str) -> None:
    command = "sh -c 'echo \"one  line\"; echo; echo end; echo trouble >&2; exit 7'"
    program = Detached.start(shell, stem, Script(command), 10)
    assert program.wait(10) == 7
    assert program.output == "one  line\n\nend\n"
    assert program.last_words() == "trouble one line end"
    assert ends(stem)


def test_it_starts_when_it_is_ready_and_not_before(shell: LocalShell, stem: str) -> None:
    command = f"sh -c 'sleep 0.2; touch {stem}.there; sleep 30'"
    program = Detached.start(shell, stem, Script(command), 40, ready=Script(f"[ -e {stem}.there ]"))
    assert Path(f"{stem}.there").exists()
    assert alive(stem)
    program.stop()
    assert ends(stem)


def test_stop_ends_all_that_it_started(shell: LocalShell, stem: str) -> None:
    program = Detached.start(shell, stem, Script("sh -c 'sleep 31 & sleep 32; true'"), 40)
    assert until(lambda: sum("sleep 3" in line for line in alive(stem)) >= 2, 5)
    program.stop()
    program.stop()
    assert ends(stem)


def test_kill_ends_one_that_does_not_listen(shell: LocalShell, stem: str) -> None:
    deaf = f"trap '' TERM; touch {stem}.deaf; while :; do sleep 0.1; done"
    ready = Script(f"[ -e {stem}.deaf ]")
    program = Detached.start(shell, stem, Script(f"sh -c {shlex.quote(deaf)}"), 40, ready=ready)
    program.stop()
    assert alive(stem)
    program.kill()
    program.kill()
    assert ends(stem)


def test_stop_right_after_the_start(shell: LocalShell, tmp_path: Path) -> None:
    for index in range(10):
        stem = f"{tmp_path}/p{index}"
        Detached.start(shell, stem, Script("sleep 33"), 40).stop()
        assert ends(stem)


def test_one_of_its_processes_is_asked_to_end(shell: LocalShell, stem: str) -> None:
    inner = f"sh -c 'echo $$ >{stem}.one; exec sleep 37'; echo after"
    ready = Script(f"[ -s {stem}.one ]")
    program = Detached.start(shell, stem, Script(f"sh -c {shlex.quote(inner)}"), 40, ready=ready)
    program.end(f"{stem}.one")
    assert program.wait(5) == 0
    assert program.output == "after\n"


def test_who_has_its_number_now_is_left_alone(
    shell: LocalShell, stem: str, stranger: subprocess.Popen
) -> None:
    program = Detached.start(shell, stem, Script("sleep 38"), 40)
    program.stop()
    assert ends(stem)
    assert not Path(f"{stem}.rc").exists()
    for number in (f"{stranger.pid}\n", "", "-1\n"):
        Path(f"{stem}.pid").write_text(number)
        program.stop()
        program.end(f"{stem}.pid")
        program.kill()
    assert stranger.poll() is None


def test_another_program_of_the_run_is_left_alone(shell: LocalShell, stem: str) -> None:
    first = Detached.start(shell, stem, Script("sleep 39"), 40)
    second = Detached.start(shell, f"{stem}2", Script("sleep 39"), 40)
    first.stop()
    assert ends(stem)
    Path(f"{stem}.pid").write_text(Path(f"{stem}2.pid").read_text())
    first.stop()
    first.kill()
    assert alive(f"{stem}2")
    second.stop()
    assert ends(f"{stem}2")


def test_the_limit_ends_it(shell: LocalShell, stem: str) -> None:
    program = Detached.start(shell, stem, Script("sleep 34"), 1)
    assert program.wait(10) == 124
    assert ends(stem)


def test_what_does_not_end_is_stopped(tmp_path: Path, stem: str) -> None:
    shell = LocalShell("client", tmp_path, impatient=True)
    program = Detached.start(shell, stem, Script("sleep 35"), 60)
    with pytest.raises(ProgramEnded, match="had not ended"):
        program.wait(0.2)
    assert ends(stem)


def test_one_that_ends_before_it_is_ready_says_why(shell: LocalShell, stem: str) -> None:
    with pytest.raises(ProgramEnded, match="bind failed"):
        fails = Script("sh -c 'echo bind failed >&2; exit 1'")
        Detached.start(shell, stem, fails, 10, ready=Script("false"))
    assert ends(stem)


def test_one_that_is_never_ready_is_stopped(tmp_path: Path, stem: str) -> None:
    shell = LocalShell("client", tmp_path, impatient=True)
    with pytest.raises(ProgramEnded, match="not ready"):
        Detached.start(shell, stem, Script("sleep 36"), 60, ready=Script("false"))
    assert ends(stem)


def test_nothing_starts_where_the_place_is_taken(shell: LocalShell, stem: str) -> None:
    with pytest.raises(Busy):
        Detached.start(shell, stem, Script(f"touch {stem}.there"), 10, busy=Script("true"))
    assert not Path(f"{stem}.there").exists()
    Detached.start(shell, stem, Script(f"touch {stem}.there"), 10, busy=Script("false")).wait(5)
    assert Path(f"{stem}.there").exists()


def test_files_of_an_earlier_program_are_not_taken_for_its_own(
    shell: LocalShell, stem: str
) -> None:
    assert Detached.start(shell, stem, Script("echo first"), 10).wait(5) == 0
    program = Detached.start(shell, stem, Script("sh -c 'sleep 0.3; echo second; exit 3'"), 10)
    assert program.wait(5) == 3
    assert program.output == "second\n"
