"""What a gateway has against hosts that pretend to be others: bindings, source check, fixed ARP.

The tables are FortiOS's (CLI reference): `firewall.ipmacbinding`, with `ipmac` of
`system/interface`; `src-check` of `system/interface`; `system/arp-table`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.gateway.changes import Changes, marked
from gatepass.gateway.config_objects import hardware_address
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.toggle import Switch, Toggle

Found = TypeVar("Found")
INTERFACE, ARP = "system/interface", "system/arp-table"
BINDING, BINDING_SETTING = "firewall.ipmacbinding/table", "firewall.ipmacbinding/setting"


class AddressBinding:
    """One host's IPv4 address, bound to its hardware address on the port behind which it stands.

    Hosts that are in no pair go on passing (`undefinedhost allow`).

    Args:
        changes: of the run.
        port: the gateway's interface.
        address: of the host.
        mac: its hardware address.

    Raises:
        NotApplicable: the device binds no addresses.
        NotProven: the customer has it do so already; that is left alone.
    """

    def __init__(self, changes: Changes, port: str, address: str, mac: str) -> None:
        self._changes = changes
        gateway = changes.gateway
        if_missing = say("no_binding")
        rows = _had(lambda: gateway.rows(BINDING), if_missing)
        passing = {"bindthroughfw": "enable", "undefinedhost": "allow"}
        self._settings = _had(
            lambda: Toggle(changes, BINDING_SETTING, None, passing), if_missing
        )
        self._interface = _had(
            lambda: Toggle(changes, INTERFACE, port, {"ipmac": "enable"}), if_missing
        )
        self._must_be_unused(gateway, rows)
        self._row = {
            "seq-num": max([0, *(row["seq-num"] for row in rows)]) + 1,
            "ip": address,
            "mac": mac,
            "name": changes.name("host"),
            "status": "enable",
        }

    def _must_be_unused(self, gateway: FortiGate, rows: list[dict]) -> None:
        settings = gateway.single(BINDING_SETTING)
        used = [name for name in ("bindthroughfw", "bindtofw") if settings.get(name) == "enable"]
        used += [f"pair {row['seq-num']}" for row in rows if row.get("status") == "enable"
                 and not marked(row, self._changes.mark)]
        used += [
            f"ipmac of {row.get('name')}" for row in gateway.rows(INTERFACE)
            if row.get("ipmac") == "enable"
        ]
        if used:
            raise NotProven(
                "addresses are bound to hardware addresses on this gateway already "
                f"(firewall.ipmacbinding: {', '.join(used[:3])}), and what is tried would change "
                "that for the customer's own hosts. Check it yourself."
            )

    def on(self) -> None:
        """Have it; the port looks at hardware addresses last, when all else is set."""
        self._changes.create(BINDING, self._row)
        self._settings.on()
        self._interface.on()

    def off(self) -> None:
        """Have it no more; also where only a part of it was done."""
        self._interface.off()
        self._settings.off()
        self._changes.remove(BINDING, [self._row["seq-num"]])


class SourceCheck:
    """The reverse path check of one port.

    Args:
        changes: of the run.
        port: the gateway's interface.

    Attributes:
        delivered: whether it was on before the run.

    Raises:
        NotApplicable: the device cannot switch it.
    """

    def __init__(self, changes: Changes, port: str) -> None:
        self._gateway = changes.gateway
        self._switch = _had(
            lambda: Switch(changes, INTERFACE, port, "src-check"), say("no_src_check")
        )
        self.delivered = self._switch.delivered

    def switch(self, on: bool) -> None:
        """Have it on or off."""
        self._switch.set(on)

    def back(self) -> None:
        """Have it as it was delivered."""
        self._switch.back()

    @property
    def overruled(self) -> str:
        """What makes nothing of it, in a sentence; empty where nothing does."""
        try:
            settings = self._gateway.single("system/settings", format="asymroute")
        except Refused:
            return ""
        if settings.get("asymroute") != "enable":
            return ""
        return " The gateway routes asymmetrically (asymroute of system/settings), which ends it."


class FixedAddress:
    """An entry in the gateway's ARP table that says which hardware address a host has.

    The hardware address is made of the run's mark, by which the entry is known to be the run's.

    Args:
        changes: of the run.
        port: the gateway's interface.
        address: that nobody else has.

    Raises:
        NotApplicable: the device has no such table.
        NotProven: it has an entry for that address.
    """

    def __init__(self, changes: Changes, port: str, address: str) -> None:
        self._changes = changes
        rows = _had(lambda: changes.gateway.rows(ARP), say("no_arp_table"))
        if any(row.get("ip") == address for row in rows):
            raise NotProven(f"the gateway has an entry for {address} in its ARP table (system/"
                            "arp-table) already, although nobody answers for it.")
        self.mac = hardware_address(changes.mark)
        self._row = {
            "id": max([0, *(row["id"] for row in rows)]) + 1,
            "interface": port,
            "ip": address,
            "mac": self.mac,
        }

    def on(self) -> None:
        """Have it."""
        self._changes.create(ARP, self._row)

    def off(self) -> None:
        """Have it no more; one that is gone is fine."""
        self._changes.remove(ARP, [self._row["id"]])


def _had(look: Callable[[], Found], if_missing: Phrase) -> Found:
    """What the device tells.

    Raises:
        NotApplicable: it has no such table or attribute.
    """
    try:
        return look()
    except Refused as refused:
        if refused.status == 404:
            raise NotApplicable(if_missing) from None
        raise
