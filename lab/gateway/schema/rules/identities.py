"""What tunnels' ends and users call themselves: one name each, never a pattern."""

from __future__ import annotations

import re

from lab.gateway.errors import bad_value

_PATTERN = re.compile(
    r"[%{].*|@[#@].*|.*[*=].*"  # anybody, another encoding, or a distinguished name with gaps
    r"|[\d.:a-f]+[/-][\d.:a-f]+"  # a network or range of addresses
    r"|(ipv[46](net|range)?|asn1[dg]n|keyid|email|rfc822|userfqdn|fqdn|dns|xmppaddr):.*",
    re.IGNORECASE | re.DOTALL,
)
"""What strongSwan does not read as that name alone (strongswan.conf(5), swanctl.conf(5))."""


def must_be_one(attribute: str, text: str) -> None:
    """Check that a name stands for itself alone.

    Raises:
        CmdbError: it would be read as a pattern, or could not be told to anybody.
    """
    if _PATTERN.fullmatch(text) or not text.isprintable():
        raise bad_value(attribute, text, "a printable name that is no pattern of names")
