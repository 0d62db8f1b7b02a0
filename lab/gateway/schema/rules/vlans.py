"""Rules about VLANs on ports."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value, missing
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.interfaces import must_be_a_link
from lab.gateway.schema.rules.registry import check

_INTERFACE = "system/interface"


@check(_INTERFACE)
def _vlan(row: Row, view: View) -> None:
    if row["type"] != "vlan":
        return
    must_be_a_link(row["name"])
    for needed in ("interface", "vlanid"):
        if not row[needed]:
            raise missing(needed)
    port = view.find(_INTERFACE, row["interface"])
    if port is not None and port["type"] != "physical":
        raise bad_value("interface", row["interface"], "a port")
    for path, key in view.referrers(_INTERFACE, row["interface"]):
        other = view.find(path, key) if path == _INTERFACE and key != row["name"] else None
        if other is not None and other["type"] == "vlan" and other["vlanid"] == row["vlanid"]:
            raise CmdbError(
                BAD_VALUE,
                f'VLAN {row["vlanid"]} of interface "{row["interface"]}" is "{key}" already.',
            )
