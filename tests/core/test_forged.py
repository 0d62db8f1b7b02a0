"""Frames that are made by hand, and what takes them down, on a wire of two ends."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.completed import Completed
from gatepass.endpoint.dhcp import ASK, DhcpHosts, Group, Step
from gatepass.endpoint.forged import (
    ROUNDS,
    Forged,
    ForgedTraffic,
    Seen,
    free_addresses,
    must_be_root,
    told_of,
)
from gatepass.endpoint.script import Script
from standstill import stands_still, stands_still_until

MARK, PORT = "gp0a1b2c", 5301
HOST, MAC = "10.9.0.9", "02:67:70:0a:1b:2c"
NEAR_MAC, FAR_MAC = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
WIRE = (
    f"ip link set lo up && ip link add near address {NEAR_MAC} type veth peer name far "
    f"address {FAR_MAC} && ip link set near up && ip link set far up && "
    "ip address add 10.9.0.1/24 dev near && echo up && exec sleep 120"
)


@pytest.fixture
def shells(tmp_path: Path) -> Iterator[tuple[LocalShell, LocalShell]]:
    """The hosts at the ends `near` and `far` of a wire."""
    if os.geteuid():
        pytest.skip("a network namespace needs root")
    words = ["unshare", "--net", "sh", "-c", WIRE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        inside = ("nsenter", "--net", "--target", str(holder.pid))
        ends = [LocalShell(name, tmp_path / name, inside) for name in ("client", "server")]
        for end in ends:
            Path(end.folder()).mkdir()
        yield ends[0], ends[1]
        holder.kill()


def traffic(
    shells: tuple[LocalShell, LocalShell], contest: tuple[str, str] | None = None
) -> ForgedTraffic:
    senders = [
        Forged("own", NEAR_MAC, "10.9.0.1", "10.9.0.2"),
        Forged("forged", "06:67:70:0a:1b:2c", "10.9.0.1", "10.9.0.2"),
    ]
    near, far = shells
    return ForgedTraffic(near, "near", FAR_MAC, far, "far", PORT, MARK, senders, contest)


def test_each_sender_is_seen_by_its_name(shells: tuple[LocalShell, LocalShell]) -> None:
    made = traffic(shells)
    try:
        for _ in range(2):
            seen = made.until(lambda seen: seen.whole("own", "forged"), 5)
            assert seen.whole("own", "forged"), seen
            assert seen.of("own", FAR_MAC) == ROUNDS
            assert seen.none("moved") and not seen.of("own", NEAR_MAC)
        shells[1].run(Script(f"touch {shells[1].folder()}/arrivals.stop; sleep 0.3"))
        with pytest.raises(NotProven, match="server did not observe the traffic to the end"):
            made.once()
    finally:
        made.stop()


def test_an_address_is_answered_for_and_claimed(shells: tuple[LocalShell, LocalShell]) -> None:
    near, _ = shells
    talk = f"python3 -c \"import socket; socket.socket(type=2).sendto(b'', ('{HOST}', 9))\""
    look = f"n=0; until ip neigh show {HOST} | grep -q %s; do {talk}; n=$((n+1)); " \
        "[ $n -gt 40 ] && exit 1; sleep 0.05; done"
    made = traffic(shells, (HOST, MAC))
    try:
        assert near.run(Script(look % MAC)).status == 0
        assert free_addresses(near, "near", [HOST, "10.9.0.8"]) == ["10.9.0.8"]
        made.claim(True)
        assert near.run(Script(look % FAR_MAC)).status == 0
        settle = f"ip neigh replace {HOST} lladdr {MAC} dev near nud permanent"
        near.run(Script(f"{settle}; {talk}; sleep 0.2"))
        assert MAC in near.run(Script(f"ip neigh show {HOST}")).output
        made.claim(False)
        near.run(Script(f"ip neigh del {HOST} dev near"))
        assert near.run(Script(look % MAC)).status == 0
    finally:
        made.stop()


def test_what_cannot_be_done_is_told(shells: tuple[LocalShell, LocalShell]) -> None:
    near, far = shells
    with pytest.raises(NotProven, match="server cannot record what arrives"):
        ForgedTraffic(near, "near", FAR_MAC, far, "nowhere", PORT, MARK, [])
    made = ForgedTraffic(near, "nowhere", FAR_MAC, far, "far", PORT, MARK, [])
    try:
        with pytest.raises(NotProven, match="client could not send"):
            made.once()
    finally:
        made.stop()
    with pytest.raises(NotProven, match="cannot ask for addresses"):
        free_addresses(near, "nowhere", [HOST])


def test_only_root_makes_frames_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = LocalShell("client", tmp_path)
    monkeypatch.setattr(shell, "run", lambda _: Completed(0, "1000\n"))
    with pytest.raises(NotProven, match=r"Name root in endpoints\.client\.ssh\.user"):
        must_be_root(shell)


def test_what_a_watch_has_written_down() -> None:
    lines = [
        "ready",
        f"{FAR_MAC} {NEAR_MAC} 10.9.0.1 1 own 3",
        f"{FAR_MAC} {NEAR_MAC} 10.9.0.1 2 own 4",
        f"{FAR_MAC} {NEAR_MAC} 10.9.0.1 2 own 4",
        f"{NEAR_MAC} {NEAR_MAC} 10.9.0.1 2 own 5",
        f"{FAR_MAC} {NEAR_MAC} 10.9.0.1 2 own",
    ]
    seen = told_of(lines, 2)
    assert seen == Seen({("own", FAR_MAC): frozenset({4}), ("own", NEAR_MAC): frozenset({5})})
    assert (seen.of("own"), seen.of("own", FAR_MAC), seen.of("other")) == (2, 1, 0)
    assert not seen.whole("own") and not seen.none("own") and seen.none("other")


def test_a_watch_that_stands_still_sees_all_the_same(
    shells: tuple[LocalShell, LocalShell],
) -> None:
    """It has not read yet what arrived when it is asked."""
    sent = traffic(shells)
    stem = Path(shells[1].folder()) / "arrivals"
    try:
        assert until(lambda: sent.once().whole("own"), 20)
        look = stem.with_name("arrivals.look")
        with stands_still_until(stem, look.exists):
            seen = sent.once()
    finally:
        sent.stop()
    assert seen.whole("own", "forged")


def test_one_that_stands_still_for_good_proves_nothing(
    shells: tuple[LocalShell, LocalShell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepass.endpoint.forged._LOOK_S", 0)
    sent = traffic(shells)
    try:
        with (
            stands_still(Path(shells[1].folder()) / "arrivals"),
            pytest.raises(NotProven, match="observe the traffic to the end: it stood still"),
        ):
            sent.once()
    finally:
        sent.stop()


def test_a_step_of_hosts_that_ask_lasts_while_their_program_is_awake(
    shells: tuple[LocalShell, LocalShell],
) -> None:
    """What it did not ask in its sleep is no silence of a server's."""
    near, _ = shells
    players = DhcpHosts(near, "near", "10.9.0.2", FAR_MAC, "test")
    step = Step((Group(ASK, (MAC,), awaited=False),), 1.0, 1.0)
    with ThreadPoolExecutor(1) as pool:
        begun = time.monotonic()
        asking = pool.submit(players.do, step)
        number = _running(Path(near.folder()) / "dhcp.py")
        os.kill(number, signal.SIGSTOP)
        try:
            assert until(lambda: time.monotonic() > begun + 1.5, 20)
        finally:
            woken = time.monotonic()
            os.kill(number, signal.SIGCONT)
        (seen,) = asking.result()
        lasted_s = time.monotonic() - woken
    assert seen.hosts[MAC].questions >= 2
    assert lasted_s > 0.5


def _running(script: Path) -> int:
    """The process id of a Python script, once it has begun."""
    found: list[int] = []

    def runs() -> bool:
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (place / "cmdline").read_bytes().split(b"\0")
                if words[0].endswith(b"python3") and words[1] == bytes(script):
                    found.append(int(place.name))
        return bool(found)

    assert until(runs, 20)
    return found[0]
