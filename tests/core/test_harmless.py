"""What is kept of rows and answers shows nothing but what is known to be harmless."""

from __future__ import annotations

from typing import Any

import pytest

from gatepass.base.masking import MASK
from gatepass.gateway.exchange import key_of, text_without_secrets, without_secrets
from gatepass.gateway.harmless import is_harmless, masked_half, masked_rows

HUSH = "T0KEN-xyzzy"


def kept(path: str, row: dict[str, Any], **query: str) -> Any:
    """What is kept of an answer with one row."""
    answer = {"http_method": "GET", "results": [row], "vdom": "root", "status": "success"}
    return without_secrets(answer, {"path": f"cmdb/{path}", "query": query})["results"][0]


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("system.snmp/community", {"id": 1, "name": HUSH, "q_origin_key": HUSH}),
        ("system.snmp/community/1", {"id": 1, "name": HUSH}),
        ("switch-controller/snmp-community", {"name": HUSH}),
        ("switch-controller/managed-switch", {"snmp-community": [{"id": 1, "name": HUSH}]}),
        ("wireless-controller/snmp", {"community": [{"id": 1, "name": HUSH}]}),
        ("system/automation-action", {"uri": f"hooks.slack.com/{HUSH}"}),
        ("system/automation-action", {"http-headers": [{"key": "X-Key", "value": HUSH}]}),
        ("system/automation-action", {"headers": [{"header": f"Authorization: {HUSH}"}]}),
        ("system/automation-action", {"script": f"config user local\n{HUSH}"}),
        ("system/external-resource", {"resource": f"https://u:{HUSH}@h/x"}),
        ("system/sdn-connector", {"access-key": HUSH, "client-id": HUSH}),
        ("user/fortitoken", {"activation-code": HUSH, "license": HUSH, "reg-id": HUSH}),
        ("user/local", {"passwd": HUSH, "email-to": f"{HUSH}@example.com"}),
        ("vpn.ipsec/phase1-interface", {"psksecret": HUSH}),
        ("firewall/policy", {"comments": f"the password is {HUSH}"}),
        ("firewall/policy", {"name": f"https://u:{HUSH}@h"}),
        ("firewall/policy", {"name": f"Bearer {HUSH}"}),
    ],
)
def test_no_secret_of_a_row_is_kept(path: str, row: dict[str, Any]) -> None:
    shown = kept(path, row)
    assert "xyzzy" not in str(shown) and shown.keys() == row.keys()


def test_what_a_check_reads_is_kept() -> None:
    policy = {
        "policyid": 7,
        "q_origin_key": 7,
        "name": "to the web",
        "uuid": "8e7b4fba-6f3e-51ee-9a5c-1f2d3c4b5a69",
        "srcintf": [{"name": "port2", "q_origin_key": "port2"}],
        "action": "accept",
        "status": "enable",
        "schedule": "always",
        "comments": "gp0a1b2c-1",
        "tos": "0x00",
    }
    assert kept("firewall/policy", policy) == policy
    address = {"name": "a", "subnet": "10.0.0.0 255.0.0.0", "end-ip": "::", "type": "ipmask"}
    assert kept("firewall/address", address) == address
    state = {"results": {"hostname": "gw"}, "serial": "FGVM01", "version": "v7.4.8"}
    assert without_secrets(state, {"path": "monitor/system/status"}) == state


def test_what_a_table_is_declared_as_holds_nothing_of_a_configuration() -> None:
    told = {"name": "community", "children": {"name": {"type": "string", "help": "its name"}}}
    assert kept("system.snmp/community", told, action="schema") == told


def test_a_community_may_have_any_name() -> None:
    for name in ("public", "10.0.0.1", "gp0a1b2c-1", "all"):
        assert not is_harmless("system.snmp/community", "name", name)
        assert is_harmless("firewall/address", "name", name)


def test_the_half_of_an_answer() -> None:
    half = f'{{"results": [{{"name": "a", "uri": "x/{HUSH}", "comments": "{HUSH}'
    shown = masked_half(half, "system/automation-action")
    assert shown == f'{{"results": [{{"name": "a", "uri": "{MASK}", "comments": "{MASK}"'
    assert "xyzzy" not in text_without_secrets(half, {"path": "cmdb/system/automation-action"})
    backup = f'#config-version=a\nconfig system snmp community\nedit 1\nset name "{HUSH}"\n'
    assert "xyzzy" not in text_without_secrets(backup, {"path": "monitor/system/config/backup"})


def test_several_tables_by_their_paths() -> None:
    rows = {"system.snmp/community": [{"name": HUSH}], "user/group": [{"name": "g"}]}
    shown = masked_rows(rows, "")
    assert shown == {"system.snmp/community": [{"name": MASK}], "user/group": [{"name": "g"}]}


def test_a_question_is_known_by_what_is_kept_of_it() -> None:
    """Recordings of earlier releases show more of it."""
    path, row = "cmdb/firewall/address", {"name": "a", "comment": "free text"}
    one = {"method": "POST", "path": path, "query": {}, "body": row}
    assert key_of(one) == key_of(one | {"body": without_secrets(row, one)})
    script = {"file_content": 'config firewall address\nedit "a"\nset comment "free"\nnext\nend'}
    sent = {"method": "POST", "path": "monitor/system/config-script/upload", "body": script}
    assert key_of(sent) == key_of(sent | {"body": without_secrets(script, sent)})
