"""The lab's own door to its gateway: faults, over HTTP on a socket in the gateway's folder."""

from __future__ import annotations

import json

from aiohttp import web

from lab.base.errors import LabMistake
from lab.gateway import policy_mistakes
from lab.gateway.device import Device
from lab.gateway.faults import known
from lab.gateway.listener import RestListener


class Control:
    """Serves `control.sock`; each answer comes once what it asks for is in effect.

    Args:
        device: the gateway.
        listener: follows the faults of the API.
    """

    def __init__(self, device: Device, listener: RestListener) -> None:
        self._device = device
        self._listener = listener
        application = web.Application()
        application.router.add_get("/faults", self._list)
        application.router.add_put("/faults/{name}", self._put)
        application.router.add_delete("/faults/{name}", self._remove)
        application.router.add_delete("/faults", self._clear)
        application.router.add_get("/state", self._state)
        self._runner = web.AppRunner(application, access_log=None, handle_signals=False)

    async def start(self) -> None:
        """Listen; a socket that a killed process left is replaced."""
        file = self._device.folder.path / "control.sock"
        file.unlink(missing_ok=True)
        await self._runner.setup()
        await web.UnixSite(self._runner, str(file)).start()
        file.chmod(0o600)

    async def stop(self) -> None:
        """Listen no more."""
        await self._runner.cleanup()
        (self._device.folder.path / "control.sock").unlink(missing_ok=True)

    async def _in_effect(self) -> None:
        faults = self._device.faults.active()
        mistakes = str(faults.get("policy-mistake", {}).get("of", ""))
        policy_mistakes.make(self._device.database, filter(None, mistakes.split("+")))
        await self._listener.refresh()
        await self._device.applier.settled(self._device.applier.request())

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response({"active": self._device.faults.active(), "known": known()})

    async def _put(self, request: web.Request) -> web.Response:
        raw = await request.text()
        try:
            parameters = json.loads(raw) if raw.strip() else {}
            if not isinstance(parameters, dict):
                raise ValueError("The parameters must be a JSON object.")
            put = self._device.faults.put(request.match_info["name"], parameters)
        except json.JSONDecodeError:
            return web.json_response({"error": "The parameters are not JSON."}, status=400)
        except (ValueError, LabMistake) as error:
            return web.json_response({"error": str(error)}, status=400)
        await self._in_effect()
        return self._answer({"fault": request.match_info["name"], "parameters": put})

    async def _remove(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in known():
            return web.json_response({"error": f"There is no fault {name!r}."}, status=404)
        self._device.faults.remove(name)
        await self._in_effect()
        return self._answer({"removed": name})

    async def _clear(self, request: web.Request) -> web.Response:
        self._device.faults.clear()
        await self._in_effect()
        return self._answer({"removed": "all"})

    async def _state(self, request: web.Request) -> web.Response:
        """Whether the data plane is where the configuration is, and what is not in force."""
        applier = self._device.applier
        return web.json_response({"settled": applier.is_settled, "problem": applier.last_error,
                                  "generation": self._device.database.generation})

    def _answer(self, fields: dict[str, object]) -> web.Response:
        error = self._device.applier.last_error
        if error is not None:
            return web.json_response({**fields, "error": error}, status=500)
        return web.json_response(fields)
