"""config vpn ssl web portal and config vpn ssl settings. FortiOS 7.6.3 has neither any more."""

from __future__ import annotations

from lab.gateway.errors import missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Attribute,
    Row,
    Table,
    View,
    attributes,
    child,
    integer,
    key_name,
    members,
    option,
    parsed,
    reference,
    string,
    toggle,
)
from lab.gateway.versions import Release

UNTIL: Release = (7, 6, 2)
"""The last release with SSL VPN tunnels."""

_TLS = ("tls1-0", "tls1-1", "tls1-2", "tls1-3")
_DTLS = ("dtls1-0", "dtls1-2")
_APPLICATIONS = ("web", "ftp", "smb", "sftp", "telnet", "ssh", "vnc", "rdp", "ping")
_ADDRESSES = ("firewall/address", "firewall/addrgrp")
_ADDRESSES6 = ("firewall/address6", "firewall/addrgrp6")
_POOL, _POOL6 = "SSLVPN_TUNNEL_ADDR1", "SSLVPN_TUNNEL_IPv6_ADDR1"


def _servers() -> list[Attribute]:
    """The name servers that clients are told."""
    v4 = [parsed(f"{kind}-server{n}", "ipv4-address", values.ipv4_address, "0.0.0.0")
          for kind in ("dns", "wins") for n in (1, 2)]
    v6 = [parsed(f"ipv6-{kind}-server{n}", "ipv6-address", values.ipv6_address, "::")
          for kind in ("dns", "wins") for n in (1, 2)]
    return [string("dns-suffix", 253), *v4, *v6]


PORTAL = Table(
    "vpn.ssl.web/portal",
    attributes(
        key_name(35),
        toggle("tunnel-mode"),
        option("ip-mode", "range", "user-group", "dhcp", "no-ip"),
        option("dhcp-ip-overlap", "use-new", "use-old"),
        toggle("auto-connect"),
        toggle("keep-alive"),
        toggle("save-password"),
        members("ip-pools", *_ADDRESSES),
        toggle("exclusive-routing"),
        toggle("service-restriction"),
        toggle("split-tunneling", "enable"),
        toggle("split-tunneling-routing-negate"),
        members("split-tunneling-routing-address", *_ADDRESSES),
        _servers(),
        parsed("dhcp-ra-giaddr", "ipv4-address", values.ipv4_address, "0.0.0.0"),
        toggle("ipv6-tunnel-mode"),
        members("ipv6-pools", *_ADDRESSES6),
        toggle("ipv6-exclusive-routing"),
        toggle("ipv6-service-restriction"),
        toggle("ipv6-split-tunneling", "enable"),
        toggle("ipv6-split-tunneling-routing-negate"),
        members("ipv6-split-tunneling-routing-address", *_ADDRESSES6),
        toggle("client-src-range"),
        toggle("web-mode"),
        toggle("display-bookmark", "enable"),
        toggle("user-bookmark", "enable"),
        option("allow-user-access", *_APPLICATIONS, multiple=True,
               default=" ".join(_APPLICATIONS)),
        toggle("user-group-bookmark", "enable"),
        toggle("display-connection-tools", "enable"),
        toggle("display-history", "enable"),
        toggle("display-status", "enable"),
        string("heading", 31, "SSL-VPN Portal"),
        string("redir-url", 255),
        option("theme", "jade", "neutrino", "mariner", "graphite", "melongene", "jet-stream",
               "security-fabric", "dark-matter", "onyx", "eclipse", default="security-fabric"),
        string("custom-lang", 35),
        toggle("limit-user-logins"),
        toggle("mac-addr-check"),
        option("mac-addr-action", "allow", "deny"),
        toggle("os-check"),
        option("host-check", "none", "av", "fw", "av-fw", "custom"),
        integer("host-check-interval", 0, 259200),
        toggle("forticlient-download", "enable"),
        option("forticlient-download-method", "direct", "ssl-vpn"),
        toggle("skip-check-for-unsupported-os", "enable"),
        toggle("skip-check-for-browser", "enable"),
        toggle("hide-sso-credential", "enable"),
        toggle("prefer-ipv6-dns"),
        toggle("clipboard", "enable"),
        integer("default-window-width", 0, 65535, 1024),
        integer("default-window-height", 0, 65535, 768),
    ),
    access="vpngrp",
    factory=(
        {"name": "full-access", "tunnel-mode": "enable", "ipv6-tunnel-mode": "enable",
         "web-mode": "enable", "ip-pools": [{"name": _POOL}], "ipv6-pools": [{"name": _POOL6}]},
        {"name": "web-access", "web-mode": "enable"},
        {"name": "tunnel-access", "tunnel-mode": "enable", "ipv6-tunnel-mode": "enable",
         "ip-pools": [{"name": _POOL}], "ipv6-pools": [{"name": _POOL6}]},
    ),
    until=UNTIL,
)


