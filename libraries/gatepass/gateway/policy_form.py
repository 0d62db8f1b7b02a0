"""What gives a gateway's policies another form than the test's have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gatepass.base.errors import NotProven
from gatepass.gateway.fortigate import FortiGate

_SETTINGS, _ZONE, _SDWAN = "system/settings", "system/zone", "system/sdwan"
_MODES = (
    (
        "opmode",
        "transparent",
        "the VDOM is in transparent mode (opmode in system/settings), in which it routes nothing. "
        "Test one in NAT mode",
    ),
    (
        "ngfw-mode",
        "policy-based",
        "its policies are in NGFW policy mode (ngfw-mode in system/settings). Test a VDOM that is "
        "profile-based",
    ),
    (
        "central-nat",
        "enable",
        "NAT is none of its policies', but central (central-nat in system/settings). Disable it "
        "for the test",
    ),
)


def must_take_policies(gateway: FortiGate, ports: Collection[str]) -> None:
    """The test's policies can be written: each names ports, and says of itself whether it does NAT.

    Args:
        gateway: the device.
        ports: that they name.

    Raises:
        NotProven: they cannot, with what stands in the way and what to do.
    """
    obstacles = [*_modes(gateway), *_zones(gateway, ports), *_sdwan(gateway, ports)]
    if obstacles:
        raise NotProven(f"the gateway cannot take the test's policies: {'; '.join(obstacles)}.")


def _modes(gateway: FortiGate) -> Iterator[str]:
    for settings in gateway.rows_if_any(_SETTINGS):
        for attribute, value, obstacle in _MODES:
            if settings.get(attribute) == value:
                yield obstacle


def _zones(gateway: FortiGate, ports: Collection[str]) -> Iterator[str]:
    for zone in gateway.rows_if_any(_ZONE):
        for member in zone.get("interface") or ():
            if member.get("interface-name") in ports:
                yield (
                    f"{member['interface-name']} belongs to the zone {zone.get('name')} "
                    "(system/zone), which policies name in its place. Take it out, or name another "
                    "port in the testbed file"
                )


def _sdwan(gateway: FortiGate, ports: Collection[str]) -> Iterator[str]:
    for settings in gateway.rows_if_any(_SDWAN):
        if settings.get("status") != "enable":
            continue
        for member in settings.get("members") or ():
            if member.get("interface") in ports:
                yield (
                    f"{member['interface']} is a member of SD-WAN (system/sdwan), which policies "
                    "name in its place. Take it out, or name another port in the testbed file"
                )
