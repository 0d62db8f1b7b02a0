"""config firewall profile-protocol-options: ports and limits of what is inspected."""

from __future__ import annotations

from lab.gateway.schema.model import (
    Attribute,
    Table,
    attributes,
    child,
    integer,
    key_name,
    option,
    ports,
    string,
    toggle,
)

PATH = "firewall/profile-protocol-options"


def _ports(port: int, *, inspect_all: bool = True) -> list[Attribute]:
    return [
        ports("ports", str(port)),
        toggle("status", "enable"),
        *([toggle("inspect-all")] if inspect_all else []),
    ]


def _limits() -> list[Attribute]:
    """Sizes in MB, nesting in levels."""
    return [
        integer("oversize-limit", 1, 4095, 10),
        integer("uncompressed-oversize-limit", 0, 4095, 10),
        integer("uncompressed-nest-limit", 2, 100, 12),
        toggle("scan-bzip2", "enable"),
    ]


def _comfort() -> list[Attribute]:
    return [integer("comfort-interval", 1, 900, 10), integer("comfort-amount", 1, 65535, 1)]


def _window() -> list[Attribute]:
    return [
        option("tcp-window-type", "auto-tuning", "system", "static", "dynamic"),
        integer("tcp-window-minimum", 65536, 1048576, 131072),
        integer("tcp-window-maximum", 1048576, 16777216, 8388608),
        integer("tcp-window-size", 65536, 16777216, 262144),
    ]


def _stream_limit() -> Attribute:
    return integer("stream-based-uncompressed-limit")


def _offloaded() -> Attribute:
    return option("ssl-offloaded", "no", "yes")


def _mail(name: str, port: int, *rest: Attribute) -> Attribute:
    return child(
        name,
        _ports(port),
        toggle("proxy-after-tcp-handshake"),
        option("options", "fragmail", "oversize", "splice", multiple=True),
        _limits(),
        _offloaded(),
        rest,
        mkey=None,
    )


PROFILE = Table(
    PATH,
    attributes(
        key_name(47),
        string("comment", 255),
        string("replacemsg-group", 35),
        toggle("oversize-log"),
        toggle("switching-protocols-log"),
        child(
            "http",
            _ports(80),
            toggle("proxy-after-tcp-handshake"),
            option(
                "options",
                "clientcomfort",
                "servercomfort",
                "oversize",
                "chunkedbypass",
                multiple=True,
            ),
            _comfort(),
            toggle("range-block"),
            toggle("strip-x-forwarded-for"),
            toggle("streaming-content-bypass", "enable"),
            option("switching-protocols", "bypass", "block"),
            option("unknown-http-version", "reject", "tunnel", "best-effort"),
            toggle("tunnel-non-http", "enable"),
            toggle("h2c"),
            option("unknown-content-encoding", "block", "inspect", "bypass"),
            _limits(),
            _stream_limit(),
            toggle("verify-dns-for-policy-matching"),
            integer("block-page-status-code", 100, 599, 403),
            integer("retry-count", 0, 100),
            option(
                "domain-fronting", "allow", "monitor", "block", default="block", since=(7, 6, 0)
            ),
            _window(),
            _offloaded(),
            toggle("address-ip-rating", "enable"),
            mkey=None,
        ),
        child(
            "ftp",
            _ports(21),
            option(
                "options",
                "clientcomfort",
                "oversize",
                "splice",
                "bypass-rest-command",
                "bypass-mode-command",
                multiple=True,
            ),
            _comfort(),
            _limits(),
            _stream_limit(),
            _window(),
            _offloaded(),
            toggle("explicit-ftp-tls"),
            mkey=None,
        ),
        _mail("imap", 143),
        child(
            "mapi",
            _ports(135, inspect_all=False),
            option("options", "fragmail", "oversize", multiple=True),
            _limits(),
            mkey=None,
        ),
        _mail("pop3", 110),
        _mail("smtp", 25, toggle("server-busy")),
        child(
            "nntp",
            _ports(119),
            toggle("proxy-after-tcp-handshake"),
            option("options", "oversize", "splice", multiple=True),
            _limits(),
            mkey=None,
        ),
        child(
            "ssh",
            option("options", "oversize", "clientcomfort", "servercomfort", multiple=True),
            _comfort(),
            _limits(),
            _stream_limit(),
            _window(),
            _offloaded(),
            mkey=None,
        ),
        child("dns", ports("ports", "53"), toggle("status", "enable"), mkey=None),
        child(
            "cifs",
            _ports(445, inspect_all=False),
            option("options", "oversize", multiple=True),
            _limits(),
            _window(),
            mkey=None,
        ),
        child("mail-signature", toggle("status"), string("signature", 1023), mkey=None),
        toggle("rpc-over-http"),
    ),
    access="utmgrp",
    factory=(
        {
            "name": "default",
            "comment": "All default services.",
            "ftp": {"options": "splice"},
            "imap": {"options": "fragmail"},
            "mapi": {"options": "fragmail"},
            "pop3": {"options": "fragmail"},
            "smtp": {"options": "fragmail splice"},
            "nntp": {"options": "splice"},
        },
    ),
)

TABLES = (PROFILE,)
