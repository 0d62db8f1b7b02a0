"""What is used of the REST API's tables and monitors: keys, and the shapes of answers.

An answer may hold more than that; what is used of it has these types, or says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, RootModel

from gatepass.base.formats import Address, Ipv4, Mac, Name, Nothing
from gatepass.gateway.answers import Malformed, validated

MKEYS = {
    "firewall/policy": "policyid",
    "firewall/shaping-policy": "id",
    "firewall/proxy-policy": "policyid",
    "firewall/DoS-policy": "policyid",
    "firewall/local-in-policy": "policyid",
    "router/static": "seq-num",
    "system.dhcp/server": "id",
    "system/arp-table": "id",
    "firewall.ipmacbinding/table": "seq-num",
    "webfilter/urlfilter": "id",
    "ips/custom": "tag",
    "application/custom": "tag",
}


OF_THE_DEVICE = frozenset(
    f"monitor/system/{name}" for name in ("config/backup", "config-script/upload", "os/reboot")
)
"""Calls about the whole device. With a virtual domain named, a backup leaves out what is global."""


def of_domain(path: str, vdom: str, query: Mapping[str, object]) -> dict[str, object]:
    """The query of a call, with the virtual domain that it is about.

    Args:
        path: below ``/api/v2``.
        vdom: that is tested.
        query: what else is asked.
    """
    return dict(query) if path in OF_THE_DEVICE else {"vdom": vdom, **query}


def mkey_of(path: str) -> str:
    """The attribute that is the key of a table's rows: "name" for most."""
    return MKEYS.get(path, "name")


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


_Count = Field(0, ge=0)


class _Member(_Shape):
    name: Name | int = ""


class _Row(_Shape):
    """Of any table, where it is no more than one among others."""

    name: Name | int = ""


class _Policy(_Row):
    policyid: int = 0
    status: str = ""


class _Numbered(_Row):
    id: int = 0


class _InSequence(_Shape):
    seq_num: int = Field(0, alias="seq-num")


class _ShapingPolicy(_Numbered):
    status: str = ""
    ip_version: str = Field("", alias="ip-version")
    srcintf: list[_Member] = []
    dstintf: list[_Member] = []
    tos_mask: str = Field("", alias="tos-mask", pattern="^(0x[0-9a-fA-F]{1,2})?$")
    traffic_shaper: str = Field("", alias="traffic-shaper")
    traffic_shaper_reverse: str = Field("", alias="traffic-shaper-reverse")


class _Shaper(_Shape):
    name: str
    maximum_bandwidth: int = Field(0, ge=0, alias="maximum-bandwidth")
    guaranteed_bandwidth: int = Field(0, ge=0, alias="guaranteed-bandwidth")
    bandwidth_unit: Literal["kbps", "mbps", "gbps"] = Field("kbps", alias="bandwidth-unit")


_Port = Annotated[int, Field(ge=0, le=65535)]


class _Global(_Shape):
    admin_sport: _Port = Field(0, alias="admin-sport")
    admin_port: _Port = Field(0, alias="admin-port")
    admin_ssh_port: _Port = Field(0, alias="admin-ssh-port")
    admin_telnet_port: _Port = Field(0, alias="admin-telnet-port")


class _ExplicitProxy(_Shape):
    status: str = ""
    http_incoming_port: str = Field(
        "", alias="http-incoming-port", pattern=r"^( ?\d{1,5}(-\d{1,5})?)*$"
    )


class _SslSettings(_Shape):
    auth_timeout: int = Field(0, alias="auth-timeout")
    port: _Port = 0
    source_interface: list[_Member] = Field([], alias="source-interface")


class _Certificate(_Row):
    certificate: str = ""


_TABLES: dict[str, type[_Shape]] = {
    "firewall/policy": _Policy,
    "firewall/proxy-policy": _Policy,
    "firewall/DoS-policy": _Policy,
    "firewall/local-in-policy": _Policy,
    "firewall/shaping-policy": _ShapingPolicy,
    "firewall.shaper/traffic-shaper": _Shaper,
    "router/static": _InSequence,
    "firewall.ipmacbinding/table": _InSequence,
    "system.dhcp/server": _Numbered,
    "system/arp-table": _Numbered,
    "webfilter/urlfilter": _Numbered,
    "system/global": _Global,
    "vpn.ssl/settings": _SslSettings,
    "web-proxy/explicit": _ExplicitProxy,
    "vpn.certificate/local": _Certificate,
}