def _check(row: Row, view: View) -> None:
    for rule in row["authentication-rule"]:
        if not rule["portal"]:
            raise missing("portal")
        if not (rule["groups"] or rule["users"]):
            raise missing("groups")


def _sources() -> list[Attribute]:
    """From where clients may come."""
    return [
        members("source-interface", "system/interface", size=35, literals=("any",)),
        members("source-address", *_ADDRESSES),
        toggle("source-address-negate"),
        members("source-address6", *_ADDRESSES6),
        toggle("source-address6-negate"),
    ]


SETTINGS = Table(
    "vpn.ssl/settings",
    attributes(
        toggle("status", "enable"),
        toggle("reqclientcert"),
        option("ssl-max-proto-ver", *_TLS, default="tls1-3"),
        option("ssl-min-proto-ver", *_TLS, default="tls1-2"),
        toggle("https-redirect"),
        toggle("x-content-type-options", "enable"),
        toggle("ssl-client-renegotiation"),
        toggle("force-two-factor-auth"),
        reference("servercert", "vpn.certificate/local", size=35),
        option("algorithm", "high", "medium", "default", "low"),
        integer("idle-timeout", 0, 259200, 300),
        integer("auth-timeout", 0, 259200, 28800),
        integer("login-attempt-limit", 0, 4294967295, 2),
        integer("login-block-time", 0, 4294967295, 60),
        integer("login-timeout", 10, 180, 30),
        integer("dtls-hello-timeout", 10, 60, 10),
        members("tunnel-ip-pools", *_ADDRESSES),
        members("tunnel-ipv6-pools", *_ADDRESSES6),
        _servers(),
        toggle("url-obscuration"),
        toggle("http-compression"),
        toggle("http-only-cookie", "enable"),
        integer("deflate-compression-level", 0, 9, 6),
        integer("deflate-min-data-size", 200, 65535, 300),
        integer("port", 1, 65535, 10443),
        toggle("port-precedence", "enable"),
        toggle("auto-tunnel-static-route", "enable"),
        option("header-x-forwarded-for", "pass", "add", "remove", default="add"),
        _sources(),
        reference("default-portal", "vpn.ssl.web/portal", size=35),
        child(
            "authentication-rule",
            integer("id"),
            _sources(),
            members("users", "user/local"),
            members("groups", "user/group"),
            reference("portal", "vpn.ssl.web/portal", size=35),
            string("realm", 35),
            toggle("client-cert"),
            option("cipher", "any", "high", "medium", default="high"),
            option("auth", "any", "local", "radius", "tacacs+", "ldap", "peer"),
        ),
        toggle("browser-language-detection", "enable"),
        toggle("dtls-tunnel", "enable"),
        option("dtls-max-proto-ver", *_DTLS, default="dtls1-2"),
        option("dtls-min-proto-ver", *_DTLS),
        integer("dtls-heartbeat-idle-timeout", 3, 10, 3),
        integer("dtls-heartbeat-interval", 3, 10, 3),
        integer("dtls-heartbeat-fail-count", 3, 10, 3),
        toggle("check-referer"),
        integer("http-request-header-timeout", 0, 4294967295, 20),
        integer("http-request-body-timeout", 0, 4294967295, 30),
        toggle("auth-session-check-source-ip", "enable"),
        toggle("tunnel-connect-without-reauth"),
        integer("tunnel-user-session-timeout", 1, 86400, 30),
        toggle("hsts-include-subdomains"),
        toggle("transform-backward-slashes"),
        toggle("encode-2f-sequence"),
        toggle("encrypt-and-store-password"),
        option("client-sigalgs", "no-rsa-pss", "all", default="all"),
        toggle("dual-stack-mode"),
        option("tunnel-addr-assigned-method", "first-available", "round-robin"),
        integer("saml-redirect-port", 0, 65535, 8020),
        string("server-hostname", 255),
        toggle("ztna-trusted-client"),
    ),
    mkey=None,
    access="vpngrp",
    check=_check,
    until=UNTIL,
)

TABLES = (PORTAL, SETTINGS)
