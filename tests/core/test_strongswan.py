"""strongSwan on an endpoint: two real ones in network namespaces with a wire between them."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from local_shell import LocalShell
from strongswan_hosts import CLIENT, GATEWAY, other_side, two_hosts

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.ike import Connection
from gatepass.endpoint.probe import Probe, start_responder, try_all
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.strongswan import PLACES, Charon, try_start

PSK = "a-key-that-nobody-knows"


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalShell, LocalShell]]:
    """Two hosts; the first has an address for each of three networks behind it."""
    folders = tmp_path_factory.mktemp("p"), tmp_path_factory.mktemp("g")
    with two_hosts(folders) as (peer, gateway):
        for number in (1, 2, 3):
            for address in (f"198.19.10{number}.1", f"198.19.200.{number}"):
                assert peer.run(Script(f"ip addr add {address}/32 dev lo")).status == 0
        start_responder(peer, [f"198.19.10{number}.1" for number in (1, 2, 3)], (5301,), 300)
        yield peer, gateway


@pytest.fixture
def charons(hosts: tuple[LocalShell, LocalShell]) -> Iterator[tuple[Charon, Charon]]:
    both = tuple(Charon(shell) for shell in hosts)
    for one in both:
        one.start()
    yield both
    for one in both:
        one.stop()


def tunnel(charon: Charon, number: int = 1, **more: object) -> Connection:
    one = Connection(
        name=f"t{number}",
        local=f"198.19.200.{number}",
        remote=GATEWAY,
        ike="aes256-sha256-modp2048",
        esp="aes256-sha256-modp2048",
        psk=PSK,
        local_ts=(f"198.19.10{number}.0/24",),
        remote_ts=(f"{CLIENT}/32",),
        encap=charon.in_user_space,
    )
    return replace(one, **more)


def both_know(charons: tuple[Charon, Charon], count: int = 1, **more: object) -> list[str]:
    peer, gateway = charons
    tunnels = [tunnel(peer, number, **more) for number in range(1, count + 1)]
    peer.load(tunnels)
    gateway.load(map(other_side, tunnels))
    return [one.name for one in tunnels]


def carries(shell: LocalShell, number: int = 1) -> bool:
    probe = Probe("tcp", f"198.19.10{number}.1", 5301, tries=3)
    return try_all(shell, [probe])[0].seen == CLIENT


def _counts(charons: tuple[Charon, Charon], number: int, name: str) -> bool:
    """Whether a tunnel counts what it carries, each way; charon reads the figures now and then."""
    peer, gateway = charons
    child = peer.sa(name).child
    if min(child.bytes_in, child.bytes_out) >= 100:
        return True
    carries(gateway.shell, number)
    return False


def test_tunnels_come_up_carry_and_go(charons: tuple[Charon, Charon]) -> None:
    peer, gateway = charons
    names = both_know(charons, 3)
    came = peer.initiate(names)
    assert set(came) == set(names)
    assert all(0 < seconds < 10 for seconds in came.values())
    for number, name in enumerate(names, 1):
        assert carries(gateway.shell, number)
        sa = peer.sa(name)
        assert sa and sa.initiated and sa.group == "MODP_2048"
        assert until(lambda at=(number, name): _counts(charons, *at), 20)
        assert (sa.child.encryption, sa.child.integrity) == ("AES_CBC-256", "HMAC_SHA2_256_128")
        assert sa.child.local_ts == (f"198.19.10{number}.0/24",)
        assert sa.child.encap == peer.in_user_space
    peer.terminate(names[:1])
    assert peer.sa(names[0]) is None
    assert until(lambda: gateway.sa(names[0]) is None, 5)
    assert carries(gateway.shell, 2) and carries(gateway.shell, 3)


def test_nothing_is_left_in_the_hosts_run(charons: tuple[Charon, Charon]) -> None:
    """`mount` itself would leave a folder there."""
    both_know(charons)
    for charon in charons:
        charon.stop()
        assert charon.shell.run(Script("ls -A /run")).output == ""


def test_rekeying_makes_a_new_pair(charons: tuple[Charon, Charon]) -> None:
    peer, gateway = charons
    (name,) = both_know(charons)
    peer.initiate([name])
    before = peer.sa(name).child
    peer.rekey(name)
    assert until(lambda: peer.sa(name).child.spi_in != before.spi_in, 5)
    assert peer.sa(name).child.group == "MODP_2048"
    assert carries(gateway.shell)


def test_after_a_restart_nothing_is_up_and_all_is_known(charons: tuple[Charon, Charon]) -> None:
    peer, gateway = charons
    (name,) = both_know(charons)
    peer.initiate([name])
    peer.restart()
    assert peer.sas() == []
    assert set(peer.initiate([name])) == {name}
    assert carries(gateway.shell)


def test_what_does_not_fit_does_not_come_up(charons: tuple[Charon, Charon]) -> None:
    peer, gateway = charons
    peer.load([tunnel(peer)])
    gateway.load([other_side(tunnel(peer, esp="aes128-sha256"))])
    assert peer.initiate(["t1"], timeout_s=2) == {}
    assert peer.try_one("t1", 5) != ""
    peer.forget(["t1"])
    assert "not found" in peer.try_one("t1", 5)


@pytest.mark.parametrize(
    ("ike", "esp", "encryption", "integrity"),
    [
        ("aes128-sha256-modp1536", "aes128-sha256-modp1536", "AES_CBC-128", "HMAC_SHA2_256_128"),
        ("3des-sha1-modp1024", "3des-sha1-modp1024", "3DES_CBC", "HMAC_SHA1_96"),
        ("aes256gcm16-prfsha256-modp2048", "aes256gcm16-modp2048", "AES_GCM_16-256", ""),
    ],
)
def test_every_cipher_is_told_as_it_is(
    charons: tuple[Charon, Charon], ike: str, esp: str, encryption: str, integrity: str
) -> None:
    peer, _ = charons
    (name,) = both_know(charons, ike=ike, esp=esp)
    assert set(peer.initiate([name])) == {name}
    child = peer.sa(name).child
    assert (child.encryption, child.integrity) == (encryption, integrity)


def test_no_secret_stays_in_a_file_or_shows_in_a_process(charons: tuple[Charon, Charon]) -> None:
    peer, _ = charons
    ended, seen = threading.Event(), []

    def watch() -> None:
        while not ended.is_set():
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):  # it has ended
                    seen.append(path.read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        both_know(charons)
        peer.initiate(["t1"])
        peer.restart()
    finally:
        ended.set()
        watcher.join()
    assert any(b"charon.py" in words for words in seen)
    assert not [words for words in seen if PSK.encode() in words]
    for path in Path(peer.shell.folder()).rglob("*"):
        assert not path.is_file() or PSK.encode() not in path.read_bytes(), path


def test_where_another_one_is_at_work(charons: tuple[Charon, Charon], tmp_path: Path) -> None:
    second = Charon(LocalShell("peer", tmp_path, charons[0].shell.inside))
    with pytest.raises(NotProven, match="500 or 4500 on the peer is in use"):
        second.start()


@pytest.fixture
def confined(hosts: tuple[LocalShell, LocalShell], tmp_path: Path) -> LocalShell:
    """A host where charon may not run in its own place with a run's configuration, nor what lies in
    the run's folder: as AppArmor's profile of it goes by the path (Debian, Ubuntu), and as a /tmp
    is that no program may be started from."""
    (place,) = (place for place in PLACES if Path(place, "charon").exists())
    real, profile = tmp_path / "charon-real", tmp_path / "charon"
    shutil.copy(f"{place}/charon", real)
    profile.write_text(
        f"#!/bin/sh\ncase $0 in {place}/*) echo 'abort initialization due to invalid "
        f"configuration'; exit 66;; esac\nexec {real}\n"
    )
    profile.chmod(0o755)
    folder = Path(tempfile.mkdtemp(prefix="c", dir=tmp_path.parent))  # a socket's path is short
    words = (
        f"mount -n --bind {profile} {place}/charon && mount -n --bind {folder} {folder} && "
        f'mount -n -o remount,bind,noexec {folder} && exec "$@"'
    )
    inside = (*hosts[0].inside, "unshare", "--mount", "sh", "-c", words, "sh")
    return LocalShell("peer", folder, inside)


def test_it_runs_from_where_no_profile_holds_it(confined: LocalShell) -> None:
    refused = confined.run(script("{place}/charon", place=PLACES[0]))
    assert "abort initialization" in refused.output
    try_start(confined)
    assert confined.run(script("ss -Hlun 'sport = :500'; ip rule show pref 4747")).output == ""


def test_what_keeps_it_from_starting_is_told(
    hosts: tuple[LocalShell, LocalShell], tmp_path: Path
) -> None:
    class Without(LocalShell):
        def put(self, text: str, path: str) -> None:
            super().put(text.replace("charon {", "charon [", 1), path)

    with pytest.raises(NotProven, match=r"could not be started on the peer: .*invalid config"):
        try_start(Without("peer", tmp_path, hosts[0].inside))


def test_what_is_missing_is_named(hosts: tuple[LocalShell, LocalShell], tmp_path: Path) -> None:
    class Without(LocalShell):
        def run(self, command: str, timeout_s: float = 15, again: bool = False):
            return super().run(Script(command.replace("/charon", "/no-charon")), timeout_s)

    with pytest.raises(NotProven, match="strongSwan is missing on the peer"):
        Charon(Without("peer", tmp_path, hosts[0].inside)).start()
