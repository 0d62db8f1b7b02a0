"""The tables of the security services as text: scripts, backup, restore."""

from __future__ import annotations

import base64

from gateway_client import GatewayUnderTest
from security_client import (
    APP_CUSTOM,
    APP_LIST,
    IPS_CUSTOM,
    POLICY,
    SENSOR,
    TABLES,
    URLFILTER,
    WEBFILTER,
    backup,
    refused,
    run_script,
    settings,
    signature,
)

from conftest import MakeGateway

SCRIPT = r"""
config ips custom
    edit "exploit"
        set signature "F-SBID( --attack_id 3001; --name \"Lab.Exploit\"; --pattern \"/evil\"; )"
        set severity critical
        set action block
    next
end
config ips sensor
    edit "gp-ips"
        config entries
            edit 1
                set rule 3001 29844
                set status enable
                set action block
            next
            edit 2
                set severity high critical
            next
        end
    next
end
config application custom
    edit "app"
        set signature 'F-SBID( --attack_id 3002; --name "App"; --pattern "x-app"; --app_cat 25; )'
    next
end
config application list
    edit "gp-app"
        unset options
        set options ''
        config entries
            edit 1
                set application 3002
                set action block
            next
            edit 2
                set category 2 6
            next
        end
    next
end
config antivirus profile
    edit "gp-av"
        config http
            set av-scan block
            set archive-log encrypted nested
        end
        config ftp
            set av-scan monitor
        end
    next
end
config webfilter urlfilter
    edit 7
        set name "gp"
        config entries
            edit 1
                set url "bad.lab"
                set action block
            next
            edit 2
                set url "^.*\\.bad\\.lab$"
                set type regex
                set action block
                set exempt av
            next
        end
    next
end
config webfilter profile
    edit "gp-web"
        config web
            set urlfilter-table 7
        end
        config ftgd-wf
            set options error-allow
        end
    next
end
config file-filter profile
    edit "gp-files"
        config rules
            edit "no programs"
                set protocol http ftp
                set action block
                set file-type "exe" "bat" "elf"
            next
        end
    next
end
config firewall ssl-ssh-profile
    edit "gp-tls"
        config https
            set ports 443 8443
            set status certificate-inspection
        end
        config ssl-exempt
            edit 1
                set type address
                set address "all"
            next
        end
    next
end
config firewall profile-protocol-options
    edit "gp-ports"
        config http
            set ports 80 8080
            unset options
        end
    next
end
config firewall address
    edit "finland"
        set type geography
        set country "FI"
    next
end
config firewall policy
    edit 0
        set name "inspected"
        set srcintf "port2"
        set dstintf "port1"
        set srcaddr "all"
        set dstaddr "finland"
        set service "HTTP"
        set schedule "always"
        set action accept
        set utm-status enable
        set av-profile "gp-av"
        set webfilter-profile "gp-web"
        set application-list "gp-app"
        set ips-sensor "gp-ips"
        set file-filter-profile "gp-files"
        set ssl-ssh-profile "gp-tls"
        set profile-protocol-options "gp-ports"
    next
end
config web-proxy explicit
    set status enable
    set http-incoming-port 8081
end
config firewall proxy-policy
    edit 1
        set proxy explicit-web
        set dstintf "port1"
        set srcaddr "all"
        set dstaddr "all"
        set service "HTTP"
        set schedule "always"
        set action accept
        set av-profile "gp-av"
    next
end
"""


def test_script_backup_and_restore(make_gateway: MakeGateway) -> None:
    api = make_gateway()
    delivered = settings(backup(api))
    status, answer = run_script(api, SCRIPT)
    assert status == 200, answer
    assert api.get(f"{SENSOR}/gp-ips")[0]["entries"][0]["rule"][0]["id"] == 3001
    assert api.get(f"{APP_LIST}/gp-app")[0]["options"] == ""
    assert api.get(f"{URLFILTER}/7")[0]["entries"][1]["url"] == r"^.*\.bad\.lab$"
    files = api.get("cmdb/file-filter/profile/gp-files")[0]["rules"][0]["file-type"]
    assert [row["name"] for row in files] == ["exe", "bat", "elf"]
    before, saved = [api.get(f"cmdb/{table}") for table in TABLES], backup(api)
    assert settings(saved) != delivered
    api.delete(POLICY)
    api.delete("cmdb/firewall/proxy-policy")
    for path in (
        f"{SENSOR}/gp-ips",
        f"{IPS_CUSTOM}/exploit",
        f"{APP_LIST}/gp-app",
        f"{APP_CUSTOM}/app",
        f"{WEBFILTER}/gp-web",
        f"{URLFILTER}/7",
        f"{WEBFILTER}/default",
    ):
        api.delete(path)
    api.post(
        "monitor/system/config/restore",
        {
            "source": "upload",
            "scope": "global",
            "file_content": base64.b64encode(saved.encode()).decode(),
        },
    )
    assert [api.get(f"cmdb/{table}") for table in TABLES] == before
    assert settings(backup(api)) == settings(saved)
    assert refused(api, "DELETE", f"{IPS_CUSTOM}/exploit")[0] == -23
    assert refused(api, "DELETE", f"{URLFILTER}/7")[0] == -23
    # the same text as a script changes nothing, and says nothing of the read-only profiles
    text = "\n".join(line for line in saved.splitlines() if "ENC " not in line)
    status, answer = run_script(api, text)
    assert status == 200, answer
    assert [api.get(f"cmdb/{table}") for table in TABLES] == before


def test_a_script_is_told_what_is_wrong_with_a_signature(api: GatewayUnderTest) -> None:
    status, answer = run_script(
        api,
        """config ips custom
    edit "x"
        set signature 'F-SBID( --name "x"; --pattern "y"; --byte_test 1; )'
    next
end
""",
    )
    assert status == 500
    assert "--byte_test" in answer["cli_error"]
    assert api.get(IPS_CUSTOM) == []


def test_removing_what_was_made_leaves_the_device_as_it_was(make_gateway: MakeGateway) -> None:
    api = make_gateway()
    before = settings(backup(api))
    number = api.post(URLFILTER, {"id": 0, "name": "gp"})["mkey"]
    api.post(WEBFILTER, {"name": "gp", "web": {"urlfilter-table": number}})
    api.post(IPS_CUSTOM, {"tag": "gp", "signature": signature("gp")})
    api.post(SENSOR, {"name": "gp", "entries": [{"rule": [{"id": 2000}]}]})
    assert settings(backup(api)) != before
    api.delete(f"{SENSOR}/gp")
    api.delete(f"{IPS_CUSTOM}/gp")
    api.delete(f"{WEBFILTER}/gp")
    api.delete(f"{URLFILTER}/{number}")
    assert settings(backup(api)) == before
