"""Runs that are killed while VPN users are connected: nothing of them is left anywhere."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from faults.faulty_lab import FaultyLab
from lab.base.process import wait_until
from runs.killing import Configuration, Runs

USERS = ("--test", "*.The Promised Users Are Connected At Once")
LOOK = (
    "ls -d /tmp/gatepas[s].* 2>/dev/null; ps -eo args= | grep -E '[o]penconnect|[/]tmp/gatepass'; "
    "ip -o link | grep -o 'gp[0-9a-f]*-[0-9]*'; ip rule | grep -E '198.19|fwmark'; "
    "ip route show table all | grep 198.19; ip address show dev lo | grep 198.19; "
    "nft list tables; true"
)


@pytest.fixture
def runs(own_lab: FaultyLab, tmp_path: Path) -> Runs:
    return Runs(own_lab.testbed, tmp_path)


@pytest.mark.parametrize("delay_s", [0.0, 0.3, 1.5], ids=["first", "some", "all"])
def test_whatever_was_connected_is_gone_after_restore(runs: Runs, delay_s: float) -> None:
    delivered = Configuration.of(runs.testbed)
    before = {node: runs.on(node, LOOK) for node in ("client", "server")}
    run = runs.start(*USERS)
    assert wait_until(lambda: all_there(on_client(runs)), 60)
    time.sleep(delay_s * random.uniform(0.8, 1.2))
    run.kill()
    assert runs.on("server", LOOK) != before["server"]
    assert any("_vpn" in line for line in on_client(runs))
    code, told = runs.restore()
    assert code == 0, told
    for node, lines in before.items():
        # what only looks at something ends by itself within a moment
        assert wait_until(lambda node=node, lines=lines: runs.on(node, LOOK) == lines, 15), (
            runs.on(node, LOOK)
        )
    assert Configuration.of(runs.testbed) == delivered


def all_there(lines: list[str]) -> bool:
    """Whether users are connecting, and what counts their packets is there."""
    return all(any(word in line for line in lines) for word in ("openconnect --pro", "_vpn"))


def on_client(runs: Runs) -> list[str]:
    return runs.on("client", LOOK)
