"""SSL VPN users on a client: the real scripts, with a stand-in for openconnect and its gateway."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.endpoint.ssh import SshShell
from gatepass.scenarios.remote_access.configuration import SPLIT, VpnUser, profiles
from gatepass.scenarios.remote_access.ssl_vpn_client import SslVpnClient
from gatepass.scenarios.remote_access.vpn_client import table_of

MARK = "gp0a1b2c"
SERVER = "198.18.2.10"
PROFILE = profiles(SERVER, 50)[SPLIT - 1]


class World:
    """A client of its own network namespace, in which `openconnect` is the stand-in."""

    def __init__(self, apart: LocalShell, folder: Path) -> None:
        self.folder = folder
        programs, run = folder / "bin", folder / "run"
        programs.mkdir()
        run.mkdir(mode=0o700)
        fake = Path(__file__).with_name("fake_openconnect.py").read_text()
        program = programs / "openconnect"
        program.write_text(f"#!{sys.executable}\n" + fake.partition("\n")[2])
        program.chmod(0o755)
        words = ("env", f"PATH={programs}:{os.environ['PATH']}", f"FAKE_VPN={folder}")
        self.shell = LocalShell("client", run, (*apart.inside, *words))
        self.users: dict[str, dict] = {}

    def user(self, number: int, **more: object) -> VpnUser:
        """Somebody whom the gateway knows."""
        one = VpnUser(number, f"{MARK}-user{number}", f"secret-{number}", PROFILE)
        self.users[one.name] = {
            "password": one.password,
            "address": f"198.19.210.{number}",
            "split": [f"{SERVER}/32"],
        } | more
        (self.folder / "users").write_text(json.dumps(self.users))
        return one

    def ip(self, words: str) -> str:
        """What iproute2 says on the client."""
        return self.shell.run(Script(f"ip {words}")).output

    @property
    def sessions(self) -> list[str]:
        """The cookies that are good."""
        return os.listdir(self.folder / "sessions")


@pytest.fixture
def world(apart: LocalShell, tmp_path: Path) -> World:
    return World(apart, tmp_path)


@pytest.fixture
def client(world: World) -> SslVpnClient:
    return SslVpnClient(world.shell, MARK, "198.18.1.1", 10443, "pin-sha256:AAAA")


def test_users_connect_at_once_each_with_what_is_theirs(world: World, client: SslVpnClient) -> None:
    users = [
        world.user(1),
        world.user(2, split=["198.19.250.0/24", "198.19.251.0/24"]),
        world.user(3, split=[]),
    ]
    told = client.connect(users)
    assert [one.address for one in told] == ["198.19.210.1", "198.19.210.2", "198.19.210.3"]
    assert [one.routes for one in told] == [
        ("198.18.2.10/32",),
        ("198.19.250.0/24", "198.19.251.0/24"),
        ("0.0.0.0/0",),
    ]
    for one in told:
        assert one.up and one.user in users
        assert one.address in world.ip(f"address show dev {one.interface}")
        assert world.ip(f"route show table {one.table}").count(one.interface) == len(one.routes)
        marked = world.ip(f"route get 198.18.2.10 mark {one.table}")
        assert (one.interface in marked) == (one.user.number != 2)
    assert "198.19.210.1" in world.ip("rule show")
    assert len(client.left()) > 6
    client.disconnect()
    assert client.left() == []
    assert world.sessions == []
    assert "198.19" not in world.ip("rule show")
    client.disconnect()


def test_a_refused_user_keeps_nobody_else_out(world: World, client: SslVpnClient) -> None:
    good, wrong = world.user(1), VpnUser(2, f"{MARK}-user2", "wrong", PROFILE)
    told = client.connect([wrong, good])
    assert [one.up for one in told] == [False, True]
    assert "Failed to complete authentication" in told[0].words
    client.disconnect()
    assert client.left() == []


def test_another_set_takes_the_place_of_the_first(world: World, client: SslVpnClient) -> None:
    client.connect([world.user(1)])
    (second,) = client.connect([world.user(2)])
    assert second.up
    assert len(world.sessions) == 1
    assert world.ip("-o link show").count(MARK) == 1
    client.disconnect()


def test_no_secret_in_a_command_line_or_a_file(world: World, client: SslVpnClient) -> None:
    client.connect([world.user(1)])
    running = world.shell.run(Script("ps -ww -eo args")).output
    running += (world.folder / "seen").read_text()
    kept = "".join(path.read_text() for path in (world.folder / "run").iterdir())
    client.disconnect()
    for text in (running, kept):
        assert "secret-1" not in text
        assert "SVPNCOOKIE" not in text


@pytest.mark.parametrize("after", ["logout", "expiry"])
def test_a_session_that_is_over(world: World, client: SslVpnClient, after: str) -> None:
    user = world.user(1, **({"expires": 0.5} if after == "expiry" else {}))
    told = client.replay(user, after, 5)
    assert told.first == "198.19.210.1"
    assert told.second == ""
    assert told.by_gateway == (after == "expiry")
    assert "rejected" in told.words
    assert client.left() == []


def test_a_session_that_outlives_its_logout(world: World, client: SslVpnClient) -> None:
    told = client.replay(world.user(1, stays=True), "logout", 5)
    assert told.first == told.second == "198.19.210.1"


def test_a_session_that_never_expires(world: World, client: SslVpnClient) -> None:
    told = client.replay(world.user(1), "expiry", 0.5)
    assert not told.by_gateway
    assert told.second == "198.19.210.1"


def test_a_session_of_one_who_may_not_log_in(world: World, client: SslVpnClient) -> None:
    world.user(1)
    told = client.replay(VpnUser(1, f"{MARK}-user1", "wrong", PROFILE), "logout", 5)
    assert (told.first, told.second) == ("", "")
    assert "Failed" in told.words


def test_cpu_time_is_that_of_the_users_programs(world: World, client: SslVpnClient) -> None:
    assert client.cpu_s() == 0
    client.connect([world.user(1)])
    assert client.cpu_s() > 0
    client.disconnect()


def test_what_an_endpoint_lacks_is_named(world: World, client: SslVpnClient) -> None:
    client.check()
    (world.folder / "bin" / "openconnect").write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(NotProven, match=r"needs openconnect 9\.01 or later"):
        client.check()


def test_a_kill_leaves_nothing(
    world: World, client: SslVpnClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a later run does for one that was killed while its users were connected."""
    client.connect([world.user(1), world.user(2)])
    # whatever openconnect could do itself at its end is out of the question then
    world.shell.run(Script(f"kill -s KILL -- -$(cat {world.shell.folder()}/vpn-users.pid)"))
    world.shell.run(Script(f"ip link del {MARK}-1; ip link del {MARK}-2"))
    assert "198.19.210.1" in world.ip("rule show")
    later = object.__new__(SshShell)
    later._path, later._made = world.shell.folder(), True
    monkeypatch.setattr(SshShell, "run", lambda _, *args, **named: world.shell.run(*args, **named))
    assert later.remove_folder(world.shell.announced) == []
    assert client.left() == []
    assert not (world.folder / "run").exists()