class _Interface(_Shape):
    ip: Ipv4 | Nothing = ""
    link: bool | None = None
    speed: FiniteFloat | None = None
    rx_packets: int | None = Field(None, ge=0)
    tx_packets: int | None = Field(None, ge=0)


class _Interfaces(_Shape):
    results: dict[Name, _Interface]


class _Counted(_Shape):
    policyid: int | None = None
    bytes: int = _Count
    packets: int = _Count
    hit_count: int = _Count


class _Policies(_Shape):
    results: list[_Counted]


class _LookUp(_Shape):
    policy_id: int | None = None
    policy_action: Name = ""
    match: bool | None = None
    success: bool | None = None


class _LookedUp(_Shape):
    results: _LookUp


class _Selector(_Shape):
    status: str = ""
    incoming_bytes: int = _Count
    outgoing_bytes: int = _Count


class _Tunnel(_Shape):
    name: Name = ""
    type: Name = ""
    user: Name | None = None
    username: Name | None = None
    tun_id: Address | Nothing = ""
    incoming_bytes: int = _Count
    outgoing_bytes: int = _Count
    proxyid: list[_Selector] = []


class _Tunnels(_Shape):
    results: list[_Tunnel]


class _Session(_Shape):
    aip: Address | Nothing = ""
    in_bytes: int = _Count
    out_bytes: int = _Count


class _User(_Shape):
    user_name: Name = ""
    subsessions: list[_Session] | None = None


class _Users(_Shape):
    results: list[_User]


class _Lease(_Shape):
    ip: Address | Nothing = ""
    mac: Mac | Nothing = ""
    interface: Name | None = None
    status: Name | None = None


class _Leases(_Shape):
    results: list[_Lease] | None = None


class _Banned(_Shape):
    ip_address: Address


class _Bans(_Shape):
    results: list[_Banned] | None = None


class _Route(_Shape):
    ip_mask: str = ""
    gateway: str = ""
    interface: Name = ""


class _Routes(_Shape):
    results: list[_Route]


class _History(_Shape):
    values: list[list[FiniteFloat]] = []


class _Resource(_Shape):
    current: int = 0
    historical: dict[str, _History] = {}


class _Usage(_Shape):
    cpu: list[_Resource]
    mem: list[_Resource] = []
    session: list[_Resource] = []


class _Used(_Shape):
    results: _Usage


class _Functions(_Shape):
    results: dict[str, Any]


class LogAnswer(_Shape):
    """The rows of a log, as far as they are found."""

    results: list[dict[str, Any]] | None = None
    session_id: int | None = None
    completed: int = 100


_MONITORS: dict[str, type[_Shape]] = {
    "system/interface": _Interfaces,
    "system/dhcp": _Leases,
    "firewall/policy": _Policies,
    "firewall/policy-lookup": _LookedUp,
    "vpn/ipsec": _Tunnels,
    "vpn/ssl": _Users,
    "license/status": _Functions,
    "router/ipv4": _Routes,
    "router/ipv6": _Routes,
    "user/banned": _Bans,
    "system/resource/usage": _Used,
}


@cache
def _rows_of(row: type[_Shape]) -> type[BaseModel]:
    return RootModel[list[row]]


def must_be_rows(path: str, rows: Sequence[Mapping], shown: str) -> None:
    """Rows of a table are of the shape that is used, and have their keys.

    Args:
        path: of the table.
        rows: as they came.
        shown: the attributes that were asked for, with bars between; empty for all.

    Raises:
        Malformed: they are not.
    """
    call = f"GET cmdb/{path}"
    validated(_rows_of(_TABLES.get(path, _Row)), rows, call)
    key = mkey_of(path)
    if path in MKEYS and (not shown or key in shown.split("|")):
        for row in rows:
            if key not in row:
                raise Malformed(f"the gateway's answer to {call} has a row without its {key}.")


def must_be_answer(path: str, answer: Mapping) -> None:
    """An answer of a monitor is of the shape that is used.

    Raises:
        Malformed: it is not.
    """
    if shape := _MONITORS.get(path):
        validated(shape, answer, f"GET monitor/{path}")
