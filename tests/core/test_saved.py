"""The configuration from before lies there without secrets, for another process to compare."""

from __future__ import annotations

import stat
from pathlib import Path

from gateway_client import GatewayUnderTest

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.saved import KEY, SAVED, keep, key_beside
from gatepass.gateway.undo import undo

BACKUP = 'config system automation-action\nedit "a"\nset uri "x/{secret}"\nnext\nend\n'


def test_it_is_for_its_owner_alone_and_shows_no_secret(tmp_path: Path) -> None:
    kept = keep(tmp_path, BACKUP.format(secret="hush"))
    assert (tmp_path / SAVED).read_text() == kept and "hush" not in kept
    for name in (SAVED, KEY):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert key_beside(tmp_path / SAVED) and not key_beside(tmp_path / "other" / SAVED)


def test_two_runs_show_one_secret_differently(tmp_path: Path) -> None:
    """So that nobody learns from two of them that it has stayed."""
    (tmp_path / "b").mkdir()
    assert keep(tmp_path, BACKUP.format(secret="hush")) != keep(
        tmp_path / "b", BACKUP.format(secret="hush")
    )


def test_the_key_goes_when_nothing_is_left_to_compare(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest, tmp_path: Path
) -> None:
    device.put("cmdb/firewall/policy/1", {"comments": "theirs"})
    keep(tmp_path, gateway.backup())
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical
    assert not (tmp_path / KEY).exists()


def test_another_secret_is_a_change_by_its_name_alone(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest, tmp_path: Path
) -> None:
    device.put("cmdb/firewall/policy/1", {"comments": "one"})
    keep(tmp_path, gateway.backup())
    device.put("cmdb/firewall/policy/1", {"comments": "other"})
    told = undo(gateway, changes.journal, tmp_path / SAVED)
    assert told.others == (
        "firewall/policy 1 was changed (before: set comments ***; "
        "now: set comments ***)",
    )
    assert "other" not in " ".join(told.differences)


def test_without_its_key_it_is_compared_as_far_as_it_can_be(
    changes: Changes, gateway: FortiGate, device: GatewayUnderTest, tmp_path: Path
) -> None:
    """As of a run of an earlier release."""
    device.put("cmdb/firewall/policy/1", {"comments": "one"})
    keep(tmp_path, gateway.backup())
    (tmp_path / KEY).unlink()
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical
