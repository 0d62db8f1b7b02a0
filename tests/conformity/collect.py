"""Makes `facts.json.xz` of what is published about FortiOS's tables.

    PYTHONPATH=tests python -m conformity.collect COLLECTION SDK LIMITS

COLLECTION is the folder of Ansible's collection fortinet.fortios: names, choices and releases, of
tables and of monitors. SDK is the folder of the package hfortix_fortios, which was made from the
schema of a FortiOS 7.6.5: its defaults, lengths and ranges. LIMITS is a JSON file of lengths and
ranges as Fortinet's Terraform provider holds them, for what the device's schema leaves out; they
are the widest of all releases.

Facts alone are taken over: names, choices, numbers, releases.
"""

from __future__ import annotations

import argparse
import ast
import json
import lzma
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
FACTS = HERE / "facts.json.xz"
OLDEST = (7, 4, 4)
"""The first release that is held; nothing is kept of what was over by then."""

Fact = dict[str, Any]
_SPELLING = str.maketrans("-(", "__", ")")
_OVER = " (over)"
"""Behind the name of an attribute that the collection has for earlier releases alone."""


def collect(collection: Path, sdk: Path, limits: Mapping[str, Any]) -> Fact:
    """The facts about the tables of `tables.yaml`."""
    modules = collection / "plugins" / "modules"
    wanted = yaml.safe_load((HERE / "tables.yaml").read_text(encoding="utf-8"))
    groups = {path: group for group, paths in wanted.items() for path in paths.split()}
    tables = {}
    for path in sorted(groups):
        fact = _table(modules, path)
        _add_device(fact, _of_device(sdk, path), limits.get(path, {}))
        tables[path] = fact | {"access": groups[path]}
    facts, does = (_selectors(modules / f"fortios_{one}.py") for one in ("monitor_fact", "monitor"))
    return {
        "newest": _newest(modules),
        "tables": tables,
        "monitors": {path: _parameters(one) for path, one in sorted((does | facts).items())},
        "logs": sorted(_selectors(modules / "fortios_log_fact.py")),
    }


def _assigned(file: Path) -> Iterator[tuple[str, Any]]:
    """The constants that a module gives names to."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                yield node.targets[0].id, ast.literal_eval(node.value)
            except ValueError:
                continue


def _newest(modules: Path) -> dict[str, str]:
    """The last release of each train that the collection speaks of."""
    found: dict[str, tuple[int, ...]] = {}
    for file in modules.glob("fortios_*.py"):
        for text in set(re.findall(r'"v(\d+\.\d+\.\d+)"', file.read_text(encoding="utf-8"))):
            release = tuple(map(int, text.split(".")))
            train = ".".join(text.split(".")[:2])
            if release >= OLDEST:
                found[train] = max(found.get(train, release), release)
    return {train: ".".join(map(str, release)) for train, release in sorted(found.items())}


# -- names, choices, releases ----------------------------------------------------------------


def _table(modules: Path, path: str) -> Fact:
    file = modules / f"fortios_{re.sub('[./-]', '_', path).replace('+', 'plus').lower()}.py"
    told = dict(_assigned(file))
    fact = _node(told["versioned_schema"])
    key = told.get("mkeyname")
    return {"key": key and _hyphened(key)} | fact


def _node(said: Mapping[str, Any]) -> Fact:
    """One table, group or attribute; what has no releases is in all of them."""
    fact: Fact = {}
    if releases := _releases(said.get("v_range")):
        fact["in"] = releases
    if children := said.get("children"):
        fact["kind"] = "table" if said.get("type") == "list" else "group"
        fact["attributes"] = {
            name if _is_recent(child.get("v_range")) else f"{name}{_OVER}": _node(child)
            for name, child in _on_the_wire(children)
        }
        return fact
    if options := said.get("options"):
        fact["kind"] = "option"
        fact["choices"] = {
            str(one["value"]): _releases(one.get("v_range"))
            for one in options
            if _is_recent(one.get("v_range"))
        }
        if said.get("multiple_values"):
            fact["several"] = True
    else:
        fact["kind"] = "integer" if said.get("type") == "integer" else "text"
    return fact


def _on_the_wire(children: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The attributes by their names; a text that became a table the collection calls NAME_dict."""
    for name, child in children.items():
        stem = name.removesuffix("_dict")
        yield _hyphened(stem if stem in children else name), child


