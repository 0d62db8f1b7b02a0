"""config ips custom and config ips sensor."""

from __future__ import annotations

from typing import Any

from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    child,
    chosen,
    integer,
    key_name,
    number_members,
    option,
    parsed,
    string,
    toggle,
    words,
)
from lab.gateway.schema.signatures import FIRST_IPS_RULE, IPS_RULE_IDS, SEVERITIES, numbered

CUSTOM_PATH = "ips/custom"


def _completed(row: Row, view: View) -> Row:
    """With the number that the signature names, or the next one."""
    numbered(row, "rule-id", FIRST_IPS_RULE, view.taken(CUSTOM_PATH, "rule-id"), IPS_RULE_IDS)
    return row


CUSTOM = Table(
    CUSTOM_PATH,
    attributes(
        key_name(63, "tag"),
        string("signature", 4095),
        integer("rule-id"),
        option("severity", *SEVERITIES, default=""),
        words("location"),
        words("os"),
        words("application"),
        words("protocol"),
        toggle("status", "enable"),
        toggle("log", "enable"),
        toggle("log-packet"),
        option("action", "pass", "block"),
        string("comment", 63),
    ),
    mkey="tag",
    access="utmgrp",
    unique=("rule-id",),
    handle="rule-id",
    complete=_completed,
)


def _sensor(name: str, comment: str, *entries: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {
        "name": name,
        "comment": comment,
        **rest,
        "entries": [{"id": number, **entry} for number, entry in enumerate(entries, 1)],
    }


_SERIOUS = {"severity": "medium high critical"}

SENSOR = Table(
    "ips/sensor",
    attributes(
        key_name(47),
        string("comment", 255),
        string("replacemsg-group", 35),
        toggle("block-malicious-url"),
        option("scan-botnet-connections", "disable", "block", "monitor"),
        toggle("extended-log"),
        child(
            "entries",
            integer("id"),
            number_members("rule", CUSTOM_PATH, literals=IPS_RULE_IDS),
            option("location", "server", "client", "all", multiple=True, default="all"),
            option("severity", *SEVERITIES, "all", multiple=True, default="all"),
            words("protocol", "all"),
            words("os", "all"),
            words("application", "all"),
            option("default-action", "all", "pass", "block"),
            option("default-status", "all", "enable", "disable"),
            chosen("cve", values.string(19), key="cve-entry", kind="string", default=""),
            chosen("vuln-type", values.integer(1, 4294967295), key="id", kind="integer", default=0),
            words("last-modified"),
            option("status", "disable", "enable", "default", default="default"),
            toggle("log", "enable"),
            toggle("log-packet"),
            toggle("log-attack-context"),
            option("action", "pass", "block", "reset", "default", default="default"),
            integer("rate-count", 0, 65535),
            integer("rate-duration", 1, 65535, 60),
            option("rate-mode", "periodical", "continuous", default="continuous"),
            option("rate-track", "none", "src-ip", "dest-ip", "dhcp-client-mac", "dns-domain"),
            child(
                "exempt-ip",
                integer("id"),
                parsed("src-ip", "ipv4-classnet", values.ipv4_network, "0.0.0.0 0.0.0.0"),
                parsed("dst-ip", "ipv4-classnet", values.ipv4_network, "0.0.0.0 0.0.0.0"),
            ),
            option("quarantine", "none", "attacker"),
            parsed("quarantine-expiry", "user", values.string(15), "5m"),
            toggle("quarantine-log", "enable"),
        ),
    ),
    access="utmgrp",
    factory=(
        _sensor("default", "Prevent critical attacks.", _SERIOUS),
        _sensor("sniffer-profile", "Monitor IPS attacks.", _SERIOUS),
        _sensor("wifi-default", "Default configuration for offloading WiFi traffic.", _SERIOUS),
        _sensor("all_default", "All predefined signatures with default setting.", {}),
        _sensor(
            "all_default_pass", "All predefined signatures with PASS action.", {"action": "pass"}
        ),
        _sensor(
            "protect_http_server",
            "Protect against HTTP server-side vulnerabilities.",
            {"location": "server", "protocol": "HTTP"},
        ),
        _sensor(
            "protect_email_server",
            "Protect against email server-side vulnerabilities.",
            {"location": "server", "protocol": "SMTP POP3 IMAP"},
        ),
        _sensor(
            "protect_client", "Protect against client-side vulnerabilities.", {"location": "client"}
        ),
        _sensor(
            "high_security",
            "Blocks all Critical/High/Medium and some Low severity vulnerabilities",
            _SERIOUS | {"status": "enable", "action": "block"},
            {"severity": "low"},
            **{"block-malicious-url": "enable"},
        ),
    ),
)

TABLES = (CUSTOM, SENSOR)
