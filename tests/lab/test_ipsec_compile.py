"""Compiling tunnels, and what charon and the packet filter are told of them: no root needed."""

from __future__ import annotations

import pytest
from dataplane_config import policy, refs
from ipsec_rig import SECRET, remote, site_to_site

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.proposals import in_strongswan_words, other_than
from lab.gateway.dataplane.ipsec import connections as ipsec_connections
from lab.gateway.dataplane.ipsec.links import room_rules
from lab.gateway.dataplane.ipsec.status import Accounts, ChildSa, IkeSa
from lab.gateway.dataplane.nft.localin import local_in_rules


def tunnels(**more):
    return compile_config(site_to_site(**more)).ipsec.tunnels


@pytest.mark.parametrize(
    ("proposal", "groups", "expected"),
    [
        ("aes256-sha256", ["14", "5"], "aes256-sha256-modp2048-modp1536"),
        ("aes256gcm-prfsha384", ["20"], "aes256gcm16-prfsha384-ecp384"),
        ("aes128gcm", [], "aes128gcm16"),
        ("3des-sha1", ["2"], "3des-sha1-modp1024"),
    ],
)
def test_proposals_in_strongswans_words(proposal, groups, expected):
    assert in_strongswan_words([proposal], groups) == (expected,)


def test_another_cipher_has_the_same_group():
    assert other_than(["aes256-sha256-modp1536"]) == (
        "aes128-sha256-modp1536",
        "aes128-sha1-modp1536",
    )


def test_keys_are_renewed_before_they_expire():
    child = tunnels(two={"keylifeseconds": 120})["t1"].children[0]
    told = ipsec_connections.connection(tunnels()["t1"], "198.18.4.1", None)
    assert child.keylife_s == 120
    shown = ipsec_connections.connection(
        tunnels(two={"keylifeseconds": 120})["t1"], "198.18.4.1", None
    )["children"]["t1"]
    assert (shown["rekey_time"], shown["life_time"]) == ("48s", "120s")
    assert told["remote_addrs"] == [remote(1)]


def test_the_key_is_shown_nowhere_but_to_charon():
    tunnel = tunnels()["t1"]
    assert SECRET not in repr(tunnel)
    assert SECRET not in repr(ipsec_connections.connection(tunnel, "198.18.4.1", None))
    assert ipsec_connections.secrets(tunnel)[0]["data"] == SECRET


def test_without_perfect_forward_secrecy_there_is_no_group():
    child = tunnels(two={"pfs": "disable"})["t1"].children[0]
    assert child.proposals == ("aes256-sha256",)


def test_selectors_that_overlap_belong_to_the_first_tunnel():
    made = site_to_site(count=2)
    made["vpn.ipsec/phase2-interface"][1]["dst-subnet"] = "198.19.100.128 255.255.255.128"
    found = compile_config(made).ipsec.tunnels
    assert len(found["t1"].children) == 1
    assert found["t2"].children == ()


def test_the_room_lets_only_the_selectors_through():
    text = room_rules(tunnels(count=2).values())
    assert '"t1" : goto out1, "t2" : goto out2' in text
    assert "ip saddr 198.18.1.0/24 ip daddr 198.19.100.0/24 accept" in text
    assert "ip saddr 198.19.101.0/24 ip daddr 198.18.1.0/24 accept" in text
    assert "policy drop" in text


def test_ike_comes_in_from_the_other_end_alone():
    rules = [rule for rule in local_in_rules(compile_config(site_to_site())) if "4500" in rule]
    assert rules == [
        f'iifname "port3" meta nfproto ipv4 ip saddr {remote(1)} udp dport {{ 500, 4500 }} accept'
    ]


def test_clear_beside_sends_to_the_same_neighbour():
    intent = with_faults(compile_config(site_to_site()), {"ipsec-clear-beside": {}})
    beside = next(route for route in intent.routes if route.destination == "198.19.100.0/24")
    assert (beside.interface, beside.gateway) == ("port3", "198.18.4.10")
    assert intent.policies[0].selects.dstintf == ("t1", "port3")


def test_a_policy_may_name_many_tunnels():
    made = site_to_site(policy(3, srcintf=refs("port2"), dstintf=refs("t1", "t2")), count=2)
    assert compile_config(made).policies[0].selects.dstintf == ("t1", "t2")


def sa(number: int, *keys: ChildSa) -> IkeSa:
    return IkeSa(number, "t", True, False, 0, "", 0, "", "", "", keys)


def key(number: int, received: int, sent: int) -> ChildSa:
    return ChildSa(number, "c", True, True, received, sent, 0, (), ())


def test_bytes_add_up_over_renewed_keys():
    accounts = Accounts()
    accounts.update([sa(1, key(1, 10, 20))])
    accounts.update([sa(1, key(1, 15, 30), key(2, 1, 2))])
    accounts.update([sa(1, key(2, 5, 7))])
    carried = accounts.status(()).carried["t", "c"]
    assert (carried.received, carried.sent) == (20, 37)
    accounts.reset("t")
    assert accounts.status(()).carried == {}


def test_a_dial_up_peer_keeps_its_place():
    accounts = Accounts()
    accounts.update([sa(1), sa(2)])
    accounts.update([sa(2), sa(5)])
    assert accounts.status(()).places == {2: 1, 5: 0}
