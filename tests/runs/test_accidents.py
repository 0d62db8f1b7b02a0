"""What may happen to a run from outside: the gateway is put back, the exit code is a verdict."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from faults.faulty_lab import FaultyLab
from gatepass.gateway.journal import NAME as JOURNAL
from lab.base.process import wait_until
from runs.killing import Configuration, Runs

MISTAKE, NOT_PROVEN = 64, 2
NARROW = ("--test", "*.Policy enforcement.Policies.*")
HANDOVER = ("--test", "*.Handover.*")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 64 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def own(own_lab: FaultyLab, tmp_path: Path) -> Runs:
    """Runs against the lab, with a results folder of their own."""
    results = tmp_path / "results"
    results.mkdir()
    return Runs(own_lab.testbed, results)


def fill(folder: Path) -> None:
    """Take all the room that there is."""
    with suppress(OSError), (folder / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(2**12))


def test_too_little_room_is_told_before_anything_is_touched(own: Runs, small_disk: Path) -> None:
    runs = Runs(own.testbed, small_disk)
    (small_disk / "taken").write_bytes(bytes(40 * 2**20))
    code, told = runs.call("run", "--testbed", str(runs.testbed), "--profile", "smoke")
    assert code == MISTAKE, told
    assert "MiB are free there, and a run needs 48. Make room" in told
    assert [path.name for path in small_disk.iterdir()] == ["taken"]


def test_a_disk_that_fills_up_leaves_no_gateway_changed(own: Runs, small_disk: Path) -> None:
    before = Configuration.of(own.testbed)
    runs = Runs(own.testbed, small_disk)
    run = runs.start(*NARROW, *HANDOVER)
    assert run.reaches(4)
    fill(small_disk)
    code, told = run.ended()
    assert Configuration.of(own.testbed) == before, told
    assert code == NOT_PROVEN, told
    assert "is full: there is no report" in told and "nothing of the run is left" in told
    assert "Traceback" not in told and "itself failed" not in told
    assert "Nothing to restore" in runs.restore()[1]


@pytest.mark.parametrize("gone", ["closed", "full"])
def test_an_output_that_nobody_reads_changes_no_verdict(own: Runs, gone: str) -> None:
    words = ["run", "--testbed", str(own.testbed), "--profile", "smoke", "--"]
    reader, writer = os.pipe()
    os.close(reader)
    output = writer if gone == "closed" else os.open("/dev/full", os.O_WRONLY)
    code = own.unheard(*words, *NARROW, *HANDOVER, output=output)
    assert code == NOT_PROVEN  # as checks were left out
    (folder,) = (path for path in own.results.iterdir() if path.is_dir())
    assert (folder / "results.json").is_file()
    assert "Nothing to restore" in own.restore()[1]


def test_a_signal_after_the_last_check_costs_nothing(own: Runs, tmp_path: Path) -> None:
    """Chromium, which prints the certificate after everything else, takes its time here."""
    browser = tmp_path / "bin" / "chromium"
    browser.parent.mkdir()
    begun = tmp_path / "printing"
    browser.write_text(f"#!/bin/sh\ntouch {begun}; sleep 3; exit 1\n")
    browser.chmod(0o755)
    own.environment |= {"PATH": f"{browser.parent}:{os.environ['PATH']}", "GATEPASS_PDF": "yes"}
    run = own.start(*NARROW, *HANDOVER)
    assert wait_until(begun.exists, 60)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        run.process.send_signal(number)
        time.sleep(0.1)
    code, told = run.ended()
    assert code == NOT_PROVEN, told
    assert (run.folder / "results.json").is_file()
    assert "NOT PROVEN" in told and "failed" in told  # of Chromium


def test_somebody_else_at_work_is_told_by_name(own: Runs) -> None:
    """Nothing is said of a gateway that was another one in the middle of its test."""
    before = Configuration.of(own.testbed)
    run = own.start(*NARROW, *HANDOVER)
    assert run.reaches(5)
    with own.gateway() as gateway:
        branch = {"name": "branch", "type": "ipmask", "subnet": "10.77.0.0 255.255.0.0"}
        gateway.create("firewall/address", branch)
        gateway.change("firewall/policy", 1, {"comments": "by the night shift"})
        code, told = run.ended()
        assert code == NOT_PROVEN, told
        words = " ".join(told.replace("│", " ").split())
        assert "Somebody changed the gateway while the test ran (between" in words
        assert "firewall/address branch was added (set subnet 10.77.0.0 255.255.0.0)" in words
        results = json.loads((run.folder / "results.json").read_text())
        assert results["verdict"] == "not proven"
        named = {one.split(" was ")[0] for one in results["restoration"]["others"]}
        assert named == {"firewall/address branch", "firewall/policy 1"}
        assert "Nothing to restore" in own.restore()[1]  # only ours was put back, and all of it
        assert gateway.row("firewall/policy", 1)["comments"] == "by the night shift"
        gateway.delete("firewall/address", "branch")
        gateway.change("firewall/policy", 1, {"comments": ""})
    assert Configuration.of(own.testbed) == before


def test_a_damaged_journal_holds_no_other_up(own: Runs) -> None:
    before = Configuration.of(own.testbed)
    first = own.start(*NARROW)
    assert first.reaches(5)
    first.kill()
    name, path = first.folder.name, first.folder / JOURNAL
    for line in path.read_bytes().splitlines(keepends=True)[2:3]:
        path.write_bytes(path.read_bytes().replace(line, b"\x80\xff" + line[2:]))
    (own.results / "20260101-000000-other").mkdir()
    (own.results / "20260101-000000-other" / JOURNAL).write_bytes(b"\x80\xff\x00\n")
    code, told = own.restore()
    assert code == NOT_PROVEN and "Traceback" not in told
    assert "20260101-000000-other: not restored" in told and "the first line of" in told
    assert "--by-mark" in told and "1 lines of its journal are damaged" in told
    code, told = own.call("restore", name, "--by-mark")
    assert code == 0, told
    assert Configuration.of(own.testbed) == before
