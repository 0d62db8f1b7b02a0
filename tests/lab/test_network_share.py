"""A lab's share of the processors: its control group takes in all of a lab, and goes with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from network_lab import Labs

from lab.base import share

LAB = "share"
V1 = "33 31 0:29 / {root} rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
V2 = "33 31 0:29 / {root} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
WITHOUT_CPU = "32 31 0:28 / /elsewhere rw,relatime - cgroup cgroup rw,cpuset\n"


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Makes a hierarchy of control groups out of plain files."""

    def make(mounts: str, offered: str) -> Path:
        root = tmp_path / "cgroup"
        root.mkdir()
        (root / "cgroup.procs").touch()
        (root / "cgroup.subtree_control").write_text(offered)
        table = tmp_path / "mountinfo"
        table.write_text(WITHOUT_CPU + mounts.format(root=root))
        monkeypatch.setattr(share, "_MOUNTS", table)
        return root

    return make


@pytest.mark.parametrize(
    ("mounts", "offered", "weight"),
    [(V1, "", ("cpu.shares", "10240")), (V2, "cpu memory\n", ("cpu.weight", "1000"))],
)
def test_a_group_weighs_ten_times_the_usual(groups, tmp_path, mounts, offered, weight):
    root = groups(mounts, offered)
    share.take(tmp_path / "one", 4711)
    (group,) = root.glob("gatepass-lab-one-*")
    assert (group / weight[0]).read_text() == weight[1]
    assert (group / "cgroup.procs").read_text() == "4711"
    share.take(tmp_path / "other" / "one", 4712)
    assert len(list(root.glob("gatepass-lab-one-*"))) == 2


@pytest.mark.parametrize(("mounts", "offered"), [("", ""), (V2, "memory pids\n")])
def test_without_a_controller_a_lab_has_its_share_like_all(groups, tmp_path, mounts, offered):
    root = groups(mounts, offered)
    share.take(tmp_path / "one", os.getpid())
    share.give_back(tmp_path / "one")
    assert not list(root.glob("gatepass-*"))
    assert share.members(os.getpid()) is None and share.groups() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="a lab needs root")
def test_all_of_a_lab_is_in_its_group_until_it_is_gone(tmp_path):
    labs = Labs(tmp_path / "labs")
    labs.must("up", LAB)
    try:
        members = share.members(labs.state(LAB)["nodes"]["client"]["pid"])
        if members is None:
            pytest.skip("this machine offers no control groups for processors")
        entered = labs.run_in("client", "cat", "/proc/self/cgroup", lab=LAB).stdout
        logged_in = labs.over_ssh("server", "cat /proc/self/cgroup", LAB)[1]
        assert members.parent.name in entered and members.parent.name in logged_in
    finally:
        labs.must("down", LAB)
    assert not members.parent.exists()
