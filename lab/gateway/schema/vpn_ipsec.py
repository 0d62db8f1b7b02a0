"""config vpn ipsec phase1-interface and phase2-interface: tunnels, each with its interface."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from lab.gateway.errors import BAD_VALUE, CmdbError, missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Attribute,
    Companion,
    Row,
    Table,
    View,
    attributes,
    child,
    integer,
    key_name,
    members,
    option,
    parsed,
    reference,
    secret,
    string,
    toggle,
    toggles,
)

INTERFACES = "system/interface"
NO_ADDRESS = "0.0.0.0"

_HASHES = ("md5", "sha1", "sha256", "sha384", "sha512")
_BLOCK_CIPHERS = ("des", "3des", "aes128", "aes192", "aes256")
_PRFS = ("prfsha1", "prfsha256", "prfsha384", "prfsha512")
_IKE_AEAD = ("aes128gcm", "aes256gcm", "chacha20poly1305")
_IKE_PROPOSALS = (
    *(f"{cipher}-{digest}" for cipher in _BLOCK_CIPHERS for digest in _HASHES),
    *(f"{cipher}-{prf}" for cipher in _IKE_AEAD for prf in _PRFS),
)
_ESP_PROPOSALS = (
    *(f"null-{digest}" for digest in _HASHES),
    *(f"{cipher}-{digest}" for cipher in _BLOCK_CIPHERS for digest in _HASHES),
    *_IKE_AEAD,
)
_GROUPS = tuple(str(group) for group in (1, 2, 5, *range(14, 22), *range(27, 33)))


def _ordered(name: str, choices: tuple[str, ...], default: str) -> Attribute:
    """Several choices, the preferred first."""
    return Attribute(
        name,
        "option",
        default,
        values.ordered_options(*choices),
        options=choices,
        multiple=True,
    )


def _address(name: str) -> Attribute:
    return parsed(name, "ipv4-address", values.ipv4_address, NO_ADDRESS)


def _address6(name: str) -> Attribute:
    return parsed(name, "ipv6-address", values.ipv6_address, "::")


def _numbered_range(name: str) -> Attribute:
    return child(name, integer("id"), _address("start-ip"), _address("end-ip"))


def tunnel_interface(row: Mapping[str, Any]) -> dict[str, Any]:
    """The interface that belongs to a row of phase1-interface."""
    return {"name": row["name"], "type": "tunnel", "interface": row["interface"]}


def _refuse(row: Row, attribute: str) -> CmdbError:
    """This gateway does not do what a value asks for."""
    return CmdbError(
        BAD_VALUE, f"The lab's gateway has no {attribute} {row[attribute]}; use another."
    )


def _check_phase1(row: Row, view: View) -> None:
    for needed in ("interface", "proposal", "dhgrp", "psksecret"):
        if not row[needed]:
            raise missing(needed)
    for attribute, known in (
        ("type", ("static", "dynamic")),
        ("ip-version", ("4",)),
        ("authmethod", ("psk",)),
        ("mode", ("main",)),
        ("peertype", ("any", "one", "peer", "dialup")),
        ("encapsulation", ("none",)),
    ):
        if row[attribute] not in known:
            raise _refuse(row, attribute)
    port = view.find(INTERFACES, row["interface"])
    if port is not None and port["type"] == "tunnel":
        raise CmdbError(BAD_VALUE, f"The interface {row['interface']} is a tunnel itself.")
    if row["type"] == "static" and row["remote-gw"] == NO_ADDRESS:
        raise missing("remote-gw")
    if row["peertype"] == "one" and not row["peerid"]:
        raise missing("peerid")
    if row["mode-cfg"] == "enable" and row["type"] == "dynamic":
        _check_pool(row)
    if row["eap"] == "enable" and row["ike-version"] != "2":
        raise CmdbError(BAD_VALUE, "EAP needs ike-version 2.")


def _check_pool(row: Row) -> None:
    ends = [int(ipaddress.IPv4Address(row[name])) for name in ("ipv4-start-ip", "ipv4-end-ip")]
    if row["assign-ip-from"] != "range":
        raise _refuse(row, "assign-ip-from")
    if not ends[0] or ends[0] > ends[1]:
        raise CmdbError(
            BAD_VALUE,
            f"ipv4-start-ip {row['ipv4-start-ip']} to ipv4-end-ip {row['ipv4-end-ip']} "
            "is no range of addresses.",
        )


PHASE1 = Table(
    "vpn.ipsec/phase1-interface",
    attributes(
        key_name(15),
        option("type", "static", "dynamic", "ddns"),
        reference("interface", INTERFACES, size=35),
        option("ip-version", "4", "6"),
        option("ike-version", "1", "2"),
        _address("local-gw"),
        _address6("local-gw6"),
        _address("remote-gw"),
        _address6("remote-gw6"),
        string("remotegw-ddns", 63),
        integer("keylife", 120, 172800, 86400),
        members("certificate", "vpn.certificate/local"),
        option("authmethod", "psk", "signature"),
        option("authmethod-remote", "psk", "signature", default=""),
        option("mode", "aggressive", "main", default="main"),
        option("peertype", "any", "one", "dialup", "peer", "peergrp", default="peer"),
        string("peerid", 255),
        _address("default-gw"),
        integer("default-gw-priority"),
        reference("usrgrp", "user/group", size=35),
        reference("peer", "user/peer", size=35),
        reference("peergrp", "user/peergrp", size=35),
        toggles("net-device", "passive-mode", "exchange-interface-ip", "aggregate-member"),
        _address("exchange-ip-addr4"),
        _address6("exchange-ip-addr6"),
        integer("aggregate-weight", 1, 100, 1),
        toggles("packet-redistribution", "peer-egress-shaping", "mode-cfg"),
        toggle("mode-cfg-allow-client-selector"),
        toggle("assign-ip", "enable"),
        option("assign-ip-from", "range", "usrgrp", "dhcp", "name"),
        _address("ipv4-start-ip"),
        _address("ipv4-end-ip"),
        parsed("ipv4-netmask", "ipv4-netmask", values.ipv4_address, "255.255.255.255"),
        _address("dhcp-ra-giaddr"),
        option("dns-mode", "manual", "auto"),
        _address("ipv4-dns-server1"),
        _address("ipv4-dns-server2"),
        _address("ipv4-dns-server3"),
        _address("ipv4-wins-server1"),
        _address("ipv4-wins-server2"),
        _numbered_range("ipv4-exclude-range"),
        reference("ipv4-split-include", "firewall/address", "firewall/addrgrp"),
        reference("split-include-service", "firewall.service/custom", "firewall.service/group"),
        reference("ipv4-name", "firewall/address", "firewall/addrgrp"),
        integer("ip-delay-interval", 0, 28800),
        toggle("unity-support", "enable"),
        string("domain", 63),
        string("banner", 1024),
        toggle("include-local-lan"),
        reference("ipv4-split-exclude", "firewall/address", "firewall/addrgrp"),
        toggles("save-password", "client-auto-negotiate", "client-keep-alive"),
        _ordered(
            "proposal",
            _IKE_PROPOSALS,
            "aes128-sha256 aes256-sha256 aes128gcm-prfsha256 aes256gcm-prfsha384 "
            "chacha20poly1305-prfsha256",
        ),
        toggle("add-route", "enable"),
        toggle("add-gw-route"),
        secret("psksecret"),
        secret("psksecret-remote"),
        integer("keepalive", 5, 900, 10),
        integer("distance", 1, 255, 15),
        integer("priority", 1, 65535, 1),
        string("localid", 63),
        option("localid-type", "auto", "fqdn", "user-fqdn", "keyid", "address", "asn1dn"),
        toggle("auto-negotiate", "enable"),
        integer("negotiate-timeout", 1, 300, 30),
        toggle("fragmentation", "enable"),
        option(
            "ip-fragmentation",
            "pre-encapsulation",
            "post-encapsulation",
            default="post-encapsulation",
        ),
        option("dpd", "disable", "on-idle", "on-demand", default="on-demand"),
        integer("dpd-retrycount", 1, 10, 3),
        parsed("dpd-retryinterval", "user", values.seconds(1, 3600), "20"),
        string("comments", 255),
        toggle("npu-offload", "enable"),
        toggle("send-cert-chain", "enable"),
        _ordered("dhgrp", _GROUPS, "14 5"),
        option("suite-b", "disable", "suite-b-gcm-128", "suite-b-gcm-256"),
        toggle("eap"),
        option("eap-identity", "use-id-payload", "send-request"),
        toggle("acct-verify"),
        option("ppk", "disable", "allow", "require"),
        secret("ppk-secret"),
        string("ppk-identity"),
        option(
            "wizard-type",
            *("custom", "dialup-forticlient", "dialup-ios", "dialup-android"),
            *("dialup-windows", "dialup-cisco", "static-fortigate", "dialup-fortigate"),
            *("static-cisco", "dialup-cisco-fw", "simplified-static-fortigate"),
            *("hub-fortigate-auto-discovery", "spoke-fortigate-auto-discovery"),
        ),
        option("xauthtype", "disable", "client", "pap", "chap", "auto"),
        toggle("reauth"),
        string("authusr", 64),
        secret("authpasswd"),
        toggle("group-authentication"),
        secret("group-authentication-secret"),
        reference("authusrgrp", "user/group", size=35),
        option("mesh-selector-type", "disable", "subnet", "host"),
        toggle("idle-timeout"),
        integer("idle-timeoutinterval", 5, 43200, 15),
        toggle("ha-sync-esp-seqno", "enable"),
        toggles("fgsp-sync", "inbound-dscp-copy"),
        toggles("auto-discovery-sender", "auto-discovery-receiver", "auto-discovery-forwarder"),
        toggle("auto-discovery-psk"),
        option("auto-discovery-shortcuts", "independent", "dependent"),
        integer("auto-discovery-offer-interval", 1, 300, 5),
        option("encapsulation", "none", "gre", "vxlan", "vpn-id-ipip"),
        option("nattraversal", "enable", "disable", "forced"),
        option("esn", "require", "allow", "disable", default="disable"),
        integer("fragmentation-mtu", 500, 16000, 1200),
        toggle("childless-ike"),
        toggle("rekey", "enable"),
        option("enforce-unique-id", "disable", "keep-new", "keep-old"),
        toggle("network-overlay"),
        integer("network-id", 0, 255),
        toggle("loopback-asymroute", "enable"),
        option("transport", "udp", "auto", "tcp", since=(7, 6, 0)),
    ),
    access="vpngrp",
    namespace=(INTERFACES,),
    companion=Companion(INTERFACES, tunnel_interface),
    check=_check_phase1,
)


def _selector(side: str) -> list[Attribute]:
    return [
        option(
            f"{side}-addr-type",
            *("subnet", "range", "ip", "name", "subnet6", "range6", "ip6", "name6"),
        ),
        reference(f"{side}-name", "firewall/address", "firewall/addrgrp"),
        _address(f"{side}-start-ip"),
        _address(f"{side}-end-ip"),
        parsed(f"{side}-subnet", "ipv4-classnet-any", values.ipv4_network, "0.0.0.0 0.0.0.0"),
        _address6(f"{side}-start-ip6"),
        _address6(f"{side}-end-ip6"),
        parsed(f"{side}-subnet6", "ipv6-prefix", values.ipv6_network, "::/0"),
        integer(f"{side}-port", 0, 65535),
    ]


def _check_phase2(row: Row, view: View) -> None:
    for needed in ("phase1name", "proposal"):
        if not row[needed]:
            raise missing(needed)
    if row["pfs"] == "enable" and not row["dhgrp"]:
        raise missing("dhgrp")
    for attribute, known in (
        ("src-addr-type", ("subnet", "range", "ip")),
        ("dst-addr-type", ("subnet", "range", "ip")),
        ("encapsulation", ("tunnel-mode",)),
        ("keylife-type", ("seconds",)),
    ):
        if row[attribute] not in known:
            raise _refuse(row, attribute)


PHASE2 = Table(
    "vpn.ipsec/phase2-interface",
    attributes(
        key_name(35),
        reference("phase1name", PHASE1.path, size=15),
        toggle("dhcp-ipsec"),
        _ordered(
            "proposal",
            _ESP_PROPOSALS,
            "aes128-sha1 aes256-sha1 aes128-sha256 aes256-sha256 aes128gcm aes256gcm "
            "chacha20poly1305",
        ),
        toggle("pfs", "enable"),
        _ordered("dhgrp", _GROUPS, "14 5"),
        toggle("replay", "enable"),
        toggle("keepalive"),
        toggle("auto-negotiate"),
        option("add-route", "phase1", "enable", "disable"),
        option("inbound-dscp-copy", "phase1", "enable", "disable"),
        option("auto-discovery-sender", "phase1", "enable", "disable"),
        option("auto-discovery-forwarder", "phase1", "enable", "disable"),
        integer("keylifeseconds", 120, 172800, 43200),
        integer("keylifekbs", 5120, 4294967295, 5120),
        option("keylife-type", "seconds", "kbs", "both"),
        toggle("single-source"),
        option("route-overlap", "use-old", "use-new", "allow", default="use-new"),
        option("encapsulation", "tunnel-mode", "transport-mode"),
        toggle("l2tp"),
        string("comments", 255),
        toggle("initiator-ts-narrow"),
        toggle("diffserv"),
        parsed("diffservcode", "user", values.bits(6), "000000"),
        integer("protocol", 0, 255),
        _selector("src"),
        _selector("dst"),
    ),
    access="vpngrp",
    check=_check_phase2,
)

TABLES = (PHASE1, PHASE2)
