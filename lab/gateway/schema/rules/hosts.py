"""Rules about hosts that the gateway is told the hardware addresses of."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, CmdbError, missing
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check

NO_ADDRESS, NO_HARDWARE = "0.0.0.0", "00:00:00:00:00:00"


@check("system/arp-table")
def _arp_entry(row: Row, view: View) -> None:
    for needed, nothing in (("interface", ""), ("ip", NO_ADDRESS), ("mac", NO_HARDWARE)):
        if row[needed] == nothing:
            raise missing(needed)
    interface = view.find("system/interface", row["interface"])
    if interface is None or interface["type"] != "physical":
        raise CmdbError(BAD_VALUE, f'Nobody has a hardware address on "{row["interface"]}".')


@check("firewall.ipmacbinding/table")
def _pair(row: Row, view: View) -> None:
    if row["ip"] == NO_ADDRESS and row["mac"] == NO_HARDWARE:
        raise missing("ip or mac")
