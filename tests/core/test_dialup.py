"""Dial-up IPsec on the lab's own gateway process: what is created, and that it all goes again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import POLICY, RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED
from gatepass.gateway.undo import undo
from gatepass.scenarios.remote_access.dialup import PHASE1, PHASE2, DialUp

FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")


@pytest.fixture
def access(gateway: FortiGate, changes: Changes) -> DialUp:
    return DialUp(gateway, changes, RuleSet(gateway, changes, FLOW), 5)


def test_everything_is_there_and_goes_again(
    gateway: FortiGate, changes: Changes, access: DialUp
) -> None:
    access.prepare()
    tunnels = [access.tunnel(profile) for profile in access.profiles]
    assert all(len(name) <= 15 for name in tunnels)
    rows = {row["name"]: row for row in gateway.rows(PHASE1)}
    assert set(rows) == set(tunnels) == {row["name"] for row in gateway.rows(PHASE2)}
    for profile in access.profiles:
        row = rows[access.tunnel(profile)]
        assert (row["type"], row["peerid"]) == ("dynamic", row["name"])
        assert row["authusrgrp"] == access.group(profile)
        assert (row["ipv4-start-ip"], row["ipv4-end-ip"]) == (str(profile.first), str(profile.last))
        split = access.network(profile) if profile.network else ""
        assert row["ipv4-split-include"] == split
    sources = [[one["name"] for one in row["srcintf"]] for row in gateway.rows(POLICY)]
    assert tunnels[:1] in sources and tunnels[1:] in sources
    back = undo(changes.gateway, changes.journal, changes.journal.path.with_name(SAVED))
    assert back.identical


def test_no_key_stands_anywhere_but_in_memory(
    gateway: FortiGate, changes: Changes, access: DialUp
) -> None:
    access.prepare()
    assert access.psk not in changes.journal.path.read_text() + gateway.backup()
    assert access.psk not in repr(access.users)


def test_who_is_connected_goes_by_the_name_of_the_log_in(access: DialUp) -> None:
    """Of who logged in by EAP FortiOS tells that in `user`; `username` is the IKE identity then."""
    by_eap = {"user": "alice", "username": "any", "auth_type": "eap", "tun_id": "10.0.0.1"}
    without = {"username": "bob", "tun_id": "10.0.0.2", "incoming_bytes": 5, "outgoing_bytes": 6}
    site = {"name": "to-site", "type": "automatic", "username": "site"}
    rows = [by_eap | {"type": "dialup"}, without | {"type": "dialup"}, site]
    access.gateway = SimpleNamespace(monitor=lambda path: {"results": rows})
    assert [(one.name, one.address, one.bytes) for one in access.listed()] == [
        ("alice", "10.0.0.1", 0),
        ("bob", "10.0.0.2", 11),
    ]
