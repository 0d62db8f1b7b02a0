"""A gateway is one run's at a time, whichever account and machine that is called from.

Journals tell of a run to whoever may read them; the gateway itself tells everybody. So a run begins
by making an address object of a name of its own, which no policy uses: it changes nothing that
passes. Of two that begin at once the device refuses the second one's, as it takes no name twice.
It goes last of all, when the gateway is as it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from gatepass.base.finding import Finding
from gatepass.gateway import transport
from gatepass.gateway.fortigate import DUPLICATE, FortiGate, GatewayLost, Refused
from gatepass.gateway.lock_object import NAME, TABLE, Lock

_FORBIDDEN = (401, 403)


def take(gateway: FortiGate, own: Lock) -> str:
    """Make the gateway one's own.

    Args:
        gateway: the device.
        own: of the run, whose journal is begun.

    Returns:
        What a reader should know, in sentences: empty unless it could not be done.

    Raises:
        InUse: another run was quicker.
        GatewayLost: the device does not answer.
    """
    if transport.current.replayed:  # nobody else is there, and it may be an older recording
        return ""
    try:
        gateway.create(TABLE, own.row)
    except Refused as refused:
        if refused.code != DUPLICATE and refused.status not in _FORBIDDEN:
            raise
        if refused.code != DUPLICATE:
            gateway.forbidden = ""  # nothing that the order asks for
            return (
                "The API user may not create address objects, so a run that is called from "
                "another account does not see this one. Let nobody else test this gateway."
            )
    if (found := look(gateway)) and found.mark != own.mark:
        found.must_be_over()
    return ""


def give_up(gateway: FortiGate, mark: str) -> str:
    """The gateway is as it was; whoever comes next may have it.

    Args:
        gateway: the device.
        mark: of the run that had it.

    Returns:
        Why it could not be done, in a clause; empty where it was, or another run has it.
    """
    try:
        if (found := look(gateway)) and found.mark == mark:
            gateway.delete(TABLE, NAME)
    except (Refused, GatewayLost) as error:
        return f"the address object {NAME} is left: {error}"
    return ""


def look(gateway: FortiGate) -> Lock | None:
    """Who has the gateway; None where nobody does, or this API user may not read it."""
    if transport.current.replayed:
        return None
    try:
        row = gateway.row(TABLE, NAME)
    except Refused as refused:
        if refused.status not in _FORBIDDEN:
            raise
        return None
    return None if row is None else Lock.of(str(row.get("comment", "")))


def finding(gateway: FortiGate, marks: Iterable[str], keeps: tuple[str, ...]) -> list[Finding]:
    """What to say of a gateway that another run has.

    Args:
        gateway: the device.
        marks: of runs whose journals are known here, which the next run undoes or waits for.
        keeps: the chapters that it keeps from being proven.
    """
    found = look(gateway)
    if found is None or found.mark in marks:
        return []
    return [Finding("gateway", found.what, found.remedy, keeps)]
