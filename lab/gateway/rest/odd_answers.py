"""Answers as some devices give them, in the place of the gateway's own: the fault `odd-answer`.

Each is one that was recorded of a FortiGate or told of one; nothing else changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lab.gateway.call import Call
from lab.gateway.faults import Faults
from lab.gateway.rest.envelope import JSON, Answer, html, to_json

NAME = "odd-answer"
_PAGE = 3
"""Rows that a table is cut after."""
_SHOWN = 4
"""Attributes that are left of a row that is shown in part."""
_READ_ALONE = ("firewall/policy", "firewall/addrgrp", "firewall.service/custom")
"""Tables of which who lacks the right is shown rows in part."""
Fields = dict[str, Any]


def in_its_way(faults: Faults, call: Call, answer: Answer) -> Answer:
    """What goes back to the client, as the fault has it.

    Args:
        faults: in effect.
        call: that is answered.
        answer: the gateway's own.
    """
    if NAME not in faults:
        return answer
    for kind in faults.parameter(NAME, "of").split("+"):
        if kind == "html-refusals":
            answer = _as_page(answer)
        elif answer.content_type == JSON:
            answer = _changed(_WAYS[kind], call, answer)
    return answer


def _changed(way: Callable[[Call, Fields], Fields], call: Call, answer: Answer) -> Answer:
    fields = json.loads(answer.body)
    if not isinstance(fields, dict):  # of all virtual domains
        return answer
    told = way(call, fields)
    status = told.get("http_status", answer.status) if told is not fields else answer.status
    return Answer(status, to_json(told), answer.content_type, answer.cookies, answer.headers)


def _as_page(answer: Answer) -> Answer:
    if answer.status in (401, 403):
        return html(answer.status, "Forbidden", "You don't have permission to access this.")
    return answer


def _reads(call: Call, kind: str, fields: Fields) -> bool:
    """Whether a call asked for rows or results, and got them."""
    return (
        call.method == "GET"
        and call.parts[:1] == (kind,)
        and not call.parameter("action")
        and fields.get("status") == "success"
    )


def _cut(call: Call, fields: Fields) -> Fields:
    rows = fields.get("results")
    if not (_reads(call, "cmdb", fields) and isinstance(rows, list)) or len(rows) <= _PAGE:
        return fields
    if call.parameter("count"):
        return fields
    begin = int(call.parameter("start") or 0)
    return {**fields, "results": rows[:_PAGE], "limit_reached": True,
            "next_idx": begin + _PAGE - 1}


def _ended(call: Call, fields: Fields) -> Fields:
    """A table whose rest is not given, whatever is asked."""
    if _reads(call, "cmdb", fields) and int(call.parameter("start") or 0):
        return {**fields, "results": [], "limit_reached": True}
    return _cut(call, fields)


def _in_part(row: Any) -> Any:
    return dict(list(row.items())[:_SHOWN]) if isinstance(row, dict) else row


def _settings_in_part(call: Call, fields: Fields) -> Fields:
    results = fields.get("results")
    if _reads(call, "cmdb", fields) and isinstance(results, dict):
        return {**fields, "results": _in_part(results)}
    return fields


def _rows_in_part(call: Call, fields: Fields) -> Fields:
    rows = fields.get("results")
    is_such = "/".join(call.parts[1:3]) in _READ_ALONE and not call.parameter("format")
    if is_such and _reads(call, "cmdb", fields) and isinstance(rows, list):
        return {**fields, "results": [_in_part(row) for row in rows]}
    return fields


def _old_lookup(call: Call, fields: Fields) -> Fields:
    """As FortiOS 6 has it: no `match`, no action, and of the implicit deny no number."""
    if call.parts != ("monitor", "firewall", "policy-lookup") or "results" not in fields:
        return fields
    number = fields["results"]["policy_id"]
    found = {"success": True, "policy_id": number, "destip": call.parameter("dest")}
    return {**fields, "results": found if number else {"success": False}}


def _no_history(call: Call, fields: Fields) -> Fields:
    if call.parts != ("monitor", "system", "resource", "usage") or "results" not in fields:
        return fields
    bare = {
        name: [{"current": meter["current"]} for meter in meters]
        for name, meters in fields["results"].items()
    }
    return {**fields, "results": bare}


def _no_serial(call: Call, fields: Fields) -> Fields:
    if not call.is_write or call.parts[:1] != ("cmdb",):
        return fields
    return {name: value for name, value in fields.items() if name != "serial"}


def _no_reason(call: Call, fields: Fields) -> Fields:
    """The error that has no number."""
    kept = ("http_method", "vdom", "path", "name", "serial", "version", "build")
    told = {name: fields[name] for name in kept if name in fields}
    return told | {"status": "error", "http_status": 500}


def _nothing_to_show(call: Call, fields: Fields) -> Fields:
    is_routing = call.parts[1:2] == ("router",)
    if is_routing and _reads(call, "monitor", fields) and not fields.get("results"):
        return _no_reason(call, fields)
    return fields


def _no_disk(call: Call, fields: Fields) -> Fields:
    return _no_reason(call, fields) if call.parts[:2] == ("log", "disk") else fields


def _unsupported(call: Call, fields: Fields) -> Fields:
    """Services of a licence that has none of them, and a machine whose licence is not rated."""
    if call.parts != ("monitor", "license", "status") or "results" not in fields:
        return fields
    results = {
        name: {**entry, "status": "no_support"} if name not in ("vm", "forticare") else entry
        for name, entry in fields["results"].items()
    }
    machine = {name: value for name, value in results["vm"].items() if name != "valid"}
    return {**fields, "results": results | {"vm": machine}}


_WAYS: dict[str, Callable[[Call, Fields], Fields]] = {
    "table-cut": _cut,
    "table-ended": _ended,
    "settings-in-part": _settings_in_part,
    "rows-in-part": _rows_in_part,
    "old-lookup": _old_lookup,
    "no-history": _no_history,
    "no-serial": _no_serial,
    "nothing-to-show": _nothing_to_show,
    "no-disk": _no_disk,
    "unsupported-services": _unsupported,
}
WAYS = (*_WAYS, "html-refusals")
"""All that the fault can be told."""
