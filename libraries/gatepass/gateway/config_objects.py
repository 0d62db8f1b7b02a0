"""The objects of a configuration: which there are, whose they are, and how two of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gatepass.base.formats import MARK

MARKED = ("name", "tag", "comments", "comment", "domain")
"""Attributes that bear a run's mark, at their beginning."""
_MARK = re.compile(rf'(?:"|edit |set name )({MARK})-')
_MAC = re.compile(r"set mac 02:67:70:([0-9a-f]{2}):([0-9a-f]{2}):([0-9a-f]{2})")
_HEXADECIMAL = re.compile("gp([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})")
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')
_WRAPPERS = ("vdom", "global")
"""Sections around those of a whole device with virtual domains."""
_MOST_LINES, _LONGEST = 3, 80
"""Of an object's settings in a sentence: how many, and how many characters of each."""

ObjectId = tuple[str, str]
"""Table and key, such as ("firewall.service/custom", "HTTP"); settings without one have ""."""


@dataclass(frozen=True)
class ObjectChange:
    """What became of one object between two configurations.

    Attributes:
        path: the table, as the REST API names it.
        key: of the object in it; empty for settings without one, and for the order of a table.
        before, after: its settings in either, or the keys in their order; None where it is not.
    """

    path: str
    key: str
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """Table and key."""
        return f"{self.path} {self.key}".rstrip()

    @property
    def sentence(self) -> str:
        """It by its name, with before and after."""
        if self.before is None:
            return f"{self.name} was added ({_shown(self.after)})"
        if self.after is None:
            return f"{self.name} was removed (before: {_shown(self.before)})"
        gone = [line for line in self.before if line not in self.after]
        new = [line for line in self.after if line not in self.before]
        if not gone and not new:
            moved = next(i for i, key in enumerate(self.before) if key != self.after[i])
            orders = f"before: {_shown(self.before[moved:])}; now: {_shown(self.after[moved:])}"
            return f"{self.name} is in another order ({orders})"
        return f"{self.name} was changed (before: {_shown(gone)}; now: {_shown(new)})"


def objects(text: str) -> dict[ObjectId, tuple[str, ...]]:
    """The settings of each object of a comparable configuration, in the order that they stand.

    Args:
        text: see `gatepass.gateway.configuration.comparable`.
    """
    found: dict[ObjectId, list[str]] = {}
    path, key, depth, quoted = "", "", 0, False
    for line in text.splitlines():
        stripped = line.strip()
        word, _, rest = ("", "", "") if quoted else stripped.partition(" ")
        quoted ^= _opens(line)
        if word == "config" and depth == 0 and rest not in _WRAPPERS:
            *rooms, table = rest.split() or [""]
            path, key, depth = f"{'.'.join(rooms)}/{table}", "", 1
        elif word == "end" and depth == 1:
            depth = 0
        elif word == "edit" and depth == 1:
            key = rest.strip().strip('"')
            found.setdefault((path, key), [])
        elif word == "next" and depth == 1:
            key = ""
        elif depth:
            depth += {"config": 1, "end": -1}.get(word, 0)
            found.setdefault((path, key), []).append(stripped)
    return {identity: tuple(lines) for identity, lines in found.items()}


def object_changes(before: str, after: str) -> list[ObjectChange]:
    """The objects that were added, removed, changed or moved, by table.

    Args:
        before, after: comparable configurations.
    """
    old, new = objects(before), objects(after)
    changes = [
        ObjectChange(*identity, old.get(identity), new.get(identity))
        for identity in dict.fromkeys([*old, *new])
        if old.get(identity) != new.get(identity)
    ]
    kept = [identity for identity in old if identity in new]
    there = [identity for identity in new if identity in old]
    for path in dict.fromkeys(path for path, _ in kept):
        orders = [tuple(key for table, key in one if table == path) for one in (kept, there)]
        if orders[0] != orders[1]:
            changes.append(ObjectChange(path, "", *orders))
    return changes


def objects_named(text: str, mark: str) -> list[ObjectId]:
    """The objects whose key, name or comment begins with a mark.

    Args:
        text: a comparable configuration.
        mark: of a run.
    """
    return [
        identity
        for identity, settings in objects(text).items()
        if identity[1].startswith(mark)
        or (identity[1] and any(_of_mark(line, mark) for line in _own(settings)))
    ]


def marks_in(text: str) -> set[str]:
    """What look like marks of runs in a comparable configuration."""
    return set(_MARK.findall(text)) | {"gp" + "".join(found) for found in _MAC.findall(text)}


def hardware_address(mark: str, which: int = 0) -> str:
    """A hardware address that bears a run's mark, for what has no other place for it.

    It is a locally administered one (IEEE 802, the second bit of its first octet), and 67 70 are
    the letters gp.

    Args:
        mark: of the run, eight letters; of another mark it is empty.
        which: of several, from 0 on; the first is the one that objects of the run bear.
    """
    found = _HEXADECIMAL.fullmatch(mark)
    return ":".join((f"{2 + 4 * which:02x}", "67", "70", *found.groups())) if found else ""


def outside_quotes(text: str) -> Iterator[str]:
    """The lines that begin outside of quotes: what is quoted, as pages for users are, is text."""
    quoted = False
    for line in text.splitlines():
        if not quoted:
            yield line.strip()
        quoted ^= _opens(line)


def _opens(line: str) -> bool:
    """Whether a line ends on the other side of a quotation than it begins."""
    return len(_QUOTE.findall(line)) % 2 == 1


def _own(settings: tuple[str, ...]) -> Iterator[str]:
    """An object's settings without those of the tables in it."""
    depth = 0
    for line in settings:
        word = line.partition(" ")[0]
        depth += {"config": 1, "end": -1}.get(word, 0)
        if not depth:
            yield line


def _of_mark(line: str, mark: str) -> bool:
    word, _, setting = line.partition(" ")
    attribute, _, value = setting.partition(" ")
    value = value.strip().strip('"')
    if attribute == "mac":
        return word == "set" and value == hardware_address(mark)
    return word == "set" and attribute in MARKED and value.startswith(mark)


def _shown(lines: tuple[str, ...] | list[str] | None) -> str:
    """Settings for a sentence."""
    if not lines:
        return "nothing"
    lines = [line for line in lines if not line.startswith("set uuid ")]  # nobody reads it
    cut = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines]
    more = f", and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return ", ".join(cut[:_MOST_LINES]) + more
