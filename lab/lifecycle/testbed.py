"""The file that tells a test run how to reach the lab, as it would for a real site."""

import shlex
import socket
from typing import Any

import yaml

from lab.base.secret import GUI_ADMINISTRATOR
from lab.endpoints.server_services import DOCROOT, FTP_PORT, HTTP_PORT, HTTPS_PORT
from lab.lifecycle.device import GatewayDevice
from lab.lifecycle.state import Lab
from lab.nodes.topology import (
    CLIENT_PORT,
    ENDPOINT_CONTROL,
    ENDPOINT_DATA,
    ENDPOINT_DATA6,
    ENDPOINT_DIRECT,
    ENDPOINT_DIRECT6,
    ENDPOINTS,
    GATEWAY_ADDRESS,
    IPERF3_PORT,
    PEER_PORT,
    SERVER_PORT,
    SSH_PORT,
)

_TROUBLES = {
    "inspection": "inspector-dead",
    "licence": "licence-expired",
    "memory": "memory-short",
}
"""What brings each of a testbed's troubles about here."""
_PROVIDER = {
    "name": "Embedded lab of Gatepass",
    "contact": "nobody: this is a lab, and its gateway a stand-in",
}
_HEADING = "# Written by `python -m lab`; paths are relative to this file.\n"


def write_testbed(lab: Lab) -> None:
    """Write the lab's testbed file, and who the provider is; paths in them are relative to them.

    Args:
        lab: a lab whose nodes exist.
    """
    content: dict[str, Any] = {
        "testbed": f"lab-{lab.name}",
        "network_namespace": f"/proc/{lab.node('control').init.pid}/ns/net",
        # all labs of a machine have the same processors
        "shares": [f"machine {socket.gethostname()}"],
        **({"tiers": [lab.gateway["tier"]]} if "tier" in lab.gateway else {}),
        "gateway": {
            "url": f"https://{GATEWAY_ADDRESS}",
            "ca_file": "gateway-ca.pem",
            "token": {"file": "api-token"},
            "gui": {"administrator": GUI_ADMINISTRATOR, "password": {"file": "gui-password"}},
            "vdom": "root",
            "client_port": CLIENT_PORT,
            "server_port": SERVER_PORT,
            "timeout_s": 5,
            "may_restart": True,
            "may_fill_sessions": True,
            "troubles": {name: _commands(lab, fault) for name, fault in _TROUBLES.items()},
        },
        "endpoints": {name: _endpoint(name) for name in ENDPOINTS},
    }
    content["endpoints"]["server"]["files"] = {
        "folder": DOCROOT,
        "http_port": HTTP_PORT,
        "https_port": HTTPS_PORT,
        "ftp_port": FTP_PORT,
    }
    content["endpoints"]["peer"]["gateway_port"] = PEER_PORT
    lab.testbed.write_text(_HEADING + yaml.safe_dump(content, sort_keys=False))
    of_lab = lab.testbed.with_name("provider.yaml")
    of_lab.write_text(_HEADING + yaml.safe_dump(_PROVIDER, sort_keys=False))


def _commands(lab: Lab, fault: str) -> dict[str, str]:
    """How a fault is put into the lab and taken back from wherever the test runs.

    A socket's path has room for 107 bytes, so the folder is gone to before.
    """
    control = GatewayDevice(lab.folder).control_socket
    ask = (
        f"cd {shlex.quote(str(control.parent))} && curl --silent --show-error --fail-with-body "
        f"--unix-socket {control.name} http://lab/faults/{fault} --request"
    )
    return {"begin": f"{ask} PUT", "end": f"{ask} DELETE"}


def _endpoint(name: str) -> dict[str, Any]:
    content: dict[str, Any] = {
        "ssh": {
            "host": ENDPOINT_CONTROL[name],
            "port": SSH_PORT,
            "user": "root",
            "key_file": "ssh/id_ed25519",
            "known_hosts_file": "ssh/known_hosts",
        },
        "address": ENDPOINT_DATA[name],
        "address6": ENDPOINT_DATA6[name],
    }
    if name in ENDPOINT_DIRECT:
        content["direct_address"] = ENDPOINT_DIRECT[name]
        content["direct_address6"] = ENDPOINT_DIRECT6[name]
    return content | {"iperf3_port": IPERF3_PORT}
