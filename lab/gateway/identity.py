"""Who the gateway says it is: always recognisable as the lab's."""

from __future__ import annotations

from dataclasses import dataclass

from lab.gateway.versions import Version

MODEL_NAME = "FortiGate"
MODEL_NUMBER = "VM64-LAB"
MODEL = "LABVM64"


@dataclass(frozen=True)
class Identity:
    """Serial number and version.

    Attributes:
        serial: begins with LAB, as no Fortinet serial number does.
        version: the FortiOS release that it stands in for.
    """

    serial: str
    version: Version

    def __post_init__(self) -> None:
        if not self.serial.startswith("LAB"):
            raise ValueError(f"Serial number {self.serial!r} must begin with LAB.")

    def signature(self) -> dict[str, str | int]:
        """The fields with which every answer ends."""
        return {"serial": self.serial, "version": str(self.version), "build": self.version.build}
