"""Dial-up users: IKEv2 with EAP, an address from the pool, and policies for their groups."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dataplane_config import config, policy, refs
from dataplane_rig import SERVER, Node
from ipsec_rig import OfficeRig, row
from pyroute2 import IPRoute

from lab.gateway.dataplane.ipsec.charon import Charon
from lab.gateway.dataplane.ipsec.status import IkeSa, read

KEY = "the key of all users"
FIRST, LAST = "198.19.210.1", "198.19.210.4"
PASSWORDS = {"alice": "of alice", "bob": "of bob", "carol": "of carol"}


def dial_in(*policies: dict, **attributes: Any) -> dict[str, list[dict]]:
    """A configuration with a tunnel for the group `staff` (alice and bob), for the server alone."""
    made = config(*policies)
    made["system/interface"] = [
        *made["system/interface"],
        {"name": "dial", "type": "tunnel", "ip": "", "ipv6": {}},
    ]
    made["user/local"] = [
        {"name": name, "status": "enable", "passwd": password}
        for name, password in PASSWORDS.items()
    ]
    made["user/group"] = [
        {"name": "staff", "member": refs("alice", "bob")},
        {"name": "bobs", "member": refs("bob")},
    ]
    made["firewall/address"] = [
        *made.get("firewall/address", ()),
        {"name": "server", "type": "ipmask", "subnet": "198.18.2.0 255.255.255.0"},
    ]
    values = {
        "name": "dial",
        "type": "dynamic",
        "interface": "port2",
        "ike_version": "2",
        "peertype": "one",
        "peerid": "staff-of-us",
        "proposal": "aes256-sha256",
        "dhgrp": "14",
        "psksecret": KEY,
        "eap": "enable",
        "eap_identity": "send-request",
        "authusrgrp": "staff",
        "mode_cfg": "enable",
        "ipv4_start_ip": FIRST,
        "ipv4_end_ip": LAST,
        "ipv4_split_include": "server",
    }
    made["vpn.ipsec/phase1-interface"] = [
        row("vpn.ipsec/phase1-interface", **(values | attributes))
    ]
    made["vpn.ipsec/phase2-interface"] = [
        row(
            "vpn.ipsec/phase2-interface",
            name="dial",
            phase1name="dial",
            proposal="aes256-sha256",
            dhgrp="14",
        )
    ]
    return made


def for_groups(*names: str) -> dict:
    """The policy from the tunnel to the server, for these groups; for everyone without any."""
    return policy(7, srcintf=refs("dial"), dstintf=refs("port1"), groups=refs(*names))


class Users:
    """The client's node with a charon that dials in."""

    def __init__(self, node: Node, folder: Path) -> None:
        self.node, self._charon = node, Charon(folder)
        node(self._furnish)
        node(self._charon.run, True)
        self._session = self._charon.session()
        self._session.load_shared(
            {"id": "key", "type": "IKE", "data": KEY, "owners": ["198.18.1.1"]}
        )
        node(self._route)

    @staticmethod
    def _furnish() -> None:
        """It takes a tunnel only from an address of its host: the pool's are, to begin with."""
        with IPRoute() as ipr:
            for last in range(1, 9):
                ipr.addr("add", index=1, address=f"198.19.210.{last}", prefixlen=32)

    @staticmethod
    def _route() -> None:
        with IPRoute() as ipr:
            while not ipr.link_lookup(ifname="ipsec0"):
                pass
            index = ipr.link_lookup(ifname="ipsec0")[0]
            ipr.link("set", index=index, state="up", mtu=1400)
            ipr.route("add", dst="198.18.2.0/24", oif=index, scope=253, table=77)
            ipr.rule("add", src="198.19.210.0", src_len=24, table=77, priority=77)

    def log_in(self, name: str, password: str | None = None) -> IkeSa | None:
        """Dial in; the connection, None if the gateway refuses."""
        secret = PASSWORDS[name] if password is None else password
        self._session.load_shared({"id": name, "type": "EAP", "data": secret, "owners": [name]})
        connection = {
            "version": "2",
            "local_addrs": ["198.18.1.10"],
            "remote_addrs": ["198.18.1.1"],
            "proposals": ["aes256-sha256-modp2048"],
            "encap": "yes",
            "vips": ["0.0.0.0"],
            "local": {"auth": "eap", "id": "staff-of-us", "eap_id": name},
            "remote": {"auth": "psk", "id": "198.18.1.1"},
            "children": {name: {"esp_proposals": ["aes256-sha256-modp2048"]}},
        }
        connection["children"][name]["remote_ts"] = ["0.0.0.0/0"]
        self._session.load_conn({name: connection})
        try:
            list(self._session.initiate({"ike": name, "child": name, "timeout": "8000"}))
        except Exception:
            return None
        return self.connection(name)

    def connection(self, name: str) -> IkeSa | None:
        return next(
            (sa for sa in read(self._session) if sa.tunnel == name and sa.established), None
        )

    def log_out(self, name: str) -> None:
        list(self._session.terminate({"ike": name, "timeout": "5000"}))

    def reaches(self, address: str, port: int = 8080) -> str | None:
        """Connect to the server from an address of the pool; the address that the server saw."""
        with self.node.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.bind((address, 0))
            sock.settimeout(1.5)
            try:
                sock.connect((SERVER, port))
            except OSError:
                return None
            return sock.getsockname()[0]

    def close(self) -> None:
        self._charon.stop()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[OfficeRig]:
    made = OfficeRig(tmp_path)
    yield made
    made.close()


