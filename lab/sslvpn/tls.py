"""The server's side of TLS."""

from __future__ import annotations

import os
import ssl

_VERSIONS = {
    "tls1-0": ssl.TLSVersion.TLSv1,
    "tls1-1": ssl.TLSVersion.TLSv1_1,
    "tls1-2": ssl.TLSVersion.TLSv1_2,
    "tls1-3": ssl.TLSVersion.TLSv1_3,
}


def context_of(certificate: str, key: str, lowest: str, highest: str) -> ssl.SSLContext:
    """The context of new connections.

    Args:
        certificate: in PEM.
        key: in PEM.
        lowest: oldest version of TLS, such as `tls1-2`.
        highest: newest.

    Raises:
        OSError: certificate and key are none, or do not belong together.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # The library reads files only; this one is in memory, and gone after.
    descriptor = os.memfd_create("key", os.MFD_CLOEXEC)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{key.strip()}\n{certificate.strip()}\n")
        file.flush()
        # without a password it would be asked for
        context.load_cert_chain(f"/proc/self/fd/{descriptor}", password="")
    context.minimum_version = _VERSIONS[lowest]
    context.maximum_version = _VERSIONS[highest]
    # Nobody takes a TLS session up again here; tickets would only cost time.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
    return context
