"""DHCP servers of the data plane: whom they serve, with what, and what is left of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from dataplane_config import config
from dataplane_rig import Rig

from core.local_shell import LocalShell
from gatepass.endpoint.dhcp import ASK, LEASE, RENEW, Asked, DhcpHosts, Group, Step, releasing
from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.dhcp import DhcpServer
from lab.gateway.dataplane.nft.localin import local_in_rules
from lab.gateway.dataplane.programs.dnsmasq import dnsmasq_configuration, leases_in

LISTED = [f"02:00:00:00:00:{number:02x}" for number in range(1, 6)]
RESERVED, BLOCKED, UNKNOWN = "02:00:00:00:01:01", "02:00:00:00:01:02", "06:00:00:00:00:01"
SERVED_S, SILENT_S = 3.0, 0.5


def server(**attributes: object) -> dict:
    """A row of system.dhcp/server that serves the hosts above on the client's side."""
    hosts = [{"mac": mac, "action": "assign"} for mac in LISTED]
    hosts += [
        {"mac": RESERVED, "action": "reserved", "ip": "198.18.1.103"},
        {"mac": BLOCKED, "action": "block"},
    ]
    row = {
        "id": 1,
        "status": "enable",
        "interface": "port2",
        "netmask": "255.255.255.0",
        "default-gateway": "198.18.1.1",
        "dns-service": "specify",
        "dns-server1": "192.0.2.53",
        "dns-server2": "192.0.2.54",
        "domain": "customer.test",
        "lease-time": 600,
        "ip-range": [{"start-ip": "198.18.1.101", "end-ip": "198.18.1.105"}],
        "mac-acl-default-action": "block",
        "reserved-address": hosts,
    }
    return row | {key.replace("_", "-"): value for key, value in attributes.items()}


def serving(*rows: dict) -> dict:
    """A configuration with these servers."""
    return config() | {"system.dhcp/server": list(rows)}


def compiled(*rows: dict) -> DhcpServer:
    (found,) = compile_config(serving(*rows)).dhcp
    return found


def faulty(fault: str, **values: str) -> DhcpServer:
    (found,) = with_faults(compile_config(serving(server())), {fault: values}).dhcp
    return found


def lines(found: DhcpServer) -> list[str]:
    return dnsmasq_configuration(found, Path("/run/dhcp")).splitlines()


# -- what is asked of it --------------------------------------------------------------------------


def test_what_is_configured_is_what_dnsmasq_is_told() -> None:
    told = lines(compiled(server(wins_server1="192.0.2.99", ntp_service="local")))
    assert "interface=port2" in told
    assert "dhcp-range=198.18.1.101,198.18.1.105,255.255.255.0,600" in told
    for option in (
        *("3,198.18.1.1", "6,192.0.2.53,192.0.2.54", "15,customer.test"),
        *("42,198.18.1.1", "44,192.0.2.99"),
    ):
        assert f"dhcp-option={option}" in told
    assert f"dhcp-host={LISTED[0]},set:listed" in told
    assert f"dhcp-host={RESERVED},198.18.1.103" in told
    assert f"dhcp-host={BLOCKED},ignore" in told
    assert "dhcp-ignore=tag:!known" in told


def test_what_is_not_configured_is_not_told() -> None:
    row = server(dns_server1="0.0.0.0", dns_server2="0.0.0.0", domain="", default_gateway="0.0.0.0")
    told = lines(compiled(row | {"mac-acl-default-action": "assign"}))
    assert [line for line in told if line.startswith("dhcp-option")] == ["dhcp-option=3"]
    assert not [line for line in told if line.startswith("dhcp-ignore")]


def test_only_hosts_of_the_interfaces_network_that_are_not_excluded_are_given_out() -> None:
    spans = [
        {"start-ip": "198.18.0.250", "end-ip": "198.18.1.9"},
        {"start-ip": "198.18.1.250", "end-ip": "198.18.2.9"},
    ]
    without = [{"start-ip": "198.18.1.3", "end-ip": "198.18.1.4"}]
    ranges = [line for line in lines(compiled(server(ip_range=spans, exclude_range=without)))
              if line.startswith("dhcp-range")]
    assert ranges == [
        "dhcp-range=198.18.1.1,198.18.1.2,255.255.255.0,600",
        "dhcp-range=198.18.1.5,198.18.1.9,255.255.255.0,600",
        "dhcp-range=198.18.1.250,198.18.1.254,255.255.255.0,600",
    ]


