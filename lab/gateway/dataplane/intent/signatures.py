"""Compiles application lists and intrusion prevention sensors. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.gateway.schema import fsbid

Config = Mapping[str, Sequence[Mapping]]
Row = Mapping[str, Any]

EICAR_RULE = 29844
"""The one attack that the gateway knows by itself: "Eicar.Virus.Test.File"."""
# In two parts, so that no scanner takes this file for the thing itself.
_EICAR = "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-" + "STANDARD-ANTIVIRUS-TEST-FILE!"


def _rule(number: int, signature: fsbid.Signature, **more: Any) -> dict[str, Any]:
    rule = {
        "id": number,
        "name": signature.name,
        "action": "pass",
        "log": True,
        "category": signature.category or 0,
        "service": signature.service or None,
        "flow": signature.flow or None,
        "context": signature.context,
        "pattern": signature.pattern,
        "no_case": signature.no_case,
    }
    return rule | more


def _custom(rows: Sequence[Row], key: str) -> Iterator[tuple[int, Row, fsbid.Signature]]:
    """The custom signatures that can be read: number, row, signature."""
    for row in rows:
        try:
            found = fsbid.parse(str(row.get("signature") or ""))
        except ValueError:
            continue
        yield int(row.get(key) or found.attack_id or 0), row, found


def applications(config: Config, row: Row | None) -> dict[str, Any] | None:
    """An application list, as the inspector takes it."""
    if row is None:
        return None
    rules = [
        _rule(number, found, category=int(custom.get("category") or found.category or 0))
        for number, custom, found in _custom(config.get("application/custom", ()), "id")
    ]
    return {
        "profile": row["name"],
        "rules": rules,
        "entries": [_entry(entry) for entry in row.get("entries") or ()],
        "other": _rest(row, "other"),
        "unknown": _rest(row, "unknown"),
    }


def _rest(row: Row, which: str) -> list:
    return [
        row.get(f"{which}-application-action") or "pass",
        row.get(f"{which}-application-log") == "enable",
    ]


def _entry(entry: Row) -> dict[str, Any]:
    return {
        "ids": [int(item["id"]) for item in entry.get("application") or ()],
        "categories": [int(item["id"]) for item in entry.get("category") or ()],
        "action": entry.get("action") or "block",
        "log": entry.get("log", "enable") == "enable",
    }


def sensor(config: Config, row: Row | None) -> dict[str, Any] | None:
    """An intrusion prevention sensor with the rules that are on, as the inspector takes it."""
    if row is None:
        return None
    known: dict[int, tuple[Row, dict[str, Any]]] = {}
    eicar = fsbid.Signature("Eicar.Virus.Test.File", pattern=_EICAR, context="body")
    known[EICAR_RULE] = ({"severity": "info", "action": "block"}, _rule(EICAR_RULE, eicar))
    for number, custom, found in _custom(config.get("ips/custom", ()), "rule-id"):
        known[number] = (custom, _rule(number, found))
    rules = []
    for number, (defaults, rule) in known.items():
        entry = next((e for e in row.get("entries") or () if _selects(e, number, defaults)), None)
        if entry is None or entry.get("status", "default") == "disable":
            continue
        if entry.get("status", "default") == "default" and defaults.get("status") == "disable":
            continue
        action = entry.get("action") or "default"
        if action == "default":
            action = defaults.get("action") or "block"
        rules.append(rule | {"action": action, "log": entry.get("log", "enable") == "enable"})
    return {"profile": row["name"], "rules": rules} if rules else None


def _selects(entry: Row, number: int, defaults: Row) -> bool:
    """Whether an entry is about a rule: by its number, or else by its severity."""
    named = [int(item["id"]) for item in entry.get("rule") or ()]
    if named:
        return number in named
    wanted = set(_words(entry.get("severity") or "all"))
    has = set(_words(defaults.get("severity") or "all"))
    return "all" in wanted or "all" in has or bool(wanted & has)


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [item["name"] for item in value]  # type: ignore[attr-defined]
