"""A configuration as FortiOS command line text: what a backup holds."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lab.gateway.cli.words import quoted
from lab.gateway.cmdb.rows import Builder
from lab.gateway.cmdb.state import State
from lab.gateway.schema.model import Attribute, Table
from lab.gateway.versions import Version

MARK = "#config-version="
_INDENT = "    "


def command_path(path: str) -> str:
    """`firewall.service/custom` as the command line names it: `firewall service custom`."""
    return path.replace(".", " ").replace("/", " ")


Shown = Callable[[Table, Mapping[str, Any]], bool]
"""Whether a row of a table is shown."""


def backup(state: State, builder: Builder, version: Version, user: str,
           shown: Shown = lambda table, row: True) -> str:
    """The configuration as text.

    As on a device the file version and the salts of sealed secrets differ each time.

    Args:
        user: who asked for it, named in the first line.
        shown: what of it that one is shown.
    """
    release = ".".join(map(str, version.release))
    header = [
        f"{MARK}LABVM64-{release}-FW-build{version.build:04}-{time.strftime('%y%m%d')}"
        f":opmode=0:vdom=0:user={user}",
        f"#conf_file_ver={time.time_ns() // 1_000_000}{secrets.randbelow(1000):03}",
        f"#buildno={version.build:04}",
        "#global_vdom=1",
    ]
    return "\n".join([*header, *lines(state, builder, shown)]) + "\n"


def lines(state: State, builder: Builder,
          shown: Shown = lambda table, row: True) -> Iterator[str]:
    """The commands that make this configuration out of the defaults."""
    for path, table in state.tables.items():
        rows = {key: row for key, row in state.rows[path].items() if shown(table, row)}
        if table.mkey is None:
            body = [
                line for row in rows.values()
                for line in _settings(table, builder.reseal(table, row), _INDENT)
            ]
            if body:
                yield from (f"config {command_path(path)}", *body, "end")
        elif rows:
            yield f"config {command_path(path)}"
            for row in rows.values():
                yield from _entry(table, builder.reseal(table, row), _INDENT)
            yield "end"


def _entry(table: Table, row: Mapping[str, Any], indent: str) -> Iterator[str]:
    assert table.mkey is not None
    key = row[table.mkey]
    yield f"{indent}edit {key if table.has_integer_key else quoted(key)}"
    yield from _settings(table, row, indent + _INDENT)
    yield f"{indent}next"


def _settings(table: Table, row: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, attribute in table.attributes.items():
        value = row[name]
        if name == table.mkey or value == table.template[name]:
            continue
        if attribute.child is None or attribute.is_member_list:
            yield f"{indent}set {name} {_value(attribute, value)}"
        else:
            yield f"{indent}config {name}"
            if attribute.child.mkey is None:
                yield from _settings(attribute.child, value, indent + _INDENT)
            else:
                for item in value:
                    yield from _entry(attribute.child, item, indent + _INDENT)
            yield f"{indent}end"


def _value(attribute: Attribute, value: Any) -> str:
    if attribute.child is not None:
        key = attribute.child.key
        return " ".join(_value(key, item[key.name]) for item in value)
    if attribute.quoted or value == "":
        return quoted(value)
    return str(value)
