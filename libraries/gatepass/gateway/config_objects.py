"""The objects of a configuration: which there are, whose they are, and how two of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gatepass.base.formats import MARK
from gatepass.base.masking import for_a_reader

MARKED = ("name", "tag", "comments", "comment", "domain")
"""Attributes that bear a run's mark, at their beginning."""
_MARK = re.compile(rf'(?:"|edit |set name )({MARK})-')
_MAC = re.compile(r"set mac 02:67:70:([0-9a-f]{2}):([0-9a-f]{2}):([0-9a-f]{2})")
_HEXADECIMAL = re.compile("gp([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})")
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')
WRAPPERS = ("vdom", "global")
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
        vdom: that it belongs to; empty where the device is not divided, and for what is global.
    """

    path: str
    key: str
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None
    vdom: str = ""

    @property
    def name(self) -> str:
        """Table and key."""
        return f"{self.path} {self.key}".rstrip()

    @property
    def sentence(self) -> str:
        """It by its name, with before and after."""
        name = f"{self.name} (VDOM {self.vdom})" if self.vdom else self.name
        if self.before is None:
            return f"{name} was added ({_shown(self.after)})"
        if self.after is None:
            return f"{name} was removed (before: {_shown(self.before)})"
        gone = [line for line in self.before if line not in self.after]
        new = [line for line in self.after if line not in self.before]
        if not gone and not new:
            moved = next(i for i, key in enumerate(self.before) if key != self.after[i])
            orders = f"before: {_shown(self.before[moved:])}; now: {_shown(self.after[moved:])}"
            return f"{name} is in another order ({orders})"
        return f"{name} was changed (before: {_shown(gone)}; now: {_shown(new)})"


def objects(text: str) -> dict[ObjectId, tuple[str, ...]]:
    """The settings of each object of a comparable configuration, in the order that they stand.

    Args:
        text: see `gatepass.gateway.configuration.comparable`.
    """
    found: dict[ObjectId, tuple[str, ...]] = {}
    for (_, *identity), lines in _by_domain(text).items():
        path, key = identity
        found[path, key] = (*found.get((path, key), ()), *lines)
    return found


def _by_domain(text: str) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """The same, by VDOM, table and key."""
    found: dict[tuple[str, str, str], list[str]] = {}
    domain, path, key, depth, quoted = "", "", "", 0, False
    for line in text.splitlines():
        stripped = line.strip()
        word, _, rest = ("", "", "") if quoted else stripped.partition(" ")
        quoted ^= _opens(line)
        if word == "config" and depth == 0 and rest not in WRAPPERS:
            path, key, depth = table_of(rest), "", 1
        elif depth == 0:
            domain = _domain_after(domain, word, rest)
        elif word == "end" and depth == 1:
            depth = 0
        elif word == "edit" and depth == 1:
            key = rest.strip().strip('"')
            found.setdefault((domain, path, key), [])
        elif word == "next" and depth == 1:
            key = ""
        else:
            depth += {"config": 1, "end": -1}.get(word, 0)
            found.setdefault((domain, path, key), []).append(stripped)
    return {identity: tuple(lines) for identity, lines in found.items()}


def table_of(section: str) -> str:
    """The table of a section as the REST API names it: ``firewall.service/custom``.

    Args:
        section: as the command line names it: ``firewall service custom``.
    """
    *rooms, table = section.split() or [""]
    return f"{'.'.join(rooms)}/{table}"


def _domain_after(domain: str, word: str, rest: str) -> str:
    """Whose sections follow a line that stands outside of all sections."""
    if word == "edit":
        return rest.strip().strip('"')
    return "" if word in ("config", "next", "end") else domain


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The lines of a comparable configuration, each with its section and VDOM, for a reader."""
    domain, section = "", ""
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "config":
            section = f"{line} (VDOM {domain})" if domain and rest not in WRAPPERS else line
        if word == "edit" or (word == "config" and rest in WRAPPERS):
            domain = _domain_after(domain, word, rest)
        yield section, line


def object_changes(before: str, after: str) -> list[ObjectChange]:
    """The objects that were added, removed, changed or moved, by table.

    Args:
        before, after: comparable configurations.
    """
    old, new = _by_domain(before), _by_domain(after)
    changes = [
        ObjectChange(path, key, old.get((vdom, path, key)), new.get((vdom, path, key)), vdom)
        for vdom, path, key in dict.fromkeys([*old, *new])
        if old.get((vdom, path, key)) != new.get((vdom, path, key))
    ]
    kept = [identity for identity in old if identity in new]
    there = [identity for identity in new if identity in old]
    for table in dict.fromkeys(identity[:2] for identity in kept):
        orders = [tuple(one[2] for one in both if one[:2] == table) for both in (kept, there)]
        if orders[0] != orders[1]:
            changes.append(ObjectChange(table[1], "", *orders, vdom=table[0]))
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
    return (line.strip() for line, is_text in with_quotes(text.splitlines()) if not is_text)


def with_quotes(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each line, without blanks at its end where it ends outside of quotes, and whether it begins
    inside of them."""
    quoted = False
    for line in lines:
        began, quoted = quoted, quoted ^ _opens(line)
        yield (line if quoted else line.rstrip()), began


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
    lines = [line or "an empty line" for line in lines]
    cut = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines]
    more = f", and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return for_a_reader(", ".join(cut[:_MOST_LINES])) + more
