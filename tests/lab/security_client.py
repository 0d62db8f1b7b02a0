"""Words in which the tests of the security services speak to a gateway."""

from __future__ import annotations

import base64
from typing import Any

from gateway_client import GatewayUnderTest

from gatepass.gateway.configuration import comparable

IPS_CUSTOM, SENSOR = "cmdb/ips/custom", "cmdb/ips/sensor"
APP_CUSTOM, APP_LIST = "cmdb/application/custom", "cmdb/application/list"
URLFILTER, WEBFILTER = "cmdb/webfilter/urlfilter", "cmdb/webfilter/profile"
POLICY = "cmdb/firewall/policy"
TABLES = (
    "antivirus/profile",
    "webfilter/urlfilter",
    "webfilter/profile",
    "application/custom",
    "application/list",
    "ips/custom",
    "ips/sensor",
    "file-filter/profile",
    "firewall/ssl-ssh-profile",
    "firewall/profile-protocol-options",
    "firewall/address",
    "firewall/policy",
    "firewall/proxy-policy",
    "web-proxy/explicit",
    "web-proxy/global",
    "system/interface",
)


def signature(name: str, **rest: Any) -> str:
    """A signature for a word in the request."""
    options = "".join(f"--{key} {value}; " for key, value in rest.items())
    return f'F-SBID( --name "{name}"; --service HTTP; --pattern "{name}"; {options})'


def run_script(api: GatewayUnderTest, text: str) -> tuple[int, dict[str, Any]]:
    """Upload a script; answers status and body."""
    body = {"filename": "test.conf", "file_content": base64.b64encode(text.encode()).decode()}
    answer = api.call("POST", "monitor/system/config-script/upload", body)
    return answer.status_code, answer.json()


def backup(api: GatewayUnderTest) -> str:
    """The configuration as text."""
    return api.call(
        "POST", "monitor/system/config/backup", {"destination": "file", "scope": "global"}
    ).text


def settings(text: str) -> list[str]:
    """The lines of a backup that stay the same from one to the next."""
    return comparable(text).splitlines()


def refused(api: GatewayUnderTest, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """The error number and text of a call that must fail."""
    answer = api.call(method, path, body)
    assert answer.status_code == 500, answer.text
    return answer.json()["error"], answer.json()["cli_error"]
