"""The gateway's configuration as text: made comparable, and free of secrets, before it is kept."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from gatepass.base.masking import masked_text

# An SNMP community's name is its password, and stands there in clear.
_COMMUNITY = re.compile(r"^config system snmp community$.*?^end$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"set name .*")
_SCREENFUL = 40
MARKED = ("name", "tag", "comments", "comment", "domain")
"""Attributes that bear a run's mark, at their beginning."""
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')
_MARK = re.compile(r'(?:"|edit |set name )(gp[0-9a-f]{6})-')


def comparable(backup: str) -> str:
    """A backup without what differs between two backups of one configuration, secrets masked.

    Header lines (``#config-version``, ``#conf_file_ver``, …) count backups and are dropped.
    """
    text = _COMMUNITY.sub(
        lambda section: _NAME.sub("set name ***", section[0]), masked_text(backup)
    )
    lines = (line.rstrip() for line in text.splitlines() if not line.startswith("#"))
    return "\n".join(line for line in lines if line) + "\n"


def differences(before: str, after: str) -> tuple[str, ...]:
    """The lines that differ between two comparable configurations, each with its section.

    Returns:
        Lines such as ``config firewall policy: + edit 7``; at most a screenful, then a count.
    """
    old, new = _with_sections(before), _with_sections(after)
    # not ndiff, which takes minutes over some thousand lines that differ
    changes = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    found = [
        f"{line[1:].partition(chr(0))[0]}: {line[0]} {line.partition(chr(0))[2].strip()}"
        for line in changes
        if line[0] in "+-"
    ]
    if len(found) > _SCREENFUL:
        found[_SCREENFUL:] = [f"… and {len(found) - _SCREENFUL} further lines"]
    return tuple(found)


def is_whole(backup: str) -> bool:
    """Whether each section of a configuration has its end."""
    words = [line.split(" ", 1)[0] for line in _outside_quotes(backup)]
    return words.count("config") == words.count("end")


def _outside_quotes(text: str) -> Iterator[str]:
    """The lines that begin outside of quotes: what is quoted, as pages for users are, is text."""
    quoted = False
    for line in text.splitlines():
        if not quoted:
            yield line.strip()
        quoted ^= len(_QUOTE.findall(line)) % 2 == 1


def objects_named(text: str, mark: str) -> list[tuple[str, str]]:
    """The objects whose key, name or comment begins with a mark, as table and key.

    Args:
        text: a comparable configuration.
        mark: of a run.

    Returns:
        Tables as the REST API names them, such as ``firewall.service/custom``.
    """
    found: dict[tuple[str, str], None] = {}
    path, depth, key = "", 0, ""
    for line in _outside_quotes(text):
        word, _, rest = line.partition(" ")
        value = rest.strip().strip('"')
        if word == "config":
            depth += 1
            if depth == 1:
                *rooms, table = rest.split()
                path, key = f"{'.'.join(rooms)}/{table}", ""
        elif word == "end":
            depth -= 1
        elif word == "edit" and depth == 1:
            key = value
            if key.startswith(mark):
                found[path, key] = None
        elif word == "set" and depth == 1 and key and _of_mark(rest, mark):
            found[path, key] = None
    return list(found)


def _of_mark(setting: str, mark: str) -> bool:
    attribute, _, value = setting.partition(" ")
    return attribute in MARKED and value.strip().strip('"').startswith(mark)


def marks_in(text: str) -> set[str]:
    """What look like marks of runs in a comparable configuration."""
    return set(_MARK.findall(text))


def _with_sections(text: str) -> list[str]:
    section, lines = "", []
    for line in text.splitlines():
        if line.startswith("config "):
            section = line
        lines.append(f"{section}\0{line}")
    return lines
