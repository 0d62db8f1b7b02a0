"""How the page is served: its certificate's key, its headers, its cookies."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gatepass.gui.window import Cookie

_NO_FRAMES = re.compile(r"frame-ancestors\s+([^;]+)", re.IGNORECASE)
_SCRIPTS_READ = re.compile(r"csrf", re.IGNORECASE)
"""What the page's scripts send back against forged requests, so they have to read it."""


def pin_of(certificate: bytes) -> str:
    """The pin of a certificate, as Chromium takes it.

    Args:
        certificate: in DER.

    Returns:
        SHA-256 of its public key, in base64 (RFC 7469, 2.4).
    """
    key = x509.load_der_x509_certificate(certificate).public_key()
    digest = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    return base64.b64encode(digest.digest()).decode()


@dataclass(frozen=True)
class Served:
    """What was seen, and whether it is as it should be."""

    told: str
    holds: bool


def framing(headers: Mapping[str, str]) -> Served:
    """Whether pages of others may show this one in a frame (RFC 7034; CSP 3, frame-ancestors).

    Args:
        headers: of the page, by names in whatever case `headers` looks them up.
    """
    policy = _NO_FRAMES.search(headers.get("Content-Security-Policy", ""))
    option = headers.get("X-Frame-Options", "").strip()
    if policy:  # it counts before the older header
        sources = policy[1].split()
        told = f"Content-Security-Policy has frame-ancestors {' '.join(sources)}"
        return Served(told, {"'none'", "'self'"} >= set(sources))
    if option:
        return Served(f"X-Frame-Options is {option}", option.upper() in ("DENY", "SAMEORIGIN"))
    return Served("it has neither frame-ancestors nor X-Frame-Options", False)


def only_https(headers: Mapping[str, str]) -> Served:
    """Whether browsers are told to come back over HTTPS alone (RFC 6797)."""
    told = headers.get("Strict-Transport-Security", "")
    age = re.search(r"max-age=\"?(\d+)", told)
    if not age or not int(age[1]):
        return Served("it has no Strict-Transport-Security", False)
    return Served(f"Strict-Transport-Security is {told}", True)


def out_of_reach(cookies: Sequence[Cookie]) -> Served:
    """Whether the session's cookies are kept from scripts and from clear text (RFC 6265, 4.1.2).

    Args:
        cookies: that the page has set for whoever logged in.
    """
    session = [one for one in cookies if not _SCRIPTS_READ.search(one.name)]
    bare = [f"{one.name} is not Secure" for one in cookies if not one.secure]
    bare += [f"{one.name} is not HttpOnly" for one in session if not one.http_only]
    if bare:
        return Served("; ".join(bare), False)
    told = ", ".join(f"{one.name} ({one.same_site or 'no'} SameSite)" for one in session)
    return Served(f"Secure and HttpOnly: {told}", bool(session))
