"""config firewall ssl-ssh-profile: what is looked into of encrypted traffic.

A device exempts some sixty host names of large providers from deep inspection; the lab has no
table of wildcard names, so only the two exempted categories are here.
"""

from __future__ import annotations

from typing import Any

from lab.gateway.schema.model import (
    Attribute,
    Table,
    attributes,
    child,
    integer,
    key_name,
    option,
    ports,
    reference,
    string,
    toggle,
)

PATH = "firewall/ssl-ssh-profile"

_CERTIFICATE, _DEEP = "certificate-inspection", "deep-inspection"


def _tls() -> list[Attribute]:
    """What is done about certificates and versions, alike for each protocol."""
    return [
        option("client-certificate", "bypass", "inspect", "block"),
        option("unsupported-ssl-version", "allow", "block", default="block"),
        option("unsupported-ssl-cipher", "allow", "block"),
        option("unsupported-ssl-negotiation", "allow", "block"),
        option("expired-server-cert", "allow", "block", "ignore", default="block"),
        option("revoked-server-cert", "allow", "block", "ignore", default="block"),
        option("untrusted-server-cert", "allow", "block", "ignore"),
        option("cert-validation-timeout", "allow", "block", "ignore"),
        option("cert-validation-failure", "allow", "block", "ignore", default="block"),
        option("sni-server-cert-check", "enable", "strict", "disable"),
    ]


def _extra() -> list[Attribute]:
    return [
        option("cert-probe-failure", "allow", "block", default="block"),
        option("encrypted-client-hello", "allow", "block", default="block", since=(7, 4, 4)),
        _lowest_version(),
    ]


def _lowest_version() -> Attribute:
    return option(
        "min-allowed-ssl-version",
        "ssl-3.0",
        "tls-1.0",
        "tls-1.1",
        "tls-1.2",
        "tls-1.3",
        default="tls-1.1",
    )


def _protocol(name: str, port: int, *rest: Attribute) -> Attribute:
    return child(
        name,
        ports("ports", str(port)),
        option("status", "disable", _DEEP, default=_DEEP),
        rest,
        _tls(),
        mkey=None,
    )


def _quic() -> Attribute:
    return option("quic", "inspect", "bypass", "block", since=(7, 4, 2))


def _after_handshake() -> Attribute:
    return toggle("proxy-after-tcp-handshake")


def _with_status(https: str, others: str) -> dict[str, Any]:
    return {
        "https": {"status": https},
        **{name: {"status": others} for name in ("ftps", "imaps", "pop3s", "smtps")},
        "ssh": {"status": "disable"},
        "dot": {"status": "disable"},
    }


_EXEMPT = [{"id": 1, "fortiguard-category": 31}, {"id": 2, "fortiguard-category": 33}]
_READ_ONLY = ("certificate-inspection", "deep-inspection", "no-inspection")

PROFILE = Table(
    PATH,
    attributes(
        key_name(47),
        string("comment", 255),
        child(
            "ssl",
            option("inspect-all", "disable", _CERTIFICATE, _DEEP),
            _tls(),
            _extra(),
            mkey=None,
        ),
        child(
            "https",
            ports("ports", "443"),
            option("status", "disable", _CERTIFICATE, _DEEP, default=_DEEP),
            _quic(),
            _after_handshake(),
            _tls(),
            _extra(),
            mkey=None,
        ),
        _protocol("ftps", 990, _lowest_version()),
        _protocol("imaps", 993, _after_handshake()),
        _protocol("pop3s", 995, _after_handshake()),
        _protocol("smtps", 465, _after_handshake()),
        child(
            "ssh",
            ports("ports", "22"),
            option("status", "disable", _DEEP, default=_DEEP),
            option("inspect-all", "disable", _DEEP),
            _after_handshake(),
            option("unsupported-version", "bypass", "block"),
            toggle("ssh-tun-policy-check"),
            option("ssh-algorithm", "compatible", "high-encryption"),
            mkey=None,
        ),
        child(
            "dot",
            option("status", "disable", _DEEP, default=_DEEP),
            _quic(),
            _after_handshake(),
            _tls(),
            mkey=None,
        ),
        toggle("allowlist"),
        toggle("block-blocklisted-certificates", "enable"),
        child(
            "ssl-exempt",
            integer("id", 0, 512),
            option("type", "fortiguard-category", "address", "address6", "wildcard-fqdn", "regex"),
            integer("fortiguard-category", 0, 255),
            reference("address", "firewall/address", "firewall/addrgrp"),
            reference("address6", "firewall/address6", "firewall/addrgrp6"),
            reference(
                "wildcard-fqdn", "firewall.wildcard-fqdn/custom", "firewall.wildcard-fqdn/group"
            ),
            string("regex", 255),
        ),
        option("server-cert-mode", "re-sign", "replace"),
        toggle("use-ssl-server"),
        string("caname", 35, "Fortinet_CA_SSL"),
        string("untrusted-caname", 35, "Fortinet_CA_Untrusted"),
        toggle("ssl-exemption-ip-rating", "enable"),
        toggle("ssl-exemption-log"),
        toggle("ssl-anomaly-log", "enable"),
        toggle("ssl-negotiation-log", "enable"),
        toggle("ssl-server-cert-log"),
        toggle("ssl-handshake-log"),
        toggle("rpc-over-https"),
        toggle("mapi-over-https"),
        option("supported-alpn", "http1-1", "http2", "all", "none", default="all"),
    ),
    access="utmgrp",
    read_only=frozenset(_READ_ONLY),
    factory=(
        {
            "name": "certificate-inspection",
            "comment": "Read-only SSL handshake inspection profile.",
            **_with_status(_CERTIFICATE, "disable"),
        },
        {
            "name": "deep-inspection",
            "comment": "Read-only deep inspection profile.",
            **_with_status(_DEEP, _DEEP),
            "ssl-exempt": _EXEMPT,
        },
        {
            "name": "custom-deep-inspection",
            "comment": "Customizable deep inspection profile.",
            **_with_status(_DEEP, _DEEP),
            "ssl-exempt": _EXEMPT,
        },
        {
            "name": "no-inspection",
            "comment": "Read-only profile that does no inspection.",
            **_with_status("disable", "disable"),
        },
    ),
)

TABLES = (PROFILE,)
