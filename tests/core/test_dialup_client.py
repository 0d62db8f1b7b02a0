"""Dial-up users on a client: real strongSwan on both sides, the far one with users and pools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from local_shell import LocalShell
from strongswan_hosts import CLIENT, GATEWAY, PEER, two_hosts

from gatepass.endpoint.probe import start_responder, try_all
from gatepass.endpoint.script import Script
from gatepass.endpoint.strongswan import Charon
from gatepass.scenarios.remote_access.configuration import EVERYTHING, SPLIT, VpnUser, profiles
from gatepass.scenarios.remote_access.dialup import STRONGSWAN_PROPOSAL
from gatepass.scenarios.remote_access.dialup_client import INTERFACE, DialUpClient
from gatepass.scenarios.remote_access.vpn_client import together

MARK = "gp0a1b2c"
PSK = "a-key-that-all-users-share"
SERVER = CLIENT
"""The far host's own second address stands for the server behind it."""
PORT = 5301
PROFILES = profiles(SERVER, 5)


class FarGateway:
    """A charon that lets users in as a FortiGate does, each profile by the client's identity."""

    def __init__(self, shell: LocalShell, users: list[VpnUser]) -> None:
        self.charon = Charon(shell)
        self.charon.start()
        requests: list[tuple[str, dict]] = [
            ("load-shared", {"id": "psk", "type": "IKE", "data": PSK, "owners": []})
        ]
        for user in users:
            secret = {"id": user.name, "type": "EAP", "data": user.password, "owners": [user.name]}
            requests.append(("load-shared", secret))
        for profile in PROFILES:
            name = tunnel(profile)
            addresses = f"{profile.first}-{profile.last}"
            requests.append(("load-pool", {name: {"addrs": addresses}}))
            requests.append(("load-conn", {name: self._connection(name, profile.routes)}))
        answers = self.charon._ask(list[dict], requests)
        for (command, _), answer in zip(requests, answers, strict=True):
            assert answer.get("success") == "yes", (command, answer)

    @staticmethod
    def _connection(name: str, networks: tuple[str, ...]) -> dict:
        return {
            "version": "2",
            "local_addrs": [GATEWAY],
            "remote_addrs": ["%any"],
            "proposals": [STRONGSWAN_PROPOSAL],
            "encap": "yes",
            "pools": [name],
            "unique": "never",
            "local-1": {"auth": "psk", "id": GATEWAY},
            "remote-1": {"auth": "eap-mschapv2", "id": name, "eap_id": "%any"},
            "children": {
                name: {"local_ts": list(networks), "esp_proposals": [STRONGSWAN_PROPOSAL]}
            },
        }

    def connected(self) -> int:
        """How many users there are."""
        return len([sa for sa in self.charon.sas() if sa.child])


def tunnel(profile: object) -> str:
    return f"{MARK}-dial{profile.number}"


def user(number: int, profile: int = SPLIT) -> VpnUser:
    return VpnUser(number, f"{MARK}-user{number}", f"secret-{number}", PROFILES[profile - 1])


USERS = [*(user(number) for number in range(1, 6)), user(6, EVERYTHING), user(7, 3)]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalShell, FarGateway]]:
    folders = tmp_path_factory.mktemp("c"), tmp_path_factory.mktemp("g")
    with two_hosts(folders) as (client, gateway):
        client.name = "client"
        assert gateway.run(Script("ip addr add 198.19.250.1/32 dev lo")).status == 0
        far = FarGateway(gateway, USERS)
        start_responder(gateway, [SERVER, "198.19.250.1"], (PORT,), 300)
        yield client, far
        far.charon.stop()


@pytest.fixture
def client(hosts: tuple[LocalShell, FarGateway]) -> Iterator[DialUpClient]:
    access = SimpleNamespace(tunnel=tunnel, psk=PSK, profiles=PROFILES)
    made = DialUpClient(hosts[0], MARK, PEER, GATEWAY, access)
    made.check()
    yield made
    made.disconnect()


def test_users_connect_at_once_each_with_what_is_theirs(
    hosts: tuple[LocalShell, FarGateway], client: DialUpClient
) -> None:
    told = client.connect(USERS)
    assert [one.words for one in told] == [""] * len(USERS)
    assert all(one.user.profile.holds(one.address) for one in told)
    assert len({one.address for one in told}) == len(USERS)
    assert [one.routes for one in told] == [one.user.profile.routes for one in told]
    assert all(0 < one.seconds < 20 for one in told)
    split, other, everything, third = told[0], told[1], told[5], told[6]
    inside, behind = SERVER, "198.19.250.1"
    answers = try_all(
        client.shell,
        [
            *(split.probe(inside, PORT), other.probe(inside, PORT), split.probe(behind, PORT)),
            *(everything.probe(inside, PORT), everything.probe(behind, PORT)),
            *(third.probe(inside, PORT), third.probe(behind, PORT)),
        ],
    )
    assert [answer.seen for answer in answers] == [
        *(split.address, other.address, PEER),
        *(everything.address, everything.address),
        *(PEER, third.address),
    ]
    assert hosts[1].connected() == len(USERS)
    assert client.cpu_s() > 0


def test_all_at_once_and_none_at_another(client: DialUpClient) -> None:
    told = together(client.shell, client.connect(USERS[:5]), SERVER, PORT, 0.5)
    assert (told.served, told.mixed) == (5, 0)
    assert len(told.answered) == 5
    assert told.reached == ()


def test_leaving_leaves_nothing(hosts: tuple[LocalShell, FarGateway], client: DialUpClient) -> None:
    client.connect(USERS[:2])
    assert len(client.left()) > 5
    client.disconnect()
    assert client.left() == []
    assert INTERFACE not in client.shell.run(Script("ip link")).output
    assert hosts[1].connected() == 0


def test_who_is_refused_is_told(client: DialUpClient) -> None:
    wrong = VpnUser(1, USERS[0].name, "wrong", PROFILES[0])
    (told,) = client.connect([wrong])
    assert not told.up and told.words
    stranger = VpnUser(9, f"{MARK}-user9", "secret-9", None)
    first, other = client.connect([stranger, USERS[1]])
    assert not first.up and first.words
    assert other.up


def test_no_secret_stays_in_a_file(client: DialUpClient) -> None:
    client.connect(USERS[:2])
    for path in Path(client.shell.folder()).rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert b"secret-1" not in content and PSK.encode() not in content, path
