"""Who the gateway is: the facts about it that stand beside every figure."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from gatepass.base.formats import Name
from gatepass.gateway.answers import SERIAL, Unanswered, validated
from gatepass.gateway.fortigate import FortiGate, Refused

MIB = 1024 * 1024
VALID, EVALUATION, UNKNOWN = "valid", "evaluation", "unknown"
"""A licence of its own, the permanent one of 1 vCPU, 2 GiB, 3 policies (FortiOS 7.2.1 on), and that
the device does not tell."""


@dataclass(frozen=True)
class Identity:
    """The gateway as it describes itself.

    Attributes:
        host: of its REST address.
        hostname, serial, model: its names.
        version: "v7.4.8"; `build` is its number.
        licence: VALID, EVALUATION, or the device's own word for what is wrong with it.
        evaluation: whether it runs on the permanent evaluation licence.
        vcpus, memory_mb: that it may use (vCPUs; MiB); None where it does not tell.
    """

    host: str
    hostname: str
    serial: str
    model: str
    version: str
    build: int
    licence: str
    evaluation: bool
    vcpus: int | None
    memory_mb: int | None


class Names(BaseModel):
    hostname: Name = ""
    model_name: Name = ""
    model_number: Name = ""


class _Status(BaseModel):
    serial: str = Field(pattern=f"^{SERIAL}$")
    version: str = Field(pattern=r"^v\d+\.\d+\.\d+")
    build: int
    results: Names


class _VmLicence(BaseModel):
    status: Name = ""
    valid: bool | None = None
    cpu_used: int | None = None
    mem_max: float | None = Field(None, ge=0, allow_inf_nan=False)
    mem_used: float | None = Field(None, ge=0, allow_inf_nan=False)


class _Licences(BaseModel):
    vm: _VmLicence = _VmLicence()


class _LicenceAnswer(BaseModel):
    results: _Licences


def identify(gateway: FortiGate, host: str) -> Identity:
    """Ask the gateway who it is.

    Raises:
        GatewayLost, Refused: it does not answer, or not this user.
    """
    status = validated(_Status, gateway.monitor("system/status"), "GET monitor/system/status")
    machine = _licence(gateway)
    names, licence = status.results, _kind(machine)
    return Identity(
        host=host,
        hostname=names.hostname,
        serial=status.serial,
        model="-".join(filter(None, (names.model_name, names.model_number))),
        version=status.version,
        build=status.build,
        licence=licence,
        evaluation=licence == EVALUATION,
        vcpus=machine.cpu_used,
        memory_mb=_mib(machine),
    )


def _licence(gateway: FortiGate) -> _VmLicence:
    """The VM's licence; empty on a device that is no VM or does not tell."""
    try:
        answer = gateway.monitor("license/status")
    except Refused as refused:
        if refused.status == 404 or isinstance(refused, Unanswered):
            return _VmLicence()
        raise
    return validated(_LicenceAnswer, answer, "GET monitor/license/status").results.vm


def _kind(machine: _VmLicence) -> str:
    """What licence it is. A build need not say whether it is valid: then its word counts."""
    word = machine.status.lower()
    if "eval" in word and "expire" not in word:
        return EVALUATION
    says_valid = word.endswith("valid") and "invalid" not in word
    if machine.valid or (machine.valid is None and says_valid):
        return VALID
    return machine.status or UNKNOWN


def _mib(machine: _VmLicence) -> int | None:
    """The memory that the VM has (`mem_used`; `mem_max` is what its licence allows).

    Builds differ in whether they tell bytes or MiB.
    """
    amount = machine.mem_used or machine.mem_max
    if not amount:
        return None
    return int(amount / MIB) if amount > 16 * MIB else int(amount)
