"""config antivirus profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Attribute,
    Table,
    attributes,
    child,
    integer,
    key_name,
    option,
    parsed,
    string,
    toggle,
)

_ARCHIVES = (
    "encrypted",
    "corrupted",
    "partiallycorrupted",
    "multipart",
    "nested",
    "mailbomb",
    "timeout",
    "unhandled",
)
_ON_ERROR = ("log-only", "block", "ignore")
_DISARMED = (
    "office-macro",
    "office-hylink",
    "office-linked",
    "office-embed",
    "office-dde",
    "office-action",
    "pdf-javacode",
    "pdf-embedfile",
    "pdf-hyperlink",
    "pdf-act-gotor",
    "pdf-act-launch",
    "pdf-act-sound",
    "pdf-act-movie",
    "pdf-act-java",
    "pdf-act-form",
)


def _reaction(name: str) -> Attribute:
    return option(name, "disable", "block", "monitor")


def _protocol(name: str, *more: Attribute) -> Attribute:
    """What is done about the files of one protocol."""
    return child(
        name,
        _reaction("av-scan"),
        _reaction("outbreak-prevention"),
        _reaction("external-blocklist"),
        option("malware-stream", "disable", "block", "monitor", since=(7, 6, 3)),
        _reaction("fortindr"),
        _reaction("fortisandbox"),
        toggle("quarantine"),
        option("archive-block", *_ARCHIVES, multiple=True),
        option("archive-log", *_ARCHIVES, multiple=True),
        toggle("emulator", "enable"),
        more,
        mkey=None,
    )


def _executables() -> Attribute:
    return option("executables", "default", "virus")


def _scanning(*protocols: str) -> dict[str, Mapping[str, Any]]:
    """The protocols of a factory profile, in which executables in mail count as viruses."""
    mail = ("imap", "pop3", "smtp")
    return {
        name: {"av-scan": "block"} | ({"executables": "virus"} if name in mail else {})
        for name in protocols
    }


_USUAL = ("http", "ftp", "imap", "pop3", "smtp")

PROFILE = Table(
    "antivirus/profile",
    attributes(
        key_name(47),
        string("comment", 255),
        string("replacemsg-group", 35),
        option("feature-set", "flow", "proxy"),
        option(
            "fortisandbox-mode",
            "inline",
            "analytics-suspicious",
            "analytics-everything",
            default="analytics-suspicious",
        ),
        integer("fortisandbox-max-upload", 1, 4294967295, 10),
        integer("analytics-ignore-filetype"),
        integer("analytics-accept-filetype"),
        toggle("analytics-db"),
        toggle("mobile-malware-db", "enable"),
        _protocol("http", toggle("content-disarm")),
        _protocol("ftp"),
        _protocol("imap", _executables(), toggle("content-disarm")),
        _protocol("pop3", _executables(), toggle("content-disarm")),
        _protocol("smtp", _executables(), toggle("content-disarm")),
        _protocol("mapi", _executables()),
        _protocol("nntp"),
        _protocol("cifs"),
        _protocol("ssh"),
        child(
            "nac-quar",
            option("infected", "none", "quar-src-ip"),
            parsed("expiry", "user", values.string(15), "5m"),
            toggle("log"),
            mkey=None,
        ),
        child(
            "content-disarm",
            option(
                "original-file-destination",
                "fortisandbox",
                "quarantine",
                "discard",
                default="discard",
            ),
            option("error-action", "block", "log-only", "ignore", default="log-only"),
            [toggle(name, "enable") for name in _DISARMED],
            toggle("cover-page", "enable"),
            toggle("detect-only"),
            mkey=None,
        ),
        toggle("outbreak-prevention-archive-scan", "enable"),
        toggle("external-blocklist-enable-all"),
        toggle("ems-threat-feed"),
        option("fortindr-error-action", *_ON_ERROR),
        option("fortindr-timeout-action", *_ON_ERROR),
        option("fortisandbox-error-action", *_ON_ERROR),
        option("fortisandbox-timeout-action", *_ON_ERROR),
        toggle("av-virus-log", "enable"),
        toggle("extended-log"),
        option("scan-mode", "default", "legacy"),
    ),
    access="utmgrp",
    factory=(
        {"name": "default", "comment": "Scan files and block viruses.", **_scanning(*_USUAL)},
        {
            "name": "sniffer-profile",
            "comment": "Scan files and monitor viruses.",
            **_scanning(*_USUAL, "cifs"),
        },
        {
            "name": "wifi-default",
            "comment": "Default configuration for offloading WiFi traffic.",
            **_scanning(*_USUAL),
        },
    ),
)

TABLES = (PROFILE,)
