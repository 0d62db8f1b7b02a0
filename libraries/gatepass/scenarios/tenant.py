"""A tenant on a gateway that stands: what is configured for it, step by step.

The steps are those in which a published test set up virtual data centres (Basak et al. 2010, table
2): a network of its own, DHCP, 50 rules of source NAT and 50 of destination NAT, 100 firewall
rules, a tunnel to another site, and a guest. All of it lies beside the customer's own: the network
is a loopback interface, so that nobody is given an address by its DHCP server; the outer addresses
answer no ARP; and the tunnel leads to where nobody is.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from gatepass.base.phrase import Phrase, say
from gatepass.gateway.rules import ADDRESS, POLICY, dotted
from gatepass.inputs.proposals import PROPOSALS
from gatepass.scenarios.site_to_site.tunnels import PHASE1, PHASE2, ROUTE

INTERFACE, DHCP = "system/interface", "system.dhcp/server"
POOL, VIP, USER = "firewall/ippool", "firewall/vip", "user/local"

HOSTS = 50
"""Hosts of a tenant, each with a rule of source NAT and one of destination NAT."""
POLICIES = 2 * HOSTS
# The upper half of 198.18.0.0/16, of the benchmarking range (RFC 2544, appendix C.2.2)
_INSIDE = ipaddress.ip_network("198.18.128.0/19")
_REMOTE = ipaddress.ip_network("198.18.160.0/20")
_REMOTE_GATEWAYS = ipaddress.ip_network("198.18.176.0/24")
_OUTSIDE = ipaddress.ip_network("198.18.192.0/18")
_INSIDE_LENGTH, _REMOTE_LENGTH, _OUTSIDE_LENGTH = 26, 27, 25
_SERVICES = ("HTTP", "HTTPS", "SSH", "DNS", "FTP", "SMTP", "IMAP", "POP3", "NTP", "SNMP")
_PROPOSAL = PROPOSALS["aes256-sha256-dh14"]

Rows = list[tuple[str, list[dict]]]
"""Tables and their new rows, each after what it refers to."""


@dataclass(frozen=True)
class FreeKeys:
    """The first numbers that no row of the gateway has, by table."""

    policyid: int
    route: int
    dhcp: int


@dataclass(frozen=True)
class Tenant:
    """One tenant.

    Attributes:
        number: 1 to MOST_TENANTS; its addresses and numbers come from it.
        mark: of the run; each name begins with it.
        outer_port: the gateway's port to the world.
        vdom: where the network is.
        free: the gateway's numbers.
    """

    number: int
    mark: str
    outer_port: str
    vdom: str
    free: FreeKeys
    psk: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))
    password: str = field(repr=False, default_factory=lambda: secrets.token_urlsafe(24))

    def named(self, what: str) -> str:
        """The name of one of its objects; an interface's may have 15 letters."""
        return f"{self.mark}-{what}{self.number}"

    @cached_property
    def steps(self) -> dict[Phrase, Rows]:
        """What each step configures, in their order."""
        made: dict[Phrase, Callable[[], Rows]] = {
            say("tenant_network"): self._network,
            say("tenant_dhcp"): self._dhcp,
            say("tenant_snat", rules=HOSTS): self._snat,
            say("tenant_dnat", rules=HOSTS): self._dnat,
            say("tenant_policies", rules=POLICIES): self._policies,
            say("tenant_tunnel"): self._vpn,
            say("tenant_guest"): self._guest,
        }
        return {step: rows() for step, rows in made.items()}

    @property
    def objects(self) -> int:
        """How many there are of it."""
        return sum(len(rows) for tables in self.steps.values() for _, rows in tables)

    @cached_property
    def _inside(self) -> ipaddress.IPv4Network:
        return _part(_INSIDE, _INSIDE_LENGTH, self.number - 1)

    @cached_property
    def _outside(self) -> ipaddress.IPv4Network:
        return _part(_OUTSIDE, _OUTSIDE_LENGTH, self.number - 1)

    def _host(self, index: int) -> str:
        return str(self._inside[index + 2])  # the first one is the gateway

    def _network(self) -> Rows:
        row = {
            "name": self.named("n"),
            "vdom": self.vdom,
            "type": "loopback",
            "ip": f"{self._inside[1]} {self._inside.netmask}",
            "description": self.named("tenant"),
        }
        return [(INTERFACE, [row])]

    def _dhcp(self) -> Rows:
        row = {
            "id": self.free.dhcp + self.number,
            "interface": self.named("n"),
            "domain": self.named("tenant"),  # it has no name that could carry the run's mark
            "default-gateway": str(self._inside[1]),
            "netmask": str(self._inside.netmask),
            "ip-range": [{"id": 1, "start-ip": self._host(0), "end-ip": self._host(HOSTS - 1)}],
        }
        return [(DHCP, [row])]

    def _snat(self) -> Rows:
        hosts = [
            {"name": self._one("h", index), "type": "ipmask", "subnet": dotted(self._host(index))}
            for index in range(HOSTS)
        ]
        pools = [
            {
                "name": self._one("s", index),
                "type": "overload",
                "startip": str(self._outside[index + 1]),
                "endip": str(self._outside[index + 1]),
                "arp-reply": "disable",
            }
            for index in range(HOSTS)
        ]
        return [(ADDRESS, hosts), (POOL, pools)]

    def _dnat(self) -> Rows:
        rows = [
            {
                "name": self._one("d", index),
                "extip": str(self._outside[HOSTS + index + 1]),
                "mappedip": [{"range": self._host(index)}],
                "extintf": self.outer_port,
                "arp-reply": "disable",
            }
            for index in range(HOSTS)
        ]
        return [(VIP, rows)]

    def _policies(self) -> Rows:
        inner, outer = [{"name": self.named("n")}], [{"name": self.outer_port}]
        everyone = [{"name": "all"}]
        out = [
            {
                "srcintf": inner,
                "dstintf": outer,
                "srcaddr": [{"name": self._one("h", index)}],
                "dstaddr": everyone,
                "nat": "enable",
                "ippool": "enable",
                "poolname": [{"name": self._one("s", index)}],
            }
            for index in range(HOSTS)
        ]
        back = [
            {
                "srcintf": outer,
                "dstintf": inner,
                "srcaddr": everyone,
                "dstaddr": [{"name": self._one("d", index)}],
                "nat": "disable",
            }
            for index in range(HOSTS)
        ]
        first = self.free.policyid + self.number * POLICIES
        rows = [
            {
                "policyid": first + index,
                "name": self._one("p", index),
                **row,
                "service": [{"name": _SERVICES[index % len(_SERVICES)]}],
                "schedule": "always",
                "action": "accept",
                "status": "enable",
                "logtraffic": "disable",
            }
            for index, row in enumerate([*out, *back])
        ]
        return [(POLICY, rows)]

    def _vpn(self) -> Rows:
        name, remote = self.named("v"), _part(_REMOTE, _REMOTE_LENGTH, self.number - 1)
        phase1 = {
            "name": name,
            "type": "static",
            "interface": self.outer_port,
            "ike-version": "2",
            "peertype": "any",
            "net-device": "disable",
            "proposal": _PROPOSAL.phase1,
            "dhgrp": str(_PROPOSAL.dh_group),
            "remote-gw": str(_REMOTE_GATEWAYS[self.number]),
            "psksecret": self.psk,
        }
        phase2 = {
            "name": name,
            "phase1name": name,
            "proposal": _PROPOSAL.phase2,
            "pfs": "enable",
            "dhgrp": str(_PROPOSAL.dh_group),
            "src-subnet": dotted(str(self._inside)),
            "dst-subnet": dotted(str(remote)),
            "auto-negotiate": "disable",
        }
        route = {
            "seq-num": self.free.route + self.number,
            "dst": dotted(str(remote)),
            "device": name,
            "comment": self.named("tenant"),
        }
        return [(PHASE1, [phase1]), (PHASE2, [phase2]), (ROUTE, [route])]

    def _guest(self) -> Rows:
        row = {
            "name": self.named("guest"),
            "type": "password",
            "passwd": self.password,
            "status": "enable",
        }
        return [(USER, [row])]

    def _one(self, what: str, index: int) -> str:
        return f"{self.named(what)}-{index + 1}"


def _part(whole: ipaddress.IPv4Network, length: int, number: int) -> ipaddress.IPv4Network:
    """The network of this number among those of a length that a network holds."""
    first = int(whole.network_address) + number * 2 ** (32 - length)
    return ipaddress.ip_network((first, length))
