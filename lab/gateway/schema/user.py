"""config user local and config user group: who may log in, and what they belong to."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, CmdbError, missing
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
    secret,
    string,
    toggle,
)


def _concurrency() -> list[Attribute]:
    return [toggle("auth-concurrent-override"), integer("auth-concurrent-value", 0, 100)]


def _sms() -> list[Attribute]:
    return [option("sms-server", "fortiguard", "custom"), string("sms-custom-server", 35)]


def _check_local(row: Row, view: View) -> None:
    if row["type"] == "password" and not row["passwd"]:
        raise missing("passwd")
    if row["type"] != "password":
        raise CmdbError(BAD_VALUE, f'There is no server of type "{row["type"]}" here.')


LOCAL = Table(
    "user/local",
    attributes(
        key_name(64),
        integer("id"),
        toggle("status", "enable"),
        option("type", "password", "radius", "tacacs+", "ldap", "saml"),
        secret("passwd"),
        option("two-factor", "disable"),
        option("two-factor-authentication", "fortitoken", "email", "sms", default=""),
        option("two-factor-notification", "email", "sms", default=""),
        string("email-to", 63),
        _sms(),
        string("sms-phone", 15),
        string("passwd-policy", 35),
        parsed("passwd-time", "user", values.string(31)),
        integer("authtimeout", 0, 1440),
        string("workstation", 35),
        _concurrency(),
        secret("ppk-secret"),
        string("ppk-identity", 35),
        toggle("username-sensitivity", "enable"),
    ),
    access="authgrp",
    namespace=("user/group",),
    check=_check_local,
)

GROUP = Table(
    "user/group",
    attributes(
        key_name(35),
        integer("id"),
        option("group-type", "firewall", "fsso-service", "rsso", "guest"),
        integer("authtimeout", 0, 43200),
        _concurrency(),
        string("http-digest-realm", 35),
        string("sso-attribute-value", 511),
        members("member", "user/local", size=511),
        child(
            "match",
            integer("id"),
            string("server-name", 35),
            string("group-name", 511),
        ),
        option("user-id", "email", "auto-generate", "specify"),
        option("password", "auto-generate", "specify", "disable"),
        toggle("user-name"),
        option("sponsor", "optional", "mandatory", "disabled"),
        option("company", "optional", "mandatory", "disabled"),
        toggle("email", "enable"),
        toggle("mobile-phone"),
        _sms(),
        option("expire-type", "immediately", "first-successful-login"),
        integer("expire", 1, 31536000, 14400),
        integer("max-accounts", 0, 500),
        toggle("multiple-guest-add"),
    ),
    access="authgrp",
    namespace=("user/local",),
)

TABLES = (LOCAL, GROUP)
