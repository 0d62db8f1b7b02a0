"""config firewall service: categories, services and groups, with those of a new device."""

from __future__ import annotations

from typing import Any

from lab.gateway.errors import missing
from lab.gateway.schema import values
from lab.gateway.schema.firewall_address import no_loop
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    integer,
    key_name,
    members,
    option,
    parsed,
    reference,
    string,
    toggle,
    uuid,
)

_CATEGORIES = ("General", "Web Access", "File Access", "Email", "Network Services",
               "Authentication", "Remote Access", "Tunneling", "VoIP, Messaging & Other "
               "Applications", "Web Proxy")

_OF_A_PROXY = ("HTTP", "FTP", "CONNECT", "SOCKS-TCP", "SOCKS-UDP", "ALL")

CATEGORY = Table(
    "firewall.service/category",
    attributes(key_name(63), string("comment", 255), toggle("fabric-object")),
    access="fwgrp",
    factory=tuple({"name": name} for name in _CATEGORIES),
)


def _check_custom(row: Row, view: View) -> None:
    if row["protocol"] == "TCP/UDP/SCTP" and not any(
        row[name] for name in ("tcp-portrange", "udp-portrange", "sctp-portrange")
    ):
        raise missing("tcp-portrange, udp-portrange or sctp-portrange")


def _ports(name: str, category: str, tcp: str = "", udp: str = "") -> dict[str, Any]:
    row = {"name": name, "category": category}
    if tcp:
        row["tcp-portrange"] = tcp
    if udp:
        row["udp-portrange"] = udp
    return row


def _icmp(name: str, category: str, kind: int, protocol: str = "ICMP") -> dict[str, Any]:
    return {"name": name, "category": category, "protocol": protocol, "icmptype": kind,
            "icmpcode": 0}


def _ip(name: str, category: str, number: int) -> dict[str, Any]:
    return {"name": name, "category": category, "protocol": "IP", "protocol-number": number}


_OTHER = _CATEGORIES[8]

_FACTORY = (
    _ip("ALL", "General", 0),
    _ports("ALL_TCP", "General", tcp="1-65535"),
    _ports("ALL_UDP", "General", udp="1-65535"),
    {"name": "ALL_ICMP", "category": "General", "protocol": "ICMP"},
    {"name": "ALL_ICMP6", "category": "General", "protocol": "ICMP6"},
    _ip("GRE", "Tunneling", 47),
    _ip("AH", "Tunneling", 51),
    _ip("ESP", "Tunneling", 50),
    _ports("AOL", "", tcp="5190-5194"),
    _ports("BGP", "Network Services", tcp="179"),
    _ports("DHCP", "Network Services", udp="67-68"),
    _ports("DNS", "Network Services", tcp="53", udp="53"),
    _ports("FINGER", "", tcp="79"),
    _ports("FTP", "File Access", tcp="21"),
    _ports("FTP_GET", "File Access", tcp="21"),
    _ports("FTP_PUT", "File Access", tcp="21"),
    _ports("GOPHER", "", tcp="70"),
    _ports("H323", _OTHER, tcp="1720 1503", udp="1719"),
    _ports("HTTP", "Web Access", tcp="80"),
    _ports("HTTPS", "Web Access", tcp="443"),
    _ports("IKE", "Tunneling", udp="500 4500"),
    _ports("IMAP", "Email", tcp="143"),
    _ports("IMAPS", "Email", tcp="993"),
    _ports("Internet-Locator-Service", "", tcp="389"),
    _ports("IRC", _OTHER, tcp="6660-6669"),
    _ports("L2TP", "Tunneling", tcp="1701", udp="1701"),
    _ports("LDAP", "Authentication", tcp="389"),
    _ports("NetMeeting", "", tcp="1720"),
    _ports("NFS", "File Access", tcp="111 2049", udp="111 2049"),
    _ports("NNTP", "", tcp="119"),
    _ports("NTP", "Network Services", tcp="123", udp="123"),
    _ip("OSPF", "Network Services", 89),
    _ports("PC-Anywhere", "Remote Access", tcp="5631", udp="5632"),
    _icmp("PING", "Network Services", 8),
    _icmp("TIMESTAMP", "", 13),
    _icmp("INFO_REQUEST", "", 15),
    _icmp("INFO_ADDRESS", "", 17),
    _ports("ONC-RPC", "Remote Access", tcp="111", udp="111"),
    _ports("DCE-RPC", "Remote Access", tcp="135", udp="135"),
    _ports("POP3", "Email", tcp="110"),
    _ports("POP3S", "Email", tcp="995"),
    _ports("PPTP", "Tunneling", tcp="1723"),
    _ports("QUAKE", "", udp="26000 27000 27910 27960"),
    _ports("RAUDIO", "", udp="7070"),
    _ports("REXEC", "", tcp="512"),
    _ports("RIP", "Network Services", udp="520"),
    _ports("RLOGIN", "", tcp="513:512-1023"),
    _ports("RSH", "", tcp="514:512-1023"),
    _ports("SCCP", _OTHER, tcp="2000"),
    _ports("SIP", _OTHER, tcp="5060", udp="5060"),
    _ports("SIP-MSNmessenger", _OTHER, tcp="1863"),
    _ports("SAMBA", "File Access", tcp="139"),
    _ports("SMTP", "Email", tcp="25"),
    _ports("SMTPS", "Email", tcp="465"),
    _ports("SNMP", "Network Services", tcp="161-162", udp="161-162"),
    _ports("SSH", "Remote Access", tcp="22"),
    _ports("SYSLOG", "Network Services", udp="514"),
    _ports("TALK", "", udp="517-518"),
    _ports("TELNET", "Remote Access", tcp="23"),
    _ports("TFTP", "File Access", udp="69"),
    _ports("MGCP", "", udp="2427 2727"),
    _ports("UUCP", "", tcp="540"),
    _ports("VDOLIVE", "", tcp="7000-7010"),
    _ports("WAIS", "", tcp="210"),
    _ports("WINFRAME", "", tcp="1494 2598"),
    _ports("X-WINDOWS", "Remote Access", tcp="6000-6063"),
    _icmp("PING6", "", 128, "ICMP6"),
    _ports("MS-SQL", _OTHER, tcp="1433 1434"),
    _ports("MYSQL", _OTHER, tcp="3306"),
    _ports("RDP", "Remote Access", tcp="3389"),
    _ports("VNC", "Remote Access", tcp="5900"),
    _ports("DHCP6", "Network Services", udp="546-547"),
    _ports("SQUID", "Tunneling", tcp="3128"),
    _ports("SOCKS", "Tunneling", tcp="1080", udp="1080"),
    _ports("WINS", "Remote Access", tcp="1512", udp="1512"),
    _ports("RADIUS", "Authentication", udp="1812-1813"),
    _ports("RADIUS-OLD", "", udp="1645-1646"),
    _ports("CVSPSERVER", "", tcp="2401", udp="2401"),
    _ports("AFS3", "File Access", tcp="7000-7009", udp="7000-7009"),
    _ports("TRACEROUTE", "Network Services", udp="33434-33535"),
    _ports("RTSP", _OTHER, tcp="554 7070 8554", udp="554"),
    _ports("MMS", "", tcp="1755", udp="1024-5000"),
    _ports("KERBEROS", "Authentication", tcp="88 464", udp="88 464"),
    _ports("LDAP_UDP", "Authentication", udp="389"),
    _ports("SMB", "File Access", tcp="445"),
    _ports("NONE", "", tcp="0"),
    {"name": "webproxy", "category": "Web Proxy", "proxy": "enable", "protocol": "ALL",
     "tcp-portrange": "0-65535:0-65535"},
)

