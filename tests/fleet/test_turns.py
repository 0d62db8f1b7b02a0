"""Turns on what testbeds share, with pabot's lock server and runs that are killed."""

from __future__ import annotations

import os
import random
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import xmlrpc.client
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from fleet.lock_servers import LIBRARIES, Fleet, Server, lock_server, until
from gatepass.base import namespace
from gatepass.base.errors import InputError
from gatepass.run import lock_server as lock_server_client
from gatepass.run import seats, turns
from gatepass.run.lock_server import LockServer, ServerLost


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with lock_server(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture
def fleet(server: Server, tmp_path: Path) -> Iterator[Fleet]:
    """Runs that share one thing; each test has locks of its own."""
    made = Fleet(server.socket, tmp_path)
    yield made
    made.end()


def _overlaps(happened: list[tuple[str, ...]]) -> set[frozenset[str]]:
    """Which kinds of turns were held at the same time by two runs."""
    held: dict[str, str] = {}
    found = set()
    for order, event, kind in happened:
        if event == "takes":
            found |= {frozenset((kind, other)) for other in held.values()}
            held[order] = kind
        elif event == "ends":
            del held[order]
    return found


def test_what_only_talks_goes_side_by_side(fleet: Fleet) -> None:
    runs = [fleet.start(slot, "talk held") for slot in range(3)]
    for run in runs:
        until(lambda run=run: run.has("takes", "talk"), "all talk at the same time")
    for run in runs:
        run.let_go()
        run.ended()
    assert not any(run.waits() for run in runs)


def test_what_measures_is_alone_and_nobody_waits_for_ever(fleet: Fleet) -> None:
    rules = random.Random(6)
    wanted = [
        [rules.choice(["talk 0.02", "talk 0.02", "measure 0.02"]) for _ in range(15)]
        for _ in range(fleet.slots)
    ]
    runs = [fleet.start(slot, *turns) for slot, turns in enumerate(wanted)]
    for run in runs:
        run.ended()
    happened = fleet.happened()
    assert len(happened) == 2 * sum(map(len, wanted))
    assert _overlaps(happened) <= {frozenset({"talk"})}


def test_who_wants_to_measure_is_not_passed_by_those_who_talk(fleet: Fleet) -> None:
    talkers = [fleet.start(slot, *["talk 0.05"] * 200) for slot in range(2)]
    for run in talkers:
        until(lambda run=run: run.has("ends", "talk"), "they talk")
    measurer = fleet.start(2, "measure 0")
    measurer.ended()
    assert not all(run.has("ends", "talk", 200) for run in talkers)


def test_who_waits_says_for_whom(fleet: Fleet) -> None:
    first = fleet.start(0, "measure held")
    until(lambda: first.has("takes", "measure"), "the first measures")
    second = fleet.start(1, "talk 0")
    until(second.waits, "the second waits")
    assert (second.waits()[0]["resource"], second.waits()[0]["held_by"]) == (fleet.link, "a")
    first.let_go()
    second.ended()
    assert [one["event"] for one in second.waits()][-1] == "goes on"


def test_gateways_that_share_nothing_are_measured_at_the_same_time(fleet: Fleet) -> None:
    runs = [fleet.start(0, "measure held"), fleet.start(1, "measure held", resources=["other"])]
    for run in runs:
        until(lambda run=run: run.has("takes", "measure"), "both measure")
        run.let_go() if run is runs[1] else None
    runs[0].let_go()
    for run in runs:
        run.ended()


def test_two_that_share_two_things_do_not_wait_for_each_other(fleet: Fleet) -> None:
    wanted = ["measure 0"] * 20
    runs = [
        fleet.start(0, *wanted, resources=[fleet.link, "host"]),
        fleet.start(1, *wanted, resources=["host", fleet.link]),
    ]
    for run in runs:
        run.ended()
    assert _overlaps(fleet.happened()) == set()


@pytest.mark.parametrize("kind", ["talk", "measure"])
def test_a_killed_run_holds_nothing_for_ever(fleet: Fleet, kind: str) -> None:
    killed = fleet.start(0, f"{kind} held")
    until(lambda: killed.has("takes", kind), "the first has its turn")
    killed.process.kill()
    fleet.start(1, "measure 0").ended()
    assert fleet.happened()[-1] == ("b", "ends", "measure")


def test_a_run_that_is_killed_at_any_moment_holds_nothing_for_ever(fleet: Fleet) -> None:
    rules = random.Random(60)
    for _ in range(3):
        killed = fleet.start(0, *["measure 0", "talk 0"] * 500)
        until(lambda killed=killed: killed.has("takes", "talk"), "it takes turns")
        time.sleep(rules.uniform(0, 0.05))
        killed.process.kill()
        killed.process.wait(timeout=60)
        fleet.list.unlink()
        fleet.start(1, "measure 0").ended()


def test_the_fleet_gives_back_at_once_what_an_ended_run_held(fleet: Fleet) -> None:
    killed = fleet.start(0, "measure held")
    until(lambda: killed.has("takes", "measure"), "the first measures")
    killed.process.kill()
    killed.process.wait(timeout=60)
    server = LockServer(fleet.socket)
    rooms = [f"room {fleet.link} {slot}" for slot in range(fleet.slots)]
    assert not any(server.acquire(room, "me") for room in rooms)
    seats.give_back(server, killed.caller)
    assert all(server.acquire(room, "me") for room in rooms)
    seats.give_back(server, "me")


def test_a_run_that_stood_still_learns_that_its_turn_was_not_all_its_own(fleet: Fleet) -> None:
    stopped = fleet.start(0, "measure held", "measure 0")
    until(lambda: stopped.has("takes", "measure"), "the first measures")
    os.kill(stopped.process.pid, signal.SIGSTOP)
    fleet.start(1, "measure 0").ended()
    os.kill(stopped.process.pid, signal.SIGCONT)
    stopped.let_go()
    stopped.ended()
    own = [event for order, event, _ in fleet.happened() if order == "a"]
    assert own == ["takes", "ends", "lost", "takes", "ends"]  # and it takes part again


def test_a_pause_of_the_whole_machine_kills_nobody(fleet: Fleet) -> None:
    holder = fleet.start(0, "measure held")
    until(lambda: holder.has("takes", "measure"), "the first measures")
    waiter = fleet.start(1, "measure 0")
    until(waiter.waits, "the second waits")
    for run in (holder, waiter):
        os.kill(run.process.pid, signal.SIGSTOP)
    time.sleep(2)  # longer than it takes to be dead, but for the waiter it is one look
    os.kill(waiter.process.pid, signal.SIGCONT)
    time.sleep(0.4)  # which it has now
    os.kill(holder.process.pid, signal.SIGCONT)
    holder.let_go()
    holder.ended()
    waiter.ended()
    assert ("a", "lost", "measure") not in fleet.happened()


def test_more_slots_of_another_fleet_on_the_same_server_count(fleet: Fleet) -> None:
    larger = Fleet(fleet.socket, fleet.folder, slots=8)
    talker = larger.start(7, "talk held")
    until(lambda: talker.has("takes", "talk"), "the last slot talks")
    measurer = fleet.start(0, "measure 0")
    until(measurer.waits, "who measures waits for it")
    talker.let_go()
    measurer.ended()
    larger.end()


def test_a_run_inside_a_network_namespace_reaches_the_server(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(turns.PLACE, fleet.environment(0, [fleet.link])[turns.PLACE])
    command = ["unshare", "--net", "sleep", "infinity"]
    with subprocess.Popen(command) as other:
        path = f"/proc/{other.pid}/ns/net"
        try:
            until(lambda: namespace.inode(path) != namespace.inode("/proc/self/ns/net"), path)
            with turns.joined(), namespace.inside(path, Path("testbed.yaml")):
                assert turns.current.take(measuring=True)
                assert turns.current.give_back()
        finally:
            other.kill()


def test_without_a_fleet_there_are_no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(turns.PLACE, raising=False)
    with turns.joined():
        assert turns.current is None


def test_a_server_that_does_not_answer_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    place = '{"socket": "/nowhere/turns", "caller": "x", "order": "a", "resources": ["link"],'
    monkeypatch.setenv(turns.PLACE, f'{place} "slot": 0, "slots": 1}}')
    words = r"at /nowhere/turns does not answer .*docs/fleet\.md"
    with pytest.raises(InputError, match=words), turns.joined():
        pass


def test_another_server_than_pabots_is_told(tmp_path: Path) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))  # else the caller may see it close
            self.send_error(501)

        def log_message(self, *_: object) -> None:
            pass

    path = tmp_path / "other.sock"
    with socketserver.UnixStreamServer(str(path), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(ServerLost, match="is not pabot's lock server"):
            LockServer(path).acquire("gate link", "me")
        other.shutdown()


def test_who_finds_the_servers_queue_full_waits_for_it(tmp_path: Path) -> None:
    with lock_server(tmp_path) as server, ExitStack() as callers:
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            while True:
                caller = callers.enter_context(socket.socket(socket.AF_UNIX))
                caller.setblocking(False)
                caller.connect(server.socket)
        except BlockingIOError:
            callers.close()
        threading.Timer(0.3, os.kill, (server.process.pid, signal.SIGCONT)).start()
        assert LockServer(server.socket).acquire("gate link", "me")


def test_a_queue_that_stays_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_server_client, "_ANSWER_S", 1)
    path = tmp_path / "turns.sock"
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as caller:
        silent.bind(str(path))
        silent.listen(0)
        caller.connect(str(path))
        with pytest.raises(ServerLost, match=r"does not answer \(its queue was full for 1 s\)"):
            LockServer(path).get("anything")


