"""What gives a gateway's policies another form than the test's have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.gateway.fortigate import FortiGate

_SETTINGS, _ZONE, _SDWAN = "system/settings", "system/zone", "system/sdwan"
_INTERFACE = "system/interface"
_ANOTHER = "Take it out, or name another port in the testbed file."
_MODES = (
    (
        "opmode",
        "transparent",
        "the VDOM is in transparent mode (opmode in system/settings), in which it routes nothing",
        "Test one in NAT mode.",
    ),
    (
        "ngfw-mode",
        "policy-based",
        "its policies are in NGFW policy mode (ngfw-mode in system/settings)",
        "Test a VDOM that is profile-based.",
    ),
    (
        "central-nat",
        "enable",
        "NAT is none of its policies', but central (central-nat in system/settings)",
        "Disable it for the test.",
    ),
)
_OF_MEMBERS = ("aggregate", "redundant", "switch", "hard-switch")
"""Kinds of interface that others are members of, which no policy names then."""


def must_take_policies(gateway: FortiGate, ports: Collection[str]) -> None:
    """The test's policies can be written: each names ports, and says of itself whether it does NAT.

    Args:
        gateway: the device.
        ports: that they name.

    Raises:
        NotProven: they cannot, with what stands in the way and what to do.
    """
    if obstacles := "; ".join(str(one).rstrip(".") for one in look(gateway, ports, ())):
        raise NotProven(f"the test's policies cannot be added to the gateway: {obstacles}.")


def look(gateway: FortiGate, ports: Collection[str], keeps: tuple[str, ...]) -> list[Finding]:
    """What stands in the way of the test's policies.

    Args:
        gateway: the device.
        ports: that they name.
        keeps: the chapters that have some.

    Raises:
        GatewayLost, Refused: it does not tell.
    """
    told = (*_modes(gateway), *_zones(gateway, ports), *_sdwan(gateway, ports))
    told += tuple(_members(gateway, ports))
    return [Finding("gateway", what, remedy, keeps) for what, remedy in told]


def _modes(gateway: FortiGate) -> Iterator[tuple[str, str]]:
    for settings in gateway.rows_if_any(_SETTINGS):
        for attribute, value, what, remedy in _MODES:
            if settings.get(attribute) == value:
                yield what, remedy


def _zones(gateway: FortiGate, ports: Collection[str]) -> Iterator[tuple[str, str]]:
    for zone in gateway.rows_if_any(_ZONE):
        for name in _named(zone, "interface", ports):
            what = f"{name} belongs to the zone {zone.get('name')} (system/zone)"
            yield f"{what}, which policies name in its place", _ANOTHER


def _sdwan(gateway: FortiGate, ports: Collection[str]) -> Iterator[tuple[str, str]]:
    for settings in gateway.rows_if_any(_SDWAN):
        if settings.get("status") != "enable":
            continue
        for member in settings.get("members") or ():
            if member.get("interface") in ports:
                what = f"{member['interface']} is a member of SD-WAN (system/sdwan)"
                yield f"{what}, which policies name in its place", _ANOTHER


def _members(gateway: FortiGate, ports: Collection[str]) -> Iterator[tuple[str, str]]:
    for row in gateway.rows_if_any(_INTERFACE):
        if row.get("type") in _OF_MEMBERS:
            for name in _named(row, "member", ports):
                what = f"{name} is a member of the {row['type']} interface {row.get('name')}"
                remedy = f"Name {row.get('name')} in the testbed file."
                yield f"{what} (system/interface), which policies name in its place", remedy


def _named(row: dict, key: str, ports: Collection[str]) -> Iterator[str]:
    """The ports among a row's members."""
    for member in row.get(key) or ():
        if (name := member.get("interface-name")) in ports:
            yield name