def _releases(ranges: Any) -> list[list[str]]:
    """First and last release of each time that something was there; empty where it always was."""
    kept = [[one.lstrip("v") for one in span] for span in ranges or () if _is_recent([span])]
    return [] if kept and _number(kept[-1][0]) <= OLDEST and not kept[-1][1] else kept


def _is_recent(ranges: Any) -> bool:
    return not ranges or any(not last or _number(last) >= OLDEST for _, last in ranges)


def _number(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.lstrip("v").split(".")))


def _hyphened(name: str) -> str:
    return name.replace("_", "-")


# -- defaults, lengths, ranges ---------------------------------------------------------------


def _of_device(sdk: Path, path: str) -> dict[str, Fact]:
    """What the schema of a 7.6.5 says of each attribute, by its way from the table."""
    branch, _, name = path.partition("/")
    stem = re.sub("[-+]", "_", name)
    folder = sdk.joinpath("api", "v2", "cmdb", *branch.replace("-", "_").split("."), "_helpers")
    named = {file.stem.lower(): file for file in folder.glob("*.py")}
    file = named.get(stem.lower()) or named.get(f"{stem.lower()}_")
    if file is None:
        return {}
    told = dict(_assigned(file))
    found: dict[str, Fact] = {}
    for attribute in told["FIELD_TYPES"]:
        bounds = told.get("FIELD_CONSTRAINTS", {}).get(attribute, {})
        whole = {"default": told.get("FIELDS_WITH_DEFAULTS", {}).get(attribute), **bounds}
        found[_plain(attribute)] = _bounds(whole, "min", "max")
    for group, children in told.get("NESTED_SCHEMAS", {}).items():
        found |= _nested(group, children)
    return found


def _nested(way: str, children: Mapping[str, Any]) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    for name, said in children.items():
        found[_plain(f"{way}/{name}")] = _bounds(said, "min_value", "max_value")
        if isinstance(said.get("children"), Mapping):
            found |= _nested(f"{way}/{name}", said["children"])
    return found


def _bounds(said: Mapping[str, Any], low: str, high: str) -> Fact:
    fact: Fact = {}
    if said.get("default") not in (None, ""):
        fact["default"] = said["default"]
    if "max_length" in said:
        fact["size"] = said["max_length"]
    if high in said:
        fact["range"] = [said.get(low, 0), said[high]]
    return fact


def _add_device(fact: Fact, device: Mapping[str, Fact], limits: Mapping[str, Any],
                way: str = "") -> None:
    """Put lengths, ranges and defaults where they belong: the device's own, else the provider's.

    What can be read and not be set the collection leaves out from some release on; what the
    device's schema has of it is there in all releases.
    """
    attributes = fact["attributes"]
    for name in [name for name in attributes if name.endswith(_OVER)]:
        one, now = attributes.pop(name), name.removesuffix(_OVER)
        if now not in attributes and _plain(f"{way}{now}") in device:
            one.pop("in", None)
            attributes[now] = one
    for name, one in attributes.items():
        here = _plain(f"{way}{name}")
        if "attributes" in one:
            _add_device(one, device, limits, f"{here}/")
            continue
        provider = limits.get(here, {})
        if "len" in provider:
            one["size"] = provider["len"][1]
        if "int" in provider:
            one["range"] = provider["int"]
        one |= device.get(here, {})


def _plain(name: str) -> str:
    return name.translate(_SPELLING).lower()


# -- monitors --------------------------------------------------------------------------------


def _selectors(file: Path) -> dict[str, Any]:
    selectors = dict(_assigned(file))["module_selectors_defs"]
    return {one["url"]: one["params"] for one in selectors.values()}


def _parameters(params: Mapping[str, Any]) -> dict[str, bool]:
    """Whether each has to be given."""
    return {name: about["required"] == "True" for name, about in params.items()}


def main() -> None:
    """Write the facts."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("sdk", type=Path)
    parser.add_argument("limits", type=Path)
    told = parser.parse_args()
    limits = json.loads(told.limits.read_text(encoding="utf-8"))
    facts = collect(told.collection, told.sdk, limits)
    text = json.dumps(facts, separators=(",", ":"), sort_keys=True)
    FACTS.write_bytes(lzma.compress(text.encode(), preset=9))
    print(f"{FACTS.name}: {len(facts['tables'])} tables, {len(text):,} characters")


if __name__ == "__main__":
    main()
