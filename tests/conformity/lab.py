"""What a gateway declares of its tables (`?action=schema`), held against the published facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .facts import DEFAULTS_OF, Fact, Facts, plain
from .mismatch import Mismatch

Schema = Mapping[str, Any]


def hold(facts: Facts, release: str, path: str, schema: Schema) -> Iterator[Mismatch]:
    """How a table differs from the published one.

    Args:
        facts: that are published.
        release: of FortiOS.
        path: of the table.
        schema: the `results` of ``GET cmdb/PATH?action=schema``.
    """
    fact = facts.table(path, release)
    if fact is None:
        yield Mismatch(path, "", "table", "this release has none of that name")
        return
    if (schema.get("mkey") or None) != fact["key"]:
        yield Mismatch(path, "", "key", f"{schema.get('mkey')} instead of {fact['key']}")
    if release == DEFAULTS_OF and schema.get("access_group") != fact["access"]:
        told = f"{schema.get('access_group')} instead of {fact['access']}"
        yield Mismatch(path, "", "access group", told)
    defaults = release == DEFAULTS_OF
    yield from _attributes(path, "", schema, fact, facts.known(path), defaults)


def attributes_in(schema: Schema) -> int:
    """How many attributes a declaration has, with those of its groups and tables."""
    children = schema.get("children", {}).values()
    return sum(1 + attributes_in(child) for child in children)


def _attributes(
    path: str, before: str, schema: Schema, fact: Fact, known: frozenset[str], defaults: bool
) -> Iterator[Mismatch]:
    for name, declared in schema["children"].items():
        way = f"{before}{name}"
        real = fact["attributes"].get(plain(name))
        if real is None:
            kind = "release" if plain(way) in known else "attribute"
            yield Mismatch(path, way, kind, "this release has none of that name")
        elif (kind := _kind(declared)) != real["kind"]:
            yield Mismatch(path, way, "type", f"{kind} instead of {real['kind']}")
        elif "children" in declared:
            yield from _attributes(path, f"{way}/", declared, real, known, defaults)
        else:
            yield from _one(path, way, declared, real)
            if defaults and name != schema.get("mkey"):
                yield from _default(path, way, declared, real)


def _kind(declared: Schema) -> str:
    if declared["category"] in ("table", "complex"):
        return "table" if declared["category"] == "table" else "group"
    if declared.get("options"):
        return "option"
    return "integer" if declared["type"] == "integer" else "text"


def _one(path: str, way: str, declared: Schema, real: Fact) -> Iterator[Mismatch]:
    if declared.get("options") and "choices" in real:
        have = frozenset(one["name"] for one in declared["options"])
        if extra := sorted(have - real["choices"]):
            yield Mismatch(path, way, "choices too many", " ".join(extra))
        if lacking := sorted(real["choices"] - have):
            yield Mismatch(path, way, "choices lacking", " ".join(lacking))
        several = bool(real.get("several"))
        if bool(declared.get("multiple_values")) != several:
            yield Mismatch(path, way, "type", "several choices" if several else "one choice")
    if "size" in declared and "size" in real and declared["size"] != real["size"]:
        told = f"{declared['size']} characters instead of {real['size']}"
        yield Mismatch(path, way, "limit", told)
    if "max-value" in declared and "range" in real:
        have = [declared["min-value"], declared["max-value"]]
        if have != real["range"]:
            told = f"{have[0]} to {have[1]} instead of {real['range'][0]} to {real['range'][1]}"
            yield Mismatch(path, way, "limit", told)


def _default(path: str, way: str, declared: Schema, real: Fact) -> Iterator[Mismatch]:
    if "default" not in real or "default" not in declared:
        return
    if _words(declared["default"]) != _words(real["default"]):
        told = f"{declared['default']!r} instead of {real['default']!r}"
        yield Mismatch(path, way, "default", told)


def _words(value: object) -> list[str]:
    return sorted(str(value).split())
