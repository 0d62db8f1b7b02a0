"""The faults that the lab can put into its gateway, and those of the API that strike now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.base.errors import LabMistake
from lab.base.faults import FAULTS, Value
from lab.gateway.cmdb.store import Store

EVERY_FUNCTION = "all"
"""Of license-missing."""
EVERY_CALL = "every"
"""Of what a fault of the API hits once it has begun."""
_OF_GATEWAY = {name: fault for name, fault in FAULTS.items() if fault.side == "gateway"}


def known() -> dict[str, dict[str, Value]]:
    """The faults that a gateway can have, with all their parameters."""
    return {name: fault.defaults for name, fault in _OF_GATEWAY.items()}


class Faults:
    """The faults in effect; kept over a restart.

    Args:
        store: keeps them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._active = {name: parameters for name, parameters in store.faults().items()
                        if name in _OF_GATEWAY}
        self._calls: dict[str, int] = {}
        self._struck: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._active

    def active(self) -> dict[str, dict[str, Any]]:
        """The faults in effect with all their parameters."""
        return {name: dict(parameters) for name, parameters in self._active.items()}

    def parameter(self, name: str, parameter: str) -> Any:
        """A parameter of a fault in effect."""
        return self._active[name][parameter]

    def put(self, name: str, parameters: Mapping[str, Value]) -> dict[str, Value]:
        """Put a fault into effect; answers its parameters.

        Raises:
            LabMistake: no such fault, or a parameter that it does not take.
        """
        if name not in _OF_GATEWAY:
            known = ", ".join(sorted(_OF_GATEWAY))
            raise LabMistake(f"The gateway has no fault {name!r}; it has {known}.")
        self._active[name] = _OF_GATEWAY[name].values(parameters)
        self._forget(name)
        self._store.set_fault(name, self._active[name])
        return dict(self._active[name])

    def remove(self, name: str) -> None:
        """End a fault; one that is not in effect is fine."""
        self._active.pop(name, None)
        self._forget(name)
        self._store.set_fault(name, None)

    def _forget(self, name: str) -> None:
        """What was counted for a fault."""
        for counted in (self._calls, self._struck):
            counted.pop(name, None)

    def clear(self) -> None:
        """End all faults."""
        for name in list(self._active):
            self.remove(name)

    def strikes(self, name: str, path: str, method: str) -> bool:
        """Whether a fault of the API hits this call; such calls that it lets pass are counted.

        Args:
            path: behind `/api/v2/`, e.g. `cmdb/firewall/policy`.
        """
        parameters = self._active.get(name)
        if parameters is None:
            return False
        if not (parameters["then"] == EVERY_CALL and name in self._struck):
            if not _is_such(parameters, path, method):
                return False
            seen = self._calls[name] = self._calls.get(name, 0) + 1
            if seen <= parameters["after"]:
                return False
        struck = self._struck[name] = self._struck.get(name, 0) + 1
        return not parameters["times"] or struck <= parameters["times"]

    def loses_object(self, path: str) -> bool:
        """Whether a new object of this table is to be answered and not kept; counts them.

        Args:
            path: e.g. `firewall/policy`.
        """
        parameters = self._active.get("objects-lost")
        if parameters is None or not path.startswith(parameters["path"]):
            return False
        seen = self._calls["objects-lost"] = self._calls.get("objects-lost", 0) + 1
        lost, left = divmod(seen, max(1, int(parameters["every"])))
        return left == 0 and (not parameters["times"] or lost <= parameters["times"])

    def ignores_delete(self, path: str) -> bool:
        """Whether a DELETE of this path is to be answered and not done."""
        parameters = self._active.get("delete-ignored")
        return parameters is not None and _covers(parameters["path"], path)


def _is_such(parameters: Mapping[str, Any], path: str, method: str) -> bool:
    """Whether a call has the path and the method that a fault names."""
    named = parameters["method"].upper()
    return _covers(parameters["path"], path) and named in ("", method)


def _covers(prefix: str, path: str) -> bool:
    """Whether a prefix, with or without `cmdb/` or `monitor/` before it, covers a path."""
    prefix = prefix.strip("/").removeprefix("api/v2/")
    return path.startswith(prefix) or path.partition("/")[2].startswith(prefix)