def test_a_caller_that_stands_still_holds_up_nobody_else(server: Server) -> None:
    with socket.socket(socket.AF_UNIX) as still:
        still.connect(server.socket)
        still.sendall(b"POST /RPC2 HTTP/1.1\r\nContent-Length: 100\r\n\r\n")
        assert LockServer(server.socket).get("anything") == ""


def test_nobody_else_may_reach_the_server(tmp_path: Path) -> None:
    """Its socket is the owner's, wherever its folder lies, and as long as its path may be."""
    folder = tmp_path / ("long" * 40)
    folder.mkdir(mode=0o755)
    with lock_server(folder) as server:
        path = Path(server.socket)
        assert path.stat().st_mode & 0o077 == 0
        assert LockServer(path).acquire("gate link", "me")
        again = turns_server(path)
        assert again == (64, f"Mistake: turns-server {path}: a lock server is at work there "
                         "already. Use that.\n")
    assert not path.exists()


def test_a_socket_that_a_killed_server_left_is_taken_over(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "turns.sock"))
    with lock_server(tmp_path) as server:
        assert LockServer(server.socket).get("anything") == ""


def test_no_file_of_another_kind_is_taken_for_a_socket(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("kept")
    code, said = turns_server(path)
    assert code == 64 and "there is a file already" in said and path.read_text() == "kept"
    code, said = turns_server(tmp_path / "nowhere" / "turns.sock")
    assert code == 64 and "No such file or directory" in said


def turns_server(path: Path) -> tuple[int, str]:
    """A call that ends at once."""
    done = subprocess.run(
        [sys.executable, "-m", "gatepass", "turns-server", str(path)],
        env=os.environ | {"PYTHONPATH": str(LIBRARIES)},
        capture_output=True, text=True, timeout=60, check=False,
    )
    return done.returncode, done.stderr


def test_only_what_two_testbeds_have_in_common_is_shared() -> None:
    assert turns.shared([{"link", "host a"}, {"link", "host b"}, {"host c"}]) == [
        ["link"],
        ["link"],
        [],
    ]


@pytest.mark.parametrize(
    "keyword", ["import_shared_library", "run_on_last_process", "stop_remote_server", "__init__"]
)
def test_the_server_runs_what_takes_turns_and_nothing_else(server: Server, keyword: str) -> None:
    """Of pabot's keywords one imports any module, whose functions the server would then run."""
    client = LockServer(server.socket)
    with pytest.raises(ServerLost):
        client._call(keyword, "os")
    assert client.acquire(f"still at work {keyword}", "somebody")
    client.release(f"still at work {keyword}", "somebody")


def test_the_server_takes_no_named_arguments(server: Server) -> None:
    with xmlrpc.client.ServerProxy(
        "http://localhost", lock_server_client._OverSocket(Path(server.socket))
    ) as there:
        answer = there.run_keyword("acquire_lock", [], {"name": "x", "caller_id": "y"})
    assert answer["status"] == "FAIL"
