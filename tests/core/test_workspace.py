"""A run's hold on the gateway: what earlier runs left, who else is at work."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from gateway_client import TOKEN, GatewayUnderTest

from gatepass.base.errors import InputError
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import Identity, identify
from gatepass.gateway.journal import Journal, pending
from gatepass.gateway.saved import SAVED
from gatepass.gateway.workspace import WHOLE, InUse, NotRestored, Workspace, new_mark
from gatepass.inputs.secret import SecretReference

ROOT = Path(__file__).parents[2]


@pytest.fixture
def identity(gateway: FortiGate) -> Identity:
    return identify(gateway, "127.0.0.1")


def opened(
    gateway: FortiGate, identity: Identity, results: Path, name: str, env: str = ""
) -> Workspace:
    """A new run's workspace; `env` names the variable of a passphrase."""
    folder = results / name
    folder.mkdir()
    secret = None
    if env:
        secret = SecretReference.model_validate({"env": env}, context={"folder": results})
        secret.named_at(Path("testbed.yaml"), "gateway.backup_passphrase")
    testbed = SimpleNamespace(
        gateway=SimpleNamespace(url=gateway.url, backup_passphrase=secret),
        path=Path("testbed.yaml"),
        network_namespace=None,
    )

    def clean(_: object, mark: str, changes: object, visits: object) -> list[str]:
        assert len(mark) == 8
        return [f"What {mark} left is gone."]

    return Workspace.open(testbed, gateway, identity, folder, new_mark(), clean)


def address(workspace: Workspace) -> str:
    """Create an address; its name."""
    name = workspace.changes.name("client")
    row = {"name": name, "type": "ipmask", "subnet": "198.18.1.10 255.255.255.255"}
    workspace.changes.create("firewall/address", row)
    return name


def killed(gateway: FortiGate, identity: Identity, results: Path, name: str) -> str:
    """A run that creates an address and is killed; the address' name."""
    child = os.fork()
    if not child:
        one = FortiGate(gateway.url, gateway.token, gateway.ca_file)
        (results / "name").write_text(address(opened(one, identity, results, name)))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return (results / "name").read_text()


def test_identity(identity: Identity) -> None:
    assert identity.serial.startswith("LAB") and identity.version == "v7.4.8"
    assert identity.licence == "valid" and not identity.evaluation


