"""What goes wrong with data on its way: strategies that alter it in one place or a few."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

NASTY = (
    *(None, True, False, 0, -1, 1, 2**31, 10**30, 0.5, 1e308, float("nan"), float("inf")),
    *("", " ", "x", "x" * 5000, "0", "-1", "1e9", "null", "on", "\x00", "\x1b[2J", "\u202egnp"),
    *("../../../etc/passwd", "/dev/zero", "/proc/self/mem", "/", "${TOKEN}", "{{7*7}}", "%s%n"),
    *("10.0.0.1", "300.1.1.1", "https://u:p@h/", "::1", "2026-02-30", "'; rm -rf /", "ä" * 200),
    *([], {}, [None], [[]], [{}], {"": None}, {"name": []}, [1, "a", {}], {"a": {"b": {"c": {}}}}),
)


@st.composite
def mangled(draw: st.DrawFn, data: Any) -> Any:
    """A copy of nested lists and dictionaries, altered in one to three places."""
    root = [copy.deepcopy(data)]
    for _ in range(draw(st.integers(1, 3))):
        holder, key = draw(st.sampled_from(_places(root)))
        what = draw(st.sampled_from(["replace", "replace", "remove", "rename", "wrap", "double"]))
        if what == "replace" or holder is root:
            holder[key] = copy.deepcopy(draw(st.sampled_from(NASTY)))
        elif what == "wrap":
            holder[key] = [holder[key]]
        elif what == "double" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            value = holder.pop(key)
            if what == "rename" and isinstance(holder, dict):
                holder[draw(st.sampled_from(["", "x", f"{key}s", str(key).upper()]))] = value
    return root[0]


def _places(root: list) -> list[tuple[Any, Any]]:
    """Each value's holder, and its key or position there."""
    found, todo = [], [root]
    while todo:
        holder = todo.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], list | dict):
                todo.append(holder[key])
    return found


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes cut off, turned round, doubled or put in between."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        size = draw(st.sampled_from([1, 1, 2, 8, 100]))
        what = draw(st.sampled_from(["cut", "drop", "insert", "flip", "double"]))
        if what == "cut":
            content = content[:at]
        elif what == "drop":
            content = content[:at] + content[at + size :]
        elif what == "insert":
            content = content[:at] + draw(st.binary(min_size=1, max_size=size)) + content[at:]
        elif what == "flip" and at < len(content):
            bit = 1 << draw(st.integers(0, 7))
            content = content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]
        else:
            content = content[:at] + content[at : at + size] * 2 + content[at + size :]
    return content
