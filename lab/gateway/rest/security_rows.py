"""Events of the security log as FortiOS shows them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.gateway.rest.envelope import VDOM


@dataclass(frozen=True)
class Category:
    """One log of the security services.

    Attributes:
        eventtype: of an event that names none.
        level: of an event that was let pass.
        blocked_level: of one that was not.
        passed_id: log id of an event that was let pass.
        blocked_id: log id of one that was not.
    """

    eventtype: str
    level: str
    blocked_level: str
    passed_id: str
    blocked_id: str


CATEGORIES = {
    "virus": Category("infected", "notice", "warning", "0212008193", "0211008192"),
    "webfilter": Category("urlfilter", "information", "warning", "0315012545", "0315012544"),
    "ips": Category("signature", "alert", "alert", "0419016384", "0419016384"),
    "app-ctrl": Category("signature", "information", "warning", "1059028704", "1059028705"),
    "file-filter": Category("file-filter", "notice", "warning", "1900064001", "1900064000"),
}

_PASSED = frozenset(("passthrough", "monitored", "detected", "pass"))
_TEXTS = ("hostname", "url", "filename", "virus", "attack", "app", "filetype", "msg")
_NUMBERS = ("attackid", "appid")


def is_of(event: Mapping[str, Any], category: str) -> bool:
    """Whether an event belongs to a log."""
    return event.get("type") == category


def shown(event: Mapping[str, Any], category: str) -> dict[str, Any]:
    """An event with FortiOS' names of its fields."""
    kind = CATEGORIES[category]
    moment = float(event["time"])
    local = time.localtime(moment)
    action = str(event.get("action", ""))
    passed = action in _PASSED
    logid = kind.passed_id if passed else kind.blocked_id
    row: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d", local),
        "time": time.strftime("%H:%M:%S", local),
        "eventtime": round(moment * 1e6) * 1000,
        "tz": time.strftime("%z", local),
        "logid": logid,
        "type": "utm",
        "subtype": category,
        "eventtype": str(event.get("subtype") or kind.eventtype),
        "level": kind.level if passed else kind.blocked_level,
        "vd": VDOM,
        "policyid": event.get("policyid", 0),
        "sessionid": event.get("sessionid", 0),
        "srcip": event.get("srcip", ""),
        "srcport": event.get("srcport", 0),
        "dstip": event.get("dstip", ""),
        "dstport": event.get("dstport", 0),
        "proto": 6,
        "service": event.get("service", ""),
        "action": action,
        "profile": event.get("profile", ""),
    }
    row |= {name: event[name] for name in (*_TEXTS, *_NUMBERS) if event.get(name) not in (None, "")}
    return row | {"_metadata": {"logid": logid, "timestamp": int(moment * 1000)}}


def as_text(row: Mapping[str, Any]) -> str:
    """A row as the line of a log file: `date=2026-01-02 time=03:04:05 … msg="…"`."""
    bare = {
        "date",
        "time",
        "eventtime",
        "policyid",
        "sessionid",
        "srcip",
        "srcport",
        "dstip",
        "dstport",
        "proto",
        *_NUMBERS,
    }
    words = []
    for name, value in row.items():
        if name == "_metadata":
            continue
        text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        words.append(f"{name}={text}" if name in bare else f'{name}="{text}"')
    return " ".join(words)
