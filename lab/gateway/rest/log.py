"""`/api/v2/log`: the log of the security services, from memory and from disk."""

from __future__ import annotations

from itertools import count
from typing import Any

from lab.gateway.access import READ
from lab.gateway.call import Call
from lab.gateway.cmdb.query import Query
from lab.gateway.device import Device
from lab.gateway.errors import PERMISSION_DENIED, CmdbError
from lab.gateway.monitors.model import whole
from lab.gateway.rest.envelope import VDOM, Answer, error_fields, to_json
from lab.gateway.rest.security_rows import CATEGORIES, as_text, is_of, shown

DEVICES = ("memory", "disk")
_DEFAULT_ROWS, _MOST_ROWS = 20, 10_000
_TEXT_TYPE = "text/plain"


class Logs:
    """Serves the calls of the log.

    Args:
        device: the gateway.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._sessions = count(1)

    def answer(self, call: Call) -> Answer:
        """Serve one call: `log/memory/virus`, or `log/memory/virus/raw` for lines of text."""
        try:
            return self._answer(call)
        except CmdbError as error:
            fields = {
                "http_method": call.method,
                **error_fields(error),
                "vdom": VDOM,
                "status": "error",
                "http_status": error.http_status,
            }
            return Answer(error.http_status, to_json(fields | self._device.identity.signature()))

    def _answer(self, call: Call) -> Answer:
        place, category, *rest = (*call.parts[1:], "", "")
        wanted = [word for word in rest if word not in ("", "select")]
        if place not in DEVICES or category not in CATEGORIES or wanted not in ([], ["raw"]):
            raise CmdbError(-1, "There is no such log.", 404)
        if call.method != "GET":
            raise CmdbError(-1, "The method is not allowed here.", 405)
        if not call.caller.may("loggrp.data-access", READ):
            raise CmdbError(PERMISSION_DENIED, "Permission denied.", 403)
        vdom = call.parameter("vdom")
        if vdom not in (None, "", "*", VDOM):
            raise CmdbError(PERMISSION_DENIED, f"There is no access to vdom '{vdom}'.", 403)
        start = whole(call.parameter("start") or 0, "start", 0, 2**31)
        rows = whole(call.parameter("rows") or _DEFAULT_ROWS, "rows", 1, _MOST_ROWS)
        filters = [
            text.replace('"', "").replace("=*", "==") for text in call.query.get("filter", [])
        ]
        query = Query.parse(filters, None, str(start), str(rows))
        matching = query.matching(self._rows(place, category))
        page = query.page(matching)
        if wanted == ["raw"]:
            lines = "".join(as_text(row) + "\n" for row in page)
            return Answer(200, lines.encode(), _TEXT_TYPE)
        fields: dict[str, Any] = {
            "http_method": "GET",
            "results": page,
            "vdom": VDOM,
            "device": place,
            "category": category,
            "start": start,
            "rows": len(page),
            "session_id": next(self._sessions),
            "completed": 100,
            "percent_logs_processed": 100,
            "total_lines": len(matching),
            "status": "success",
        }
        return Answer(200, to_json(fields | self._device.identity.signature()))

    def _rows(self, place: str, category: str) -> list[dict[str, Any]]:
        """The rows of a log; none in the one that is not written to, which is no error."""
        settings = self._device.database.state.singleton(f"log.{place}/setting")
        if settings["status"] != "enable":
            return []
        return [
            shown(event, category)
            for event in self._device.security_log.events()
            if is_of(event, category)
        ]
