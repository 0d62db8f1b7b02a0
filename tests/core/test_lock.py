"""A gateway is one run's at a time, also where two accounts do not see each other's journals."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest
from test_workspace import address, killed, opened

from gatepass.gateway import lock
from gatepass.gateway.configuration import comparable
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.identity import Identity, identify
from gatepass.gateway.journal import pending
from gatepass.gateway.lock_object import NAME, TABLE, InUse, Lock
from gatepass.gateway.saved import KEY

OTHER = Lock("gp9f8e7d", "20261128-091500-77", "ada", "build7", "2026-11-28T09:15")


@pytest.fixture
def identity(gateway: FortiGate) -> Identity:
    return identify(gateway, "127.0.0.1")


@pytest.fixture
def accounts(tmp_path: Path) -> tuple[Path, Path]:
    """The results folders of two accounts."""
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
    return tmp_path / "ada", tmp_path / "bob"


def test_a_run_has_the_gateway_until_it_is_as_it_was(
    gateway: FortiGate, identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened(gateway, identity, tmp_path, "run-1")
    found = lock.look(gateway)
    assert found == Lock.own(workspace.changes.mark, "run-1") or found.run == "run-1"
    address(workspace)
    gone: list[str] = []
    delete = gateway.delete
    monkeypatch.setattr(gateway, "delete", lambda *row: (gone.append(row[1]), delete(*row)))
    assert workspace.restore().identical and lock.look(gateway) is None
    assert len(gone) == 2 and gone[-1] == NAME, "it goes last"


def test_another_account_is_told_who_has_it(
    gateway: FortiGate, identity: Identity, accounts: tuple[Path, Path]
) -> None:
    first = opened(gateway, identity, accounts[0], "run-1")
    before = comparable(gateway.backup())
    with pytest.raises(InUse, match=r"the run run-1, called by \S+ on \S+, has had this gateway"):
        opened(gateway, identity, accounts[1], "run-2")
    assert comparable(gateway.backup()) == before and pending(accounts[1]) == []
    assert first.restore().identical
    assert opened(gateway, identity, accounts[1], "run-3").restore().identical


def test_after_a_kill_it_stays_until_the_account_has_restored(
    gateway: FortiGate, identity: Identity, accounts: tuple[Path, Path]
) -> None:
    killed(gateway, identity, accounts[0], "run-1")
    with pytest.raises(InUse, match=r"If it was killed, call \./run\.sh restore there from that"):
        opened(gateway, identity, accounts[1], "run-2")
    assert opened(gateway, identity, accounts[0], "run-3").restore().identical
    assert opened(gateway, identity, accounts[1], "run-4").restore().identical


def test_of_two_that_saw_a_free_gateway_one_has_it(
    gateway: FortiGate,
    identity: Identity,
    accounts: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The device takes no name twice."""
    first = opened(gateway, identity, accounts[0], "run-1")
    look, seen = lock.look, []
    monkeypatch.setattr(lock, "look", lambda one: look(one) if seen else seen.append(1))
    monkeypatch.setattr("gatepass.gateway.workspace.others_in", lambda *_: None)
    with pytest.raises(InUse, match="run-1"):
        opened(gateway, identity, accounts[1], "run-2")
    assert pending(accounts[1]) == [] and not (accounts[1] / "run-2" / KEY).exists()
    monkeypatch.undo()
    assert lock.look(gateway).run == "run-1" and first.restore().identical


def test_of_many_that_begin_at_once_one_has_it(
    device: GatewayUnderTest, gateway: FortiGate, identity: Identity, tmp_path: Path
) -> None:
    had: list[object] = []
    together = threading.Barrier(4)

    def begin(number: int) -> None:
        account = tmp_path / str(number)
        account.mkdir()
        one = FortiGate(gateway.url, gateway.token, gateway.ca_file, timeout_s=20)
        together.wait()
        try:
            had.append(opened(one, identity, account, f"run-{number}"))
        except InUse as refused:
            had.append(refused)

    begun = [threading.Thread(target=begin, args=(number,)) for number in range(4)]
    for one in begun:
        one.start()
    for one in begun:
        one.join()
    (winner,) = [one for one in had if not isinstance(one, InUse)]
    assert len(had) == 4 and winner.restore().identical


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        (OTHER.comment, "20261128-091500-77, called by ada on build7, has .* 2026-11-28 09:15 UTC"),
        ("keep out", "is not as a run makes it. Ask who else tests this gateway."),
        ("", "is not as a run makes it"),
        (OTHER.comment.replace("ada", "\\u202eada"), "is not as a run makes it"),
    ],
)
def test_what_stands_there_may_be_anybodys(
    gateway: FortiGate, identity: Identity, tmp_path: Path, comment: str, told: str
) -> None:
    gateway.create(TABLE, OTHER.row | {"comment": comment})
    with pytest.raises(InUse, match=told):
        opened(gateway, identity, tmp_path, "run-1")
    (found,) = lock.finding(gateway, (), ("preflight",))
    assert found.keeps == ("preflight",) and found.remedy
    assert lock.give_up(gateway, "gp000000") == "" and lock.look(gateway), "it is not one's own"


def test_doctor_tells_nothing_of_runs_that_are_known_here(gateway: FortiGate) -> None:
    assert lock.finding(gateway, (), ("preflight",)) == []
    gateway.create(TABLE, OTHER.row)
    assert lock.finding(gateway, (OTHER.mark,), ("preflight",)) == []


def test_who_may_not_write_addresses_is_told(
    gateway: FortiGate, identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        gateway.forbidden = "403"
        raise Refused("no right", status=403)

    monkeypatch.setattr(gateway, "create", refuse)
    workspace = opened(gateway, identity, tmp_path, "run-1")
    assert any("does not see this one" in notice for notice in workspace.notices)
    assert gateway.forbidden == "" and workspace.restore().identical


def test_what_cannot_be_given_up_is_told_and_restored_later(
    gateway: FortiGate, identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened(gateway, identity, tmp_path, "run-1")

    def lost(*_: object) -> None:
        raise GatewayLost("no answer")

    with monkeypatch.context() as deaf:
        deaf.setattr(gateway, "delete", lost)
        told = workspace.restore()
    assert not told.identical and f"address object {NAME} is left: no answer" in told.problem
    assert pending(tmp_path) and workspace.restore().identical and pending(tmp_path) == []
