"""Gives a running lab its faults, says which it has, and takes them back."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.base.faults import FAULTS, Fault, Value
from lab.endpoints.endpoint import Endpoint
from lab.faults.endpoints import ENDPOINT_FAULTS, FaultyEndpoint
from lab.lifecycle.control import call
from lab.lifecycle.device import GatewayDevice
from lab.lifecycle.state import Lab


class Injection:
    """The faults of one lab.

    Args:
        lab: a lab that is up.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._socket = GatewayDevice(lab.folder).control_socket

    def inject(self, fault: Fault, values: Mapping[str, Value]) -> None:
        """Put a fault in force; one that is in force already gets the new values.

        Args:
            fault: which.
            values: all its parameters.

        Raises:
            LabError: it could not be put in force.
        """
        if fault.side == "gateway":
            call(self._socket, "PUT", f"/faults/{fault.name}", values)
            return
        self.clear(fault)
        begin, _ = ENDPOINT_FAULTS[fault.name]
        record = begin(self._place(fault), values)
        self._write({**self._read(), fault.name: {"values": dict(values), "record": record}})

    def clear(self, fault: Fault) -> None:
        """Take a fault back; nothing happens where it is not in force.

        Raises:
            LabError: it could not be taken back.
        """
        if fault.side == "gateway":
            if fault.name in self.active():
                call(self._socket, "DELETE", f"/faults/{fault.name}")
            return
        known = self._read()
        if fault.name in known:
            _, end = ENDPOINT_FAULTS[fault.name]
            end(self._place(fault), known[fault.name]["record"])
            del known[fault.name]
            self._write(known)

    def clear_all(self) -> None:
        """Take all faults back, the last one first: what one mounts may lie on another's."""
        call(self._socket, "DELETE", "/faults")
        for name in reversed(self._read()):
            self.clear(FAULTS[name])

    def active(self) -> dict[str, Mapping[str, Value]]:
        """The faults that are in force, with their values."""
        found = call(self._socket, "GET", "/faults")["active"]
        return dict(found) | {name: entry["values"] for name, entry in self._read().items()}

    def _place(self, fault: Fault) -> FaultyEndpoint:
        return FaultyEndpoint(self._lab.node(fault.side), Endpoint(self._lab.folder, fault.side))

    @property
    def _file(self) -> Path:
        return self._lab.folder / "faults.json"

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            return json.loads(self._file.read_text())
        except FileNotFoundError:
            return {}

    def _write(self, content: Mapping[str, Any]) -> None:
        self._file.write_text(json.dumps(content, indent=2) + "\n")
