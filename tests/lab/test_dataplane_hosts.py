"""What the data plane has against hosts that pretend to be others."""

from __future__ import annotations

import os
import socket
import time

import pytest
from dataplane_config import config, policy
from dataplane_rig import CLIENT, SERVER, Rig
from pyroute2 import IPRoute

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.hosts import Binding, Neighbour
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.nft.hosts import host_chains

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

MAC, OTHER, FREE = "02:00:00:00:00:01", "02:00:00:00:00:02", "198.18.1.77"


def rows(
    pairs: tuple[tuple[str, str], ...] = (),
    settings: dict | None = None,
    system: dict | None = None,
    neighbours: tuple[tuple[str, str], ...] = (),
    **port: str,
) -> dict:
    """A configuration with these bindings and ARP entries, and attributes of port2."""
    made = config(policy(1))
    made["system/interface"][1] |= {key.replace("_", "-"): value for key, value in port.items()}
    made["router/static"] = [{"dst": "10.20.0.0 255.255.0.0", "gateway": "198.18.1.254",
                              "device": "port2"}]
    made["firewall.ipmacbinding/setting"] = [
        {"bindthroughfw": "enable", "bindtofw": "disable", "undefinedhost": "allow"}
        | (settings or {})
    ]
    made["firewall.ipmacbinding/table"] = [
        {"seq-num": at, "ip": ip, "mac": mac, "status": "enable"}
        for at, (ip, mac) in enumerate(pairs, 1)
    ]
    made["system/settings"] = [system or {}]
    made["system/arp-table"] = [
        {"id": at, "interface": "port2", "ip": ip, "mac": mac}
        for at, (ip, mac) in enumerate(neighbours, 1)
    ]
    return made


def chain(made: dict, name: str = "hosts") -> list[str]:
    return host_chains(compile_config(made))[name]


def test_a_port_takes_sources_that_it_has_a_route_to() -> None:
    outside, inside = chain(rows())
    assert outside == 'iifname "port1" ct state new ip saddr != { 0.0.0.0, 198.18.2.0/24 } drop'
    assert inside == (
        'iifname "port2" ct state new ip saddr != { 0.0.0.0, 10.20.0.0/16, 198.18.1.0/24 } drop'
    )
    assert len(chain(rows(src_check="disable"))) == 1
    assert len(chain(rows(type="tunnel"))) == 1
    assert chain(rows(system={"asymroute": "enable"})) == []
    strict = chain(rows(system={"strict-src-check": "enable"}))
    assert strict[1].endswith("ct state new ip saddr != 0.0.0.0 fib saddr . iif oif missing drop")
    everywhere = rows()
    everywhere["router/static"].append({"dst": "0.0.0.0 0.0.0.0", "device": "port1"})
    assert len(chain(everywhere)) == 1


def test_pairs_are_right_and_half_of_one_is_wrong() -> None:
    pairs = ((CLIENT, MAC), ("198.18.1.11", "00:00:00:00:00:00"), ("0.0.0.0", OTHER))
    made = rows(pairs, ipmac="enable")
    jump = chain(made)[0]
    assert jump.startswith('iifname { "port2" } meta nfproto ipv4 fib daddr type != {')
    assert chain(made, "bindings") == [
        "ip saddr 0.0.0.0 return",
        f"ether saddr . ip saddr {{ {MAC} . {CLIENT} }} return",
        "ip saddr { 198.18.1.11 } return",
        f"ether saddr {{ {OTHER} }} return",
        f"ip saddr {{ {CLIENT} }} drop",
        f"ether saddr {{ {MAC} }} drop",
    ]
    block = rows(pairs, {"undefinedhost": "block", "bindtofw": "enable"}, ipmac="enable")
    assert chain(block, "bindings")[-1] == "drop"
    assert chain(block)[0] == 'iifname { "port2" } meta nfproto ipv4 jump bindings'
    own = rows(pairs, {"bindthroughfw": "disable", "bindtofw": "enable"}, ipmac="enable")
    assert "fib daddr type { local" in chain(own)[0]
    assert not any("bindings" in rule for rule in chain(rows(pairs)))


