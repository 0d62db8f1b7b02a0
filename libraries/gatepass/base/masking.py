"""Takes secrets out of what is kept or shown: texts, and what a REST API answers."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable

MASK = "***"

# A device salts an encrypted secret anew at each backup, so its text says nothing about a change.
_ENCRYPTED = re.compile(r"\bENC [A-Za-z0-9+/=_-]+")
_PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----.*?(-----END \1-----|\Z)", re.DOTALL)
_BEARER = re.compile(r"\bBearer\s+[^\s\"']+", re.IGNORECASE)
# FortiOS' names for them: psksecret, passwd, password, ppk-secret, private-key, api-key, …
_SECRET_KEY = re.compile(
    r"passw|pwd\b|psk|secret|token|private-?key|api-?key|credential|cookie|auth-?key|enc-?key"
    r"|md5-?key|passphrase",
    re.IGNORECASE,
)
_SET = re.compile(r"^(\s*set (\S+) )(.+)$", re.MULTILINE)
_ATTRIBUTE = re.compile(r'("([\w-]{1,80})"\s*:\s*)"((?:[^"\\]|\\.)*)"?')
_HEADER = re.compile(
    r"^(\S*(?:cookie|authoriz|authentic|token|pass|secret)\S*[: ]).*", re.IGNORECASE
)
_LEAST = 6
"""Letters of a secret that is looked for everywhere; a shorter one stands in other words too."""


def masked_text(text: str, known: Iterable[str] = ()) -> str:
    """A text without what is encrypted, a key, a bearer token, or one of the known secrets."""
    for secret in known:
        if secret:
            text = text.replace(secret, MASK)
    text = _PEM.sub(f"PEM {MASK}", _ENCRYPTED.sub(f"ENC {MASK}", text))
    return _BEARER.sub(f"Bearer {MASK}", text)


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
    if not _SECRET_KEY.search(key) or isinstance(content, dict | list | bool | int | float):
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
