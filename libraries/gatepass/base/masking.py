"""Takes secrets out of what is kept or shown: texts, and what a REST API answers."""

from __future__ import annotations

import hmac
import re
import threading
from collections.abc import Iterable

MASK = "***"

# A device salts an encrypted secret anew at each backup, so its text says nothing about a change.
_ENCRYPTED = re.compile(r"\bENC +[^\s\"'*]+")
_LOG_IN = re.compile(r"(?<=://)[^\s\"']+(?=@)")
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----.*?(-----END \1-----|\Z)", re.DOTALL)
_BEARER = re.compile(r"\bBearer\s+[^\s\"']+", re.IGNORECASE)
# FortiOS' names for them: psksecret, passwd, password, ppk-secret, private-key, api-key, …
_SECRET_KEY = re.compile(
    r"passw|pwd\b|psk|secret|token|private-?key|api-?key|credential|cookie|auth-?key|enc-?key"
    r"|md5-?key|passphrase|community|activation|\bseed\b|key-?string",
    re.IGNORECASE,
)
_SET = re.compile(r"^(\s*set (\S+) )(.+)$", re.MULTILINE)
_ATTRIBUTE = re.compile(r'("([\w-]{1,80})"\s*:\s*)"((?:[^"\\]|\\.)*)"?')
_HEADER = re.compile(
    r"^(\S*(?:cookie|authoriz|authentic|token|pass|secret)\S*[: ]).*", re.IGNORECASE
)
_HEXADECIMAL = 12
"""Digits of a digest that stands for a secret: 48 bits."""
_MASKED = re.compile(rf"\*\*\*([0-9a-f]{{{_HEXADECIMAL}}})?")
_LEAST = 6
"""Letters of a secret that is looked for everywhere; a shorter one stands in other words too."""


def masked_text(text: str, known: Iterable[str] = ()) -> str:
    """A text without what is encrypted, a key, a bearer token, the log-in of an address on the web,
    or one of the known secrets."""
    for secret in known:
        if secret:
            text = text.replace(secret, MASK)
    return _LOG_IN.sub(MASK, _BEARER.sub(f"Bearer {MASK}", masked_encrypted(text)))


def masked_encrypted(text: str) -> str:
    """A text without what is encrypted, and keys; what stands for them says nothing about them."""
    return _PEM.sub(f"PEM {MASK}", _ENCRYPTED.sub(f"ENC {MASK}", text))


def is_secret_name(name: str) -> bool:
    """Whether something that is called so is a secret, unless it is a switch."""
    return _SECRET_KEY.search(name) is not None


def mask_of(value: str, key: bytes) -> str:
    """What stands for a secret; with a key, another for another secret.

    It is a keyed digest (RFC 2104), so that nobody who lacks the key can try which secret has it.

    Args:
        value: the secret.
        key: of the digest; without one all secrets have the same.
    """
    digest = hmac.digest(key, value.encode(errors="replace"), "sha256").hex() if key else ""
    return MASK + digest[:_HEXADECIMAL]


def is_mask(text: str) -> bool:
    """Whether a text stands for a secret."""
    return _MASKED.fullmatch(text) is not None


def for_a_reader(text: str) -> str:
    """A text in which all that stands for a secret is alike: digests are for comparing."""
    return _MASKED.sub(MASK, text)


def masked_line(line: str) -> str:
    """A line of a request or of its answer without what stands behind a secret header's name."""
    return _HEADER.sub(rf"\1{MASK}", line)


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
    if not is_secret_name(key) or isinstance(content, dict | list | bool | int | float):
        return False
    return content not in (None, "", "enable", "disable")


class Secrets:
    """Takes secrets out of a conversation: known ones, met ones, and what is called one.

    Args:
        known: secrets that must not stand anywhere in it.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = set(filter(None, known))
        self._learning = threading.Lock()  # several connections may be at work

    def learn(self, value: object) -> None:
        """Know those of something that was sent; a device's answers may call anything a secret."""
        if isinstance(value, dict):
            met = {one for key, one in value.items() if _hides(str(key), one)}
            with self._learning:
                self._known |= {one for one in met if len(one) >= _LEAST}
            value = list(value.values())
        if isinstance(value, list | tuple):
            for one in value:
                self.learn(one)

    def taken_from(self, value: object) -> object:
        """What was sent or answered, as parsed from JSON, without them."""
        return masked(value, self._longest_first())

    def taken_from_text(self, text: str) -> str:
        """A text without them: FortiOS' CLI, or what was to be JSON."""
        text = masked_text(text, self._longest_first())
        return _ATTRIBUTE.sub(_without_value, _SET.sub(_without_value, text))

    def _longest_first(self) -> list[str]:
        """One may be the beginning of another."""
        with self._learning:
            return sorted(self._known, key=len, reverse=True)


def _without_value(line: re.Match[str]) -> str:
    value = line[3].strip('"')
    switch = value.isdecimal() or not _hides(line[2], value)
    return line[0] if switch else f'{line[1]}"{MASK}"'
