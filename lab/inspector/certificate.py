"""The names in a server's certificate, asked for on a connection of the inspector's own.

From TLS 1.3 on the certificate goes encrypted (RFC 8446, 4.4.2), so that looking on is not enough.
"""

from __future__ import annotations

import ssl

from cryptography.x509 import (
    DNSName,
    ExtensionNotFound,
    SubjectAlternativeName,
    load_der_x509_certificate,
)
from cryptography.x509.oid import NameOID

from lab.inspector.legs import Leg, opened
from lab.io.loop import Loop


async def names_of(loop: Loop, leg: Leg, asked: str) -> tuple[str, ...]:
    """The names in the certificate of whom a session goes to, the subject's own first.

    Args:
        loop: the loop.
        leg: the session's first half.
        asked: the server name that the client asks for; may be empty.

    Returns:
        None of them where the server shows no certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=asked or None)
    try:
        stream = await opened(loop, leg)
    except (OSError, TimeoutError):
        return ()
    try:
        while True:
            try:
                tls.do_handshake()
                return _names(tls.getpeercert(binary_form=True) or b"")
            except ssl.SSLWantReadError:
                await stream.send(outgoing.read())
            piece = await stream.recv()
            if not piece:
                return ()
            incoming.write(piece)
    except (OSError, TimeoutError, ValueError):  # an error of TLS is one of the first
        return ()
    finally:
        stream.reset()


def covers(names: tuple[str, ...], asked: str) -> bool:
    """Whether a server name is among those of a certificate (RFC 9525, 6.3)."""
    parent = asked.partition(".")[2]
    return asked in names or (bool(parent) and f"*.{parent}" in names)


def _names(der: bytes) -> tuple[str, ...]:
    certificate = load_der_x509_certificate(der)
    names = [str(one.value) for one in certificate.subject.get_attributes_for_oid(
        NameOID.COMMON_NAME)]
    try:
        other = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
        names += other.get_values_for_type(DNSName)
    except ExtensionNotFound:
        pass
    return tuple(name.lower() for name in names)
