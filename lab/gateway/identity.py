"""Who the gateway says it is: always recognisable as the lab's."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from lab.gateway.versions import Version

MODEL_NAME = "FortiGate"
MODEL_NUMBER = "VM64-LAB"
MODEL = "LABVM64"

# What the faults put in their place: a smaller model, and a firmware of the series before.
_OTHER_SERIAL, _OTHER_MODEL = "LABOTHER00000001", "VM02-LAB"
_OTHER_VERSION = Version((7, 2, 11), 1740)


@dataclass(frozen=True)
class Identity:
    """Serial number, version and model.

    Attributes:
        serial: begins with LAB, as no Fortinet serial number does.
        version: the FortiOS release that it stands in for.
        model_number: the part of its model behind the product's name.
        memory_mib: that it tells, and that some of its limits depend on; its machine's own may be
            another.
    """

    serial: str
    version: Version
    model_number: str = MODEL_NUMBER
    memory_mib: int = 16_384

    def __post_init__(self) -> None:
        if not self.serial.startswith("LAB"):
            raise ValueError(f"Serial number {self.serial!r} must begin with LAB.")

    def signature(self) -> dict[str, str | int]:
        """The fields with which every answer ends."""
        return {"serial": self.serial, "version": str(self.version), "build": self.version.build}

    def as_told(self, faults: Container[str]) -> Identity:
        """Who the gateway says it is with these faults."""
        identity = self
        if "other-device" in faults:
            identity = replace(identity, serial=_OTHER_SERIAL, model_number=_OTHER_MODEL)
        if "other-firmware" in faults:
            identity = replace(identity, version=_OTHER_VERSION)
        return identity