def test_what_a_killed_run_left_is_undone_by_the_next(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    name = killed(gateway, identity, tmp_path, "run-1")
    assert gateway.row("firewall/address", name)
    workspace = opened(gateway, identity, tmp_path, "run-2")
    assert gateway.row("firewall/address", name) is None
    assert [one.path.parent.name for one in pending(tmp_path)] == ["run-2"]
    own = address(workspace)
    assert workspace.restore().identical and workspace.restore().identical
    assert gateway.row("firewall/address", own) is None
    assert pending(tmp_path) == []


def test_what_the_customer_changed_after_a_kill_stays(
    gateway: FortiGate, identity: Identity, device: GatewayUnderTest, tmp_path: Path
) -> None:
    name = killed(gateway, identity, tmp_path, "run-1")
    device.put("cmdb/firewall/policy/1", {"comments": "theirs"})
    workspace = opened(gateway, identity, tmp_path, "run-2")
    assert gateway.row("firewall/address", name) is None
    of_the_endpoints, notice = workspace.notices
    assert "left is gone" in of_the_endpoints
    assert "run-1 was undone" in notice and "set comments" in notice
    assert workspace.restore().identical  # as this run found it
    assert pending(tmp_path) == []


def test_what_differs_is_told_each_time(
    gateway: FortiGate, identity: Identity, device: GatewayUnderTest, tmp_path: Path
) -> None:
    workspace = opened(gateway, identity, tmp_path, "run-1")
    device.put("cmdb/firewall/policy/1", {"comments": "theirs"})
    first = workspace.restore()
    assert not first.identical
    assert workspace.restore() == first


def test_a_run_that_lives_is_not_disturbed(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    first = opened(gateway, identity, tmp_path, "run-1")
    name = address(first)
    with pytest.raises(InUse, match="run-1 is still running"):
        opened(gateway, identity, tmp_path, "run-2")
    assert gateway.row("firewall/address", name)
    assert first.restore().identical


def test_another_gateways_journal_is_left_alone(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    (tmp_path / "run-1").mkdir()
    head = {"mark": "gp123456", "serial": "FGVM0"}
    Journal.start(tmp_path / "run-1" / "journal.jsonl", head).release()
    assert opened(gateway, identity, tmp_path, "run-2").restore().identical
    assert [one.path.parent.name for one in pending(tmp_path)] == ["run-1"]


def test_another_vdoms_journal_is_told_and_left_alone(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    head = {"mark": "gp123456", "serial": identity.serial, "testbed": "t", "vdom": "guests"}
    (tmp_path / "run-1").mkdir()
    living = Journal.start(tmp_path / "run-1" / "journal.jsonl", head)
    living.creates("firewall/address", ["gp123456-a"])
    with pytest.raises(InUse, match="run-1 is still running on the VDOM guests"):
        opened(gateway, identity, tmp_path, "run-2")
    living.release()
    workspace = opened(gateway, identity, tmp_path, "run-3")
    assert "left the VDOM guests of this gateway changed" in workspace.notices[0]
    assert workspace.restore().identical
    assert [one.path.parent.name for one in pending(tmp_path)] == ["run-1"]


def test_names_like_a_runs_are_told_and_are_nobodys_where_a_journal_is_damaged(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    theirs = {"name": "gpabcdef-a", "type": "ipmask", "subnet": "198.19.1.0 255.255.255.0"}
    gateway.create("firewall/address", theirs)
    workspace = opened(gateway, identity, tmp_path, "run-1")
    told = "1 objects on the gateway have names as runs give them (firewall/address gpabcdef-a)"
    assert told in workspace.notices[0]
    assert workspace.restore().identical and gateway.row("firewall/address", "gpabcdef-a")
    (tmp_path / "run-2").mkdir()
    (tmp_path / "run-2" / "journal.jsonl").write_bytes(b"")
    with pytest.raises(NotRestored, match="the journal of the run run-2 is damaged"):
        opened(gateway, identity, tmp_path, "run-3")


def test_no_run_begins_on_what_cannot_be_undone(
    gateway: FortiGate, identity: Identity, device: GatewayUnderTest, tmp_path: Path
) -> None:
    killed(gateway, identity, tmp_path, "run-1")
    device.control("PUT", "/faults/delete-ignored", {})
    with pytest.raises(NotRestored, match=r"run-1 left changes .*could not be removed"):
        opened(gateway, identity, tmp_path, "run-2")
    assert not (tmp_path / "run-2" / SAVED).exists()
    device.control("DELETE", "/faults")
    assert opened(gateway, identity, tmp_path, "run-3").restore().identical
    assert pending(tmp_path) == []


def test_nothing_on_disk_is_a_secret_or_open_to_all(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    workspace = opened(gateway, identity, tmp_path, "run-1")
    address(workspace)
    for file in workspace.folder.iterdir():
        assert TOKEN not in file.read_text()
    assert stat.S_IMODE((workspace.folder / SAVED).stat().st_mode) == 0o600
    assert workspace.restore().identical


def test_the_whole_configuration_is_kept_behind_a_passphrase(
    gateway: FortiGate, identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSSL alone opens it, and it is what the device gave, to the byte."""
    monkeypatch.setenv("PASSPHRASE", "correct-horse-battery")
    strange = gateway.backup().replace('set hostname "', 'set hostname "\udce9')
    gateway.backup = lambda: strange
    folder = opened(gateway, identity, tmp_path, "run-1", env="PASSPHRASE").folder
    kept = folder / WHOLE
    assert kept.stat().st_mode & 0o077 == 0
    assert b"config system" not in kept.read_bytes()
    command = "openssl enc -d -aes-256-cbc -pbkdf2 -iter 600000 -pass env:PASSPHRASE -in"
    found = subprocess.run([*command.split(), kept], capture_output=True, check=True).stdout
    assert found.startswith(b"#config-version") and b'set hostname "\xe9' in found
    head = Journal.read(folder / "journal.jsonl").head
    assert hashlib.sha256(found).hexdigest() == head["backup_sha256"]
    assert "correct-horse" not in (folder / "journal.jsonl").read_text()
    guide = (ROOT / "docs" / "real-gateway.md").read_text()
    assert is_whole(guide, folder) == "whole"
    kept.write_bytes(kept.read_bytes()[:-1] + b"\0")
    assert is_whole(guide, folder).startswith("changed")
    assert command.split(" -pass")[0] in guide and WHOLE in guide


def is_whole(guide: str, folder: Path) -> str:
    """What the guide's own program says of the encrypted configuration."""
    program = guide.partition("python3 -c '")[2].partition("\n'\n")[0]
    asked = "import getpass, os; getpass.getpass = lambda: os.environ['PASSPHRASE']\n"
    words = [sys.executable, "-c", asked + program]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout.strip()


def test_without_a_passphrase_no_secret_is_kept(
    gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    assert not (opened(gateway, identity, tmp_path, "run-1").folder / WHOLE).exists()


def test_a_short_passphrase_is_told(
    gateway: FortiGate, identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSPHRASE", "short")
    with pytest.raises(InputError, match=r"backup_passphrase.*less than 12 characters"):
        opened(gateway, identity, tmp_path, "run-1", env="PASSPHRASE")
