"""`/api/v2/monitor`: what the gateway tells and does."""

from __future__ import annotations

from typing import Any

from lab.gateway.access import READ, WRITE
from lab.gateway.call import Call
from lab.gateway.device import Device
from lab.gateway.errors import PERMISSION_DENIED, CmdbError
from lab.gateway.monitors import MONITORS
from lab.gateway.monitors.model import Failed, File, Monitor
from lab.gateway.rest.envelope import VDOM, Answer, error_fields, to_json

_FILE_TYPE = "application/octet-stream"


class Monitors:
    """Serves the calls of monitors.

    Args:
        device: the gateway.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        release = device.identity.version.release
        self._monitors = {path: monitor for path, monitor in MONITORS.items()
                          if monitor.in_release(release)}

    async def answer(self, call: Call) -> Answer:
        """Serve one call."""
        parts = call.parts[1:]
        if len(parts) > 2 and parts[-1] == "select":
            parts = parts[:-1]
        try:
            results = await self._results(self._monitors.get("/".join(parts)), call)
        except CmdbError as error:
            return self._failed(call, parts, error, None)
        if isinstance(results, File):
            return Answer(200, results.text.encode(), _FILE_TYPE)
        if isinstance(results, Failed):
            return self._failed(call, parts, results.error, results.results)
        fields = {"http_method": call.method, "results": results}
        return self._wrapped(call, 200, fields | self._tail(call, parts, "success"))

    async def _results(self, monitor: Monitor | None, call: Call) -> Any:
        if monitor is None:
            raise CmdbError(-1, "There is no such monitor.", 404)
        handler = {"GET": monitor.get, "POST": monitor.post}.get(call.method)
        if handler is None:
            raise CmdbError(-1, "The method is not allowed here.", 405)
        if not call.caller.may(monitor.group, WRITE if call.is_write else READ):
            raise CmdbError(PERMISSION_DENIED, "Permission denied.", 403)
        vdom = call.parameter("vdom")
        if vdom not in (None, "", "*", VDOM):
            raise CmdbError(PERMISSION_DENIED, f"There is no access to vdom '{vdom}'.", 403)
        return await handler(self._device, call)

    def _tail(self, call: Call, parts: tuple[str, ...], status: str) -> dict[str, Any]:
        """The fields after the results; unlike the configuration's, without http_status."""
        path, name, *action = (*parts, "", "")[:3]
        return {"vdom": VDOM, "path": path, "name": name, "action": "".join(action),
                "status": status} | self._device.identity.signature()

    def _failed(self, call: Call, parts: tuple[str, ...], error: CmdbError,
                results: Any) -> Answer:
        fields: dict[str, Any] = {"http_method": call.method}
        if results is not None:
            fields["results"] = results
        fields |= error_fields(error) | {"http_status": error.http_status}
        return self._wrapped(call, error.http_status, fields | self._tail(call, parts, "error"))

    @staticmethod
    def _wrapped(call: Call, status: int, fields: dict[str, Any]) -> Answer:
        if call.parameter("vdom") == "*" or call.parameter("global") == "1":
            return Answer(status, to_json([fields]))
        return Answer(status, to_json(fields))
