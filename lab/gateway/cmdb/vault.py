"""Seals secrets so that they never lie readable in the database or in a backup."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MASK = "ENC XXXX"
_PREFIX = "ENC "
_NONCE_BYTES = 12


class Vault:
    """Seals with a key that stays in the gateway's folder.

    As on a FortiGate the sealed text of one secret differs each time it is made, because each
    sealing takes a salt of its own.

    Args:
        key_file: 32 bytes, made if missing, readable by the owner alone.
    """

    def __init__(self, key_file: Path) -> None:
        if not key_file.exists():
            descriptor = os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(AESGCM.generate_key(256))
        self._cipher = AESGCM(key_file.read_bytes())

    def seal(self, secret: str) -> str:
        """`ENC …` with a fresh salt; an empty secret stays empty."""
        if not secret:
            return ""
        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, secret.encode(), None)
        return _PREFIX + base64.b64encode(sealed).decode()

    def reveal(self, sealed: str) -> str:
        """The secret in a sealed text.

        Raises:
            ValueError: the text was not sealed by this device.
        """
        if not sealed:
            return ""
        try:
            raw = base64.b64decode(sealed.removeprefix(_PREFIX), validate=True)
            return self._cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], None).decode()
        except (ValueError, InvalidTag):
            raise ValueError("the text was not encrypted by this device") from None

    def accept(self, value: str, present: str) -> str:
        """What to keep of a secret that a client sent; the same secret again changes nothing.

        Args:
            value: plain text, a text sealed before, or the mask that a GET shows.
            present: the sealed text kept so far.

        Raises:
            ValueError: a sealed text of another device.
        """
        if value == MASK:
            return present
        secret = self.reveal(value) if value.startswith(_PREFIX) else value
        return present if self.reveal(present) == secret else self.seal(secret)