def test_faults_are_below_the_configuration() -> None:
    intent = compile_config(rows(((CLIENT, MAC),), ipmac="enable", neighbours=((FREE, MAC),)))
    assert intent.bindings.pairs == (Binding(CLIENT, MAC),)
    assert intent.neighbours == (Neighbour("port2", FREE, MAC),)
    assert with_faults(intent, {"arp-entry-ignored": {}}).neighbours == ()

    def told(fault: str) -> dict[str, list[str]]:
        return host_chains(with_faults(intent, {fault: {}}))

    assert not any("jump bindings" in rule for rule in told("binding-ignored")["hosts"])
    assert not any("saddr !=" in rule for rule in told("source-check-ignored")["hosts"])
    assert told("binding-stops-host")["bindings"][1] == f"ip saddr {{ {CLIENT} }} drop"
    leaking = with_faults(intent, {"leak": {"of": "forged-inside"}})
    assert host_chains(leaking)["hosts"][0].endswith("ip saddr 198.18.1.11 accept")


def test_an_interface_that_is_down_has_no_neighbours() -> None:
    assert compile_config(rows(neighbours=((FREE, MAC),), status="down")).neighbours == ()
    assert host_chains(Intent())["hosts"] == []


def raw(rig: Rig, source: str, mac: str = "") -> str | None:
    """Send a datagram from an address that the client need not have; what the server saw."""
    own, gateway = rig.client(_client_macs)
    mac = mac or own
    with rig.server.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.settimeout(0.3)
        receiver.bind((SERVER, 9000))
        rig.client(_send, gateway, mac, source)
        try:
            return receiver.recvfrom(100)[1][0]
        except TimeoutError:
            return None


def _client_macs() -> tuple[str, str]:
    with IPRoute() as ipr, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"", ("198.18.1.1", 9))
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up:
            for one in ipr.get_neighbours(family=socket.AF_INET, dst="198.18.1.1"):
                if hop := one.get_attr("NDA_LLADDR"):
                    (link,) = ipr.get_links(ipr.link_lookup(ifname="data")[0])
                    return link.get_attr("IFLA_ADDRESS"), hop
            time.sleep(0.02)
    raise AssertionError("the gateway is no neighbour")


def _send(hop: str, mac: str, source: str) -> None:
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import Ether

    port = 20000 + int(time.monotonic() * 1000) % 20000
    frame = Ether(dst=hop, src=mac) / IP(src=source, dst=SERVER) / UDP(sport=port, dport=9000)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind(("data", 0))
        sock.send(bytes(frame / b"x"))


@needs_root
def test_borrowed_sources_and_forged_hardware_addresses(rig: Rig) -> None:
    rig.apply(rows())
    assert raw(rig, CLIENT) == CLIENT
    assert raw(rig, CLIENT, OTHER) == CLIENT
    assert raw(rig, "10.20.0.9") == "10.20.0.9"
    assert raw(rig, "198.18.2.9") is None
    assert raw(rig, "192.0.2.9") is None
    rig.apply(rows(system={"strict-src-check": "enable"}))
    assert raw(rig, CLIENT) == CLIENT
    assert raw(rig, "198.18.2.9") is None
    rig.apply(rows(src_check="disable"))
    assert raw(rig, "198.18.2.9") == "198.18.2.9"
    own, _ = rig.client(_client_macs)
    rig.apply(rows(((CLIENT, own),), ipmac="enable"))
    assert raw(rig, CLIENT) == CLIENT
    assert raw(rig, CLIENT, OTHER) is None
    assert raw(rig, FREE) is None
    assert raw(rig, FREE, OTHER) == FREE
    assert rig.ping("198.18.1.1")
    rig.apply(rows(((CLIENT, own),), {"undefinedhost": "block"}, ipmac="enable"))
    assert raw(rig, FREE, OTHER) is None
    assert raw(rig, CLIENT) == CLIENT


@needs_root
def test_an_entry_of_the_arp_table_is_the_kernels(rig: Rig) -> None:
    def entry() -> str | None:
        with IPRoute() as ipr:
            found = ipr.get_neighbours(family=socket.AF_INET, dst=FREE)
        return found[0].get_attr("NDA_LLADDR") if found else None

    for wanted in (MAC, OTHER):
        rig.apply(rows(neighbours=((FREE, wanted),)))
        assert rig.gateway(entry) == wanted
    rig.apply(rows())
    assert rig.gateway(entry) is None
