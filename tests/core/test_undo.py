"""The way back where its journal was damaged, or the gateway's answers are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest, policy

from gatepass.gateway.changes import Changes
from gatepass.gateway.config_objects import objects_named
from gatepass.gateway.fortigate import FortiGate, GatewayLost
from gatepass.gateway.journal import Journal
from gatepass.gateway.saved import SAVED
from gatepass.gateway.undo import undo

MARK = "gp0a1b2c"
ADDRESS, POLICY = "firewall/address", "firewall/policy"


def made(changes: Changes) -> None:
    """An address, and a policy of it."""
    address = {"name": f"{MARK}-a", "type": "ipmask", "subnet": "198.19.1.0 255.255.255.0"}
    changes.create(ADDRESS, address)
    row = policy(f"{MARK}-p") | {"policyid": 100, "srcaddr": [{"name": f"{MARK}-a"}]}
    changes.create(POLICY, row)


@pytest.mark.parametrize("line", [1, 2], ids=["of the address", "of the policy"])
def test_what_a_damaged_line_announced_is_found_on_the_device(
    changes: Changes, gateway: FortiGate, line: int
) -> None:
    made(changes)
    changes.journal.release()
    path = changes.journal.path
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = b"\x80\xff" + lines[line][2:]
    path.write_bytes(b"".join(lines))
    left = Journal.read(path)
    assert left.lost_lines == 1 and left.adopt()
    told = undo(gateway, left, path.with_name(SAVED))
    assert not told.identical and told.left and not left.closed
    assert "stand in no line of its journal" in told.problem and "--by-mark" in told.problem
    assert undo(gateway, left, path.with_name(SAVED), by_mark=True).identical
    assert left.closed and gateway.row(ADDRESS, f"{MARK}-a") is None


def test_what_a_script_made_late_goes_as_well(changes: Changes, gateway: FortiGate) -> None:
    """It is announced, and comes when the undoing has looked already."""
    changes.journal.creates(ADDRESS, [f"{MARK}-late"])
    backup, came = gateway.backup, []

    def late() -> str:
        if not came:
            came.append(f"{MARK}-late")
            row = {"name": came[0], "type": "ipmask", "subnet": "198.19.1.0 255.255.255.0"}
            gateway.create(ADDRESS, row)
        return backup()

    gateway.backup = late
    assert undo(gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical
    assert gateway.row(ADDRESS, f"{MARK}-late") is None


def test_what_bears_another_mark_stays(changes: Changes, gateway: FortiGate) -> None:
    made(changes)
    other = {"name": "gpffffff-a", "type": "ipmask", "subnet": "198.19.2.0 255.255.255.0"}
    gateway.create(ADDRESS, other)
    told = undo(gateway, changes.journal, changes.journal.path.with_name(SAVED), by_mark=True)
    assert gateway.row(ADDRESS, "gpffffff-a") and told.left == ()
    assert objects_named(gateway.backup(), MARK) == []


@pytest.mark.parametrize(
    "answer", [{}, {"results": None}, {"results": [None]}, {"results": "text"}], ids=str
)
def test_answers_of_another_shape_leave_the_journal_open(
    changes: Changes, gateway: FortiGate, monkeypatch: pytest.MonkeyPatch, answer: dict
) -> None:
    made(changes)
    with monkeypatch.context() as patched:
        patched.setattr(FortiGate, "_unpack", lambda self, response: answer)
        told = undo(gateway, changes.journal, changes.journal.path.with_name(SAVED))
    assert not told.identical and "is not the API's" in told.problem
    assert not changes.journal.closed
    assert undo(gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical


def test_rows_with_keys_that_are_none(changes: Changes, gateway: FortiGate) -> None:
    made(changes)
    rows = gateway.rows

    def strange(path: str, **query: object) -> list[dict]:
        return [{"policyid": ["x"], "name": {}}, {}, *rows(path, **query)]

    gateway.rows = strange
    assert undo(gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical


def test_another_device_is_not_undone(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest
) -> None:
    made(changes)
    device.control("PUT", "/faults/other-device", {})
    with pytest.raises(GatewayLost, match="another device answers"):
        gateway.rows(POLICY)
    told = undo(gateway, changes.journal, changes.journal.path.with_name(SAVED))
    assert not told.identical and "another device answers" in told.problem
    device.control("DELETE", "/faults")
    assert undo(gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical


def test_the_configuration_from_before_is_gone(
    changes: Changes, gateway: FortiGate, tmp_path: Path
) -> None:
    made(changes)
    (tmp_path / SAVED).unlink()
    told = undo(gateway, changes.journal, tmp_path / SAVED)
    assert not told.identical and "cannot be read" in told.problem
