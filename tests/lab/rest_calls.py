"""Calls of the REST API that are made up, and a gateway to send them to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from lab.gateway.access import Access
from lab.gateway.call import Call
from lab.gateway.device import Device, Folder
from lab.gateway.identity import Identity
from lab.gateway.rest.cmdb import Cmdb
from lab.gateway.schema.model import Attribute
from lab.gateway.versions import Version

Config = Mapping[str, Sequence[Mapping[str, Any]]]


def refs(*names: str) -> list[dict[str, str]]:
    """A list of references."""
    return [{"name": name} for name in names]


class LocalGateway:
    """A gateway's REST API without its web server, and without a data plane.

    Args:
        folder: its own.
        version: of FortiOS.
    """

    def __init__(self, folder: Path, version: str = "7.4.8") -> None:
        (folder / "api-token").write_text("token-of-the-tests\n")
        identity = Identity("LABGW0000000001", Version.parse(version))
        nothing: Any = None  # it is never started
        self.device = device = Device(Folder(folder), identity, "198.18.0.2", 443, nothing)
        self._cmdb = Cmdb(self.device)
        self._caller = Access(device.database, device.vault, device.faults).anyone()
        self.set_up()

    def set_up(self) -> None:
        """Begin with a new gateway's configuration, and addresses on its ports."""
        self.device.database.replace(self.device.database.blank())
        for path, row in _SET_UP:
            assert self.call("PUT", path, row) == 200, path

    def furnish(self, *paths: str) -> None:
        """Have the first row of each of these tables (`ROWS`)."""
        for path in paths:
            assert self.call("POST", path, first_row(path)) == 200, path

    def call(self, method: str, path: str, body: Any = None, **query: str) -> int:
        """One call; its HTTP status. The path is the one behind `cmdb/`."""
        parts = ("cmdb", *path.split("/"))
        raw = b"" if body is None else json.dumps(body).encode()
        given = {key: [value] for key, value in query.items()}
        return self._cmdb.answer(Call(method, parts, given, raw, self._caller)).status

    def keys(self, path: str) -> list[Any]:
        """The keys of a table's rows."""
        return list(self.device.database.state.rows[path])

    @property
    def config(self) -> Config:
        """What the data plane would be told."""
        return self.device._snapshot()[0]

    def close(self) -> None:
        """End it."""
        self.device.store.close()


_SET_UP: tuple[tuple[str, dict[str, Any]], ...] = (
    ("system/interface/port1", {
        "ip": "198.18.2.1/24", "allowaccess": "ping",
        "ipv6": {"ip6-address": "2001:2:0:2::1/64", "ip6-allowaccess": "ping"}}),
    ("system/interface/port2", {
        "ip": "198.18.1.1/24", "allowaccess": "ping",
        "ipv6": {"ip6-address": "2001:2:0:1::1/64", "ip6-allowaccess": "ping"}}),
)

_POLICY = {
    "srcintf": refs("port2"), "dstintf": refs("port1"), "srcaddr": refs("all"),
    "dstaddr": refs("all"), "service": refs("ALL"), "schedule": "always", "action": "accept",
}
_PHASE1 = {"interface": "port1", "ike-version": "2", "proposal": "aes256-sha256", "dhgrp": "14",
           "peertype": "any", "remote-gw": "198.18.2.20", "psksecret": "of some length"}
