"""Text behind a passphrase, in the format of ``openssl enc``, which opens it without Gatepass:

``openssl enc -d -aes-256-cbc -pbkdf2 -iter 600000 -in FILE -out FILE``
"""

from __future__ import annotations

import os

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.padding import PKCS7

ITERATIONS = 600_000
"""Of PBKDF2 with HMAC-SHA-256 (RFC 8018), as OWASP's password storage cheat sheet has them."""
_BLOCK, _KEY, _SALT = 16, 32, 8
"""Of AES-256 and of the format, in bytes."""


def sealed(content: bytes, passphrase: str) -> bytes:
    """What can be read with the passphrase alone; whether it is whole, a digest has to tell."""
    salt = os.urandom(_SALT)
    derived = PBKDF2HMAC(SHA256(), _KEY + _BLOCK, salt, ITERATIONS).derive(passphrase.encode())
    pad = PKCS7(_BLOCK * 8).padder()
    cipher = Cipher(algorithms.AES(derived[:_KEY]), modes.CBC(derived[_KEY:])).encryptor()
    padded = pad.update(content) + pad.finalize()
    return b"Salted__" + salt + cipher.update(padded) + cipher.finalize()
