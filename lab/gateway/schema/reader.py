"""Reads the tables of the configuration, `tables/*.yaml`.

A line names attributes and says what they hold, with its default behind "=":

=====================================  ============================================================
enable, disable                        a switch
string 35, name 35, secret 128         text of at most so many characters
integer 0..255 = 7                     a whole number; 0..7|255 takes 255 as well
option a|b, options a|b, ordered a|b   one (the first unless it says otherwise), several, several
                                       with the preferred one first; $NAME is a list of `.lists`;
                                       (a) is refused here by its name; a@7.6.0 is since that
                                       release, a@-7.6.2 until that one
ref TABLE …, number-ref TABLE …        the key of one object of these tables; +any: or this word
names TABLE …, numbers TABLE …         a list of such keys; by KEY: what a member calls it
list of SPEC by KEY                    a list of values
words, ports                           several
TYPE by PARSER                         FortiOS's type, read by a function of `values` or `parsers`
=====================================  ============================================================

A list instead of one such text says what the attribute is in some releases (`since 7.6.0`, `until
7.4.99`) and in others; the first that fits holds. Several names share a line, `dns-server1..4` are
four. `entries by id:` begins a table inside the row, a name alone a group of attributes; `+NAME:`
takes in a group of `.groups`. `.is` says what concerns the whole table (see `model.Table`), `.rows`
what a new device has in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from lab.gateway.schema import parsers, values
from lab.gateway.schema.model import Attribute, Choice, ChoiceParser, Table
from lab.gateway.versions import Release

FOLDER = Path(__file__).with_name("tables")

_KEY = re.compile(r"(?P<name>\S+)(?: by (?P<key>\S+))?(?: (?P<when>(?:since|until) .+))?")
_END = re.compile(r"^(?P<rest>.*?) (?:(?P<flag>several|quoted|secret|may-be-empty)"
                  r"|(?P<word>since|until|limits) (?P<figure>[\d.]+))$")
_CHOICE = re.compile(r"(?P<aside>\()?(?P<name>[^()@]+)\)?(?:@(?P<until>-)?(?P<release>[\d.]+))?")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast


def read(name: str) -> list[Table]:
    """The tables of one file, in its order.

    Args:
        name: of the file in `FOLDER`, without its ending.
    """
    content = yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), _LOADER)
    lists = {key: tuple(str(text).split()) for key, text in content.pop(".lists", {}).items()}
    reader = _Reader(lists, content.pop(".groups", {}))
    return [reader.table(path, said) for path, said in content.items()]


class _Reader:
    """Reads with the lists and groups of a file."""

    def __init__(self, lists: Mapping[str, tuple[str, ...]], groups: Mapping[str, Any]) -> None:
        self._lists, self._groups = lists, groups

    def table(self, path: str, said: dict[str, Any]) -> Table:
        whole = said.pop(".is", {})
        rows = said.pop(".rows", ())
        mkey = whole.pop("key", "name")
        rest = {
            key.replace("-", "_"): tuple(value) if isinstance(value, list) else value
            for key, value in whole.items()
        }
        for when in ("since", "until"):
            if when in rest:
                rest[when] = _release(rest[when])
        rest["read_only"] = frozenset(rest.get("read_only", ()))
        mkey = None if mkey == "none" else mkey
        return Table(path, self._attributes(said), mkey=mkey, factory=tuple(rows), **rest)

    def _attributes(self, said: Mapping[str, Any]) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {}
        for key, what in said.items():
            if key.startswith("+"):
                found |= self._attributes(self._groups[key[1:]])
            elif isinstance(what, list):
                for name in _names(key):
                    first, *others = (self._attribute(name, one) for one in what)
                    found[name] = replace(first, variants=tuple(others))
            elif isinstance(what, Mapping):
                child = self._child(key, what)
                found[child.name] = child
            else:
                found |= {name: self._attribute(name, str(what)) for name in _names(key)}
        return found

    def _child(self, key: str, said: Mapping[str, Any]) -> Attribute:
        match = _KEY.fullmatch(key)
        assert match is not None, key
        name, mkey = match["name"], match["key"]
        table = Table(name, self._attributes(said), mkey=mkey)
        kind = "complex" if mkey is None else "table"
        when = dict(part.split() for part in re.findall(r"\w+ \S+", match["when"] or ""))
        return Attribute(
            name, kind, [], child=table, **{word: _release(at) for word, at in when.items()}
        )

    def _attribute(self, name: str, said: str) -> Attribute:
        said, rest = _flags(said.replace("| ", "|"))
        if said.startswith("list of "):
            inner, _, key = said.removeprefix("list of ").rpartition(" by ")
            table = Table(name, {key: self._attribute(key, inner)}, mkey=key)
            return Attribute(name, "table", [], child=table, **rest)
        said, equals, default = said.partition(" = ")
        default = "" if default == '""' else default
        kind, *words = said.split()
        if kind in ("enable", "disable"):
            return _option(name, _SWITCHES, kind, **rest)
        if words[:1] == ["by"]:
            return self._parsed(name, kind, words[1:], default, **rest)
        if make := _KINDS.get(kind):
            return make(name, words, default if equals else None, **rest)
        choices = self._choices(words[0])
        return _OPTIONS[kind](name, choices, default if equals else None, **rest)

    def _choices(self, text: str) -> tuple[Choice, ...]:
        words = self._lists[text[1:]] if text.startswith("$") else text.split("|")
        return tuple(map(_choice, words))

    def _parsed(
        self, name: str, kind: str, words: list[str], default: str, **rest: Any
    ) -> Attribute:
        parser = getattr(parsers, words[0], None) or getattr(values, words[0])
        if len(words) > 1 and words[0] in ("option", "options", "one_of"):
            names = [choice.name for choice in self._choices(words[1])]
            parser = parser(set(map(int, names)) if words[0] == "one_of" else names)
        elif len(words) > 1:
            parser = parser(*_figures(words[1]))
        number = kind == "integer" and default != ""
        return Attribute(name, kind, int(default) if number else default, parser, **rest)


def _names(key: str) -> Iterable[str]:
    for name in key.split():
        stem, dots, last = name.rpartition("..")
        if dots:
            begin = re.fullmatch(r"(.*?)(\d+)", stem)
            assert begin is not None, name
            yield from (f"{begin[1]}{n}" for n in range(int(begin[2]), int(last) + 1))
        else:
            yield name


def _flags(said: str) -> tuple[str, dict[str, Any]]:
    """What stands behind the rest, and the rest."""
    found: dict[str, Any] = {}
    while match := _END.match(said):
        said = match["rest"]
        if match["flag"]:
            name = "multiple" if match["flag"] == "several" else match["flag"].replace("-", "_")
            found[name] = True
        elif match["word"] == "limits":
            found["limits"] = _figures(match["figure"])
        else:
            found[match["word"]] = _release(match["figure"])
    return said, found


def _release(text: Any) -> Release:
    major, minor, patch = map(int, str(text).split("."))
    return major, minor, patch


def _figures(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".."))


def _string(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    size = int(words[0])
    return Attribute(name, "string", default or "", values.string(size), limits=(0, size),
                     quoted=True, **rest)


def _name(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    size = int(words[0])
    return Attribute(name, "string", "", values.string(size, is_name=True), limits=(0, size),
                     quoted=True, **rest)


def _secret(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    size = int(words[0])
    return Attribute(name, "password", "", values.string(size * 4), limits=(0, size), secret=True,
                     **rest)


def _uuid(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    return Attribute(name, "uuid", "00000000-0000-0000-0000-000000000000", values.uuid, **rest)


def _integer(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    span, _, other = (words[0] if words else "0..4294967295").partition("|")
    low, high = _figures(span)
    parse = values.integer(low, high, int(other) if other else None)
    return Attribute(name, "integer", int(default or 0), parse, limits=(low, high), **rest)


def _several(parse: values.Parser) -> Callable[..., Attribute]:
    def make(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
        return Attribute(name, "user", default or "", parse, multiple=True, **rest)

    return make


def _of_tables(words: list[str]) -> tuple[tuple[str, ...], frozenset[str], dict[str, str]]:
    """Tables, literals, and what is told by a word and another behind it."""
    labels: dict[str, str] = {}
    words = list(words)
    for word in ("by", "size"):
        if word in words:
            at = words.index(word)
            labels[word] = words[at + 1]
            del words[at : at + 2]
    literals = frozenset(word[1:] for word in words if word.startswith("+"))
    return tuple(word for word in words if not word.startswith("+")), literals, labels


def _ref(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    tables, literals, labels = _of_tables(words)
    size = int(labels.get("size", 79))
    return Attribute(name, "string", default or "", values.string(size), limits=(0, size),
                     references=tables, literals=literals, quoted=True, **rest)


def _number_ref(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
    tables, literals, _ = _of_tables(words)
    numbers = frozenset(map(int, literals))
    return _integer(name, [], default, references=tables, literals=numbers, **rest)


def _members(of: Callable[..., Attribute], key: str) -> Callable[..., Attribute]:
    def make(name: str, words: list[str], default: str | None, **rest: Any) -> Attribute:
        _, _, labels = _of_tables(words)
        mkey = labels.get("by", key)
        words = [word for word in words if word not in ("by", labels.get("by"))]
        child = Table(name, {mkey: of(mkey, words, None)}, mkey=mkey)
        return Attribute(name, "table", [], child=child, **rest)

    return make


def _choice(text: str) -> Choice:
    match = _CHOICE.fullmatch(text)
    assert match is not None, text
    choice = Choice(match["name"], match["aside"] is None)
    if not match["release"]:
        return choice
    return replace(choice, **{"until" if match["until"] else "since": _release(match["release"])})


def _parse_choice(parser: Callable[..., values.Parser]) -> ChoiceParser:
    def make(choices: Sequence[Choice]) -> values.Parser:
        elsewhere = frozenset(choice.name for choice in choices if not choice.is_here)
        return parser([choice.name for choice in choices], elsewhere)

    return make


def _option(
    name: str, choices: tuple[Choice, ...], default: str | None, **rest: Any
) -> Attribute:
    chosen = choices[0].name if default is None else default
    parse = _parse_choice(values.option)
    return Attribute(name, "option", chosen, parse(choices), choices, parse, **rest)


def _options(parser: Callable[..., values.Parser]) -> Callable[..., Attribute]:
    parse = _parse_choice(parser)

    def make(name: str, choices: tuple[Choice, ...], default: str | None, **rest: Any) -> Attribute:
        return Attribute(
            name, "option", default or "", parse(choices), choices, parse, multiple=True, **rest
        )

    return make


_SWITCHES = (Choice("enable"), Choice("disable"))
_KINDS: Mapping[str, Callable[..., Attribute]] = {
    "string": _string,
    "name": _name,
    "secret": _secret,
    "uuid": _uuid,
    "integer": _integer,
    "words": _several(values.words),
    "ports": _several(values.ports),
    "ref": _ref,
    "number-ref": _number_ref,
    "names": _members(_ref, "name"),
    "numbers": _members(_number_ref, "id"),
}
_OPTIONS: Mapping[str, Callable[..., Attribute]] = {
    "option": _option,
    "options": _options(values.options),
    "ordered": _options(values.ordered_options),
}
