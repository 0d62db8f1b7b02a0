"""Reads custom signatures, which FortiOS writes in its F-SBID language.

The lab knows the part of the language that its inspector can carry out; everything else is refused
by name, so that no signature is accepted and then quietly never matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FRAME = re.compile(r"\s*F-SBID\s*\((.*)\)\s*", re.DOTALL)
_KEYWORD = re.compile(r"\s*--(?P<keyword>\w+)\s*")
_QUOTED = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"\s*(?:;|$)', re.DOTALL)
_BARE = re.compile(r'(?P<text>[^;"]*?)\s*(?:;|$)')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

_CHOICES = {
    "protocol": ("tcp",),
    "service": ("HTTP", "FTP", "SSL"),
    "flow": ("from_client", "from_server"),
    "context": ("uri", "header", "body", "host", "packet"),
    "default_action": ("drop", "pass"),
}
_TEXTS = ("name", "pattern")
_NUMBERS = {"attack_id": (1000, 9999), "app_cat": (1, 255)}
_FLAGS = ("no_case",)
KEYWORDS = (*_TEXTS, *_NUMBERS, *_CHOICES, *_FLAGS)


@dataclass(frozen=True)
class Signature:
    """A custom signature.

    Attributes:
        name: as the log shows it.
        protocol: `tcp`.
        service: `HTTP`, `FTP` or `SSL`; empty for every TCP stream.
        flow: `from_client` or `from_server`; empty for both ways.
        pattern: text to look for, not empty.
        context: where: `uri`, `header`, `body`, `host`, or `packet` for all of the stream.
        no_case: whether letters match whatever their case.
        attack_id: number that the signature gives itself, or None.
        category: application category, or None.
        default_action: `drop` or `pass`; empty where the signature does not say.
    """

    name: str
    protocol: str = "tcp"
    service: str = ""
    flow: str = ""
    pattern: str = ""
    context: str = "packet"
    no_case: bool = False
    attack_id: int | None = None
    category: int | None = None
    default_action: str = ""


def parse(text: str) -> Signature:
    """Read a signature such as `F-SBID( --name "X"; --protocol tcp; --pattern "bad"; )`.

    Raises:
        ValueError: it is not a signature, or uses what the lab does not know; one sentence.
    """
    frame = _FRAME.fullmatch(text)
    if frame is None:
        raise ValueError("A signature has the form F-SBID( --KEYWORD VALUE; … ).")
    found: dict[str, str] = {}
    for keyword, value in _options(frame[1]):
        if keyword not in KEYWORDS:
            raise ValueError(f"The keyword --{keyword} is not known to the lab's inspector.")
        if keyword in found:
            raise ValueError(f"The keyword --{keyword} stands twice; the lab takes it once.")
        found[keyword] = _checked(keyword, value)
    for needed in _TEXTS:
        if not found.get(needed):
            raise ValueError(f"The keyword --{needed} is missing.")
    numbers = {name: int(found[name]) for name in _NUMBERS if name in found}
    return Signature(
        name=found["name"],
        protocol=found.get("protocol", "tcp"),
        service=found.get("service", ""),
        flow=found.get("flow", ""),
        pattern=found["pattern"],
        context=found.get("context", "packet"),
        no_case="no_case" in found,
        attack_id=numbers.get("attack_id"),
        category=numbers.get("app_cat"),
        default_action=found.get("default_action", ""),
    )


def _options(text: str) -> Iterator[tuple[str, str]]:
    """The keywords with their values, a quoted value without its quotes."""
    position = 0
    while text[position:].strip():
        keyword = _KEYWORD.match(text, position)
        if keyword is None:
            rest = _shown(text[position:])
            raise ValueError(f"A keyword such as --name is missing before {rest}.")
        value = _QUOTED.match(text, keyword.end()) or _BARE.match(text, keyword.end())
        if value is None:
            rest = _shown(text[keyword.end() :])
            raise ValueError(f"The value of --{keyword['keyword']} cannot be read: {rest}.")
        yield keyword["keyword"], value["text"]
        position = value.end()


def _checked(keyword: str, value: str) -> str:
    if keyword in _FLAGS:
        if value:
            raise ValueError(f"The keyword --{keyword} takes no value.")
        return keyword
    if keyword in _TEXTS:
        return _literal(keyword, value)
    if keyword in _CHOICES:
        known = {choice.lower(): choice for choice in _CHOICES[keyword]}
        if value.lower() not in known:
            choices = ", ".join(_CHOICES[keyword])
            raise ValueError(f"The keyword --{keyword} takes {choices} here, not {_shown(value)}.")
        return known[value.lower()]
    low, high = _NUMBERS[keyword]
    if not value.isdecimal() or not low <= int(value) <= high:
        raise ValueError(f"The keyword --{keyword} takes a number, {low} to {high}.")
    return value


def _literal(keyword: str, value: str) -> str:
    """A text in quotes, its escapes resolved."""
    if "|" in value or any(escaped[1] not in '"\\;:' for escaped in _ESCAPE.finditer(value)):
        raise ValueError(f"The keyword --{keyword} takes plain text here, without |hex| or \\x.")
    return _ESCAPE.sub(r"\1", value)


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 40 else text[:37] + "...")