def test_the_end_of_a_run_ends_users_who_are_connected(
    world: World, client: SslVpnClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.connect([world.user(number) for number in range(1, 6)])
    shell = object.__new__(SshShell)
    shell._path, shell._made = world.shell.folder(), True
    monkeypatch.setattr(SshShell, "run", lambda _, *args, **named: world.shell.run(*args, **named))
    assert shell.remove_folder(world.shell.announced) == []
    assert client.left() == []
    assert world.sessions == []


def test_a_script_that_fails_is_not_proven(world: World, client: SslVpnClient) -> None:
    script = Path(world.shell.folder()) / "openconnect_users.py"
    script.write_text("raise SystemExit('no Python to speak of')")
    with pytest.raises(NotProven, match="script failed on the client: no Python to speak of"):
        client.connect([world.user(1)])


def test_users_who_do_not_leave_are_ended_all_the_same(
    world: World, client: SslVpnClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepass.scenarios.remote_access.ssl_vpn_client._PATIENCE_S", 1)
    client.connect([world.user(1)])
    stem = f"{world.shell.folder()}/vpn-users"
    world.shell.run(Script(f"kill -STOP $(cat {stem}.told.process)"))
    client.disconnect()
    assert MARK not in world.ip("rule show") and "198.19" not in world.ip("rule show")
    alive = Script(f"ps -o stat= -g $(cat {stem}.pid) | grep -v Z")
    assert until(lambda: not world.shell.run(alive).output, 3)
    world.shell.run(Script(f"ip link del {MARK}-1"))  # which the stand-in's own end would have done
    (told,) = client.connect([world.user(2)])
    assert told.up
    client.disconnect()


def test_tables_are_each_users_own() -> None:
    marks = [f"gp{number:06x}" for number in (0, 1, 0xFFFFFF, 0xABCDEF)]
    tables = {table_of(mark, number) for mark in marks for number in range(1, 256)}
    assert len(tables) == len(marks) * 255
    assert min(tables) > 255 and max(tables) < 2**31


def test_detached_is_what_the_clean_up_knows(world: World, client: SslVpnClient) -> None:
    client.connect([world.user(1)])
    assert isinstance(client._running, Detached)
    assert Path(f"{client._running.stem}.pid").exists()
    client.disconnect()
