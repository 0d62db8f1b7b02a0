"""Changes of an endpoint's own system, in a network namespace."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint import host_changes
from gatepass.endpoint.shell import put_secret

ADD = "ip address add 198.19.250.1/32 dev lo"
DELETE = "ip address del 198.19.250.1/32 dev lo"


def addresses(shell: LocalShell) -> str:
    return shell.run("ip -o address show dev lo").output


def test_a_change_and_its_undoing(apart: LocalShell, tmp_path: Path) -> None:
    host_changes.change(apart, "far", [ADD], [DELETE])
    assert "198.19.250.1" in addresses(apart)
    host_changes.take_back(apart, "far")
    assert "198.19.250.1" not in addresses(apart)
    assert not list(tmp_path.glob("*.undo"))
    host_changes.take_back(apart, "far")


def test_the_way_back_is_there_before_the_change(apart: LocalShell, tmp_path: Path) -> None:
    look = f"[ -e {tmp_path}/far.undo ]"
    host_changes.change(apart, "far", [look, ADD], [DELETE])
    host_changes.take_back(apart, "far")


def test_half_a_change_is_taken_back(apart: LocalShell, tmp_path: Path) -> None:
    with pytest.raises(NotProven, match=r"the client could not be prepared \(far\): .*nowhere"):
        host_changes.change(apart, "far", [ADD, "ip link set nowhere up"], [DELETE])
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
        host_changes.change(shell, "far", ["true"], ["true"])


def test_a_secret_is_its_readers_alone(shell: LocalShell, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("something that everybody may read")
    put_secret(shell, "the word", str(path))
    assert path.read_text() == "the word"
    assert path.stat().st_mode & 0o777 == 0o600
