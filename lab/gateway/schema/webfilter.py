"""config webfilter urlfilter and config webfilter profile."""

from __future__ import annotations

import re

from lab.gateway.errors import bad_value, missing
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
    number_reference,
    option,
    parsed,
    string,
    toggle,
    toggles,
    words,
)

_EXEMPT = (
    "av",
    "web-content",
    "activex-java-cookie",
    "dlp",
    "fortiguard",
    "range-block",
    "pass",
    "antiphish",
    "all",
)


def _check_urlfilter(row: Row, view: View) -> None:
    for entry in row["entries"]:
        if not entry["url"]:
            raise missing("url")
        if entry["type"] == "regex":
            try:
                re.compile(entry["url"])
            except re.error:
                raise bad_value("url", entry["url"], "a regular expression") from None


URLFILTER = Table(
    "webfilter/urlfilter",
    attributes(
        integer("id"),
        string("name", 63),
        string("comment", 255),
        toggles("one-arm-ips-urlfilter", "ip-addr-block"),
        toggle("ip4-mapped-ip6"),
        toggle("include-subdomains", since=(7, 6, 3)),
        child(
            "entries",
            integer("id"),
            string("url", 511),
            option("type", "simple", "regex", "wildcard"),
            option("action", "exempt", "block", "allow", "monitor"),
            option("antiphish-action", "block", "log"),
            toggle("status", "enable"),
            option(
                "exempt",
                *_EXEMPT,
                multiple=True,
                may_be_empty=True,
                default=" ".join(name for name in _EXEMPT if name != "pass"),
            ),
            string("referrer-host", 255),
            option("dns-address-family", "ipv4", "ipv6", "both"),
            string("comment", 255, since=(7, 6, 4)),
        ),
    ),
    mkey="id",
    access="utmgrp",
    check=_check_urlfilter,
)

_OFF_BY_DEFAULT = ("log-all-url",)
_LOGS = (
    "web-content-log",
    "web-filter-activex-log",
    "web-filter-command-block-log",
    "web-filter-cookie-log",
    "web-filter-applet-log",
    "web-filter-jscript-log",
    "web-filter-js-log",
    "web-filter-vbs-log",
    "web-filter-unknown-log",
    "web-filter-referer-log",
    "web-filter-cookie-removal-log",
    "web-url-log",
    "web-invalid-domain-log",
    "web-ftgd-err-log",
    "web-ftgd-quota-usage",
)
_SCRIPTS = (
    "activexfilter",
    "cookiefilter",
    "javafilter",
    "block-invalid-url",
    "jscript",
    "js",
    "vbs",
    "unknown",
    "intrinsic",
    "wf-referer",
    "wf-cookie",
    "per-user-bal",
)

# What a new device blocks; nothing in the lab rates a page by category.
_BLOCKED = (2, 7, 8, 9, 11, 12, 13, 14, 15, 16, 57, 63, 64, 65, 66, 67, 26, 61, 86, 88, 90, 91)


def _blocking() -> dict[str, object]:
    return {
        "options": "",
        "filters": [
            {"id": number, "category": category, "action": "block"}
            for number, category in enumerate(_BLOCKED, 1)
        ],
    }


PROFILE = Table(
    "webfilter/profile",
    attributes(
        key_name(47),
        string("comment", 255),
        option("feature-set", "flow", "proxy"),
        string("replacemsg-group", 35),
        option("options", *_SCRIPTS, multiple=True),
        toggle("https-replacemsg", "enable"),
        option("web-flow-log-encoding", "utf-8", "punycode", since=(7, 4, 2)),
        option(
            "ovrd-perm",
            "bannedword-override",
            "urlfilter-override",
            "fortiguard-wf-override",
            "contenttype-check-override",
            multiple=True,
        ),
        option("post-action", "normal", "block"),
        child(
            "web",
            integer("bword-threshold", 0, 2147483647, 10),
            integer("bword-table"),
            number_reference("urlfilter-table", "webfilter/urlfilter"),
            integer("content-header-list"),
            toggle("blocklist"),
            option(
                "allowlist",
                "exempt-av",
                "exempt-webcontent",
                "exempt-activex-java-cookie",
                "exempt-dlp",
                "exempt-rangeblock",
                "extended-log-others",
                multiple=True,
            ),
            option("safe-search", "url", "header", multiple=True),
            option("youtube-restrict", "none", "strict", "moderate"),
            string("vimeo-restrict", 63),
            toggle("log-search"),
            chosen("keyword-match", values.string(79), key="pattern", kind="string", default=""),
            mkey=None,
        ),
        child(
            "ftgd-wf",
            option(
                "options",
                "error-allow",
                "rate-server-ip",
                "connect-request-bypass",
                "ftgd-disable",
                multiple=True,
                default="ftgd-disable",
                may_be_empty=True,
            ),
            words("exempt-quota", "17", may_be_empty=True),
            words("ovrd"),
            child(
                "filters",
                integer("id", 0, 255),
                integer("category", 0, 255),
                option("action", "block", "authenticate", "monitor", "warning", default="monitor"),
                parsed("warn-duration", "user", values.string(15), "5m"),
                toggle("log", "enable"),
                string("override-replacemsg", 28),
                option("warning-prompt", "per-domain", "per-category", default="per-category"),
                option("warning-duration-type", "session", "timeout", default="timeout"),
            ),
            integer("max-quota-timeout", 1, 86400, 300),
            toggle("rate-javascript-urls", "enable"),
            toggle("rate-css-urls", "enable"),
            toggle("rate-crl-urls", "enable"),
            mkey=None,
        ),
        toggle("wisp"),
        option(
            "wisp-algorithm",
            "primary-secondary",
            "round-robin",
            "auto-learning",
            default="auto-learning",
        ),
        toggles(*_OFF_BY_DEFAULT),
        [toggle(name, "enable") for name in _LOGS],
        toggle("extended-log"),
        toggle("web-extended-all-action-log"),
        toggle("web-antiphishing-log", "enable"),
    ),
    access="utmgrp",
    factory=(
        {"name": "default", "comment": "Default web filtering.", "ftgd-wf": _blocking()},
        {"name": "sniffer-profile", "comment": "Monitor web traffic.", "ftgd-wf": {"options": ""}},
        {
            "name": "wifi-default",
            "comment": "Default configuration for offloading WiFi traffic.",
            "options": "block-invalid-url",
            "ftgd-wf": _blocking(),
        },
        {
            "name": "monitor-all",
            "comment": "Monitor and log all visited URLs, flow-based.",
            "ftgd-wf": {"options": ""},
            "log-all-url": "enable",
            **dict.fromkeys(
                (
                    "web-content-log",
                    "web-filter-command-block-log",
                    "web-filter-cookie-log",
                    "web-url-log",
                    "web-invalid-domain-log",
                    "web-ftgd-err-log",
                ),
                "disable",
            ),
        },
    ),
)

TABLES = (URLFILTER, PROFILE)