def test_nothing_listens_where_nobody_can_ask() -> None:
    rows = serving(
        server(status="disable"),
        *(server(id=number, interface=f"inner{number}") for number in range(2, 2000)),
    )
    rows["system/interface"] = [
        *rows["system/interface"],
        *(
            {"name": f"inner{number}", "type": "loopback", "ip": "198.18.128.1 255.255.255.192"}
            for number in range(2, 2000)
        ),
    ]
    intent = compile_config(rows)
    assert intent.dhcp == ()
    assert not [rule for rule in local_in_rules(intent) if "dport 67" in rule]


def test_the_gateway_listens_where_it_serves_alone() -> None:
    rules = local_in_rules(compile_config(serving(server())))
    assert [rule for rule in rules if "dport 67" in rule] == [
        'iifname "port2" meta nfproto ipv4 udp sport 68 udp dport 67 accept'
    ]


def test_leases_are_read_as_dnsmasq_writes_them() -> None:
    text = (
        "1700000600 02:00:00:00:00:01 198.18.1.101 host-1 01:02:00:00:00:00:01\n"
        "1700000700 02:00:00:00:00:02 198.18.1.102 * *\n"
        "duid 00:01\n"
    )
    first, second = leases_in(text, "port2")
    assert (first.address, first.mac, first.name, first.expires) == (
        "198.18.1.101", LISTED[0], "host-1", 1700000600
    )
    assert second.name == ""


# -- its faults -----------------------------------------------------------------------------------


def test_faults_change_what_they_say_and_no_more() -> None:
    whole = lines(compiled(server()))

    def changed(fault: str, **values: str) -> tuple[set[str], set[str]]:
        told = lines(faulty(fault, **values))
        return set(whole) - set(told), set(told) - set(whole)

    assert changed("dhcp-option-wrong", of="router") == (
        {"dhcp-option=3,198.18.1.1"}, {"dhcp-option=3,198.18.1.254"}
    )
    assert changed("dhcp-option-wrong", of="name-servers+domain")[1] == {
        "dhcp-option=6,192.0.2.54,192.0.2.53", "dhcp-option=15,not-customer.test"
    }
    assert changed("dhcp-option-wrong", of="lease-time")[1] == {
        "dhcp-range=198.18.1.101,198.18.1.105,255.255.255.0,60"
    }
    assert changed("dhcp-same-address")[1] == {
        f"dhcp-host={LISTED[0]},{LISTED[1]},198.18.1.101"
    }
    assert changed("dhcp-reservation-ignored")[1] == {
        f"dhcp-host={RESERVED},set:listed", f"dhcp-host={LISTED[0]},198.18.1.103"
    }
    assert changed("dhcp-list-ignored") == (
        {f"dhcp-host={BLOCKED},ignore", "dhcp-ignore=tag:!known"}, set()
    )
    assert changed("dhcp-beyond-range")[1] == {
        "dhcp-range=tag:port2,198.18.1.101,198.18.1.105,255.255.255.0,600",
        "dhcp-range=198.18.1.97,198.18.1.100,255.255.255.0,600",
    }
    assert with_faults(compile_config(serving(server())), {"dhcp-silent": {}}).dhcp == ()


# -- in force -------------------------------------------------------------------------------------

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


class Wire:
    """Hosts on the client's side of a gateway that can serve them."""

    def __init__(self, rig: Rig, folder: Path) -> None:
        self.rig = rig
        namespace = f"--net=/proc/{os.getpid()}/fd/{rig.client.ns_fd}"
        self._shell = LocalShell("client", folder, inside=("nsenter", namespace))
        self._mac = json.loads(rig.output("ip", "-j", "link", "show", "port2"))[0]["address"]
        self.hosts = self.hosts_of("198.18.1.1")

    def hosts_of(self, server: str) -> DhcpHosts:
        """Hosts that take the answers of this server alone."""
        return DhcpHosts(self._shell, "data", server, self._mac, "gptest")

    def do(self, does: str, *macs: str, silent: bool = False) -> Mapping[str, Asked]:
        """What becomes of these hosts."""
        step = Step((Group(does, macs, awaited=not silent),), SILENT_S * silent, SERVED_S)
        (seen,) = self.hosts.do(step)
        return seen.hosts

    def clear(self) -> None:
        """Nobody has an address."""
        self.hosts.release_all()

    def leases(self) -> dict[str, str]:
        """What the gateway says has been given out."""
        return {lease.address: lease.mac for lease in self.rig.plane.leases()}


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    rig = Rig(tmp_path_factory.mktemp("gateway"))
    try:
        rig.apply(config())
        yield Wire(rig, tmp_path_factory.mktemp("client"))
    finally:
        rig.gateway(rig.plane.close)
        rig.close()


