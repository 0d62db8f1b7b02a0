"""The FortiOS commands that make an API user with the rights that one order needs."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from gatepass.base.errors import InputError
from gatepass.gateway.rights import needed
from gatepass.inputs.scope import Scope
from gatepass.inputs.testbed import TestbedGateway

_LONGEST_NAME = 35
"""Letters that FortiOS takes for the name of a profile or an API user."""
_ROOT = "root"


def name_of(scope: Scope) -> str:
    """What access profile and API user of an order are called."""
    return f"gatepass-{scope.order.order}"[:_LONGEST_NAME]


def block(scope: Scope, trusted: str) -> list[str]:
    """The commands, a line each, for the CLI of a device without VDOMs or with several.

    Args:
        scope: with an order.
        trusted: the address that the API user calls from.
    """
    name, vdom = name_of(scope), scope.testbed.gateway.vdom
    lines = [
        "config system accprofile",
        f'    edit "{name}"',
        # a device without VDOMs refuses this scope, one with several needs it for the backup
        *(["        set scope global"] if vdom != _ROOT else []),
        *(f"        {line}" for line in _groups(scope)),
        "    next",
        "end",
        "config system api-user",
        f'    edit "{name}"',
        f'        set comments "Acceptance test of the order {scope.order.order}"',
        f'        set accprofile "{name}"',
        f'        set vdom "{vdom}"',
        "        config trusthost",
        "            edit 1",
        *(f"                {line}" for line in _host(trusted)),
        "            next",
        "        end",
        "    next",
        "end",
        f'execute api-user generate-key "{name}"',
    ]
    if vdom == _ROOT:
        return lines
    return ["config global", *lines, "end"]


def own_address(gateway: TestbedGateway) -> str:
    """The address that this machine reaches the gateway from; no packet is sent for that.

    Raises:
        InputError: there is no way to it.
    """
    try:
        family, kind, _, _, where = socket.getaddrinfo(
            gateway.host, gateway.port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind) as sock:
            sock.connect(where)
            return str(sock.getsockname()[0])
    except OSError as error:
        raise InputError(
            f"no way leads from this machine to {gateway.host} ({error.strerror}), so its address "
            "for the trusted host is not known. Check gateway.url in the testbed file."
        ) from None


def _groups(scope: Scope) -> list[str]:
    """The ranks, part by part; what is not named stays without any."""
    groups: dict[str, dict[str, str]] = {}
    for one in needed(scope):
        group, _, part = one.part.partition(".")
        groups.setdefault(group, {})[part] = one.rank
    lines: list[str] = []
    for group, parts in groups.items():
        if "" in parts:
            lines.append(f"set {group} {parts['']}")
            continue
        lines += [f"set {group} custom", f"config {group}-permission"]
        lines += [f"    set {part} {rank}" for part, rank in parts.items()]
        lines.append("end")
    return lines


def _host(address: str) -> list[str]:
    if ip_address(address).version == 6:
        return ["set type ipv6-trusthost", f"set ipv6-trusthost {address}/128"]
    return [f"set ipv4-trusthost {address} 255.255.255.255"]


def remarks(scope: Scope, trusted: str) -> str:
    """What to know about the commands, for people."""
    host = scope.testbed.gateway.host
    vdoms = (
        "\nOn a device with several VDOMs put all of it between config global and end, with set "
        "scope global in the access profile."
        if scope.testbed.gateway.vdom == _ROOT
        else ""
    )
    return (
        f"\nThe API user may call from {trusted} alone, this machine's address towards {host}; "
        "where something between translates it, put in what the gateway sees. The last command "
        "shows the token, once: keep it where gateway.token of the testbed file says. Delete API "
        f"user and access profile ({name_of(scope)}) when the gateway is handed over.{vdoms}\n"
        "A backup that this API user asks for holds what its profile may read, and never the "
        "accounts of super_admin: restored as a whole, it takes them away. Have a super_admin save "
        "the configuration before the test; that file restores the device."
    )
