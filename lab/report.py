"""What the lab's command line shows of labs and faults."""

import textwrap
import time
from collections.abc import Iterable, Mapping

from lab.base.errors import LabError
from lab.base.faults import Fault, Value
from lab.base.process import Process
from lab.endpoints.endpoint import Endpoint
from lab.faults.injection import Injection
from lab.lifecycle.control import call
from lab.lifecycle.device import GatewayDevice
from lab.lifecycle.state import Lab
from lab.nodes.topology import (
    CONTROL_ADDRESS,
    ENDPOINT_CONTROL,
    ENDPOINT_DATA,
    ENDPOINT_DIRECT,
    ENDPOINTS,
    GATEWAY_ADDRESS,
    NODES,
)


def status(lab: Lab) -> str:
    """A lab in a few lines: nodes, services, faults, and how to reach it."""
    lines = [f"Lab {lab.name}: {_condition(lab)}, since {_clock(lab.created)}"]
    for name in NODES:
        node = lab.nodes.get(name)
        alive = node is not None and node.init.alive()
        state = f"process {node.init.pid}" if node is not None and alive else "gone"
        lines.append(f"  {name:<8} {state:<16} {_addresses(name)}{_service(lab, name, alive)}")
    if lab.gateway:
        lines.append(f"Gateway:  {lab.gateway['serial']}, FortiOS {lab.gateway['version']} (LAB)")
    lines.append(f"Owner:    {_owner(lab)}")
    lines.append(f"Testbed:  {lab.testbed}")
    if lab.complete and lab.running():
        lines.append(f"In force: {_in_force(lab)}")
        lines.append(f"Faults:   {_faults(lab)}")
    return "\n".join(lines)


def _condition(lab: Lab) -> str:
    if lab.complete:
        return "up" if lab.running() else "broken, take it down"
    return "left behind, take it down" if lab.left_behind() else "being built"


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def _addresses(name: str) -> str:
    if name in ENDPOINTS:
        ways = (ENDPOINT_CONTROL, ENDPOINT_DATA, ENDPOINT_DIRECT)
        return ", ".join(addresses[name] for addresses in ways if name in addresses)
    return CONTROL_ADDRESS if name == "control" else GATEWAY_ADDRESS


def _service(lab: Lab, name: str, alive: bool) -> str:
    """Whether what the node is there for runs."""
    if not alive or not lab.complete:
        return ""
    node = lab.node(name)
    if name in ENDPOINTS:
        runs = Endpoint(lab.folder, name).sshd(node) is not None
        return f"; SSH server {'listens' if runs else 'is gone'}"
    if name == "gateway":
        process = Process(lab.gateway["pid"], lab.gateway["started"])
        return f"; REST API {'serves' if process.alive(node.proc) else 'is gone'}"
    return ""


def _owner(lab: Lab) -> str:
    if lab.owner is None:
        return "none, it stays until it is taken down"
    return f"process {lab.owner.pid}" + ("" if lab.owner.alive() else ", which is gone")


def _in_force(lab: Lab) -> str:
    """Whether the gateway's data plane does what its configuration says."""
    try:
        state = call(GatewayDevice(lab.folder).control_socket, "GET", "/state")
    except LabError as error:
        return f"not known: {error}"
    if state["problem"]:
        return f"not the whole configuration: {state['problem']}"
    return "the configuration" if state["settled"] else "the configuration of a moment ago"


def _faults(lab: Lab) -> str:
    try:
        active = Injection(lab).active()
    except LabError as error:
        return f"not known: {error}"
    return "; ".join(_said(name, values) for name, values in active.items()) or "none"


def _said(name: str, values: Mapping[str, Value]) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in values.items() if value != "")])


def fault_list(faults: Iterable[Fault]) -> str:
    """All faults, each with what a customer would notice and what it can be told."""
    lines = []
    for fault in faults:
        lines.append(f"{fault.name} ({fault.side})")
        lines += textwrap.wrap(fault.notice, 92, initial_indent="    ", subsequent_indent="    ")
        for key, parameter in fault.parameters.items():
            default = f"{parameter.default}" or "empty"
            lines.append(f"      {key}: {parameter.meaning} (default: {default})")
    return "\n".join(lines)
