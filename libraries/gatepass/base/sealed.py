"""Text behind a passphrase, in the format of ``openssl enc``, which opens it without Gatepass:

``openssl enc -d -aes-256-cbc -pbkdf2 -iter 600000 -in FILE -out FILE``

That format knows no authentication, so a digest stands beside it that nobody can make who lacks the
passphrase: HMAC-SHA-256 (RFC 2104) of the whole file, encrypted first (RFC 7366 says why).
"""

from __future__ import annotations

import hmac
import os

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.padding import PKCS7

ITERATIONS = 600_000
"""Of PBKDF2 with HMAC-SHA-256 (RFC 8018), as OWASP's password storage cheat sheet has them."""
_BLOCK, _KEY, _SALT = 16, 32, 8
"""Of AES-256 and of the format, in bytes."""
MAC = ".mac"
"""What the name of the digest's file ends in, behind that of the sealed one."""


def sealed(content: bytes, passphrase: str) -> tuple[bytes, str]:
    """What can be read with the passphrase alone.

    Returns:
        It, and the digest that tells whether it is whole, hexadecimal. Its key is derived with
        those of the cipher: the 32 bytes of PBKDF2 behind their 48.
    """
    salt = os.urandom(_SALT)
    length = _KEY + _BLOCK + _KEY
    derived = PBKDF2HMAC(SHA256(), length, salt, ITERATIONS).derive(passphrase.encode())
    key, start, mac_key = derived[:_KEY], derived[_KEY:-_KEY], derived[-_KEY:]
    pad = PKCS7(_BLOCK * 8).padder()
    cipher = Cipher(algorithms.AES(key), modes.CBC(start)).encryptor()
    padded = pad.update(content) + pad.finalize()
    made = b"Salted__" + salt + cipher.update(padded) + cipher.finalize()
    return made, hmac.digest(mac_key, made, "sha256").hex()
