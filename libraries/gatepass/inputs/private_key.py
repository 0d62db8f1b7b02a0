"""A private SSH key, in whichever of the usual formats it was saved."""

from __future__ import annotations

from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

_KINDS = (rsa.RSAPrivateKey, ed25519.Ed25519PrivateKey, ec.EllipticCurvePrivateKey)
_CURVES = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
_MOST_BYTES = 64 * 1024
_DAMAGED = "cannot be read as a private key: it is damaged or cut off"
_OTHER_KIND = (
    "is a key of a kind that is not taken here: make another with `ssh-keygen -t ed25519 -N ''`"
)
_PASSPHRASE = (
    "has a passphrase, and nobody is there to type it: remove it with `ssh-keygen -p -N ''`, or "
    "make another key"
)
_FORMATS = (
    (
        b"PuTTY-User-Key-File",
        "is in PuTTY's own format: convert it with `puttygen KEY -O private-openssh -o NEW`",
    ),
    (
        b"SSH2 ENCRYPTED PRIVATE KEY",
        "is in the format of SSH Tectia: convert it with `ssh-keygen -i -f KEY >NEW`",
    ),
    (b"\xff\xfe", "is text in UTF-16: save it as plain text"),
    (b"\xfe\xff", "is text in UTF-16: save it as plain text"),
)
"""What is known of a file by what stands in its beginning."""


class UnusableKey(Exception):
    """A file is no private key that can be used; the message completes "it …"."""


def openssh_key(path: Path) -> str:
    """A private key in OpenSSH's format.

    Taken are RSA, Ed25519, and ECDSA on NIST's curves, in the formats of OpenSSH, PKCS#1, SEC 1
    and PKCS#8 (RFC 5958).

    Args:
        path: of the file.

    Raises:
        UnusableKey: it is another kind of file or key, or has a passphrase.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES)
    for beginning, trouble in _FORMATS:
        if beginning in content[:200]:
            raise UnusableKey(trouble)
    if b"PRIVATE KEY" not in content:
        raise UnusableKey("is no private key: name the key itself, not its .pub file")
    key = _loaded(content)
    curve_fits = not isinstance(key, ec.EllipticCurvePrivateKey) or isinstance(key.curve, _CURVES)
    if not isinstance(key, _KINDS) or not curve_fits:
        raise UnusableKey(_OTHER_KIND)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    ).decode("ascii")


def _loaded(content: bytes) -> object:
    openssh = b"OPENSSH PRIVATE KEY" in content
    load = serialization.load_ssh_private_key if openssh else serialization.load_pem_private_key
    try:
        return load(content, None)
    except TypeError:  # cryptography's word for it
        raise UnusableKey(_PASSPHRASE) from None
    except UnsupportedAlgorithm:
        raise UnusableKey(_OTHER_KIND) from None
    except ValueError:
        raise UnusableKey(_DAMAGED) from None
