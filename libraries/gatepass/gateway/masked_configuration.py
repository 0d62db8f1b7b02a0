"""A configuration as text in which what may be secret is masked, so that it can be kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gatepass.base.masking import MASK, is_mask, is_secret_name, mask_of
from gatepass.gateway.config_objects import WRAPPERS, table_of, with_quotes
from gatepass.gateway.harmless import is_harmless, is_key

_SETTING = re.compile(
    r"(?P<begin>\s*(?:set|append|select|unselect|unset)\s+(?P<name>\S+))(?P<values>.*)", re.DOTALL
)
_EDIT = re.compile(r"(?P<begin>\s*edit)(?P<values> .*)", re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"?|[^\s"]+', re.DOTALL)
_HEAD = re.compile(r"#(config-version|conf_file_ver|buildno|global_vdom)=[^\s\"]*")
_CHOICE = re.compile(r"[A-Za-z0-9]+([-_.+][A-Za-z0-9]+)*\+?|[A-Z]+(/[A-Za-z-]+)+|[\d.:/,-]+")
"""What stands without quotes: a choice, a number, some of them, or ports."""
_LONGEST_CHOICE = 40


def masked_configuration(text: str, key: bytes = b"") -> str:
    """A configuration, or commands that make one, with only what is harmless in clear.

    What is masked already stays as it is, so that it may be done twice.

    Args:
        text: of FortiOS' command line.
        key: by which what stands for one value differs from what stands for another; without one
            they are all alike, those that were masked before among them.
    """
    rooms: list[str] = []
    lines = (_masked_line(line, rooms, key) for line in _whole_lines(text.splitlines()))
    return "\n".join(lines) + "\n" * text.endswith("\n")


def _whole_lines(lines: Iterable[str]) -> Iterator[str]:
    """Lines that go on within quotes, as one."""
    parts: list[str] = []
    for line, is_text in with_quotes(lines):
        if parts and not is_text:
            yield "\n".join(parts)
            parts = []
        parts.append(line)
    if parts:
        yield "\n".join(parts)


def _masked_line(line: str, rooms: list[str], key: bytes) -> str:
    """A line, and the tables around the next one.

    Args:
        line: whole.
        rooms: the names of the tables around it, from outside in; is changed.
        key: see `masked_configuration`.
    """
    word, _, rest = line.strip().partition(" ")
    if word == "config":
        rooms.append(rest)
        return line
    if word == "end" and rooms:
        rooms.pop()
    if word in ("", "end", "next") and not rest:
        return line
    table = _path(rooms)
    if found := _EDIT.fullmatch(line):
        return found["begin"] + _masked_words(table, "", found["values"], key)
    if found := _SETTING.fullmatch(line):
        return found["begin"] + _masked_words(table, found["name"], found["values"], key)
    return line if _HEAD.fullmatch(line) else _mask(line.strip(), key)


def _path(rooms: list[str]) -> str:
    outer, *inner = [room for room in rooms if room not in WRAPPERS] or [""]
    return "/".join((table_of(outer), *inner))


def _masked_words(table: str, name: str, values: str, key: bytes) -> str:
    def one(found: re.Match[str]) -> str:
        word = found[0]
        return word if word == "ENC" else _masked_word(table, name, word, key)

    return _WORD.sub(one, values)


def _masked_word(table: str, name: str, word: str, key: bytes) -> str:
    value, quoted = word.strip('"'), word.startswith('"')
    if is_harmless(table, name, value) or (not name and _is_plain_key(table, value)):
        return word
    hidden = quoted or is_secret_name(name) or is_key(name) or len(value) > _LONGEST_CHOICE
    return _mask(value, key) if hidden or not _CHOICE.fullmatch(value) else word


def _mask(value: str, key: bytes) -> str:
    """What stands for a value, which may be one that does already."""
    if is_mask(value):
        return value if key else MASK
    return mask_of(value, key)


def _is_plain_key(table: str, value: str) -> bool:
    """Whether the key of a row names it, and is no address with a log-in or the like."""
    return value.isdecimal() or (is_harmless(table, "name", value) and "://" not in value)
