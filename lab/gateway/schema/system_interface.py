"""config system interface: the gateway's ports."""

from __future__ import annotations

from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Table,
    attributes,
    child,
    integer,
    key_name,
    option,
    parsed,
    reference,
    string,
    toggle,
)

_ACCESS = ("ping", "https", "ssh", "snmp", "http", "telnet", "fgfm", "radius-acct",
           "probe-response", "fabric", "ftm", "speed-test")
_ACCESS6 = ("ping", "https", "ssh", "snmp", "http", "telnet", "fgfm", "fabric")

SSL_ROOT = "ssl.root"
"""Where the traffic of SSL VPN users comes from, and goes to."""

INTERFACE = Table(
    "system/interface",
    attributes(
        key_name(15),
        reference("vdom", "system/vdom", default="root", size=31),
        integer("vrf", 0, 511),
        option("mode", "static", "dhcp"),
        integer("distance", 1, 255, 5),
        integer("priority", 1, 65535, 1),
        parsed("management-ip", "ipv4-classnet-host", values.ipv4_interface, "0.0.0.0 0.0.0.0"),
        parsed("ip", "ipv4-classnet-host", values.ipv4_interface, "0.0.0.0 0.0.0.0"),
        option("allowaccess", *_ACCESS, multiple=True),
        toggle("icmp-send-redirect", "enable"),
        toggle("icmp-accept-redirect", "enable"),
        parsed("macaddr", "mac-address", values.string(17), "00:00:00:00:00:00"),
        option("speed", "auto", "1000full", "10000full"),
        option("status", "up", "down", default="up"),
        option("type", "physical", "tunnel", "loopback", default="physical"),
        # Of a tunnel: the port that carries it, and the address at its other end.
        reference("interface", "system/interface", size=15),
        parsed("remote-ip", "ipv4-classnet-host", values.ipv4_interface, "0.0.0.0 0.0.0.0"),
        toggle("mtu-override"),
        integer("mtu", 68, 65535, 1500),
        option("role", "undefined", "lan", "wan", "dmz", default="undefined"),
        string("alias", 25),
        string("description", 255),
        toggle("device-identification"),
        integer("estimated-upstream-bandwidth"),
        integer("estimated-downstream-bandwidth"),
        integer("inbandwidth", 0, 80000000),
        integer("outbandwidth", 0, 80000000),
        integer("snmp-index", 0, 2147483647),
        toggle("explicit-web-proxy"),
        toggle("explicit-ftp-proxy"),
        toggle("secondary-IP"),
        child(
            "secondaryip",
            integer("id"),
            parsed("ip", "ipv4-classnet-host", values.ipv4_interface, "0.0.0.0 0.0.0.0"),
            option("allowaccess", *_ACCESS, multiple=True),
        ),
        child(
            "ipv6",
            option("ip6-mode", "static", "dhcp", "delegated"),
            parsed("ip6-address", "ipv6-prefix", values.ipv6_interface, "::/0"),
            option("ip6-allowaccess", *_ACCESS6, multiple=True),
            toggle("ip6-send-adv"),
            child("ip6-extra-addr",
                  parsed("prefix", "ipv6-prefix", values.ipv6_interface, "::/0"), mkey="prefix"),
            mkey=None,
        ),
    ),
    access="netgrp",
    fixed=True,
    may_come=lambda row: row["type"] == "loopback",
    is_companion=lambda row: row["type"] == "tunnel",
    factory=(
        # a new device can be reached for its first configuration, as one from the factory can
        {"name": "mgmt", "snmp-index": 1, "description": "management",
         "ip": "198.18.0.2 255.255.255.0", "allowaccess": "ping https"},
        {"name": "port1", "snmp-index": 2},
        {"name": "port2", "snmp-index": 3},
        {"name": "port3", "snmp-index": 4},
        {"name": SSL_ROOT, "snmp-index": 5, "type": "tunnel", "alias": "SSL VPN interface"},
    ),
)

TABLES = (INTERFACE,)
