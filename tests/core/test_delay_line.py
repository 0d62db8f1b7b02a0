"""What holds packets back: on two hosts of this machine's kernel, and the relay by itself."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint import host_changes
from gatepass.endpoint.remote import delay_line as program
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.scenarios.studies.delay_line import Target, held_back

CLIENT, SERVER, PORT, OTHER = "198.18.1.10", "198.18.1.20", 5201, 5202
HELD_MS = 30
SERVE = f"""
import select, socket
heard = [socket.create_server((\"{SERVER}\", port)) for port in ({PORT}, {OTHER})]
print("up", flush=True)
while True:
    for one in select.select(heard, (), ())[0]:
        one.accept()[0].close()
"""
ASK = """
import socket, sys, time
began = time.monotonic()
with socket.create_connection((\"{address}\", {port}), 5) as one:
    print(time.monotonic() - began, one.getsockname()[0])
"""


@pytest.fixture
def client(apart: LocalShell) -> Iterator[LocalShell]:
    """A host with another one at the other end of its wire, which accepts connections."""
    beside = f"nsenter --net --target {apart.inside[-1]}"
    words = ["unshare", "--net", "python3", "-c", SERVE]
    set_up = (
        f"{beside} ip link add data type veth peer name data netns $$ && ip addr add {SERVER}/24 "
        f"dev data && ip link set data up && {beside} sh -c 'ip addr add {CLIENT}/24 dev data && "
        "ip link set data up' && exec \"$@\""
    )
    words = ["unshare", "--net", "sh", "-c", set_up, "sh", *words[2:]]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None and server.stdout.readline() == "up\n"
        yield apart
        server.kill()


def connected(client: LocalShell, port: int) -> tuple[float, str]:
    """How long a connection took to open, seconds, and from which address it came."""
    script = ASK.format(address=SERVER, port=port)
    done = client.run(Script(f"python3 - <<'END'{script}END"))
    assert not done.status, done.errors
    seconds, address = done.output.split()
    return float(seconds), address


def left(client: LocalShell) -> str:
    """What there is of the run's own: devices and rules."""
    return client.run(Script("ip -o link | grep gpdelay; ip rule | grep 4748; true")).output


class TestOnAHost:
    def test_only_the_tests_own_packets_are_held(self, client: LocalShell) -> None:
        with held_back(client, Target(SERVER, PORT), HELD_MS) as by:
            assert by in ("relay", "netem")
            seconds, address = connected(client, PORT)
            assert seconds >= HELD_MS / 1000 and address == CLIENT
            own = client.run(Script(f"ip route get {SERVER} ipproto tcp dport {PORT}")).output
            others = client.run(Script(f"ip route get {SERVER} ipproto tcp dport {OTHER}")).output
            assert "gpdelay" in own and "gpdelay" not in others
            assert connected(client, OTHER)[1] == CLIENT
            assert "qdisc" in client.run(Script("tc qdisc show dev data")).output
        assert until(lambda: not left(client), 10)
        assert connected(client, PORT)[1] == CLIENT

    def test_after_a_kill_its_script_takes_all_back(self, client: LocalShell) -> None:
        line = held_back(client, Target(SERVER, PORT), 0)
        line.__enter__()
        assert "gpdelay" in left(client) and "delay-line.undo" in client.announced
        Detached(client, f"{client.folder()}/delay-line").kill()
        assert connected(client, PORT)[1] == CLIENT  # what is left of it is in nobody's way
        host_changes.take_back(client, "delay-line")
        assert until(lambda: not left(client), 10)

    def test_what_the_client_refuses_is_told_and_undone(self, client: LocalShell) -> None:
        refuse = client.run

        def run(command: str, **more: object) -> object:
            return refuse(Script(command.replace("ip rule add", "ip rule oad")), **more)

        client.run = run
        with (
            pytest.raises(NotProven, match="the client could not be prepared"),
            held_back(client, Target(SERVER, PORT), HELD_MS),
        ):
            pass
        assert until(lambda: not left(client), 10)

    def test_it_takes_root(self, tmp_path) -> None:
        shell = LocalShell("client", tmp_path, ("unshare", "--user", "--map-user=1000"))
        with pytest.raises(NotProven, match="not root"), held_back(shell, Target(SERVER, PORT), 7):
            pass


class Port:
    """Takes frames until there are enough."""

    def __init__(self, wanted: int) -> None:
        self.sent: list[tuple[float, bytes]] = []
        self._wanted = wanted

    def send(self, frame: bytes) -> None:
        self.sent.append((time.monotonic(), frame))
        if len(self.sent) == self._wanted:
            raise StopIteration


def frame(ethertype: bytes, text: bytes) -> bytes:
    return bytes(program.HEADER) + bytes(12) + ethertype + text


def test_the_relay_holds_frames_keeps_their_order_and_drops_what_is_not_the_tests() -> None:
    ours, kernels = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    os.set_blocking(ours.fileno(), False)
    began, port = time.monotonic(), Port(wanted=3)
    for text in (b"one", b"two"):
        kernels.send(frame(program.IPV4, text))
    kernels.send(frame(b"\x86\xdd", b"who is a router here"))
    kernels.send(frame(program.IPV4, b"three"))
    with ours, kernels, pytest.raises(StopIteration):
        program.relay(ours.fileno(), port, 0.02)
    assert [sent[-5:] for _, sent in port.sent] == [
        frame(program.IPV4, text)[-5:] for text in (b"one", b"two", b"three")
    ]
    assert all(when - began >= 0.02 for when, _ in port.sent)  # none is early


def test_a_kernel_without_netem_is_known_by_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def tc(words: list[str], **options: object) -> SimpleNamespace:
        asked.append(words)
        return SimpleNamespace(returncode=2 if "gpdelay1" in words else 0)

    monkeypatch.setattr(program.subprocess, "run", tc)
    assert program.held_by_netem("gpdelay0", 7.0) and not program.held_by_netem("gpdelay1", 7.0)
    assert asked[0][-4:] == ["delay", "7000us", "limit", str(program.NETEM_PACKETS)]
