"""Defects of a testbed, each with what `doctor` has to say of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from doctor_world import FOLDER, World
from gateway_client import free_port, make_certificates

from gatepass.gateway.lock_object import Lock

ELSEWHERE = Lock("gp9f8e7d", "20261128-091500-77", "ada", "build7", "2026-11-28T09:15")


@dataclass(frozen=True)
class Defect:
    """Something that is wrong with a testbed.

    Attributes:
        name: of the test.
        bring: brings it about.
        told: a pattern of what is said, with what to do.
        keeps: a chapter that it keeps checks of from being proven.
        where: whose finding it is.
    """

    name: str
    bring: Callable[[World], object]
    told: str
    keeps: str
    where: str

    def __str__(self) -> str:
        return self.name


def gateway(name: str, bring: Callable[[World], object], told: str, keeps: str) -> Defect:
    return Defect(name, bring, told, keeps, "gateway")


def put(path: str, body: dict) -> Callable[[World], object]:
    """The gateway's configuration is another."""
    return lambda world: world.device.put(f"cmdb/{path}", body)


def fault(name: str, **values: object) -> Callable[[World], object]:
    return lambda world: world.device.control("PUT", f"/faults/{name}", values)


def table(path: str, *rows: dict) -> Callable[[World], object]:
    """What the lab refuses to be: the device tells another table."""
    return lambda world: world.tables.update({path: list(rows)})


def state(**values: object) -> Callable[[World], object]:
    return lambda world: world.changed.update({"web-ui/state": lambda told: told | values})


def domains(*names: str) -> Callable[[World], object]:
    def change(told: dict) -> dict:
        return told | {"admin": told["admin"] | {"vdoms": list(names)}}

    return lambda world: world.changed.update({"web-ui/state": change})


def links(**ports: dict) -> Callable[[World], object]:
    """The gateway's ports are in another state."""

    def change(told: dict) -> dict:
        good = {"link": True, "speed": 10_000.0}
        return {name: row | good | ports.get(name, {}) for name, row in told.items()}

    return lambda world: world.changed.update({"system/interface": change})


def host(name: str, **values: object) -> Callable[[World], object]:
    def change(world: World) -> None:
        for key, value in values.items():
            setattr(world.hosts[name], key, value)

    return change


def without(name: str, *programs: str) -> Callable[[World], object]:
    return lambda world: world.hosts[name].has.difference_update(programs)


def version(name: str, program: str, says: str) -> Callable[[World], object]:
    return lambda world: world.hosts[name].says.update({program: says})


def in_file(**values: object) -> Callable[[World], object]:
    """The testbed file says otherwise about its gateway."""
    return lambda world: world.gateway.update(values)


def zone(world: World) -> None:
    row = {"name": "inside", "interface": [{"interface-name": "port2"}]}
    world.tables["system/zone"] = [row]


def aggregate(world: World) -> None:
    own = world.device.get("cmdb/system/interface")
    row = {"name": "agg1", "type": "aggregate", "member": [{"interface-name": "port1"}]}
    world.tables["system/interface"] = [*own, row]


def without_address(world: World) -> None:
    own = world.device.get("cmdb/system/interface")
    none = [row | ({"ip": "0.0.0.0 0.0.0.0"} if row["name"] == "port2" else {}) for row in own]
    world.tables["system/interface"] = none
    links(port2={"ip": "0.0.0.0"})(world)


def other_authority(world: World) -> None:
    folder = world.device.folder.parent / "other-authority"
    if not folder.exists():
        make_certificates(folder)
    world.gateway["ca_file"] = str(folder / "ca.pem")


def wrong_token(world: World) -> None:
    path = world.file().parent / "api-token"
    path.write_text("another-token\n")


def no_peer(world: World) -> None:
    del world.content["endpoints"]["peer"]


def no_direct_path(world: World) -> None:
    for name in ("client", "server"):
        del world.content["endpoints"][name]["direct_address"]


def no_file_server(world: World) -> None:
    del world.content["endpoints"]["server"]["files"]


SERVICES, STATEFUL, EDGE, VPN = "security_services", "stateful_firewall", "edge", "remote_access"
SITES, LEAKS = "site_to_site_vpn", "policy_enforcement"

