"""config web-proxy global and config web-proxy explicit."""

from __future__ import annotations

from lab.gateway.errors import missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    integer,
    option,
    parsed,
    string,
    toggle,
    toggles,
    words,
)

GLOBAL = Table(
    "web-proxy/global",
    attributes(
        string("ssl-cert", 35, "Fortinet_Factory"),
        string("ssl-ca-cert", 35, "Fortinet_CA_SSL"),
        toggle("fast-policy-match", "enable"),
        toggle("ldap-user-cache"),
        string("proxy-fqdn", 255, "default.fqdn"),
        integer("max-request-length", 2, 64, 8),
        integer("max-message-length", 16, 256, 32),
        toggle("strict-web-check"),
        toggle("forward-proxy-auth"),
        integer("forward-server-affinity-timeout", 6, 60, 30),
        integer("max-waf-body-cache-length", 1, 1024, 1),
        string("webproxy-profile", 63),
        toggle("learn-client-ip"),
        toggle("always-learn-client-ip", since=(7, 4, 4)),
        toggle("log-policy-pending", since=(7, 4, 2)),
        toggle("log-forward-server"),
        toggle("log-app-id", since=(7, 4, 2)),
        toggle("proxy-transparent-cert-inspection", since=(7, 4, 4)),
    ),
    mkey=None,
    access="netgrp",
)


def _check(row: Row, view: View) -> None:
    if row["status"] == "enable" and not row["http-incoming-port"]:
        raise missing("http-incoming-port")


EXPLICIT = Table(
    "web-proxy/explicit",
    attributes(
        toggle("status"),
        option("secure-web-proxy", "disable", "enable", "secure"),
        toggle("ftp-over-http"),
        toggle("socks"),
        parsed("http-incoming-port", "user", values.port_ranges, "8080"),
        option("http-connection-mode", "static", "multiplex", "serverpool"),
        parsed("https-incoming-port", "user", values.port_ranges),
        parsed("ftp-incoming-port", "user", values.port_ranges),
        parsed("socks-incoming-port", "user", values.port_ranges),
        parsed("incoming-ip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        words("outgoing-ip"),
        toggle("ipv6-status"),
        parsed("incoming-ip6", "ipv6-address", values.ipv6_address, "::"),
        words("outgoing-ip6"),
        toggle("strict-guest"),
        option("pref-dns-result", "ipv4", "ipv6"),
        option("unknown-http-version", "reject", "best-effort"),
        string("realm", 63, "default"),
        option("sec-default-action", "accept", "deny", default="deny"),
        toggle("https-replacement-message", "enable"),
        toggle("message-upon-server-error", "enable"),
        toggles("pac-file-server-status"),
        parsed("pac-file-server-port", "user", values.port_ranges),
        toggle("pac-file-through-https"),
        string("pac-file-name", 63, "proxy.pac"),
        string("pac-file-data", 4095),
        option("ssl-algorithm", "high", "medium", "low", default="low"),
        toggle("trace-auth-no-rsp"),
    ),
    mkey=None,
    access="netgrp",
    check=_check,
)

TABLES = (GLOBAL, EXPLICIT)
