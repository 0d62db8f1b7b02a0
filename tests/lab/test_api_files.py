"""The configuration as text: scripts, backup, restore, revisions, and what the lab delivers."""

from __future__ import annotations

import base64
import re
from itertools import pairwise
from typing import Any

from gateway_client import ROOT, GatewayUnderTest, policy

from conftest import MakeGateway
from gatepass.gateway.configuration import comparable

BACKUP = {"destination": "file", "scope": "global"}


def run_script(api: GatewayUnderTest, text: str) -> tuple[int, dict[str, Any]]:
    """Upload a script; answers status and body."""
    body = {"filename": "test.conf", "file_content": base64.b64encode(text.encode()).decode()}
    answer = api.call("POST", "monitor/system/config-script/upload", body)
    return answer.status_code, answer.json()


def take_backup(api: GatewayUnderTest) -> str:
    """The configuration as text."""
    return api.call("POST", "monitor/system/config/backup", BACKUP).text


def settings(text: str) -> list[str]:
    """The lines of a backup that stay the same from one to the next."""
    return comparable(text).splitlines()


def test_script_makes_objects(api: GatewayUnderTest) -> None:
    status, answer = run_script(api, '''
# made by a test
config firewall address
    edit "lan one"
        set subnet 10.7.1.9/24
        set comment "two
lines, a \\"quote\\" and a \\\\ backslash"
    next
    edit h2
        set type iprange
        set start-ip 10.7.2.1
        set end-ip 10.7.2.9
    next
end
config firewall addrgrp
    edit g
        set member "lan one"
        append member h2
    next
end
config firewall policy
    edit 0
        set name first
        set srcintf port2
        set dstintf port1
        set srcaddr g
        set dstaddr all
        set service HTTP HTTPS
        set schedule always
        set action accept
        set nat enable
    next
    edit 0
        set name second
        set srcintf any
        set dstintf any
        set srcaddr all
        set dstaddr all
        set service ALL
        set schedule always
    next
    move 2 before 1
end
config system interface
    edit port1
        config ipv6
            set ip6-address 2001:2:0:2::1/64
        end
    end
''')
    assert (status, answer["status"]) == (200, "success")
    assert api.names("firewall/policy") == ["second", "first"]
    row = api.get("cmdb/firewall/address/lan one")[0]
    assert row["subnet"] == "10.7.1.0 255.255.255.0"
    assert row["comment"] == 'two\nlines, a "quote" and a \\ backslash'
    members = api.get("cmdb/firewall/addrgrp/g")[0]["member"]
    assert [m["name"] for m in members] == ["lan one", "h2"]
    assert api.get("cmdb/system/interface/port1/ipv6")["ip6-address"] == "2001:2:0:2::1/64"


def test_script_changes_and_removes(api: GatewayUnderTest) -> None:
    run_script(api, "config firewall address\nedit gone\nnext\nedit was\nset color 3\nnext\nend\n")
    status, _ = run_script(api, """
config firewall address
    rename was to is
    edit is
        set comment here
        unset color
    next
    delete gone
    clone is to copy
end
""")
    assert status == 200
    row = api.get("cmdb/firewall/address/is")[0]
    assert (row["comment"], row["color"]) == ("here", 0)
    assert api.call("GET", "cmdb/firewall/address/gone").status_code == 404
    assert api.get("cmdb/firewall/address/copy")[0]["comment"] == "here"


def test_script_errors_name_the_line_and_the_rest_runs(api: GatewayUnderTest) -> None:
    status, answer = run_script(api, """config firewall address
    edit broken
        set subnet 10.0.0.999/24
        set comment kept
    next
end
config firewall policy
    edit 0
        set name incomplete
        set service NOBODY
    next
end
config no such table
    edit 1
        config inner
        end
    next
end
frobnicate
config firewall address
    delete all
    edit fine
    next
end
""")
    assert (status, answer["status"]) == (500, "error")
    errors = {error["line"]: error["error"] for error in answer["results"]["errors"]}
    assert errors[3] == -651
    assert errors[10] == -651
    assert errors[11] == -56
    assert errors[13] == errors[19] == -61
    assert "line 3 " in answer["cli_error"]
    assert api.get("cmdb/firewall/address/broken")[0]["comment"] == "kept"
    assert api.get("cmdb/firewall/address/fine")
    assert answer["error"] == -651