ROWS: Mapping[str, Mapping[str, Any]] = {
    "firewall/policy": _POLICY,
    "firewall/address": {"subnet": "198.18.1.0/25"},
    "firewall/address6": {"ip6": "2001:2:0:1::/64"},
    "firewall/addrgrp": {"member": refs("all")},
    "firewall/addrgrp6": {"member": refs("all")},
    "firewall.service/custom": {"tcp-portrange": "80"},
    "firewall.service/group": {"member": refs("HTTP")},
    "firewall/vip": {"extip": "198.18.1.120", "extintf": "port2",
                     "mappedip": [{"range": "198.18.2.10"}]},
    "firewall/ippool": {"startip": "198.18.2.100", "endip": "198.18.2.103"},
    "firewall.shaper/traffic-shaper": {"maximum-bandwidth": 5000},
    "firewall/shaping-policy": {**_POLICY, "traffic-shaper": "shared-1M-pipe"},
    "firewall/local-in-policy": {
        "intf": refs("port2"), "srcaddr": refs("all"), "dstaddr": refs("all"),
        "service": refs("PING"), "schedule": "always"},
    "firewall/DoS-policy": {"interface": "port2", "srcaddr": refs("all"), "dstaddr": refs("all"),
                            "service": refs("ALL"), "anomaly": [
                                {"name": "udp_flood", "status": "enable", "action": "block"}]},
    "firewall/proxy-policy": {**_POLICY, "proxy": "explicit-web"},
    "router/static": {"dst": "10.20.0.0/16", "gateway": "198.18.2.10", "device": "port1"},
    "system/zone": {"interface": [{"interface-name": "port3"}]},
    "system/interface": {"vdom": "root", "type": "loopback", "ip": "10.99.0.1/32"},
    "system/arp-table": {"interface": "port2", "ip": "198.18.1.9", "mac": "02:00:00:00:00:0a"},
    "system.dhcp/server": {"interface": "port2", "netmask": "255.255.255.0", "ip-range": [
        {"id": 1, "start-ip": "198.18.1.50", "end-ip": "198.18.1.60"}]},
    "system/geoip-override": {"ip-range": [
        {"id": 1, "start-ip": "198.18.1.5", "end-ip": "198.18.1.6"}]},
    "firewall.ipmacbinding/table": {"ip": "198.18.1.9", "mac": "02:00:00:00:00:0a"},
    "vpn.ipsec/phase1-interface": _PHASE1,
    "vpn.ipsec/phase2-interface": {"phase1name": "phase1-0", "proposal": "aes256-sha256",
                                   "dst-subnet": "10.30.0.0/16"},
    "vpn.ssl.web/portal": {"tunnel-mode": "enable", "ip-pools": refs("SSLVPN_TUNNEL_ADDR1")},
    "user/local": {"type": "password", "passwd": "secret-1"},
    "user/group": {"member": []},
    "webfilter/urlfilter": {"entries": [{"id": 1, "url": "a.lab", "action": "block"}]},
    "webfilter/profile": {"web": {"urlfilter-table": 1}},
    "antivirus/profile": {"http": {"av-scan": "block"}},
    "application/list": {"entries": [{"id": 1, "category": [{"id": 25}]}]},
    "ips/sensor": {"entries": [{"id": 1, "severity": "info"}]},
    "file-filter/profile": {"rules": [{"name": "r", "file-type": [{"name": "exe"}]}]},
    "firewall/profile-protocol-options": {"http": {"ports": "80 8080"}},
}
"""A row of each table that is taken as it stands, but for its key."""
SINGLETONS: Mapping[str, Mapping[str, Any]] = {
    "vpn.ssl/settings": {"status": "enable", "source-interface": refs("port1")},
    "web-proxy/explicit": {"status": "enable"},
    "web-proxy/global": {},
    "system/settings": {},
    "system/resource-limits": {},
    "firewall.ipmacbinding/setting": {},
}

VARIANTS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "firewall/policy": (
        {"nat": "enable", "ippool": "enable", "poolname": refs("ippool-0")},
        {"action": "deny", "srcintf": refs("zone-0")},
        {"utm-status": "enable", "av-profile": "profil-0", "webfilter-profile": "profil-0",
         "file-filter-profile": "profil-0", "application-list": "list-0",
         "ips-sensor": "sensor-0", "profile-protocol-options": "profil-0"},
    ),
    "firewall/address": (
        {"type": "iprange", "start-ip": "198.18.1.5", "end-ip": "198.18.1.20"},
        {"type": "geography", "country": "FI"},
    ),
    "firewall.service/custom": (
        {"protocol": "ICMP", "icmptype": 8}, {"protocol": "IP", "protocol-number": 47}),
    "firewall/vip": ({"portforward": "enable", "extport": "80", "mappedport": "80"},),
    "vpn.ipsec/phase1-interface": (
        {"type": "dynamic", "mode-cfg": "enable", "ipv4-start-ip": "10.40.0.1",
         "ipv4-end-ip": "10.40.0.9", "eap": "enable"},
        {"peertype": "one", "peerid": "branch", "localid": "us"},
    ),
    "vpn.ipsec/phase2-interface": (
        {"src-addr-type": "range", "src-start-ip": "10.0.0.1", "src-end-ip": "10.0.0.9",
         "dst-addr-type": "range", "dst-start-ip": "10.9.0.1", "dst-end-ip": "10.9.0.9"},
    ),
    "webfilter/urlfilter": ({"entries": [{"id": 1, "url": "a", "type": "regex"}]},),
    "web-proxy/explicit": ({"ipv6-status": "enable"},),
}
"""What else a row of a table may be like, with which other attributes count."""
_SHARE_OF_NASTY = 0.1
_NASTY: tuple[Any, ...] = (
    *("", " ", "a b", "port*", "*", "%any", 'x" accept; flush ruleset; #', "a\nb", "a\r", "ä"),
    *("..", "/", "lo", "all", "default", "any", "none", "ipsec0", "enable", "disable"),
    *("0.0.0.0", "0.0.0.0/0", "10.0.0.1", "198.18.1.0/24", "198.18.2.0 255.255.255.0"),
    *("198.18.1.7-198.18.1.9", "9.9.9.9-1.1.1.1", "1.0.0.0-9.0.0.0", "127.0.0.1/8", "224.0.0.1"),
    *("255.255.255.255", "::/0", "::1/128", "2001:2::1/64", "ff02::1/128", "0", "80", "80-90"),
    *("90-80", "80 443", "53:1024-65535", "0-65535", "1-65535", "FI", "02:00:00:00:00:0a"),
    *("ff:ff:ff:ff:ff:ff", "0xff", "3 4", "a.lab", "(a+)+$", "a(?=b)", 0, 1, 2, 255, 256, 300),
    *(65535, 65536, 4294967294, 4294967295, -1, None, True, [], {}, [{}], ["a"]),
)


