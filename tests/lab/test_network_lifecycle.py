"""However a lab ends, nothing of it is left; and what a killed run left is removed by the next."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from network_lab import PROJECT, Labs, host

from inhabitants import KINDS, alive, inhabitants
from lab.base import share
from lab.nodes.topology import NODES

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")

# A command as a test run is: says that it is there, and tidies up when it is told to end.
_TIDY = """
import os, pathlib, signal, sys, time, yaml
bed = pathlib.Path(sys.argv[1])
namespace = yaml.safe_load(bed.read_text())["network_namespace"]
note = pathlib.Path(sys.argv[2])
def end(number, frame):
    time.sleep(0.3)
    note.with_suffix(".end").write_text(f"{number} {os.path.exists(namespace)}")
    sys.exit(9)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, end)
note.with_suffix(".new").write_text(str(os.getpid()))
note.with_suffix(".new").rename(note)
time.sleep(60)
"""


@pytest.fixture
def labs(tmp_path):
    labs = Labs(tmp_path / "labs")
    before = host()
    yield labs
    labs.must("down", "--all")
    assert not labs.folder.exists()
    assert host() == before


def _until(condition, what: str, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def _gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def _start_tidy(labs: Labs, note, *more: str):
    run = labs.start("run", *more, "--", sys.executable, "-c", _TIDY, "{testbed}", str(note))
    _until(lambda: note.exists() or run.poll() is not None, "the command never started")
    assert note.exists(), run.communicate()
    return run


def _only_lab(labs: Labs) -> str:
    (name,) = (entry.name for entry in labs.folder.iterdir())
    return name


def test_down_leaves_nothing_and_can_be_said_twice(labs):
    labs.must("up")
    namespaces = labs.namespaces("default")
    assert len(namespaces) == len(NODES) * len(KINDS)
    processes = inhabitants(namespaces)
    assert len(processes) > len(NODES)  # also SSH servers and the gateway
    assert "taken down" in labs.must("down")
    assert alive(processes) == []
    assert not labs.folder.exists()
    assert "no lab" in labs.must("down")


def test_down_with_somebody_logged_in_and_traffic_on_its_way(labs):
    labs.must("up", "busy")
    labs.must("exec", "server", "--lab", "busy", "--", "iperf3", "-s", "-D")
    sender = labs.start(
        *("exec", "client", "--lab", "busy", "--"), *("iperf3", "-c", "198.18.3.20", "-t", "60")
    )
    with labs.ssh("client", "busy"):
        processes = inhabitants(labs.namespaces("busy"))
        labs.must("down", "busy")
    sender.communicate(timeout=20)
    _until(lambda: alive(processes) == [], "a process of the lab is left")


def test_run_hands_on_testbed_and_exit_code(labs, tmp_path):
    done = labs.call("run", "--", "sh", "-c", 'cat "$0"; echo "$HOME"; exit 5', "{testbed}")
    assert done.returncode == 5
    assert "network_namespace: /proc/" in done.stdout
    assert done.stdout.splitlines()[-1] == os.environ["HOME"]
    assert not labs.folder.exists()


def test_run_ends_what_the_command_left_in_the_background(labs, tmp_path):
    note = tmp_path / "pid"
    script = f"sleep 60 >/dev/null 2>&1 & echo $! > {note}"
    assert labs.call("run", "--", "sh", "-c", script).returncode == 0
    _until(lambda: _gone(int(note.read_text())), "the background process is left")


def test_run_of_a_program_that_there_is_not(labs):
    done = labs.call("run", "--", "no-such-program-here")
    assert done.returncode == 64
    assert "no-such-program-here" in done.stderr
    assert not labs.folder.exists()


def test_run_says_which_signal_ended_the_command(labs):
    assert labs.call("run", "--", "sh", "-c", "kill -KILL $$").returncode == 128 + signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_command_tidies_up_before_the_lab_goes(labs, tmp_path, number):
    note = tmp_path / "note"
    run = _start_tidy(labs, note)
    processes = inhabitants(labs.namespaces(_only_lab(labs)))
    run.send_signal(number)
    run.communicate(timeout=30)
    assert run.returncode == 9
    assert note.with_suffix(".end").read_text() == f"{int(number)} True"
    assert alive(processes) == []
    assert not labs.folder.exists()


def test_ctrl_c_at_the_terminal_goes_to_the_command(labs, tmp_path):
    note = tmp_path / "note"
    main, other = pty.openpty()
    command = labs.command("run", "--", sys.executable, "-c", _TIDY, "{testbed}", str(note))
    run = subprocess.Popen(
        # A session of its own, whose terminal is the pseudo terminal.
        ["setsid", "--ctty", "--wait", *command],
        cwd=PROJECT,
        env=labs.environment,
        stdin=other,
        stdout=other,
        stderr=other,
    )
    os.close(other)
    _until(lambda: note.exists() or run.poll() is not None, "the command never started")
    os.write(main, b"\x03")
    assert run.wait(timeout=30) == 9
    os.close(main)
    assert note.with_suffix(".end").read_text() == f"{int(signal.SIGINT)} True"
    assert not labs.folder.exists()


@pytest.mark.parametrize("verb", [("up", "half"), ("run", "--name", "half", "--", "sleep", "60")])
@pytest.mark.parametrize("stage", ["state.json", "client/sshd.pid"])
def test_stopped_while_it_is_built(labs, verb, stage):
    started = labs.start(*verb)
    _until(lambda: (labs.folder / "half" / stage).exists() or started.poll() is not None, "no lab")
    started.send_signal(signal.SIGTERM)
    output = started.communicate(timeout=30)
    assert started.returncode == 128 + signal.SIGTERM, output
    assert "Traceback" not in output[1]
    assert not labs.folder.exists()


@pytest.mark.parametrize("stage", ["state.json", "gateway/log"])
def test_killed_while_it_is_built(labs, stage):
    started = labs.start("up", "half")
    _until(lambda: (labs.folder / "half" / stage).exists(), "no lab")
    started.kill()
    started.communicate(timeout=30)
    # Nodes that were not on record yet end by themselves.
    inits = [node["pid"] for node in labs.state("half")["nodes"].values()]
    assert "half was left behind" in labs.call("down", "another").stderr
    _until(lambda: all(map(_gone, inits)), "a node is left")
    assert not labs.folder.exists()


def test_a_killed_run_is_removed_by_the_next(labs, tmp_path):
    note = tmp_path / "note"
    run = _start_tidy(labs, note)
    name = _only_lab(labs)
    processes = inhabitants(labs.namespaces(name))
    run.kill()
    run.communicate(timeout=30)
    _until(lambda: _gone(int(note.read_text())), "the command outlived its parent")
    assert alive(processes)
    done = labs.call("run", "--", "true")
    assert done.returncode == 0
    assert f"Lab {name} was left behind" in done.stderr
    assert alive(processes) == []
    assert not labs.folder.exists()


def test_a_lab_that_was_put_up_stays_beside_runs(labs):
    labs.must("up", "stays")
    assert labs.call("run", "--", "true").returncode == 0
    labs.must("down", "another")
    assert "Lab stays: up" in labs.must("status", "stays")


def test_a_pid_that_another_process_got_is_not_hit(labs):
    """The record of a lab may name a pid that somebody else has by now."""
    labs.must("up", "old")
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        state = labs.folder / "old" / "state.json"
        text = state.read_text()
        client = labs.state("old")["nodes"]["client"]["pid"]
        state.write_text(text.replace(f'"pid": {client},', f'"pid": {bystander.pid},'))
        labs.must("down", "old")
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()
        os.kill(client, signal.SIGKILL)
        share.give_back(labs.folder / "old")


def test_up_twice_is_a_mistake_and_changes_nothing(labs):
    labs.must("up", "twice")
    done = labs.call("up", "twice")
    assert done.returncode == 64
    assert "up already" in done.stderr
    assert "Lab twice: up" in labs.must("status", "twice")


def test_a_gateway_from_the_factory_can_be_managed(labs):
    labs.must("up", "new", "--factory")
    ask = (
        "import requests; "
        "url = 'https://198.18.0.2/api/v2/monitor/system/status'; "
        "print(requests.get(url, timeout=60, verify='{}').status_code)"
    ).format(labs.folder / "new" / "gateway-ca.pem")
    words = ("exec", "control", "--lab", "new", "--", sys.executable, "-c", ask)
    assert labs.must(*words) == "401\n"  # it answers, and asks who is there
    labs.must("down", "new")


def test_a_gateway_that_does_not_start_is_explained(labs, tmp_path):
    script = tmp_path / "delivered.conf"
    script.write_text("config no such thing\nnonsense\n")
    done = labs.call("up", "broken", "--delivered", str(script))
    assert done.returncode == 70
    # said by whoever notices it first: who waits for it, or who started it
    assert "ended at its start" in done.stderr or "ended at once" in done.stderr
    assert "delivered.conf: line 1" in done.stderr
    assert "Traceback" not in done.stderr
    assert not labs.folder.exists()
