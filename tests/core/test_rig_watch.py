"""The watch that hosts keep on themselves."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.waiting import until
from gatepass.endpoint.rig_watch import RigWatch, look, within
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Completed
from gatepass.results.conduct import OWN, Conduct

LINE = {
    "at": 100.0, "late": 1.0, "longest": 0.004, "stepped": 5.0, "idle": 50.0, "steal": 2.0,
    "soft": 3.0, "all": 200.0, "pressure": 7.0, "nic_lost": 4,
    "links": {"eth0": [1000, 10, 3], "tun0": [5, 1, 0]},
    "socket_lost": 1, "packets_waited": 0.5,
}  # fmt: skip
LATER = {
    **LINE, "at": 102.0, "late": 1.1, "longest": 0.05, "idle": 51.0, "steal": 2.2, "soft": 3.4,
    "all": 204.0, "pressure": 8.0, "nic_lost": 6,
    "links": {"eth0": [9000, 60, 4], "tun0": [900, 9, 700]},
    "packets_waited": 0.6, "programs": {"stress": 97, "sshd": 1},
}  # fmt: skip


def test_two_lines_make_a_conduct() -> None:
    told = Conduct.of([LINE, LATER])
    assert told is not None and told.seconds == 2.0
    assert told.busy_percent == pytest.approx(75)
    assert told.stolen_percent == pytest.approx(5)
    assert told.late_percent == pytest.approx(5)
    assert told.longest_late_s == 0.05
    assert told.packets_waited_percent == pytest.approx(5)
    assert told.pressure_percent == pytest.approx(50)
    assert (told.nic_lost, told.socket_lost, told.stepped_s) == (3, 0, 0)
    assert told.programs == {"stress": 97, "sshd": 1}


def test_what_a_kernel_does_not_tell_is_left_open() -> None:
    lines = [{k: v for k, v in line.items() if k not in ("packets_waited", "pressure")}
             for line in (LINE, LATER)]  # fmt: skip
    told = Conduct.of(lines)
    assert told is not None
    assert told.packets_waited_percent is None and told.pressure_percent is None
    assert Conduct.of([LINE]) is None and Conduct.of([]) is None


def test_a_line_that_is_being_written_is_none() -> None:
    text = f"{json.dumps(LINE)}\n{json.dumps(LATER)}\n{json.dumps(LATER)[:40]}"
    assert len(within(text, 100.0, 102.0)) == 2
    assert within(text, 104.0, 105.0) == []


@pytest.mark.parametrize(
    "odd",
    [{"all": -1.0}, {"idle": None}, {"at": "now"}, {"nic_lost": 2**64 - 3}, {"longest": "NaN"},
     {"links": {"eth0": [1, 2]}}],
)  # fmt: skip
def test_a_line_with_a_figure_that_cannot_be_is_none(odd: dict) -> None:
    text = f"{json.dumps(LINE)}\n{json.dumps(LATER | odd)}"
    assert [line["at"] for line in within(text, 100.0, 102.0)] == [100.0]


def test_a_line_that_lacks_what_a_host_did_is_none() -> None:
    """As where a container does not show it: nothing seen is not nothing done."""
    part = {key: value for key, value in LINE.items() if key not in ("idle", "all")}
    assert within(json.dumps(part), 100.0, 102.0) == []


class Elsewhere(LocalShell):
    """An endpoint with habits of its own.

    Args:
        folder: of the run, see `LocalShell`.
        before: of a shell, what comes before each of its commands.
    """

    def __init__(self, folder: Path, before: str) -> None:
        super().__init__("client", folder)
        self.before = before

    def run(self, command: str, timeout_s: float = 15, again: bool = False) -> Completed:
        """See `LocalShell`."""
        return super().run(Script(f"{self.before}\n{command}"), timeout_s, again)


COMMA = "export LC_ALL=fi_FI.UTF-8 LANG=fi_FI.UTF-8"
OLD_PATH = "export PATH={bin}:$PATH"
OLD_PYTHON = """#!/bin/sh
exec {python} -c 'import sys, time; del time.CLOCK_BOOTTIME; sys.argv = sys.argv[1:]
text = sys.argv.pop(1) if sys.argv[0] == "-c" else open(sys.argv[0]).read()
exec(compile(text, "x", "exec"))' "$@"
"""


@pytest.mark.parametrize("before", [COMMA, OLD_PATH], ids=["comma", "python-3.6"])
def test_habits_of_an_endpoint_take_nothing_of_the_watch(
    watch: RigWatch, tmp_path: Path, before: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").write_text(OLD_PYTHON.format(python=sys.executable))
    (tmp_path / "bin" / "python3").chmod(0o755)
    shell = Elsewhere(tmp_path, before.format(bin=tmp_path / "bin"))
    assert look(shell, ("stateful_firewall",)) == []
    marked = watch.mark({"client": shell})
    assert until(lambda: "client" in watch.since(marked), 5)


def test_the_clock_is_the_one_that_the_watch_goes_by(watch: RigWatch, shell: LocalShell) -> None:
    """/proc/uptime of a container that lxcfs serves is another."""
    marked = watch.mark({"client": shell})
    told = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert marked["client"] == pytest.approx(told, abs=5)


@pytest.mark.parametrize(
    "before",
    [
        "python3() { echo no 1>&2; return 1; }",
        'python3() { case "$*" in *now*) echo nan;; *) command python3 "$@";; esac; }',
        'python3() { case "$*" in *between*) return 1;; *) command python3 "$@";; esac; }',
    ],
)
def test_an_endpoint_that_is_not_watched_is_counted(
    watch: RigWatch, tmp_path: Path, before: str
) -> None:
    shell = Elsewhere(tmp_path, before)
    for times in (1, 2):
        assert "client" not in watch.since(watch.mark({"client": shell}))
        assert watch.unwatched == {"client": times}


def test_an_endpoint_that_cannot_be_watched_is_a_finding(tmp_path: Path) -> None:
    shell = Elsewhere(tmp_path, "python3() { echo 'SyntaxError: bad' 1>&2; return 1; }")
    (found,) = look(shell, ("stateful_firewall",))
    assert found.keeps == ("stateful_firewall",)
    assert found.sentence.startswith("The client cannot be watched while trials run")
    assert "SyntaxError: bad. It needs Python 3.9 or later" in found.sentence


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[RigWatch]:
    kept = RigWatch(tmp_path)
    yield kept
    kept.end()
    assert not list(tmp_path.glob(".watch*"))


def test_an_endpoint_on_this_machine_is_watched_with_the_machine(
    watch: RigWatch, shell: LocalShell
) -> None:
    marked = watch.mark({"client": shell})
    assert set(marked) == {"client", OWN}
    until(lambda: len(watch.since(marked)) == 2, 5)
    for conduct in watch.since(marked).values():
        assert 0 <= conduct.busy_percent <= 100 and conduct.seconds > 0
        assert conduct.links


def test_a_busy_machine_is_seen_with_the_name_of_who_is_at_work(
    watch: RigWatch, shell: LocalShell, tmp_path: Path
) -> None:
    marked = watch.mark({"client": shell})
    program = tmp_path / "busy-loop"
    program.symlink_to(sys.executable)
    others = subprocess.Popen([program, "-c", "while True: pass"])
    try:
        assert until(
            lambda: any(
                "busy-loop" in conduct.programs
                for conduct in watch.since(marked).values()
            ),
            15,
        )
    finally:
        others.kill()
        others.wait()


def test_the_watch_on_this_machine_ends_with_whoever_began_it(tmp_path: Path) -> None:
    """Also where that was killed."""
    begin = "import sys, time; from pathlib import Path; "
    begin += "from gatepass.endpoint.rig_watch import OwnWatch; "
    begin += f"OwnWatch(Path({str(tmp_path)!r})); print('begun', flush=True); time.sleep(60)"
    owner = subprocess.Popen([sys.executable, "-c", begin], stdout=subprocess.PIPE)
    assert owner.stdout is not None and owner.stdout.readline()
    look = ["pgrep", "-f", f"rig_watch.py .* {tmp_path}"]
    assert until(lambda: subprocess.run(look, capture_output=True).returncode == 0, 5)
    owner.kill()
    owner.wait()
    assert until(lambda: subprocess.run(look, capture_output=True).returncode == 1, 5)
