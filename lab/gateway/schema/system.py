"""config system: global settings, administrators, access profiles, virtual domains."""

from __future__ import annotations

from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Attribute,
    Table,
    attributes,
    child,
    integer,
    key_name,
    members,
    option,
    parsed,
    reference,
    secret,
    string,
    toggle,
)

GLOBAL = Table(
    "system/global",
    attributes(
        option("language", "english", "french", "spanish", "portuguese", "japanese", "trach",
               "simch", "korean"),
        toggle("gui-ipv6"),
        option("admin-https-ssl-versions", "tlsv1-1", "tlsv1-2", "tlsv1-3", multiple=True,
               default="tlsv1-2 tlsv1-3"),
        integer("admintimeout", 1, 480, 5),
        toggle("admin-concurrent", "enable"),
        integer("admin-lockout-threshold", 1, 10, 3),
        integer("admin-lockout-duration", 1, 2147483647, 60),
        string("timezone", 63, "04"),
        string("hostname", 35, "FortiGate-VM64-LAB"),
        string("alias", 35, "FortiGate-VM64-LAB"),
        toggle("strong-crypto", "enable"),
        integer("tcp-halfclose-timer", 1, 86400, 120),
        integer("tcp-halfopen-timer", 1, 86400, 10),
        integer("tcp-timewait-timer", 0, 300, 1),
        integer("udp-idle-timer", 1, 86400, 180),
        option("vdom-mode", "no-vdom"),
        integer("admin-port", 1, 65535, 80),
        integer("admin-sport", 1, 65535, 443),
        toggle("admin-https-redirect", "enable"),
        integer("admin-ssh-port", 1, 65535, 22),
        string("admin-server-cert", 35, "self-sign"),
        toggle("admin-scp"),
        toggle("rest-api-key-url-query", since=(7, 6, 1)),
        option("gui-theme", "jade", "neutrino", "mariner", "graphite", "melongene", "jet-stream",
               "security-fabric"),
        toggle("gui-rest-api-cache", "enable"),
    ),
    mkey=None,
)

VDOM = Table(
    "system/vdom",
    attributes(key_name(31), string("short-name", 11), integer("vcluster-id", 0, 4294967295)),
    factory=({"name": "root", "short-name": "root"},),
    fixed=True,
)

_GROUPS = ("secfabgrp", "ftviewgrp", "authgrp", "sysgrp", "netgrp", "loggrp", "fwgrp", "vpngrp",
           "utmgrp", "wifi")


def _profile(name: str, level: str, scope: str = "global") -> dict[str, str]:
    return {"name": name, "scope": scope} | dict.fromkeys(_GROUPS, level)


ACCPROFILE = Table(
    "system/accprofile",
    attributes(
        key_name(35),
        option("scope", "vdom", "global"),
        string("comments", 255),
        [option(group, "none", "read", "read-write") for group in _GROUPS],
    ),
    factory=(
        _profile("super_admin", "read-write"),
        _profile("super_admin_readonly", "read"),
        _profile("prof_admin", "read-write", "vdom"),
    ),
)


def _trusted_hosts() -> list[Attribute]:
    """The ten addresses from which an administrator may log in."""
    v4 = [parsed(f"trusthost{n}", "ipv4-classnet", values.ipv4_network, "0.0.0.0 0.0.0.0")
          for n in range(1, 11)]
    v6 = [parsed(f"ip6-trusthost{n}", "ipv6-prefix", values.ipv6_network, "::/0")
          for n in range(1, 11)]
    return v4 + v6


ADMIN = Table(
    "system/admin",
    attributes(
        key_name(64),
        toggle("remote-auth"),
        _trusted_hosts(),
        reference("accprofile", "system/accprofile", size=35),
        string("comments", 255),
        members("vdom", "system/vdom"),
        string("ssh-public-key1", 2048),
        toggle("force-password-change"),
        option("two-factor", "disable"),
        secret("password"),
    ),
)

API_USER = Table(
    "system/api-user",
    attributes(
        key_name(35),
        string("comments", 255),
        secret("api-key"),
        reference("accprofile", "system/accprofile", size=35),
        members("vdom", "system/vdom"),
        reference("schedule", "firewall.schedule/recurring", size=35),
        string("cors-allow-origin", 269),
        toggle("peer-auth"),
        child(
            "trusthost",
            integer("id"),
            option("type", "ipv4-trusthost", "ipv6-trusthost"),
            parsed("ipv4-trusthost", "ipv4-classnet", values.ipv4_network, "0.0.0.0 0.0.0.0"),
            parsed("ipv6-trusthost", "ipv6-prefix", values.ipv6_network, "::/0"),
        ),
    ),
)

TABLES = (GLOBAL, VDOM, ACCPROFILE, ADMIN, API_USER)
