"""Changes of an endpoint's own system, in a network namespace."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint import host_changes
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached, put_secret
from gatepass.endpoint.ssh import remove_command

ADD = Script("ip address add 198.19.250.1/32 dev lo")
DELETE = Script("ip address del 198.19.250.1/32 dev lo")


def addresses(shell: LocalShell) -> str:
    return shell.run(Script("ip -o address show dev lo")).output


def test_a_change_and_its_undoing(apart: LocalShell, tmp_path: Path) -> None:
    host_changes.change(apart, "far", [ADD], [DELETE])
    assert "198.19.250.1" in addresses(apart)
    host_changes.take_back(apart, "far")
    assert "198.19.250.1" not in addresses(apart)
    assert not list(tmp_path.glob("*.undo"))
    host_changes.take_back(apart, "far")


def test_the_way_back_is_there_before_the_change(apart: LocalShell, tmp_path: Path) -> None:
    look = Script(f"[ -e {tmp_path}/far.undo ]")
    host_changes.change(apart, "far", [look, ADD], [DELETE])
    host_changes.take_back(apart, "far")


def test_half_a_change_is_taken_back(apart: LocalShell, tmp_path: Path) -> None:
    with pytest.raises(NotProven, match=r"the client could not be prepared \(far\): .*nowhere"):
        host_changes.change(apart, "far", [ADD, Script("ip link set nowhere up")], [DELETE])
    assert "198.19.250.1" not in addresses(apart)
    assert not list(tmp_path.glob("*.undo"))


def test_one_of_the_same_name_takes_its_place(apart: LocalShell) -> None:
    host_changes.change(apart, "far", [ADD], [DELETE])
    host_changes.change(apart, "far", [ADD], [DELETE])
    host_changes.take_back(apart, "far")
    assert "198.19.250.1" not in addresses(apart)


def test_it_takes_root(tmp_path: Path) -> None:
    shell = LocalShell("client", tmp_path, ("unshare", "--user", "--map-user=1000"))
    with pytest.raises(NotProven, match="its SSH user has to be root"):
        host_changes.change(shell, "far", [Script("true")], [Script("true")])


def test_a_secret_is_its_readers_alone(shell: LocalShell, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("something that everybody may read")
    put_secret(shell, "the word", str(path))
    assert path.read_text() == "the word"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def killed(tmp_path: Path) -> LocalShell:
    """The folder of a run that was killed after it had changed its host."""
    folder = tmp_path / "gatepass.gp0a1b2c"
    folder.mkdir(mode=0o700)
    shell = LocalShell("client", folder)
    host_changes.announce(shell, "far", [Script(f"touch {tmp_path}/undone")])
    return shell


def left(shell: LocalShell) -> str:
    return shell.run(remove_command(shell.folder(), shell.announced)).output


def test_what_the_journal_knows_is_undone(killed: LocalShell, tmp_path: Path) -> None:
    assert left(killed) == ""
    assert (tmp_path / "undone").exists() and not Path(killed.folder()).exists()
    assert left(killed) == ""


def test_what_is_at_work_is_ended_and_nobody_else(killed: LocalShell) -> None:
    stem = f"{killed.folder()}/program"
    Detached.start(killed, stem, Script("sh -c 'sleep 601 & sleep 602'"), 700)
    session = ["ps", "-o", "stat=,args=", "-g", Path(f"{stem}.pid").read_text().strip()]
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as stranger:
        # a program that was stopped: its number is another's now
        Path(killed.folder(), "stopped.pid").write_text(f"{stranger.pid}\n")
        assert left(killed) == ""
        assert stranger.poll() is None
        stranger.kill()
    lines = subprocess.run(session, capture_output=True, text=True, check=False).stdout.splitlines()
    assert all(line.startswith("Z") for line in lines), lines


def test_what_does_not_end_is_told(killed: LocalShell, tmp_path: Path) -> None:
    """Also where it has left the session that its program began in."""
    script = tmp_path / "deaf.sh"
    script.write_text(f"trap '' TERM; echo $$ >{tmp_path}/deaf; while :; do sleep 1; done")
    command = Script(f"sh -c 'setsid sh {script} & wait'")
    ready = Script(f"[ -s {tmp_path}/deaf ]")
    Detached.start(killed, f"{killed.folder()}/program", command, 60, ready=ready)
    killed.impatient = True
    try:
        assert f"sh {script}" in left(killed).splitlines()
    finally:
        os.killpg(int((tmp_path / "deaf").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("name", ["near.undo", "far.undo"], ids=["added", "altered"])
def test_a_planted_undo_is_not_run(killed: LocalShell, tmp_path: Path, name: str) -> None:
    planted = Path(killed.folder()) / name
    planted.write_text(f"touch {tmp_path}/planted\n")
    assert left(killed) == f"{planted}, which stands in no journal here and was not run\n"
    assert planted.exists() and not (tmp_path / "planted").exists()
    assert (tmp_path / "undone").exists() == (name == "near.undo")


@pytest.mark.parametrize("how", ["a folder of another user", "a link"])
def test_what_another_user_made_is_left_alone(
    killed: LocalShell, tmp_path: Path, how: str
) -> None:
    folder = Path(killed.folder())
    if how == "a link":
        folder = folder.rename(tmp_path / "theirs")
        Path(killed.folder()).symlink_to(folder)
    else:
        os.chown(folder, 65534, 65534)
    assert left(killed) == f"{killed.folder()}, which is another user's and is left alone\n"
    assert (folder / "far.undo").exists() and not (tmp_path / "undone").exists()
