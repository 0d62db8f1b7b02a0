"""A whole fleet: who is killed, stopped or late has no verdict, and nobody else minds."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from lock_servers import lock_server, until
from world import World, ended

from gatepass.fleet.lifetime import STOP
from gatepass.proof.folder import ATTESTATION
from gatepass.run.lock_server import LockServer


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    try:
        yield made
        until(lambda: not made.left(), "all processes of the fleet have ended")
    finally:
        made.end()


def test_each_order_has_a_run_of_its_own(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is signed with the same key: the operator's own, which this call makes."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    code, told = world.call(*world.pairs(quick="ab"))
    assert code == 2, told
    outcome = world.outcome()
    assert [row.name for row in outcome.rows] == ["a", "b"]
    for row in outcome.rows:
        assert row.ended and row.outcome.run["order"]["order"] == row.name
        assert row.outcome.run["run_id"] == f"{world.fleet.name}/{row.name}"
        folder = world.fleet / "orders" / row.name
        assert (folder / "certificate.html").is_file() and (folder / "results.json").is_file()
        assert (folder / ATTESTATION).is_file(), (folder / "console.txt").read_text()
        (signature,) = json.loads((folder / ATTESTATION).read_text())["signatures"]
        assert told.count(signature["keyid"]) == 1
        made = sum(len(list(folder.rglob(name))) for name in ("key", "*.pub", "allowed_signers"))
        assert made == 0, "no key lies among the results"
    for name in ("fleet.html", "report.html", "log.html", "output.xml", "xunit.xml", "fleet.json"):
        assert (world.fleet / name).is_file(), name
    assert not (world.fleet / "pabot").exists()
    assert "a  not proven" in told and str(world.fleet / "fleet.html") in told


@pytest.mark.parametrize("whom", ["run", "worker"])
def test_a_killed_one_is_not_proven_and_the_others_are_as_they_are(world: World, whom: str) -> None:
    fleet = world.start(*world.pairs(silent="b", quick="ac"))
    until(lambda: world.at_work("b"), "the run is at work")
    os.kill(world.processes_of("b")[whom], signal.SIGKILL)
    code, told = ended(fleet)
    assert code == 2, told
    rows = {row.name: row for row in world.outcome().rows}
    assert [name for name, row in rows.items() if row.ended] == ["a", "c"]
    assert rows["b"].verdict == "not proven"
    if whom == "run":
        assert "ended by signal 9 (Killed)" in rows["b"].problem
        assert "b: not proven. Its run was ended by signal 9" in told


def test_ctrl_c_ends_all_and_what_was_done_is_told(world: World) -> None:
    fleet = world.start(*world.pairs(silent="bc", quick="a"))
    until(lambda: world.at_work("b") and world.at_work("c"), "the runs are at work")
    until(lambda: (world.fleet / "orders/a/certificate.html").exists(), "the quick one has ended")
    fleet.send_signal(signal.SIGINT)
    code, told = ended(fleet)
    assert code == 2, told
    assert "Stopping" in told
    rows = {row.name: row for row in world.outcome().rows}
    assert rows["a"].ended and not rows["b"].ended and not rows["c"].ended
    for name in "bc":  # ended by itself, not killed: its output is whole and says so
        assert (world.fleet / "orders" / name / "certificate.html").is_file(), told
    assert (world.fleet / "fleet.html").is_file()


def test_orders_that_are_yet_to_begin_do_not_after_ctrl_c(world: World) -> None:
    fleet = world.start(*world.pairs(silent="abc"), "--processes", "1")
    until(lambda: world.at_work("a"), "the first is at work")
    fleet.send_signal(signal.SIGTERM)
    code, told = ended(fleet)
    assert code == 2, told
    assert "stopped before this order began" in world.outcome().rows[1].problem
    assert not (world.fleet / "orders" / "c" / "output.xml").exists()


def test_a_killed_parent_leaves_nothing_at_work(world: World) -> None:
    fleet = world.start(*world.pairs(silent="ab"))
    until(lambda: world.at_work("a") and world.at_work("b"), "the runs are at work")
    fleet.kill()
    fleet.communicate(timeout=60)
    until(lambda: not world.left(), "all processes of the fleet have ended")
    for name in "ab":  # each had its signal and could restore its gateway
        assert (world.fleet / "orders" / name / "certificate.html").is_file()


def test_resume_goes_on_with_what_has_no_verdict(world: World) -> None:
    fleet = world.start(*world.pairs(silent="b", quick="a"))
    until(lambda: world.at_work("b"), "the run is at work")
    until(lambda: (world.fleet / "orders/a/certificate.html").exists(), "the quick one has ended")
    os.kill(world.processes_of("b")["run"], signal.SIGKILL)
    ended(fleet)
    before = (world.fleet / "orders/a/output.xml").stat().st_mtime_ns
    world.bed("b")  # it answers now, if only by refusing
    code, told = world.call("--resume", world.fleet.name, robot=())
    assert code == 2, told
    assert "Orders: 1, 1 at once" in told
    assert all(row.ended for row in world.outcome().rows)
    assert (world.fleet / "orders/a/output.xml").stat().st_mtime_ns == before
    assert (world.fleet / "earlier/b-1/progress.jsonl").is_file()
    code, told = world.call("--resume", world.fleet.name, robot=())
    assert code == 64 and "each of its orders has a verdict" in told


def test_a_pool_lends_each_testbed_to_one_order_at_a_time(world: World) -> None:
    for name, tier in (("a", "SGW-10"), ("b", "SGW-10"), ("c", "SGW-500")):
        world.order(name, tier)
    world.bed("small", tiers=["SGW-10", "SGW-20"])
    world.bed("large", tiers=["SGW-500"])
    code, told = world.call(
        "--orders", str(world.folder / "orders"), "--testbeds", str(world.folder / "beds")
    )
    assert code == 2, told
    assert world.takes() == {"small": ["a", "b"], "large": ["c"]}
    assert all(row.ended for row in world.outcome().rows)


def test_a_killed_one_gives_its_testbed_back(world: World) -> None:
    for name in "ab":
        world.order(name)
    world.bed("only", silent=True)
    fleet = world.start(
        *("--orders", str(world.folder / "orders"), "--testbeds", str(world.folder / "beds")),
        *("--processes", "1"),
    )
    until(lambda: world.at_work("a"), "the first is at work")
    os.kill(world.processes_of("a")["worker"], signal.SIGKILL)
    until(lambda: world.at_work("b"), "the second has the testbed")
    fleet.send_signal(signal.SIGTERM)
    assert ended(fleet)[0] == 2
    assert world.takes() == {"only": ["a", "b"]}


def test_what_an_earlier_fleet_left_in_the_pool_is_not_used(world: World) -> None:
    """A lock server may outlive a testbed; by its name it would come first."""
    world.order("a")
    world.order("b")
    world.bed("now")
    with lock_server(world.folder) as server:
        earlier = LockServer(server.socket)
        earlier.add_value_set("earlier", {"testbed": "earlier", "tags": "SGW-10"})
        pool = ("--orders", str(world.folder / "orders"), "--testbeds", str(world.folder / "beds"))
        code, told = world.call(*pool, "--turns", server.socket)
    assert code == 2, told
    assert world.takes() == {"now": ["a", "b"]}
    assert all(row.ended for row in world.outcome().rows)


def test_a_stop_and_the_end_of_the_parent_are_one_stop(world: World) -> None:
    """As a pipeline that is cancelled: a signal, and kill -9 for whoever is still there."""
    fleet = world.start(*world.pairs(silent="bc"))
    until(lambda: world.at_work("b") and world.at_work("c"), "the runs are at work")
    fleet.send_signal(signal.SIGTERM)
    until((world.fleet / STOP).exists, "the stop is noticed")
    fleet.kill()
    until(lambda: not world.left(), "all processes of the fleet have ended")
    for name in "bc":
        folder = world.fleet / "orders" / name
        assert "forcefully" not in (folder / "console.txt").read_text()
        assert (folder / "certificate.html").is_file()


def test_two_machines_share_a_lock_server(world: World) -> None:
    words = [*world.pairs(quick="abc"), "--turns"]
    with lock_server(world.folder) as server:
        both = [world.start(*words, server.socket, "--shard", shard) for shard in ("1/2", "2/2")]
        for one in both:
            code, told = ended(one)
            assert code == 2, told
    names = [sorted(path.name for path in fleet.glob("orders/*")) for fleet in world.fleets()]
    assert sorted(names) == [["a", "b"], ["c"]]


def test_a_lock_server_that_is_not_there(world: World) -> None:
    code, told = world.call(*world.pairs(quick="ab"), "--turns", "/nowhere/turns")
    assert code == 64
    assert told.startswith("Mistake: ") and told.count("\n") == 1
    assert world.fleets() == []
