"""The SSL VPN with the clients that people use: openconnect, and openfortivpn up to its PPP."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from dataplane_config import address, refs
from dataplane_rig import SERVER, Rig
from remote_rig import (
    GATE,
    PASSWORD,
    POOL_BEGIN,
    PORT,
    Openconnect,
    TunnelTransfer,
    bytes_from,
    connection,
    cookie_of,
    openfortivpn,
    remote_config,
    remote_policy,
    status,
    user_row,
    users,
)

from lab.base.process import wait_until
from lab.gateway.dataplane import DataPlane
from lab.sslvpn.frames import frame

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root"),
    pytest.mark.skipif(shutil.which("openconnect") is None, reason="needs openconnect"),
]

Comes = Callable[..., Openconnect]
CROWD = 30


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    made = Rig(tmp_path_factory.mktemp("remote"))
    try:
        yield made
    finally:
        made.gateway(made.plane.close)
        made.close()


@pytest.fixture
def comes(rig: Rig, tmp_path: Path) -> Iterator[Comes]:
    """Lets a user come with openconnect; all are gone at the end."""
    there: list[Openconnect] = []

    def come(name: str = "alice", password: str = PASSWORD, *options: str) -> Openconnect:
        there.append(Openconnect(rig, tmp_path, len(there), name, password, *options))
        return there[-1]

    yield come
    for user in there:
        user.break_off()
    wait_until(lambda: not users(rig), 5)
    rig.gateway(rig.plane.end_remote_users, None)


def test_a_user_reaches_what_the_policy_permits(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    rig.gateway(rig.plane.clear_counters)
    alice = comes()
    assert alice.comes_up()
    assert alice.address == POOL_BEGIN
    assert alice.told("CISCO_SPLIT_INC_0_ADDR") == "198.18.2.0"
    assert alice.tcp() == POOL_BEGIN
    # its last packets may be under way
    assert wait_until(lambda: rig.counters()[1].bytes > 300, 20)
    assert rig.counters()[1].hit_count == 1
    (row,) = users(rig)
    assert (row["user"], row["groups"], row["source"]) == ("alice", ["vpn"], "198.18.1.10")
    assert row["in_bytes"] > 150 and row["out_bytes"] > 100


def test_translation_holds_for_remote_users(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1, nat="enable")))
    alice = comes()
    assert alice.comes_up()
    assert alice.tcp() == "198.18.2.1"


@pytest.mark.parametrize(
    ("name", "password"),
    [("alice", "wrong"), ("carol", PASSWORD), ("dave", PASSWORD), ("nobody", PASSWORD)],
    ids=["wrong password", "disabled", "in no group of a rule", "unknown"],
)
def test_who_is_refused(rig: Rig, comes: Comes, name: str, password: str) -> None:
    people = [user_row("alice"), user_row("carol", status="disable"), user_row("dave")]
    groups = {"vpn": ["alice", "carol"], "others": ["dave"]}
    rig.apply(remote_config(remote_policy(1), users=people, groups=groups))
    user = comes(name, password)
    assert user.ended() == 1
    assert users(rig) == []


def test_a_policy_is_for_the_groups_that_it_names(rig: Rig, comes: Comes) -> None:
    groups = {"vpn": ["alice", "bob"], "staff": ["alice"]}
    rig.apply(remote_config(remote_policy(1, groups=refs("staff")), groups=groups))
    alice, bob = comes("alice"), comes("bob")
    assert alice.comes_up() and bob.comes_up()
    assert (alice.tcp(), bob.tcp()) == (alice.address, None)
    # Somebody who joins the group while logged in belongs to it at once.
    groups["staff"] = ["alice", "bob"]
    rig.apply(remote_config(remote_policy(1, groups=refs("staff")), groups=groups))
    assert bob.tcp() == bob.address
    groups["staff"] = ["bob"]
    rig.apply(remote_config(remote_policy(1, groups=refs("staff")), groups=groups))
    assert (alice.tcp(), bob.tcp()) == (None, bob.address)


def test_a_policy_for_one_user(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1, groups=[], users=refs("bob"))))
    alice, bob = comes("alice"), comes("bob")
    assert alice.comes_up() and bob.comes_up()
    assert (alice.tcp(), bob.tcp()) == (None, bob.address)


def test_the_policy_lookup_knows_who_has_an_address(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))

    def found() -> tuple[int, str]:
        return rig.gateway(rig.plane.lookup, "ssl.root", POOL_BEGIN, 6, SERVER, 80)

    assert found() == (0, "deny")
    assert comes().comes_up()
    assert found() == (1, "accept")


def test_nobody_sends_with_another_users_address(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice, bob = comes("alice"), comes("bob")
    assert alice.comes_up() and bob.comes_up()
    alices = alice.address
    assert alice.tcp() == alices
    # From now on what alice's address sends goes through bob's tunnel.
    rules = [["ip", "rule", "add", "from", alices, "lookup", "1001", "priority", "10"]]
    rules.append(["ip", "rule", "del", "priority", "10"])
    rig.client(subprocess.run, rules[0], check=True)
    try:
        before = bytes_from(rig, "bob")
        assert alice.tcp() is None
        after = bytes_from(rig, "bob")
    finally:
        rig.client(subprocess.run, rules[1], check=True)
    assert after == before
    assert alice.tcp() == alices


def test_users_do_not_reach_each_other(rig: Rig, comes: Comes) -> None:
    nets = [address("everything", "0.0.0.0 0.0.0.0")]
    rig.apply(remote_config(remote_policy(1), more=nets, portal={
        "split-tunneling-routing-address": refs("servers", "pool")}))
    alice, bob = comes("alice"), comes("bob")
    assert alice.comes_up() and bob.comes_up()
    before = {row["user"]: row["out_bytes"] for row in users(rig)}
    probe = rig.client.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with probe:
        probe.bind((alice.address, 0))
        probe.setsockopt(socket.SOL_SOCKET, 25, b"vpn0")  # SO_BINDTODEVICE
        for _ in range(5):
            probe.sendto(b"hello", (bob.address, 9))
    time.sleep(0.2)
    after = {row["user"]: row["out_bytes"] for row in users(rig)}
    assert after["bob"] == before["bob"]


def test_logging_out_frees_address_and_cookie(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1), addresses=1))
    alice = comes("alice")
    assert alice.comes_up() and alice.tcp() == POOL_BEGIN
    refused = comes("bob")
    assert refused.ended() is not None and not refused.comes_up(0.1)
    tracked = Path("/proc/thread-self/net/nf_conntrack")
    assert f"src={POOL_BEGIN} " in rig.gateway(tracked.read_text)
    alice.log_out()
    assert wait_until(lambda: users(rig) == [], 20)
    # Nothing of the session is left that could reach the next user with this address.
    assert f"src={POOL_BEGIN} " not in rig.gateway(tracked.read_text)
    bob = comes("bob")
    assert bob.comes_up() and bob.tcp() == POOL_BEGIN


def test_a_session_ends_with_its_connection(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice = comes()
    assert alice.comes_up()
    alice.break_off()
    assert wait_until(lambda: users(rig) == [], 20)


def test_a_connection_is_taken_up_again_where_that_is_allowed(rig: Rig, comes: Comes) -> None:
    keeping = {"tunnel_connect_without_reauth": "enable", "tunnel_user_session_timeout": 2}
    rig.apply(remote_config(remote_policy(1), **keeping))
    cookie = cookie_of(rig)
    with connection(rig) as sock:
        sock.sendall(f"GET /remote/sslvpn-tunnel HTTP/1.1\r\nCookie: SVPNCOOKIE={cookie}\r\n\r\n"
                     .encode())
        assert wait_until(lambda: users(rig)[0]["tunnel"] is not None, 20)
    assert wait_until(lambda: users(rig)[0]["tunnel"] is None, 20)
    assert status(rig, "/remote/fortisslvpn_xml", cookie) == 200
    assert wait_until(lambda: users(rig) == [], 20)
    assert status(rig, "/remote/fortisslvpn_xml", cookie) == 403


def test_a_client_without_logout_keeps_nothing(rig: Rig) -> None:
    rig.apply(remote_config(remote_policy(1)))
    cookie = cookie_of(rig)
    assert status(rig, "/remote/fortisslvpn_xml", cookie) == 200
    assert status(rig, "/remote/logout", cookie) == 200
    assert status(rig, "/remote/fortisslvpn_xml", cookie) == 403
    assert status(rig, "/remote/sslvpn-tunnel", cookie) == 403
    assert status(rig, "/remote/sslvpn-tunnel", "invented") == 403


def test_the_gateway_disconnects_a_user(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice, bob = comes("alice"), comes("bob")
    assert alice.comes_up() and bob.comes_up()
    rows = {row["user"]: row for row in users(rig)}
    assert rig.gateway(rig.plane.end_remote_users, rows["alice"]["tunnel"])
    assert alice.ended() is not None
    assert [row["user"] for row in users(rig)] == ["bob"] and bob.tcp()
    assert not rig.gateway(rig.plane.end_remote_users, rows["alice"]["index"])


@pytest.mark.parametrize("setting", ["auth_timeout", "idle_timeout"])
def test_time_outs(rig: Rig, comes: Comes, setting: str) -> None:
    rig.apply(remote_config(remote_policy(1), **{setting: 2}))
    alice = comes()
    begin = time.monotonic()
    assert alice.comes_up()
    assert alice.ended() is not None
    assert time.monotonic() - begin > 1.5
    assert users(rig) == []


def test_traffic_keeps_a_session_from_being_idle(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1), idle_timeout=4))
    alice = comes()
    assert alice.comes_up()
    end = time.monotonic() + 6
    while time.monotonic() < end:
        alice.tcp()  # one that is lost is no end of the session
        time.sleep(0.2)
    assert [row["user"] for row in users(rig)] == ["alice"]
    assert wait_until(alice.tcp, 20)


def test_other_changes_leave_sessions_alone(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice = comes()
    assert alice.comes_up()
    transfer = TunnelTransfer(rig, alice.address)
    try:
        assert transfer.goes_on()
        carol = [user_row("alice"), user_row("bob"), user_row("carol")]
        rig.apply(remote_config(remote_policy(1), remote_policy(2), users=carol, addresses=9,
                                idle_timeout=100, more=[address("a", "10.0.0.0 255.0.0.0")]))
        assert transfer.goes_on()
        # Another port: who is there stays, who comes goes there.
        rig.apply(remote_config(remote_policy(1), port=PORT + 1))
        assert transfer.goes_on()
        with pytest.raises(OSError, match="timed out"):
            connection(rig, 0.4)
    finally:
        transfer.stop()
    rig.apply(remote_config(remote_policy(1), users=[user_row("bob")]))
    assert alice.ended() is not None


def test_everything_goes_into_the_tunnel_without_splitting(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1), portal={"split-tunneling": "disable"}))
    alice = comes()
    assert alice.comes_up() and alice.told("CISCO_SPLIT_INC") == ""
    assert alice.tcp() == alice.address


def test_the_policies_say_what_is_split(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1, dstaddr=refs("servers")), portal={
        "split-tunneling-routing-address": []}))
    alice = comes()
    assert alice.comes_up() and alice.told("CISCO_SPLIT_INC_0_ADDR") == "198.18.2.0"


def test_name_servers(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1), dns_server1="198.18.2.10", dns_suffix="lab"))
    alice = comes()
    assert alice.comes_up() and alice.told("INTERNAL_IP4_DNS") == "198.18.2.10"
    assert alice.told("CISCO_DEF_DOMAIN") == "lab"


def test_many_users_at_once(rig: Rig, comes: Comes) -> None:
    crowd = [user_row(f"user{number}") for number in range(CROWD)]
    rig.apply(remote_config(remote_policy(1), users=crowd, addresses=CROWD))
    there = [comes(f"user{number}") for number in range(CROWD)]
    assert all(user.comes_up(30) for user in there)
    assert len({user.address for user in there}) == CROWD
    assert [user.tcp() for user in there] == [user.address for user in there]
    told = rig.gateway(rig.plane.remote_users)
    assert told["most"]["users"] >= CROWD and len(told["sessions"]) == CROWD


def test_ports_without_the_vpn_are_closed(rig: Rig) -> None:
    rig.apply(remote_config(remote_policy(1), source_interface=refs("port1")))
    with pytest.raises(OSError, match=r"timed out|refused"):
        connection(rig, 0.4)
    rig.apply(remote_config(remote_policy(1), source_address=refs("servers")))
    with pytest.raises(OSError, match="timed out"):
        connection(rig, 0.4)
    rig.apply(remote_config(remote_policy(1), status="disable"))
    with pytest.raises(OSError, match=r"timed out|refused"):
        connection(rig, 0.4)
    assert "ssl.root" not in rig.output("ip", "-br", "link")


def test_the_server_comes_back(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    os.kill(rig.plane._remote._worker._process.pid, signal.SIGKILL)
    assert wait_until(lambda: not rig.plane._remote._worker.running, 20)
    assert users(rig) == []
    rig.apply(remote_config(remote_policy(1)))
    alice = comes()
    assert alice.comes_up() and alice.tcp() == alice.address


def test_a_gateway_that_was_killed_takes_over(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    assert comes().comes_up()
    worker = rig.plane._remote._worker
    os.kill(worker._process.pid, signal.SIGKILL)
    assert wait_until(lambda: not worker.running, 20)
    rig.plane = DataPlane(rig.plane.folder)
    rig.apply(remote_config(remote_policy(1, groups=refs("staff")), groups={
        "vpn": ["alice", "bob"], "staff": ["alice"]}))
    bob = comes("bob")
    # The address was alice's, whom the sets of the killed one still named.
    assert bob.comes_up() and bob.address == POOL_BEGIN and bob.tcp() is None


# Input that is none


def test_bad_input_ends_nothing(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice = comes()
    assert alice.comes_up()
    chance = random.Random(11)
    for _ in range(25):
        raw = rig.client.socket(socket.AF_INET, socket.SOCK_STREAM)
        with raw, suppress(OSError):
            raw.connect((GATE, PORT))
            raw.sendall(chance.randbytes(chance.randrange(2000)))
    for text in (b"\0" * 70_000, b"GET\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                 b"GET /remote/sslvpn-tunnel HTTP/1.1\r\nCookie: SVPNCOOKIE=\xff\r\n\r\n",
                 b"POST /remote/logincheck HTTP/1.1\r\nContent-Length: 6\r\n\r\n&&==\xff\0"):
        with connection(rig) as sock, suppress(OSError):
            sock.sendall(text)
            assert sock.recv(1000).startswith(b"HTTP/1.1 ")
    assert [row["user"] for row in users(rig)] == ["alice"] and alice.tcp()


def test_bad_frames_end_only_their_own_tunnel(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice = comes()
    assert alice.comes_up()
    chance = random.Random(12)
    request = "GET /remote/sslvpn-tunnel HTTP/1.1\r\nCookie: SVPNCOOKIE={}\r\n\r\n"
    noise = [chance.randbytes(chance.randrange(1, 3000)) for _ in range(10)]
    noise += [
        b"".join(frame(chance.choice((b"\xc0\x21", b"\x80\x21", b"\0\x21", b""))
                       + chance.randbytes(chance.randrange(80))) for _ in range(60))
        for _ in range(10)
    ]
    noise += [struct.pack("!HHH", 6, 0x5050, 0) * 50, frame(b""), frame(b"\0\x21")]
    for data in noise:
        with connection(rig) as sock, suppress(OSError):
            sock.sendall(request.format(cookie_of(rig, "bob")).encode() + data)
            sock.settimeout(0.05)
            sock.recv(1000)
    assert wait_until(lambda: [row["user"] for row in users(rig)] == ["alice"], 20)
    assert alice.tcp() == alice.address


def test_a_client_that_asks_and_does_not_listen(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice = comes()
    assert alice.comes_up()
    echoes = frame(b"\xc0\x21\x09\x01\x01\xf4" + bytes(496)) * 100
    with connection(rig) as sock:
        sock.sendall(b"GET /remote/sslvpn-tunnel HTTP/1.1\r\nCookie: SVPNCOOKIE="
                     + cookie_of(rig, "bob").encode() + b"\r\n\r\n")
        with pytest.raises(OSError):
            for _ in range(2000):
                sock.sendall(echoes)
    assert wait_until(lambda: [row["user"] for row in users(rig)] == ["alice"], 20)
    assert alice.tcp() == alice.address


def test_a_client_that_reads_nothing_costs_only_itself(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)))
    alice, bob = comes("alice"), comes("bob")
    assert alice.comes_up() and bob.comes_up()
    alice.process.send_signal(signal.SIGSTOP)
    sender = rig.server.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with sender, rig.client.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        # The reply of a session that alice began, as a flood.
        receiver.bind((alice.address, 4000))
        sender.bind((SERVER, 4000))
        alice.process.send_signal(signal.SIGCONT)
        receiver.sendto(b"begin", (SERVER, 4000))
        sender.recv(100)
        alice.process.send_signal(signal.SIGSTOP)
        for _ in range(8000):
            sender.sendto(b"x" * 1300, (alice.address, 4000))
        assert bob.tcp() == bob.address
        alice.process.send_signal(signal.SIGCONT)
    assert wait_until(lambda: alice.tcp() is not None, 20)


# Faults


def test_fault_pool_small(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)), {"vpn-pool-small": {"users": 1}})
    assert comes("alice").comes_up()
    assert comes("bob").ended() is not None


def test_fault_split_tunnel_leaks(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)), {"split-tunnel-leaks": {}})
    alice = comes()
    assert alice.comes_up() and alice.told("CISCO_SPLIT_INC") == ""


def test_fault_group_ignored(rig: Rig, comes: Comes) -> None:
    groups = {"vpn": ["alice"], "others": ["bob"]}
    rig.apply(remote_config(remote_policy(1), groups=groups), {"group-ignored": {}})
    bob = comes("bob")
    assert bob.comes_up() and bob.tcp() == bob.address
    assert comes("bob", "wrong").ended() == 1


def test_fault_logout_ignored(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)), {"logout-ignored": {}})
    alice = comes()
    assert alice.comes_up()
    alice.log_out()
    time.sleep(0.3)
    assert [row["tunnel"] is not None for row in users(rig)] == [True]
    rig.apply(remote_config(remote_policy(1)))
    rig.gateway(rig.plane.end_remote_users, None)
    assert users(rig) == []


def test_fault_slow(rig: Rig, comes: Comes) -> None:
    rig.apply(remote_config(remote_policy(1)), {"vpn-slow": {"mbps": 4}})
    alice = comes()
    assert alice.comes_up()
    for way in ((), ("-R",)):
        report = rig.iperf3("-B", alice.address, *way, seconds=2)
        assert 1 < report["end"]["sum_received"]["bits_per_second"] / 1e6 < 5


@pytest.mark.skipif(shutil.which("openfortivpn") is None, reason="needs openfortivpn")
@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_the_other_client(rig: Rig, tmp_path: Path, password: str) -> None:
    """openfortivpn gets as far as its PPP daemon, for which this kernel may have no PPP."""
    rig.apply(remote_config(remote_policy(1)))
    process = openfortivpn(rig, tmp_path / "settings", password)
    seen: list[list[dict]] = []
    try:
        wait_until(lambda: process.poll() is not None or seen.append(users(rig)) or (
            bool(seen[-1]) and seen[-1][0]["tunnel"] is not None), 10)
    finally:
        process.kill()
        output = process.communicate(timeout=60)[0]
    if password == PASSWORD:
        assert "Authenticated." in output and "Remote gateway has allocated a VPN." in output
        assert any(rows and rows[0]["user"] == "alice" for rows in seen) or "pppd" in output
    else:
        assert "Could not authenticate to gateway" in output and not any(seen)
    assert wait_until(lambda: users(rig) == [], 20)