@pytest.fixture
def users(rig: OfficeRig, tmp_path: Path) -> Iterator[Users]:
    made = Users(rig.client, tmp_path / "users")
    yield made
    made.close()


def assigned(rig: OfficeRig) -> dict[str, str]:
    """The address of each user who is connected."""
    sas = rig.gateway(rig.plane.ipsec).sas
    return {sa.user: sa.assigned for sa in sas if sa.established}


def test_a_user_gets_an_address_and_reaches_what_the_tunnel_is_for(rig, users):
    rig.apply(dial_in(for_groups()))
    found = users.log_in("alice")
    assert found is not None
    assert assigned(rig) == {"alice": FIRST}
    assert found.children[0].remote == ("198.18.2.0/24",)
    with rig.listening(8080):
        assert users.reaches(FIRST) == FIRST
    status = rig.gateway(rig.plane.ipsec)
    assert status.carried[("dial", "dial")].received >= 60  # one SYN
    users.log_out("alice")
    assert rig.eventually(lambda: not assigned(rig))


def test_who_may_not_is_refused(rig, users):
    rig.apply(dial_in(for_groups()))
    assert users.log_in("carol") is None
    assert users.log_in("alice", "a wrong one") is None
    assert assigned(rig) == {}


def test_a_policy_for_a_group_is_for_its_members(rig, users):
    rig.apply(dial_in(for_groups("bobs")))
    assert users.log_in("alice") is not None
    assert users.log_in("bob") is not None
    with rig.listening(8080):
        assert users.reaches(assigned(rig)["alice"]) is None
        assert rig.eventually(lambda: users.reaches(assigned(rig)["bob"]))
    question = ("dial", assigned(rig)["alice"], 6, SERVER, 8080)
    assert rig.gateway(rig.plane.lookup, *question) == (0, "deny")
    question = ("dial", assigned(rig)["bob"], 6, SERVER, 8080)
    assert rig.gateway(rig.plane.lookup, *question) == (7, "accept")


def test_another_user_may_come_without_anybody_being_thrown_out(rig, users):
    made = dial_in(for_groups())
    rig.apply(made)
    before = users.log_in("alice")
    made["user/group"][0]["member"] = refs("alice", "carol")
    rig.apply(made)
    assert users.log_in("carol") is not None
    assert users.connection("alice").id == before.id
    made["user/group"][0]["member"] = refs("carol")
    rig.apply(made)
    assert rig.eventually(lambda: set(assigned(rig)) == {"carol"})


def test_one_user_can_be_thrown_out(rig, users):
    rig.apply(dial_in(for_groups()))
    assert users.log_in("alice") and users.log_in("bob")
    assert sorted(rig.gateway(rig.plane.ipsec).places.values()) == [0, 1]
    assert rig.gateway(rig.plane.end_ipsec, "dial_0")
    assert rig.eventually(lambda: set(assigned(rig)) == {"bob"})
    assert list(rig.gateway(rig.plane.ipsec).places.values()) == [1]


def test_faults_of_dial_up(rig, users):
    made = dial_in(for_groups("staff"))
    rig.apply(made, {"group-ignored": {}})
    assert users.log_in("carol") is not None
    with rig.listening(8080):
        assert rig.eventually(lambda: users.reaches(assigned(rig)["carol"]))
    rig.apply(made)
    assert rig.eventually(lambda: assigned(rig) == {})
    rig.apply(made, {"vpn-pool-small": {"users": 1}})
    assert users.log_in("alice") is not None
    assert users.log_in("bob") is None
    users.log_out("alice")  # a change ends who is in, and that may take longer than a new log-in
    rig.apply(made, {"split-tunnel-leaks": {}})
    assert users.log_in("alice").children[0].remote == ("0.0.0.0/0",)
    users.log_out("alice")
    rig.apply(made, {"logout-ignored": {}})
    assert users.log_in("bob") is not None
    assert set(assigned(rig)) == {"bob"}
    users.log_out("bob")
    assert not rig.eventually(lambda: not assigned(rig), 2)
    rig.apply(made)
    assert rig.eventually(lambda: assigned(rig) == {})