def test_script_that_ends_too_early(api: GatewayUnderTest) -> None:
    assert run_script(api, 'config firewall address\nedit "open\n')[0] == 500
    assert run_script(api, "config firewall address\n")[0] == 500
    assert api.call("GET", "cmdb/firewall/address/open").status_code == 404


def history(api: GatewayUnderTest) -> list[dict]:
    """The scripts that ran, newest first."""
    return api.get("monitor/system/config-script")["conf_scripts"]["history"]


def test_script_history(api: GatewayUnderTest) -> None:
    run_script(api, "frobnicate\n")
    last = history(api)[0]
    assert last["name"] == "test.conf"
    assert "frobnicate" in last["status"]
    api.post("monitor/system/config-script/delete", {"id_list": [last["id"]]})
    assert last not in history(api)


def test_a_block_that_changes_by_itself(api: GatewayUnderTest) -> None:
    """FortiGuard's updates write it, while nobody is at work on the gateway."""
    texts = [take_backup(api) for _ in range(7)]
    blocks = [
        re.search(r"^config firewall internet-service-name$.*?^end$", text, re.S | re.M)[0]
        for text in texts
    ]
    assert all(one != other for one, other in pairwise(blocks))
    assert len({comparable(text) for text in texts}) == 1
    shown = api.names("firewall/internet-service-name")
    assert [f'edit "{name}"' in blocks[-1] for name in shown] == [True] * 4
    assert run_script(api, blocks[-1])[0] == 200, "a backup can be read again"


def test_backup_and_restore(api: GatewayUnderTest) -> None:
    api.post("cmdb/system/admin", {"name": "someone", "accprofile": "prof_admin",
                                   "password": "open-sesame"})
    saved = take_backup(api)
    again = take_backup(api)
    assert saved.startswith("#config-version=")
    assert saved != again
    assert settings(saved) == settings(again)
    assert "open-sesame" not in saved
    tables = ("firewall/policy", "firewall/address", "firewall.service/custom", "system/global",
              "system/interface", "firewall/addrgrp", "system/admin")
    before = [api.get(f"cmdb/{table}") for table in tables]
    api.delete("cmdb/firewall/policy")
    api.delete("cmdb/firewall.service/custom/FINGER")
    api.post("cmdb/firewall/address", {"name": "extra"})
    api.put("cmdb/system/global", {"hostname": "changed"})
    api.put("cmdb/system/admin/someone", {"password": "other"})
    api.post("monitor/system/config/restore", {
        "source": "upload", "scope": "global",
        "file_content": base64.b64encode(saved.encode()).decode()})
    assert [api.get(f"cmdb/{table}") for table in tables] == before
    assert settings(take_backup(api)) == settings(saved)
    admins = {row["name"]: row for row in api.applied()["config"]["system/admin"]}
    assert admins["someone"]["password"] == "open-sesame"


def test_restore_keeps_what_forward_references_need(api: GatewayUnderTest) -> None:
    api.post("cmdb/firewall/addrgrp", {"name": "early", "member": [{"name": "all"}]})
    api.post("cmdb/firewall/addrgrp", {"name": "late", "member": [{"name": "all"}]})
    api.put("cmdb/firewall/addrgrp/early", {"member": [{"name": "late"}]})
    saved = take_backup(api)
    api.post("monitor/system/config/restore", {
        "source": "upload", "scope": "global",
        "file_content": base64.b64encode(saved.encode()).decode()})
    assert settings(take_backup(api)) == settings(saved)
    assert api.call("DELETE", "cmdb/firewall/addrgrp/late").json()["error"] == -23