CUSTOM = Table(
    "firewall.service/custom",
    attributes(
        key_name(),
        uuid(since=(7, 4, 2)),
        toggle("proxy"),
        reference("category", "firewall.service/category", size=63),
        option("protocol", "TCP/UDP/SCTP", "ICMP", "ICMP6", "IP", *_OF_A_PROXY),
        option("helper", "auto", "disable", "ftp", "tftp", "ras", "h323", "tns", "mms", "sip",
               "pptp", "rtsp", "dns-udp", "dns-tcp"),
        parsed("iprange", "user", values.ipv4_range, "0.0.0.0"),
        parsed("fqdn", "string", values.fqdn, quoted=True),
        integer("protocol-number", 0, 254),
        parsed("icmptype", "integer", values.integer(0, 4294967295), "", limits=(0, 4294967295)),
        parsed("icmpcode", "integer", values.integer(0, 255), "", limits=(0, 255)),
        parsed("tcp-portrange", "user", values.port_ranges, multiple=True),
        parsed("udp-portrange", "user", values.port_ranges, multiple=True),
        parsed("sctp-portrange", "user", values.port_ranges, multiple=True),
        integer("tcp-halfclose-timer", 0, 86400),
        integer("tcp-halfopen-timer", 0, 86400),
        integer("tcp-timewait-timer", 0, 300),
        integer("udp-idle-timer", 0, 86400),
        parsed("session-ttl", "user", values.string(15), "0"),
        option("check-reset-range", "disable", "strict", "default", default="default"),
        string("comment", 255),
        integer("color", 0, 32),
        toggle("fabric-object"),
    ),
    access="fwgrp",
    movable=True,
    namespace=("firewall.service/group",),
    check=_check_custom,
    factory=_FACTORY,
)


def _group(name: str, *services: str) -> dict[str, Any]:
    return {"name": name, "member": [{"name": service} for service in services]}


GROUP = Table(
    "firewall.service/group",
    attributes(
        key_name(),
        uuid(since=(7, 4, 2)),
        toggle("proxy"),
        members("member", "firewall.service/custom", "firewall.service/group"),
        string("comment", 255),
        integer("color", 0, 32),
        toggle("fabric-object"),
    ),
    access="fwgrp",
    movable=True,
    namespace=("firewall.service/custom",),
    check=no_loop("firewall.service/group"),
    factory=(
        _group("Email Access", "DNS", "IMAP", "IMAPS", "POP3", "POP3S", "SMTP", "SMTPS"),
        _group("Web Access", "DNS", "HTTP", "HTTPS"),
        _group("Windows AD", "DCE-RPC", "DNS", "KERBEROS", "LDAP", "LDAP_UDP", "SAMBA", "SMB"),
        _group("Exchange Server", "DCE-RPC", "DNS", "HTTPS"),
    ),
)

TABLES = (CATEGORY, CUSTOM, GROUP)
