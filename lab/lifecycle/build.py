"""Builds a lab."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.base.errors import LabError, LabMistake
from lab.base.process import Process
from lab.endpoints.endpoint import Endpoint
from lab.endpoints.server_services import Services
from lab.endpoints.ssh_keys import ssh_key_pair
from lab.lifecycle.device import Delivery, GatewayDevice
from lab.lifecycle.state import Lab, create, exclusive
from lab.lifecycle.takedown import down, remove
from lab.lifecycle.testbed import write_testbed
from lab.nodes.network import wire
from lab.nodes.node import Node, StartingNode, program
from lab.nodes.topology import (
    ENDPOINT_CONTROL,
    ENDPOINTS,
    NODES,
    host_names,
    topology,
)

_PLUGINS = "/usr/lib/ipsec/plugins/libstrongswan"
PACKAGES = {
    "nsenter": "util-linux",
    "setsid": "util-linux",
    "mount": "mount",
    "sshd": "openssh-server",
    "iperf3": "iperf3",
    "nft": "nftables",
    "tc": "iproute2",
    "nginx": "nginx-light",
    "vsftpd": "vsftpd",
    "clamd": "clamav-daemon",
    "squid": "squid",
    "dnsmasq": "dnsmasq-base",
    "curl": "curl",
    "/usr/lib/ipsec/charon": "strongswan-charon",
    f"{_PLUGINS}-openssl.so": "libstrongswan-standard-plugins",
    f"{_PLUGINS}-kernel-libipsec.so": "libcharon-extra-plugins",
    f"{_PLUGINS}-eap-mschapv2.so": "libcharon-extauth-plugins",
    f"{_PLUGINS}-vici.so": "strongswan-swanctl",
}
"""Programs and files that the lab uses, and the Debian package of each."""


def check_programs() -> None:
    """Make sure that all programs are there.

    Raises:
        LabError: some are not, with the command that installs them.
    """
    missing = [name for name in PACKAGES if program(name) is None and not Path(name).is_file()]
    if missing:
        packages = " ".join(sorted({PACKAGES[name] for name in missing}))
        raise LabError(
            f"The lab needs {', '.join(missing)}, which this machine lacks; install with: "
            f"apt-get install --no-install-recommends {packages}"
        )


def up(name: str, owner: Process, delivery: Delivery) -> Lab:
    """Build a lab; what cannot be completed is taken down again.

    Args:
        name: a name that no other lab has.
        owner: the process that builds it, whose end is the lab's until it is told to stay.
        delivery: what the gateway is delivered with.

    Raises:
        LabMistake: there is such a lab.
        LabError: something of it could not be built.
    """
    check_programs()
    with exclusive():
        old = Lab.load(name)
        if old is not None and not old.left_behind():
            raise LabMistake(
                f"Lab {name} is up already; take it down with: python -m lab down {name}"
            )
        remove(name)
        lab = create(name, owner)
    try:
        _build(lab, delivery)
    except BaseException:
        down(name)
        raise
    return lab


def _build(lab: Lab, delivery: Delivery) -> None:
    endpoints = {name: Endpoint(lab.folder, name) for name in ENDPOINTS}
    device = GatewayDevice(lab.folder)
    _write_access(lab, endpoints, device, delivery)
    with _nodes_waiting(lab, endpoints, device) as starting:
        lab.save()
        for node in starting:
            node.go_on()
        for node in starting:
            node.ready()
    wire({name: node.init for name, node in lab.nodes.items()}, topology())
    serial = _serial_number()
    gateway = device.start(lab.node("gateway"), serial, delivery.version)
    lab.gateway = {"serial": serial, "version": delivery.version, **gateway.as_dict()}
    if delivery.tier:
        lab.gateway["tier"] = delivery.tier
    lab.save()
    for name, endpoint in endpoints.items():
        endpoint.start_sshd(lab.node(name))
    Services(lab.folder).start(lab.node("server"))
    device.wait_until_ready(lab.node("gateway"), gateway)
    write_testbed(lab)
    lab.complete = True
    lab.save()


def _write_access(
    lab: Lab, endpoints: dict[str, Endpoint], device: GatewayDevice, delivery: Delivery
) -> None:
    """Keys, certificates and token, each where it is used and where a test run finds it."""
    # Here, as cryptography takes a while to import and only a new lab needs it.
    from lab.base.certificates import Authority

    authority = Authority(lab.name)
    ssh = lab.folder / "ssh"
    ssh.mkdir(mode=0o700)
    user_key = ssh_key_pair(ssh / "id_ed25519", f"lab-{lab.name}")
    known = {name: end.prepare(user_key, host_names()) for name, end in endpoints.items()}
    write_known_hosts(lab.folder, known)
    Services(lab.folder).prepare(authority)
    device.prepare(authority, delivery, host_names()).write(lab.folder)
    ca = (device.folder / "tls" / "ca.pem").read_bytes()
    (lab.folder / "gateway-ca.pem").write_bytes(ca)
    (lab.folder / "hosts").write_text(host_names())


def write_known_hosts(folder: Path, keys: dict[str, str]) -> None:
    """Write the host keys that a test run may trust.

    Args:
        folder: the lab's folder.
        keys: public host keys by endpoint.
    """
    lines = [f"{ENDPOINT_CONTROL[name]} {key}\n" for name, key in keys.items()]
    (folder / "ssh" / "known_hosts").write_text("".join(lines))


@contextmanager
def _nodes_waiting(
    lab: Lab, endpoints: dict[str, Endpoint], device: GatewayDevice
) -> Iterator[list[StartingNode]]:
    """Start all nodes at once and note them in the lab; they wait to be told to go on."""
    parts: dict[str, Endpoint | GatewayDevice] = {**endpoints, "gateway": device}
    starting: list[StartingNode] = []
    try:
        for name in NODES:
            part = parts.get(name)
            binds = part.binds() if part else [(lab.folder / "hosts", "/etc/hosts")]
            folders = part.folders() if part else ()
            starting.append(StartingNode(name, lab.folder, binds, folders))
        for one in starting:
            node: Node = one.announced()
            lab.nodes[node.name] = node
        yield starting
    finally:
        for one in starting:
            one.close()


def _serial_number() -> str:
    """A serial number for a new gateway; its beginning says that it is no real device's.

    Those of evaluation VMs may have a `_`, so this one has.
    """
    return "LABGW_" + "".join(secrets.choice("0123456789") for _ in range(10))
