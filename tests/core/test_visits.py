"""What a run left on an endpoint that could not be reached: written down, and taken away later."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from local_shell import LocalShell

from gatepass import cli
from gatepass.base import paths
from gatepass.endpoint import ssh
from gatepass.endpoint.completed import Completed
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import EndpointLost
from gatepass.endpoint.ssh import SshShell, clean_endpoints
from gatepass.endpoint.visits import NAME, Visits, left_on_endpoints, left_there
from gatepass.gateway import restore
from gatepass.gateway.restore import restore_all

MARK, RUN = "gp0a1b2c", "20260101-120000-ab12"


class Machine:
    """What is behind an endpoint's SSH: this machine, or nobody.

    Attributes:
        away: whether nobody answers.
        breaks: words of the command after which the connection breaks, once.
    """

    def __init__(self, folder: Path) -> None:
        self.away, self.breaks = False, ""
        self._shell = LocalShell("any", folder)

    def run(self, shell: SshShell, command: Script) -> Completed:
        if self.away:
            raise EndpointLost(f"the {shell.name} cannot be reached.")
        done = self._shell.run(command, timeout_s=60)
        if self.breaks and self.breaks in command:
            self.breaks = ""
            raise EndpointLost(f"the connection to the {shell.name} broke.")
        return done


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Stands behind every endpoint."""
    machine = Machine(tmp_path)
    monkeypatch.setattr(
        SshShell, "run", lambda shell, command, *_, **__: machine.run(shell, command)
    )
    return machine


@pytest.fixture
def testbed(tmp_path: Path) -> SimpleNamespace:
    """A client, a server, and no peer."""
    return _testbed(tmp_path, "198.18.0.3")


def _testbed(tmp_path: Path, host: str) -> SimpleNamespace:
    one = SimpleNamespace(ssh=SimpleNamespace(host=host, port=22), files=None)
    ends = SimpleNamespace(named={"client": one, "server": one}, server=one)
    return SimpleNamespace(endpoints=ends, path=tmp_path / "bed.yaml", network_namespace=None)


@pytest.fixture
def run(tmp_path: Path, testbed: SimpleNamespace) -> Visits:
    """A run under way."""
    folder = tmp_path / "results" / RUN
    folder.mkdir(parents=True)
    return Visits.start(folder / NAME, MARK, testbed.path, None)


def _shell(testbed: SimpleNamespace, run: Visits, tmp_path: Path, name: str = "client") -> SshShell:
    shell = SshShell(name, testbed.endpoints.named[name], MARK, visits=run)
    shell._path = str(tmp_path / f"gatepass.{MARK}")
    return shell


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, testbed: SimpleNamespace) -> None:
    """Folders of runs lie in a folder of the test, and its testbed is the one that is read."""
    command = ssh.remove_command
    monkeypatch.setattr(
        ssh, "remove_command",
        lambda path, undoing: command(str(tmp_path / Path(path).name), undoing),
    )
    monkeypatch.setattr(restore, "load_testbed", lambda _: testbed)
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")


def test_it_stands_there_before_the_folder_is_made(
    machine: Machine, run: Visits, testbed: SimpleNamespace, tmp_path: Path
) -> None:
    machine.away = True
    with pytest.raises(EndpointLost):
        _shell(testbed, run, tmp_path).folder()
    assert Visits.read(run.path).left == {"client": "198.18.0.3:22"}


def test_what_was_taken_away_is_not_left(
    machine: Machine, run: Visits, testbed: SimpleNamespace, tmp_path: Path
) -> None:
    shell = _shell(testbed, run, tmp_path)
    assert Path(shell.folder()).is_dir()
    assert shell.clean_up() == []
    assert Visits.read(run.path).left == {}
    assert left_on_endpoints(run.path.parent) == ""
    shell.folder()
    assert Visits.read(run.path).left, "made once more"


def test_a_folder_that_was_made_while_the_connection_broke_is_known(
    machine: Machine, run: Visits, testbed: SimpleNamespace, tmp_path: Path
) -> None:
    machine.breaks = "mkdir"
    shell = _shell(testbed, run, tmp_path)
    with pytest.raises(EndpointLost):
        shell.folder()
    folder = Path(shell.folder())
    assert folder.is_dir(), "it is our own"
    assert shell.clean_up() == [] and not folder.exists()
    machine.breaks = "mkdir"
    with pytest.raises(EndpointLost):
        shell.folder()
    assert shell.clean_up() == [] and not folder.exists()


def test_what_an_unreachable_endpoint_keeps_is_restored_later(
    machine: Machine,
    run: Visits,
    testbed: SimpleNamespace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = Path(_shell(testbed, run, tmp_path).folder())
    machine.away = True
    with pytest.raises(EndpointLost):
        _shell(testbed, run, tmp_path).clean_up()
    told = left_on_endpoints(run.path.parent)
    assert "left on the client (198.18.0.3:22)" in told
    assert f"Call ./run.sh restore {RUN} when that can be reached." in told
    assert cli.main(["restore"]) != 0
    assert f"{RUN}: this run is still at work" in capsys.readouterr().out
    run.release()
    assert cli.main(["restore"]) != 0
    told = capsys.readouterr().out
    assert "Nothing to restore" not in told
    assert "What the run left on the client stays there: the client cannot be reached." in told
    machine.away = False
    assert cli.main(["restore"]) == 0
    assert "what it had left on the client is gone." in capsys.readouterr().out
    assert not folder.exists()
    assert cli.main(["restore"]) == 0
    assert "Nothing to restore" in capsys.readouterr().out


def test_a_program_that_would_not_end_is_left(
    machine: Machine, run: Visits, testbed: SimpleNamespace, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = _shell(testbed, run, tmp_path)
    shell.folder()
    with monkeypatch.context() as patched:
        patched.setattr(ssh.own_programs, "end_all", lambda path: script("echo sleep 60"))
        assert shell.clean_up() == ["sleep 60"]
    assert Visits.read(run.path).left
    run.release()
    (one,) = restore_all(tmp_path / "results", clean_endpoints)
    assert one.done, one


def test_another_host_is_not_taken_for_the_one_that_was_visited(
    machine: Machine, run: Visits, testbed: SimpleNamespace, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _shell(testbed, run, tmp_path).folder()
    run.release()
    monkeypatch.setattr(restore, "load_testbed", lambda _: _testbed(tmp_path, "198.18.0.9"))
    (one,) = restore_all(tmp_path / "results", clean_endpoints)
    assert not one.done
    assert "at 198.18.0.3:22" in one.details[0]
    assert f"remove /tmp/gatepass.{MARK} there by hand" in one.details[0]


def test_a_lab_that_is_gone_has_nothing_left(run: Visits, tmp_path: Path) -> None:
    folder = tmp_path / "results" / "20260101-130000-cd34"
    folder.mkdir()
    other = Visits.start(folder / NAME, MARK, tmp_path / "bed.yaml", str(tmp_path))
    other.begin("client", "198.18.0.3:22")
    other.release()
    text = other.path.read_text()
    other.path.write_text(text.replace(str(tmp_path.stat().st_ino), "1"))
    (one,) = restore_all(tmp_path / "results", clean_endpoints)
    assert one.done and "its lab is gone and the endpoints with it" in one.sentence
    assert left_there(tmp_path / "results") == []


@pytest.mark.parametrize("text", ["", "no json\n", "[1]\n"])
def test_a_damaged_record_is_told(run: Visits, tmp_path: Path, text: str) -> None:
    run.release()
    run.path.write_text(text)
    (one,) = restore_all(tmp_path / "results", clean_endpoints)
    assert not one.done and "is damaged in its first line" in one.sentence
