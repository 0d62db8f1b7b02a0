"""Endpoints that stand in for hosts, at two ends of a cable: rounds, questions, late answers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint.script import Script
from gatepass.endpoint.stand_in import StandIn

HOPS = {"left": "10.0.0.253", "right": "10.0.0.254"}
"""The next hop of each end is an address of the kernel's at the other."""
TAKEN = "10.0.0.9"
_CABLE = """
mount -t sysfs sysfs /sys && ip link set lo up && ip link add left type veth peer name right
for end in left right; do ip link set $end up; done
ip address add 10.0.0.254/24 dev left; ip address add 10.0.0.253/24 dev right
ip address add 10.0.0.9/24 dev right; echo up; exec sleep 120
"""


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[dict[str, LocalShell]]:
    """A shell at either end, by the name of its interface."""
    if os.geteuid():
        pytest.skip("a network namespace needs root")
    words = ["unshare", "--net", "--mount", "sh", "-c", _CABLE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        inside = ("nsenter", "--net", "--mount", "--target", str(holder.pid))
        shells = {name: LocalShell(name, tmp_path / name, inside) for name in HOPS}
        for shell in shells.values():
            Path(shell.folder()).mkdir()
        yield shells
        holder.kill()


def _plan(cable: dict[str, LocalShell], end: str, *hold: str, **more: object) -> dict:
    other = next(name for name in HOPS if name != end)
    address = cable[end].run(Script(f"cat /sys/class/net/{other}/address")).output.strip()
    plan = {
        "interface": end,
        "gateways": {4: [HOPS[end], address]},
        "hold": hold,
        "listen": [(protocol, text, 7001) for protocol in ("tcp", "udp") for text in hold],
        "tries": [],
        "mark": "0a1b2c3d",
    }
    return plan | more


def _try(number: int, protocol: str, target: str, **more: object) -> dict:
    said = {"number": number, "protocol": protocol, "source": "10.0.0.1", "target": target,
            "port": 7001, "patience_s": 0.5, "bare": True}  # fmt: skip
    return said | more


def test_hosts_at_both_ends_in_several_rounds(cable: dict[str, LocalShell]) -> None:
    ends: list[StandIn] = []
    try:
        near = _plan(cable, "left", "10.0.0.1", "10.0.0.3", most=1, ask=[TAKEN, "10.0.0.8"])
        left = StandIn.start(cable["left"], "hosts", near)
        ends.append(left)
        assert left.ready == {"held": ["10.0.0.1"], "busy": [TAKEN], "reached": [4]}
        right = StandIn.start(cable["right"], "hosts", _plan(cable, "right", "10.0.0.2"))
        ends.append(right)

        left.go([_try(1, "tcp", "10.0.0.2"), _try(2, "tcp", "10.0.0.4")])
        told = left.tried()
        assert told["outcomes"]["1"] == ("answered", "")
        assert told["outcomes"]["2"][0] == "silent"
        assert told["answering"] == []
        assert {tuple(row) for row in right.arrived} == {
            (1, what, "10.0.0.1", "10.0.0.2", 7001) for what in ("frame", "connection")
        }

        late = _try(3, "udp", "10.0.0.2", late_s=0.2)
        left.go([late, _try(4, "udp", "10.0.0.2")], ask=[TAKEN, "10.0.0.2", "10.0.0.8"])
        told = left.tried()
        assert told["outcomes"]["3"] == ("late", "and again after 0.2 s")
        assert told["outcomes"]["4"] == ("answered", "")
        assert set(told["answering"]) == {TAKEN, "10.0.0.2"}
        assert {row[0] for row in right.arrived} == {1, 3, 4}

        assert set(left.end()["outcomes"]) == {"1", "2", "3", "4"}
        assert {row[0] for row in right.end()["arrived"]} == {1, 3, 4}
    finally:
        for end in ends:
            end.stop()


def test_the_tries_of_the_plan(cable: dict[str, LocalShell]) -> None:
    plan = _plan(cable, "left", "10.0.0.1", tries=[_try(7, "udp", "10.0.0.4")])
    one = StandIn.start(cable["left"], "hosts", plan)
    try:
        one.go()
        assert one.tried()["outcomes"] == {"7": ("silent", "no answer")}
        assert one.end()["sent"] > 0
    finally:
        one.stop()


def test_why_it_cannot_be_started(cable: dict[str, LocalShell]) -> None:
    plan = _plan(cable, "left", "10.0.0.1", interface="nowhere")
    with pytest.raises(NotProven, match=r"the left cannot simulate other hosts: .*nowhere"):
        StandIn.start(cable["left"], "hosts", plan)
