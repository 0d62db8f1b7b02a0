"""config vpn certificate local: certificates that the gateway shows, with their keys."""

from __future__ import annotations

from typing import Any

from cryptography import x509

from lab.gateway.errors import bad_value
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Attribute,
    Table,
    attributes,
    integer,
    key_name,
    option,
    parsed,
    secret,
    string,
    toggle,
)

FACTORY = "Fortinet_Factory"
"""The certificate that the device itself comes with."""

_LONGEST_PEM = 16_384


def _certificate(name: str, value: Any) -> str:
    """A certificate in PEM."""
    text = values.string(_LONGEST_PEM)(name, value).strip()
    try:
        x509.load_pem_x509_certificate(text.encode())
    except ValueError:
        raise bad_value(name, text, "a certificate in PEM") from None
    return text


LOCAL = Table(
    "vpn.certificate/local",
    attributes(
        key_name(35),
        secret("password"),
        string("comments", 511),
        Attribute("private-key", "user", "", values.string(_LONGEST_PEM), secret=True),
        parsed("certificate", "user", _certificate, quoted=True),
        parsed("csr", "user", values.string(_LONGEST_PEM), quoted=True),
        parsed("state", "user", values.string(63)),
        string("scep-url", 255),
        option("range", "global", "vdom", default="vdom"),
        option("source", "factory", "user", "bundle", default="user"),
        integer("auto-regenerate-days"),
        integer("auto-regenerate-days-warning"),
        secret("scep-password"),
        string("ca-identifier", 255),
        option("name-encoding", "printable", "utf8"),
        parsed("source-ip", "ipv4-address", values.ipv4_address, "0.0.0.0"),
        string("ike-localid", 63),
        option("ike-localid-type", "asn1dn", "fqdn"),
        option("enroll-protocol", "none", "scep", "cmpv2", "acme2", "est"),
        toggle("private-key-retain"),
    ),
    access="vpngrp",
    read_only=frozenset({FACTORY}),
)

TABLES = (LOCAL,)
