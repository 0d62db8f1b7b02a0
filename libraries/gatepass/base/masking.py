"""Takes secrets out of what is kept or shown: texts, and what a REST API answers."""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "***"

# A device salts an encrypted secret anew at each backup, so its text says nothing about a change.
_ENCRYPTED = re.compile(r"\bENC [A-Za-z0-9+/=_-]+")
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----.*?(-----END \1-----|\Z)", re.DOTALL)
_BEARER = re.compile(r"\bBearer\s+[^\s\"']+", re.IGNORECASE)
# FortiOS' names for them: psksecret, passwd, password, ppk-secret, private-key, api-key, …
_SECRET_KEY = re.compile(
    r"passw|pwd\b|psk|secret|token|private-?key|api-?key|credential|cookie|auth-?key|passphrase",
    re.IGNORECASE,
)


def masked_text(text: str, known: Iterable[str] = ()) -> str:
    """A text without what is encrypted, a key, a bearer token, or one of the known secrets."""
    for secret in known:
        if secret:
            text = text.replace(secret, MASK)
    text = _PEM.sub(f"PEM {MASK}", _ENCRYPTED.sub(f"ENC {MASK}", text))
    return _BEARER.sub(f"Bearer {MASK}", text)


def masked(value: object, known: Iterable[str] = ()) -> object:
    """What a REST API answered, with the values of secret attributes and the like masked.

    Args:
        value: as parsed from JSON.
        known: secrets that must not stand anywhere in it.
    """
    known = tuple(known)
    if isinstance(value, dict):
        return {
            key: MASK if _hides(str(key), content) else masked(content, known)
            for key, content in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(content, known) for content in value]
    return masked_text(value, known) if isinstance(value, str) else value


def _hides(key: str, content: object) -> bool:
    """Whether the attribute is a secret; a switch such as `enable` is none, nor is a number."""
    if not _SECRET_KEY.search(key) or isinstance(content, dict | list | bool | int | float):
        return False
    return content not in (None, "", "enable", "disable")
