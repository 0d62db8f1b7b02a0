"""A program of a run that failed because its endpoint had no room for what it wrote."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint.room import shortage
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached, must_have_room

FOLDER = "/tmp/gatepass.gp0a1b2c"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, with few inodes."""
    if os.geteuid():
        pytest.skip("to mount needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    options = "size=256k,nr_inodes=40"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(folder: Path) -> None:
    with suppress(OSError), (folder / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def test_a_disk_that_is_full_is_named(disk: Path) -> None:
    shell = LocalShell("client", disk, impatient=True)
    program = Detached.start(shell, f"{disk}/one", Script("cat /dev/zero"), 60)
    # its status has no room, either
    with pytest.raises(NotProven, match=f"to {disk} on the client: its file system is full"):
        program.wait(1)
    with pytest.raises(NotProven, match=r"its file system is full\. Make room there"):
        program.last_words()
    (disk / "one.out").unlink()
    program.last_words()


def test_also_where_not_even_its_end_could_be_written_down(disk: Path) -> None:
    shell = LocalShell("client", disk, impatient=True)
    _fill(disk)
    program = Detached.start(shell, f"{disk}/one", Script("true"), 60)
    with pytest.raises(NotProven, match=r"its file system is full\. Make room there"):
        program.wait(1)


def test_inodes_that_are_used_up_are_named(disk: Path) -> None:
    with suppress(OSError):
        for number in range(100):
            (disk / str(number)).touch()
    with pytest.raises(NotProven, match=r"has no inodes left\. Remove files there"):
        must_have_room(LocalShell("server", disk), str(disk))


def test_a_disk_that_is_read_only_is_named(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with pytest.raises(NotProven, match="on the server: its file system is mounted read-only"):
        must_have_room(LocalShell("server", disk), str(disk))


def test_a_quota_that_is_used_up_is_named() -> None:
    told = shortage("client", FOLDER, f"[{errno.EDQUOT}, false]\n")
    assert f"{FOLDER} on the client: the quota of its SSH user is used up" in told


@pytest.mark.parametrize("tried", ["[0, false]", f"[{errno.ENOENT}, false]", "", "sh: no", "1000"])
def test_where_there_is_room_nothing_is_said(tried: str) -> None:
    assert shortage("client", FOLDER, tried) == ""
