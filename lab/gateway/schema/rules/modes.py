"""Rules about what gives policies another form: zones, and how the device works."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, IN_USE, CmdbError, not_here
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check

_INTERFACE, _ZONE, _SDWAN = "system/interface", "system/zone", "system/sdwan"
FIRST_ZONE = "virtual-wan-link"
"""The zone of SD-WAN that every device has, and the only one here."""
_NAME_PORTS = ("firewall/policy", "firewall/proxy-policy", "firewall/shaping-policy")


def must_not_name_members(row: Row, view: View) -> None:
    """Check that a policy names a zone in the place of its ports.

    Raises:
        CmdbError: it names a port that belongs to one.
    """
    for side in ("srcintf", "dstintf"):
        for member in row[side]:
            named_by = view.referrers(_INTERFACE, member["name"])
            zone = next((key for path, key in named_by if path == _ZONE), None)
            if member["name"] in sdwan_members(view):
                zone = FIRST_ZONE
            if zone:
                raise CmdbError(
                    BAD_VALUE,
                    f"entry not found in datasource\n\nvalue parse error before "
                    f"'{member['name']}' ({side}), which belongs to zone \"{zone}\"",
                )


def sdwan_members(view: View) -> set[str]:
    """The ports of SD-WAN; none where it is off."""
    return {
        one["interface"]
        for row in view.all(_SDWAN)
        if row["status"] == "enable"
        for one in row["members"]
        if one["status"] == "enable"
    }


@check(_ZONE)
def _zone(row: Row, view: View) -> None:
    if row["intrazone"] == "allow":
        raise not_here("intrazone", "allow")
    for member in row["interface"]:
        name = member["interface-name"]
        for path, key in view.referrers(_INTERFACE, name):
            if path in _NAME_PORTS or (path == _ZONE and key != row["name"]):
                raise CmdbError(IN_USE, f'The interface "{name}" is in use by {path} "{key}".')


@check("system/settings")
def _settings(row: Row, view: View) -> None:
    for name, offered in (
        ("opmode", "nat"),
        ("ngfw-mode", "profile-based"),
        ("central-nat", "disable"),
    ):
        if row[name] != offered:
            raise not_here(name, row[name])


@check(_SDWAN)
def _sdwan(row: Row, view: View) -> None:
    if row["status"] != "enable":
        return
    for member in row["members"]:
        if member["zone"] != FIRST_ZONE:
            raise not_here("zone of SD-WAN", member["zone"])
        for path, key in view.referrers(_INTERFACE, member["interface"]):
            if path in (*_NAME_PORTS, _ZONE):
                name = member["interface"]
                raise CmdbError(IN_USE, f'The interface "{name}" is in use by {path} "{key}".')
