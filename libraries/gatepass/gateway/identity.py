"""Who the gateway is: the facts about it that stand beside every figure."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.gateway.fortigate import FortiGate, Refused

MIB = 1024 * 1024


@dataclass(frozen=True)
class Identity:
    """The gateway as it describes itself.

    Attributes:
        host: of its REST address.
        hostname, serial, model: its names.
        version: "v7.4.8"; `build` is its number.
        licence: "valid" or the device's own word for what is wrong with it.
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


def identify(gateway: FortiGate, host: str) -> Identity:
    """Ask the gateway who it is.

    Raises:
        GatewayLost, Refused: it does not answer, or not this user.
    """
    status = gateway.monitor("system/status")
    about = status.get("results", {})
    machine = _licence(gateway)
    word = str(machine.get("status", "")) or "unknown"
    return Identity(
        host=host,
        hostname=str(about.get("hostname", "")),
        serial=str(status.get("serial", "")),
        model="-".join(str(about[key]) for key in ("model_name", "model_number") if about.get(key)),
        version=str(status.get("version", "")),
        build=int(status.get("build", 0)),
        licence="valid" if machine.get("valid") else word,
        evaluation="eval" in word.lower(),
        vcpus=machine.get("cpu_used"),
        memory_mb=_mib(machine),
    )


def _licence(gateway: FortiGate) -> dict:
    """The VM's licence; empty on a device that is no VM."""
    try:
        return gateway.monitor("license/status").get("results", {}).get("vm", {})
    except Refused as refused:
        if refused.status == 404:
            return {}
        raise


def _mib(machine: dict) -> int | None:
    """The memory the VM has. Builds differ in whether they tell bytes or MiB."""
    amount = machine.get("mem_max") or machine.get("mem_used")
    if not amount:
        return None
    return int(amount / MIB) if amount > 16 * MIB else int(amount)