def key_of(path: str, number: int) -> Any:
    """A key for a row of a table, 0 the first; a name is no other table's."""
    return number + 1 if path in _BY_NUMBER else f"{path.rpartition('/')[2][:6]}-{number}"


def first_row(path: str) -> dict[str, Any]:
    """The row of `ROWS` with the first key."""
    return {**ROWS[path], key_name(path): key_of(path, 0)}


_BY_NUMBER = {
    "firewall/policy": "policyid", "firewall/shaping-policy": "id",
    "firewall/local-in-policy": "policyid", "firewall/DoS-policy": "policyid",
    "firewall/proxy-policy": "policyid", "router/static": "seq-num", "system/arp-table": "id",
    "system.dhcp/server": "id", "firewall.ipmacbinding/table": "seq-num",
    "webfilter/urlfilter": "id",
}


def key_name(path: str) -> str:
    """The attribute that is a table's key."""
    return _BY_NUMBER.get(path, "name")


def candidates(attribute: Attribute, gateway: LocalGateway) -> list[Any]:
    """All values of interest for an attribute that stands for itself."""
    if attribute.options:
        return [*attribute.options, "", None, "nonsense"]
    if attribute.references:
        return [*_known(attribute, gateway), "", "nowhere"]
    if attribute.type == "integer" and attribute.limits:
        return [*attribute.limits, attribute.limits[0] + 1, 255, 256, "x"]
    return list(_NASTY)


def _known(attribute: Attribute, gateway: LocalGateway) -> list[Any]:
    """What an attribute may name."""
    tables = gateway.device.database.tables
    keys = [key for path in attribute.references if path in tables for key in gateway.keys(path)]
    return [*keys, *sorted(attribute.literals, key=str)]


class Values:
    """Values for attributes: mostly ones that may be taken.

    Args:
        seed: the same one makes the same values.
        gateway: that they are for.
    """

    def __init__(self, seed: str, gateway: LocalGateway) -> None:
        self._random = Random(seed)
        self._gateway = gateway

    def happens(self, share: float) -> bool:
        """Whether something happens that does in such a share of all cases."""
        return self._random.random() < share

    def one_of(self, choices: Iterable[Any]) -> Any:
        """One of these."""
        return self._random.choice(list(choices))

    def changes(
        self, attributes: Mapping[str, Attribute], needed: str | None = None
    ) -> dict[str, Any]:
        """One attribute or two with values, and the one that is needed."""
        count = min(self._random.randint(1, 2), len(attributes))
        wanted = set(self._random.sample(sorted(attributes), count))
        if needed is not None:
            wanted.add(needed)
        return {name: self._value(attributes[name]) for name in sorted(wanted)}

    def _value(self, attribute: Attribute) -> Any:
        if self.happens(_SHARE_OF_NASTY):
            return self.one_of(_NASTY)
        child = attribute.child
        if child is not None and child.mkey is None:
            return self.changes(child.attributes)
        if child is not None:
            rows = range(self._random.randint(0, 2))
            return [self.changes(child.attributes, needed=child.mkey) for _ in rows]
        if attribute.multiple and attribute.options:
            return " ".join(self._random.sample(attribute.options, 1 + len(attribute.options) // 2))
        if attribute.options:
            return self.one_of(attribute.options)
        if attribute.references:
            return self.one_of([*_known(attribute, self._gateway), ""])
        if attribute.type == "integer" and attribute.limits:
            low, high = attribute.limits
            return self.one_of((low, high, min(low + 1, high), self._random.randint(low, high)))
        return self.one_of(_NASTY)