OF_THE_GATEWAY = [
    gateway("zone", zone, r"port2 belongs to the zone inside .*name another port", STATEFUL),
    gateway(
        "SD-WAN",
        table("system/sdwan", {"status": "enable", "members": [{"interface": "port1"}]}),
        "port1 is a member of SD-WAN",
        STATEFUL,
    ),
    gateway("aggregate", aggregate, "port1 is a member of the aggregate interface agg1", STATEFUL),
    gateway(
        "central NAT",
        table("system/settings", {"central-nat": "enable"}),
        "central-nat in system/settings.*Disable it",
        STATEFUL,
    ),
    gateway(
        "NGFW mode",
        table("system/settings", {"ngfw-mode": "policy-based"}),
        "NGFW policy mode",
        STATEFUL,
    ),
    gateway(
        "transparent mode",
        table("system/settings", {"opmode": "transparent"}),
        "transparent mode .*Test one in NAT mode",
        STATEFUL,
    ),
    gateway(
        "another run",
        lambda world: world.device.post("cmdb/firewall/address", ELSEWHERE.row),
        "the run 20261128-091500-77, called by ada on build7, .*Wait until it has ended",
        STATEFUL,
    ),
    gateway("another VDOM", domains("", "other"), "the VDOM root; it may into other", EDGE),
    gateway("secondary unit", state(ha_mode=1, is_ha_master=0), "secondary unit of", EDGE),
    gateway("conserve mode", fault("memory-short"), "short of memory", SERVICES),
    gateway(
        "no log",
        put("log.disk/setting", {"status": "disable"}),
        "neither to disk nor to memory.*config log disk setting",
        SERVICES,
    ),
    gateway(
        "no such port",
        in_file(client_port="port9"),
        "has no port port9. Check client_port .*it has .*port2",
        STATEFUL,
    ),
    gateway("port without link", links(port1={"link": False}), "port1 has no link", STATEFUL),
    gateway("port without address", without_address, "port2 has no IPv4 address", STATEFUL),
    gateway(
        "slow port",
        links(port1={"speed": 100.0}),
        "port port1 has 100 Mbit/s; the tier takes 398",
        STATEFUL,
    ),
    gateway("licence", fault("licence-expired"), "licence as vm_expired", "preflight"),
    gateway(
        "service without licence",
        fault("license-missing", function="antivirus"),
        "no valid licence for antivirus: .*“no license”",
        SERVICES,
    ),
    gateway("evaluation", fault("evaluation-licence"), "permanent evaluation licence", "preflight"),
    gateway(
        "clock of the gateway",
        fault("clock-off"),
        "ahead of this machine's.*Set up NTP",
        "preflight",
    ),
    gateway("firmware", fault("other-firmware"), "ordered is >=7.4; .* v7.2", "preflight"),
    gateway("resources", fault("too-few-resources"), "at least 2; .* reports 1", "preflight"),
    gateway("other device", fault("other-device"), "ordered is FortiGate-VM64-LAB", "preflight"),
    gateway("wrong certificate", other_authority, "certificate must chain to .*ca.pem", EDGE),
    gateway("wrong token", wrong_token, "refuses the API token .*trusted hosts", EDGE),
    gateway("nobody there", in_file(url=f"https://127.0.0.1:{free_port()}"), "REST API at", EDGE),
]

