"""Ansible's modules for FortiOS set up a branch; what is set up already, they leave as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from gateway_client import TOKEN, GatewayUnderTest

from benchmarks import ansible_client as ansible
from conftest import MakeGateway
from gatepass.gateway.configuration import comparable

PLAYBOOK = Path(__file__).with_name("playbook.yml")
FACTS = ("facts of the gateway", "what is configured")


def gateway_of(gateway: GatewayUnderTest, by: str) -> ansible.Gateway:
    """The gateway as Ansible is told of it."""
    password = (gateway.folder / "admin-password").read_text().strip()
    login = ansible.by_token(TOKEN) if by == "token" else ansible.by_password("admin", password)
    return ansible.Gateway("127.0.0.1", gateway.port, gateway.folder / "tls" / "ca.pem", login)


@pytest.mark.long
@pytest.mark.skipif(not ansible.is_installed(), reason=ansible.MISSING)
@pytest.mark.parametrize(("release", "by"), [("7.4.8", "token"), ("7.6.4", "password")])
def test_a_playbook_passes_twice(make_gateway: MakeGateway, release: str, by: str) -> None:
    gateway = make_gateway(release)
    place, variables = gateway_of(gateway, by), {"secret": "long-enough-secret"}
    first = ansible.play(PLAYBOOK, place, variables)
    assert (first.code, first.tasks("fatal"), first.tasks("failed")) == (0, [], []), first.text
    assert set(first.tasks("ok")) == set(FACTS), first.text
    assert gateway.names("firewall/policy", "policyid") == [103, 101, 102, 104]
    before = gateway.call("POST", "monitor/system/config/backup", {"scope": "global"}).text
    second = ansible.play(PLAYBOOK, place, variables)
    assert (second.code, second.tasks("changed"), second.tasks("fatal")) == (0, [], []), second.text
    assert len(second.tasks("ok")) == len(first.outcomes)
    after = gateway.call("POST", "monitor/system/config/backup", {"scope": "global"}).text
    assert comparable(before) == comparable(after)


def test_what_ansible_prints_is_read() -> None:
    told = ansible._outcomes(
        "PLAY [x] ***\n\nTASK [facts] ****\nok: [gateway]\n\nTASK [users] ***\n"
        "changed: [gateway] => (item=alice)\nok: [gateway] => (item=bob)\n"
        'fatal: [gateway]: FAILED! => {"changed": false}\n\nPLAY RECAP ***\ngateway : ok=2\n')
    assert told == [("facts", "ok"), ("users", "changed"), ("users", "ok"), ("users", "fatal")]
