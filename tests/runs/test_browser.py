"""The browser of a run: gone with it, however it ends, and no gateway's fault where it is slow."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from faults.faulty_lab import PROJECT, FaultyLab, lab_in
from gatepass.gui.warden import PREFIX, descendants
from gatepass.results.outcome import Check, read
from lab.base.process import wait_until
from runs.killing import Running, Runs
from runs.leaks import leaks, secrets_of
from runs.listeners import listening
from test_certificate_rendered import CHROMIUM

LIST = ("--test", "*.The List Of Policies Can Be Worked With, 100 Policies")
CHAPTER, COOKIE = "Management page", "A Session's Cookie Is Out Of Reach"
_LOGGED_IN, _LOGGED_OUT = "POST /logincheck 200", "POST /logout 200"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture
def runs(own_lab: FaultyLab, tmp_path: Path) -> Runs:
    return Runs(own_lab.testbed, tmp_path)


def names_of(pids: list[int]) -> dict[int, str]:
    """The programs of those that there still are."""
    found = {}
    for pid in pids:
        with suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/comm").read_text().strip()
    return found


def profile_of(pids: list[int]) -> Path | None:
    """Where a browser among them keeps everything."""
    for pid, name in names_of(pids).items():
        if "chrom" in name:
            with suppress(OSError):
                variables = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
                told = dict(one.partition("=")[::2] for one in variables)
                return Path(told["TMPDIR"])
    return None


def at_work(run: Running) -> tuple[list[int], Path]:
    """The processes of a run as soon as its browser shows something, and the browser's folder."""
    found: list[int] = []

    def is_there() -> bool:
        found[:] = descendants(run.process.pid)
        return sum("chrom" in name for name in names_of(found).values()) > 3

    assert wait_until(is_there, 60)
    folder = profile_of(found)
    assert folder is not None and folder.name.startswith(PREFIX) and folder.is_dir()
    return found, folder


def owners_of_browser(pids: list[int]) -> set[int]:
    """Who runs the browser and what drives it."""
    found = set()
    for pid, name in names_of(pids).items():
        if "chrom" in name or name == "node":
            with suppress(OSError):
                found.add(Path(f"/proc/{pid}").stat().st_uid)
    assert found
    return found


def of_chapter(run: Running) -> list[Check]:
    """Those of its checks that ran."""
    checks = read(run.folder / "output.xml").checks
    return [one for one in checks if one.chapter == CHAPTER and "did not run" not in one.message]


def calls(runs: Runs, what: str) -> int:
    """How often the gateway has answered so."""
    return (runs.testbed.parent / "gateway" / "gateway.log").read_text().count(what)


@pytest.mark.parametrize("how", ["ends", "is killed", "is stopped"])
def test_nothing_of_the_browser_is_left(runs: Runs, how: str) -> None:
    before = calls(runs, _LOGGED_IN), calls(runs, _LOGGED_OUT)
    run = runs.start(*LIST)
    pids, folder = at_work(run)
    assert listening([run.process.pid, *pids]) == []  # another user could drive it
    assert 0 not in owners_of_browser(pids)
    if how == "is killed":
        run.kill()
    elif how == "is stopped":
        run.process.send_signal(signal.SIGTERM)
        run.ended()
    else:
        run.ended()
    assert wait_until(lambda: not names_of(pids), 15), names_of(pids)
    assert wait_until(lambda: not folder.exists(), 15), list(folder.rglob("*"))
    begun = calls(runs, _LOGGED_IN) - before[0]
    assert begun > 0 and wait_until(lambda: calls(runs, _LOGGED_OUT) - before[1] == begun, 10)
    runs.restore()


def test_no_secret_of_the_administrator_is_kept(
    own_lab: FaultyLab, runs: Runs, tmp_path: Path
) -> None:
    run = runs.start("--test", f"*.{COOKIE}")
    _, said = run.ended()
    assert [one.verdict for one in of_chapter(run)] == ["pass"], said
    assert leaks(tmp_path, secrets_of(own_lab)) == [] and "Traceback" not in said


def test_without_a_browser_nothing_is_proven_of_the_page(runs: Runs) -> None:
    """And what needs none is."""
    runs.environment["PATH"] = str(Path(sys.executable).parent)
    run = runs.start("--test", f"*.{COOKIE}", "--test", "*.The Page Does Not Answer*", *LIST)
    code, said = run.ended()
    ran = of_chapter(run)
    assert code == 2 and len(ran) == 3, said
    (fine,) = [one for one in ran if one.verdict == "pass"]
    assert fine.name.startswith("The Page Does Not Answer")
    for one in ran:
        if one is not fine:
            assert one.verdict == "not proven"
            assert "no browser can be started here" in one.message
            assert "apt-get install chromium" in one.message


@contextmanager
def stopped_most_of_the_time(run: Running) -> Iterator[None]:
    """Let the browser run for a fifth of the time."""
    over = threading.Event()

    def slow_down() -> None:
        while not over.is_set():
            chromium = [
                pid
                for pid, name in names_of(descendants(run.process.pid)).items()
                if "chrom" in name
            ]
            for number, seconds in ((signal.SIGSTOP, 0.08), (signal.SIGCONT, 0.02)):
                for pid in chromium:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                time.sleep(seconds)

    thread = threading.Thread(target=slow_down)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_slow_browser_is_never_the_gateways_fault(runs: Runs, tmp_path: Path) -> None:
    """Its list would be in time: it is not held against what the browser's machine has caused."""
    order = tmp_path / "order.yaml"
    text = (PROJECT / "variables" / "orders" / "lab.yaml").read_text()
    assert "within_s: 3 " in text
    order.write_text(text.replace("within_s: 3 ", "within_s: 0.3 "))
    run = runs.start(*LIST, order=order)
    with stopped_most_of_the_time(run):
        run.ended()
    (check,) = of_chapter(run)
    assert check.verdict == "not proven", check.message
    assert "browser" in check.message and "run again when" in check.message.lower()


def test_the_page_of_the_newest_release(tmp_path: Path) -> None:
    """Which has another log-in."""
    with lab_in(tmp_path, "7.6.4") as lab:
        most = ("[!A]*", "An *", "A Log*", "A Session's*")  # but for what waits
        ended = lab.run(*(f"*.Management page.{one}" for one in most))
        ran = [one for one in ended.ran.values() if one.chapter == CHAPTER]
        assert len(ran) == 10, [one.name for one in ran]
        assert [(one.name, one.message) for one in ran if one.verdict != "pass"] == []