@needs_root
def test_those_on_the_list_are_served_and_nobody_else(wire: Wire) -> None:
    wire.rig.apply(config())
    before = wire.do(ASK, *LISTED, UNKNOWN, silent=True)
    assert {(one.state, one.reached) for one in before.values()} == {("silent", True)}
    wire.rig.apply(serving(server()))
    served = wire.do(LEASE, *LISTED[:4], RESERVED)
    addresses = {one.address for one in served.values()}
    assert len(addresses) == 5 and served[RESERVED].address == "198.18.1.103"
    assert addresses == {f"198.18.1.{number}" for number in range(101, 106)}
    one = served[LISTED[0]]
    assert (one.netmask, one.routers, one.name_servers, one.domain, one.lease_s) == (
        "255.255.255.0", "198.18.1.1", "192.0.2.53, 192.0.2.54", "customer.test", 600
    )
    assert wire.leases() == {asked.address: mac for mac, asked in served.items()}
    silent = wire.do(LEASE, UNKNOWN, BLOCKED, LISTED[4], silent=True)
    assert {(one.state, one.reached) for one in silent.values()} == {("silent", True)}
    assert wire.hosts.foreign == wire.hosts.strangers == set()


@needs_root
def test_another_server_is_told_and_never_asked(wire: Wire) -> None:
    wire.clear()
    wire.rig.apply(serving(server()))
    elsewhere = wire.hosts_of("198.18.1.2")
    (seen,) = elsewhere.do(Step((Group(LEASE, LISTED, awaited=False),), SILENT_S, SILENT_S))
    assert {one.state for one in seen.hosts.values()} == {"silent"}
    assert elsewhere.foreign == {"198.18.1.1"}
    assert wire.leases() == {}


@needs_root
def test_leases_outlive_a_change_and_end_with_their_server(wire: Wire) -> None:
    wire.clear()
    wire.rig.apply(serving(server()))
    held = {mac: one.address for mac, one in wire.do(LEASE, *LISTED[:4]).items()}
    assert len(set(held.values())) == 4
    wire.rig.apply(serving(server(lease_time=1200)))
    renewed = wire.do(RENEW, *held)
    assert {mac: one.address for mac, one in renewed.items()} == held
    assert {one.lease_s for one in renewed.values()} == {1200}
    wire.rig.apply(config())
    assert wire.leases() == {}
    assert wire.do(RENEW, *held, silent=True)[next(iter(held))].state == "silent"
    assert "dnsmasq" not in wire.rig.output("ps", "-o", "comm", "--ppid", str(os.getpid()))


@needs_root
def test_beyond_its_range_it_goes_when_that_is_used_up(wire: Wire) -> None:
    wire.clear()
    wire.rig.apply(serving(server()), {"dhcp-beyond-range": {}})
    first = wire.do(LEASE, *LISTED[:4])
    assert {one.address for one in first.values()} == {
        "198.18.1.101", "198.18.1.102", "198.18.1.104", "198.18.1.105"
    }
    last = wire.do(LEASE, LISTED[4])[LISTED[4]]
    assert last.address in {f"198.18.1.{number}" for number in range(97, 101)}
    wire.hosts.do(releasing([*LISTED]))


@needs_root
def test_two_hosts_are_given_one_address(wire: Wire) -> None:
    wire.clear()
    wire.rig.apply(serving(server()), {"dhcp-same-address": {}})
    both = wire.do(LEASE, *LISTED[:2])
    assert {one.address for one in both.values()} == {"198.18.1.101"}