OF_ENDPOINTS = [
    Defect(
        "program missing",
        without("client", "iperf3", "curl"),
        "lacks iperf3, curl. .*apt-get install -y iperf3 curl",
        STATEFUL,
        "client",
    ),
    Defect(
        "program missing, RPM",
        lambda world: (without("peer", "ps")(world), host("peer", installer="dnf")(world)),
        "lacks ps. .*dnf install -y procps-ng",
        STATEFUL,
        "peer",
    ),
    Defect(
        "iperf3 too old",
        version("server", "iperf3", "iperf 3.6"),
        "needs iperf3 3.7 or later.*“iperf 3.6”",
        STATEFUL,
        "server",
    ),
    Defect(
        "iperf3 broken",
        version("server", "iperf3", "iperf3: error - unable to start listener"),
        "needs iperf3 3.7 or later.*unable to start listener",
        STATEFUL,
        "server",
    ),
    Defect(
        "Python too old",
        version("client", "python3", "Python 3.6.8"),
        r"needs python3 3.9 or later.*\(Debian 11, Ubuntu 22.04, RHEL 9 or later\)",
        EDGE,
        "client",
    ),
    Defect(
        "Python without a part of its library",
        host("server", failing={"scripts": "import json: No module named 'json'"}),
        "cannot run the test's own scripts: import json: .*Python 3.9 or later",
        STATEFUL,
        "server",
    ),
    Defect(
        "ip without JSON",
        host("client", failing={"ip": 'Option "-j" is unknown, try "ip -help".'}),
        'without JSON: “Option "-j" is unknown.*iproute2',
        STATEFUL,
        "client",
    ),
    Defect(
        "BusyBox",
        host("server", failing={"tools": "timeout: unrecognized option: foreground"}),
        "cannot do what the test asks of it: “timeout: unrecognized.*in the place of BusyBox",
        STATEFUL,
        "server",
    ),
    Defect(
        "a container without capabilities",
        host("peer", capabilities="00000000a80425fb"),
        r"root of the peer .* has no CAP_NET_ADMIN, CAP_SYS_ADMIN\. .*--cap-add NET_ADMIN",
        SITES,
        "peer",
    ),
    Defect(
        "root without raw sockets",
        host("client", capabilities="000001ffffffdfff"),
        "root of the client .* has no CAP_NET_RAW",
        LEAKS,
        "client",
    ),
    Defect(
        "packets forbidden",
        host("server", failing={"packets": "Operation not permitted"}),
        "cannot open a socket for crafted packets: Operation not permitted.*seccomp",
        LEAKS,
        "server",
    ),
    Defect(
        "addresses forbidden",
        host("server", failing={"addresses": "RTNETLINK answers: Operation not permitted"}),
        "cannot change addresses and routes: RTNETLINK",
        EDGE,
        "server",
    ),
    Defect(
        "a TUN device in name alone",
        host("client", failing={"tun": "No such device"}),
        "cannot set up a TUN interface: No such device",
        VPN,
        "client",
    ),
    Defect(
        "a kernel without nftables",
        host("peer", failing={"nft": "Error: Could not process rule: Operation not supported"}),
        "cannot set up rules of nftables: Error",
        SITES,
        "peer",
    ),
    Defect(
        "no file is taken",
        host("server", refuses="Operation unsupported"),
        "self_test.json cannot be written on the server: Operation unsupported",
        STATEFUL,
        "server",
    ),
    Defect(
        "a file is not what was written",
        host("client", failing={"file": "0 B"}),
        "is another when it is read back: 0 B",
        STATEFUL,
        "client",
    ),
    Defect(
        "strongSwan does not start",
        host("peer", charon="00[LIB] abort initialization due to invalid configuration"),
        r"strongSwan could not be started on the peer: 00\[LIB\] abort",
        SITES,
        "peer",
    ),
    Defect(
        "curl too old", version("client", "curl", "curl 7.61.1"), "curl 7.68", SERVICES, "client"
    ),
    Defect(
        "openconnect too old",
        version("client", "openconnect", "Unknown VPN protocol 'fortinet'"),
        "openconnect 9.01 or later",
        VPN,
        "client",
    ),
    Defect("no nftables", without("peer", "nft"), "apt-get install -y nftables", SITES, "peer"),
    Defect(
        "not root",
        host("client", number=1000, user="tester"),
        r"SSH user tester is not root, and .*endpoints\.client\.ssh\.user",
        LEAKS,
        "client",
    ),
    Defect(
        "sudo alone",
        host("server", number=1000, user="tester", sudo=True),
        "tester, who may use sudo, which Gatepass does not, is not root",
        VPN,
        "server",
    ),
    Defect("no TUN device", without("client", "tun"), "no TUN device.*modprobe tun", VPN, "client"),
    Defect(
        "no strongSwan", host("peer", strongswan="kernel\n"), "strongSwan is missing", SITES, "peer"
    ),
    Defect(
        "no way to do ESP",
        host("peer", strongswan="charon /usr/lib/ipsec\n"),
        "no way to do ESP",
        SITES,
        "peer",
    ),
    Defect(
        "port taken",
        host("server", listening={5201, 80, 443, 21}),
        "port 5201 .* is busy",
        STATEFUL,
        "server",
    ),
    Defect("disk full", host("client", free_mib={"/tmp": 3}), "3 MiB are free", STATEFUL, "client"),
    Defect(
        "no room for files",
        host("server", free_mib={"/tmp": 9000, FOLDER: 70}),
        f"of {FOLDER} on the server 70 MiB are free",
        SERVICES,
        "server",
    ),
    Defect(
        "files not writable",
        host("server", writable={"/tmp"}),
        "may not write into",
        SERVICES,
        "server",
    ),
    Defect(
        "web server down",
        host("server", listening={80, 21}),
        "port 443 .* HTTPS",
        SERVICES,
        "server",
    ),
    Defect("no file server", no_file_server, "names no file server", SERVICES, "server"),
    Defect(
        "MTU not carried",
        host("client", whole=False),
        "a packet of 1,500 bytes, .* does not get .*a host on the path reports 1,400",
        STATEFUL,
        "client",
    ),
    Defect("MTU too small", host("server", mtu=1280), "is 1,280, so datagrams", STATEFUL, "server"),
    Defect(
        "MTU beyond the gateway's",
        host("client", mtu=9000),
        "is 9,000, and that of the gateway's port .* 1,500",
        STATEFUL,
        "client",
    ),
    Defect("slow link", host("client", speed=100), "link has 100 Mbit/s", STATEFUL, "client"),
    Defect(
        "watch",
        host("server", watched=False),
        "the server cannot be watched while trials run, .*Permission denied",
        STATEFUL,
        "server",
    ),
    Defect("clock", host("peer", ahead_s=90), r"differs by \+90.* Set up NTP there", EDGE, "peer"),
    Defect("no time", host("peer", ahead_s=math.nan), r"not report its time \(nan\)", EDGE, "peer"),
    Defect(
        "behind a router", host("client", router="198.18.1.77"), "without a router", LEAKS, "client"
    ),
    Defect(
        "out of reach",
        host("client", lost="the client cannot be reached"),
        "cannot be reached",
        EDGE,
        "client",
    ),
    Defect("no peer", no_peer, "names no peer", SITES, "peer"),
    Defect("no direct path", no_direct_path, "names no direct_address", STATEFUL, "client"),
]
DEFECTS = [*OF_THE_GATEWAY, *OF_ENDPOINTS]