def test_restore_refuses_what_is_no_configuration(api: GatewayUnderTest) -> None:
    before = settings(take_backup(api))
    for content in ("not base64!", base64.b64encode(b"config system global\nend").decode(),
                    base64.b64encode(b"\xff\xfe").decode()):
        answer = api.call("POST", "monitor/system/config/restore",
                          {"source": "upload", "scope": "global", "file_content": content})
        assert answer.status_code in (424, 500)
    assert settings(take_backup(api)) == before


def test_revisions(api: GatewayUnderTest) -> None:
    number = api.post("monitor/system/config-revision/save",
                      {"comments": "before"})["results"]["config_id"]
    listed = api.get("monitor/system/config-revision")["revisions"][0]
    assert (listed["id"], listed["comment"], listed["admin"]) == (number, "before", "acceptance")
    api.post("cmdb/firewall/address", {"name": "after-revision"})
    api.post("monitor/system/config/restore",
             {"source": "revision", "scope": "global", "config_id": number})
    assert api.call("GET", "cmdb/firewall/address/after-revision").status_code == 404
    text = api.call("GET", f"monitor/system/config-revision/file?config_id={number}").text
    assert text.startswith("#config-version=")
    api.post("monitor/system/config-revision/delete", {"config_id": number})
    answer = api.call("POST", "monitor/system/config-revision/delete", {"config_id": number})
    assert answer.status_code == 404


def test_backup_is_a_post(api: GatewayUnderTest) -> None:
    assert api.call("GET", "monitor/system/config/backup?scope=global").status_code == 405


def test_a_thousand_policies_by_one_script(api: GatewayUnderTest) -> None:
    entries = "".join(
        f"edit 0\nset name bulk-{n}\nset srcintf port2\nset dstintf port1\nset srcaddr all\n"
        "set dstaddr all\nset service ALL\nset schedule always\nset action accept\nnext\n"
        for n in range(1000))
    status, _ = run_script(api, f"config firewall policy\n{entries}end\n")
    assert status == 200
    rows = api.get("cmdb/firewall/policy", params={"filter": "name=@bulk-", "format": "name"})
    assert [row["name"] for row in rows] == [f"bulk-{n}" for n in range(1000)]
    assert run_script(api, "config firewall policy\npurge\nend\n")[0] == 200
    assert api.names("firewall/policy") == []


def test_what_the_provider_delivers(make_gateway: MakeGateway) -> None:
    gateway = make_gateway(delivered=ROOT / "lab" / "delivered.conf")
    assert gateway.get("monitor/system/status")["hostname"] == "customer-gw"
    shaper = gateway.get("cmdb/firewall.shaper/traffic-shaper/sgw-200")[0]
    assert (shaper["maximum-bandwidth"], shaper["bandwidth-unit"]) == (326000, "kbps")
    rows = gateway.get("cmdb/firewall/policy")
    assert [row["name"] for row in rows] == ["customer-web"]
    assert [s["name"] for s in rows[0]["service"]] == ["HTTP", "HTTPS"]
    gateway.post("cmdb/firewall/policy", policy("kept"))
    gateway.kill()
    gateway.start()
    assert gateway.names("firewall/policy") == ["customer-web", "kept"]


def test_a_wrong_delivery_is_one_sentence(make_gateway: MakeGateway, tmp_path: Any) -> None:
    import subprocess
    import sys

    file = tmp_path / "wrong.conf"
    file.write_text("config system global\nset colour blue\nend\n")
    (tmp_path / "api-token").write_text("x")
    result = subprocess.run(
        [sys.executable, "-m", "lab.gateway", "--folder", str(tmp_path), "--address", "127.0.0.1",
         "--serial", "LABX", "--delivered", str(file)],
        capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert result.returncode == 1
    assert "line 2 'set colour blue'" in result.stderr
    assert "Traceback" not in result.stderr
