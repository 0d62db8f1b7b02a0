"""Rules about what a device takes and the lab's data plane cannot carry out.

It is refused when it is asked for: taken, it would hold up every later change, or narrow nothing
although it says so. What of the attributes of which table is carried out stands in `carried.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from lab.gateway.errors import bad_value, not_here
from lab.gateway.schema.model import NOTHING, Row, View
from lab.gateway.schema.rules.registry import about, check

FILE = Path(__file__).parents[1] / "carried.yaml"
_OFF = "off"
_KBPS = {"kbps": 1, "mbps": 1_000, "gbps": 1_000_000}
_MOST_KBPS = 100_000_000

Carried = dict[str, tuple[Any, ...]]
"""Of attributes the values that are taken; `a.b` is b inside a."""


def _read() -> dict[str, Carried]:
    said = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {
        path: {name: _values(text) for names, text in rows.items() for name in names.split()}
        for path, rows in said.items()
    }


def _values(text: str) -> tuple[Any, ...]:
    return NOTHING if text == _OFF else (*NOTHING, *text.split("|"))


CARRIED = _read()


def _hold(path: str, carried: Carried) -> None:
    """Have a table refuse everything else, also of attributes that it does not have."""

    @check(path)
    def _only_what_is_carried_out(row: Row, view: View) -> None:
        for name, values in carried.items():
            for value in _found(row, name.split(".")):
                if value not in values:
                    raise not_here(name, value)

    about(path, lacking={name: values for name, values in carried.items() if "." not in name})


def _found(row: Mapping[str, Any], steps: list[str]) -> Iterator[Any]:
    """The values of an attribute, one in each row inside; none where a release lacks it."""
    first, *rest = steps
    if first not in row:
        return
    value = row[first]
    if not rest:
        yield value
        return
    for inner in value if isinstance(value, list) else [value]:
        yield from _found(inner, rest)


for _path, _carried in CARRIED.items():
    _hold(_path, _carried)


@check("firewall.shaper/traffic-shaper")
def _shaper(row: Row, view: View) -> None:
    if row["maximum-bandwidth"] * _KBPS[row["bandwidth-unit"]] > _MOST_KBPS:
        raise bad_value("maximum-bandwidth", row["maximum-bandwidth"], "100 Gbit/s at most")
