"""config application custom and config application list."""

from __future__ import annotations

from lab.gateway.errors import bad_value
from lab.gateway.schema import values
from lab.gateway.schema.firewall_shaper import SHAPER_PATH
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
    reference,
    string,
    toggle,
    words,
)
from lab.gateway.schema.signatures import (
    APPLICATION_IDS,
    CATEGORIES,
    FIRST_APPLICATION,
    numbered,
)

CUSTOM_PATH = "application/custom"


def _completed(row: Row, view: View) -> Row:
    """With the number that the signature names, or the next; the category that it names."""
    taken = view.taken(CUSTOM_PATH, "id")
    signature = numbered(row, "id", FIRST_APPLICATION, taken, APPLICATION_IDS)
    if signature.category is not None:
        row["category"] = signature.category
    if row["category"] not in CATEGORIES:
        raise bad_value("category", row["category"], " ".join(map(str, CATEGORIES)))
    return row


CUSTOM = Table(
    CUSTOM_PATH,
    attributes(
        key_name(63, "tag"),
        integer("id"),
        string("comment", 63),
        string("signature", 4095),
        integer("category", 0, 255),
        words("protocol"),
        words("technology"),
        words("behavior"),
        words("vendor"),
    ),
    mkey="tag",
    access="utmgrp",
    unique=("id",),
    handle="id",
    complete=_completed,
)

_SERVICES = ("http", "ssh", "telnet", "ftp", "dns", "smtp", "pop3", "imap", "snmp", "nntp", "https")

LIST = Table(
    "application/list",
    attributes(
        key_name(47),
        string("comment", 255),
        string("replacemsg-group", 35),
        toggle("extended-log"),
        option("other-application-action", "pass", "block"),
        toggle("app-replacemsg", "enable"),
        toggle("other-application-log"),
        toggle("enforce-default-app-port"),
        toggle("force-inclusion-ssl-di-sigs"),
        option("unknown-application-action", "pass", "block"),
        toggle("unknown-application-log"),
        option("p2p-block-list", "skype", "edonkey", "bittorrent", multiple=True),
        toggle("deep-app-inspection", "enable"),
        option(
            "options",
            "allow-dns",
            "allow-icmp",
            "allow-http",
            "allow-ssl",
            multiple=True,
            default="allow-dns",
            may_be_empty=True,
        ),
        child(
            "entries",
            integer("id"),
            chosen("risk", values.one_of(range(1, 6)), key="level", kind="integer", default=0),
            chosen("category", values.one_of(CATEGORIES), key="id", kind="integer", default=0),
            number_members("application", CUSTOM_PATH, literals=APPLICATION_IDS),
            words("protocols", "all"),
            words("vendor", "all"),
            words("technology", "all"),
            words("behavior", "all"),
            option("popularity", "1", "2", "3", "4", "5", multiple=True, default="1 2 3 4 5"),
            number_members("exclusion", CUSTOM_PATH, literals=APPLICATION_IDS),
            option("action", "pass", "block", "reset", default="block"),
            toggle("log", "enable"),
            toggle("log-packet"),
            integer("rate-count", 0, 65535),
            integer("rate-duration", 1, 65535, 60),
            option("rate-mode", "periodical", "continuous", default="continuous"),
            option("rate-track", "none", "src-ip", "dest-ip", "dhcp-client-mac", "dns-domain"),
            integer("session-ttl"),
            reference("shaper", SHAPER_PATH, size=35),
            reference("shaper-reverse", SHAPER_PATH, size=35),
            option("quarantine", "none", "attacker"),
            parsed("quarantine-expiry", "user", values.string(15), "5m"),
            toggle("quarantine-log", "enable"),
        ),
        toggle("control-default-network-services"),
        child(
            "default-network-services",
            integer("id"),
            integer("port", 0, 65535),
            option("services", *_SERVICES, multiple=True),
            option("violation-action", "pass", "monitor", "block", default="block"),
        ),
    ),
    access="utmgrp",
    factory=(
        {
            "name": "default",
            "comment": "Monitor all applications.",
            "entries": [{"id": 1, "action": "pass"}],
        },
        {
            "name": "sniffer-profile",
            "comment": "Monitor all applications.",
            "options": "",
            "entries": [{"id": 1, "action": "pass"}],
        },
        {
            "name": "wifi-default",
            "comment": "Default configuration for offloading WiFi traffic.",
            "deep-app-inspection": "disable",
            "entries": [{"id": 1, "action": "pass", "log": "disable"}],
        },
        {
            "name": "block-high-risk",
            "entries": [{"id": 1, "category": [{"id": 2}, {"id": 6}]}, {"id": 2, "action": "pass"}],
        },
    ),
)

TABLES = (CUSTOM, LIST)
