"""SSH keys as files of a testbed hold them."""

from __future__ import annotations

from functools import cache

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@cache
def private_key() -> str:
    """A key without a passphrase, in OpenSSH's format."""
    return (
        Ed25519PrivateKey.generate()
        .private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.OpenSSH,
            serialization.NoEncryption(),
        )
        .decode()
    )


@cache
def public_key() -> str:
    """A key as known_hosts has it, behind the name of the host."""
    key = Ed25519PrivateKey.generate().public_key()
    formats = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    return key.public_bytes(*formats).decode()
