"""How busy the gateway itself was while trials ran, from the history that it keeps anyway."""

from __future__ import annotations

import time
from statistics import fmean

from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.results.gateway_state import GatewayLoad, Licence

# A history of FortiOS has 20 points: its name, and how far it reaches back in seconds.
_HISTORIES = (
    ("1-min", 60),
    ("10-min", 600),
    ("30-min", 1800),
    ("1-hour", 3600),
    ("12-hour", 43_200),
    ("24-hour", 86_400),
)
_POINTS = 20


def usage_query(interval: str) -> dict[str, str]:
    """How ``system/resource/usage`` is asked about all of a device, and not about one of its VDOMs.

    Args:
        interval: name of one of its histories.
    """
    return {"interval": interval, "scope": "global"}


def load_between(gateway: FortiGate, began: float, ended: float) -> GatewayLoad | None:
    """What the gateway recorded between two moments, with one call.

    Args:
        gateway: the device.
        began, ended: seconds since the epoch by this machine's clock.

    Returns:
        None where the gateway does not tell.
    """
    reaches = time.time() - began
    name, length_s = next(
        ((name, length) for name, length in _HISTORIES if reaches <= length), _HISTORIES[-1]
    )
    try:
        found = gateway.monitor("system/resource/usage", **usage_query(name))["results"]
        cpu = _during(found["cpu"], name, length_s / _POINTS, began, ended)
        memory = _during(found.get("mem") or [], name, length_s / _POINTS, began, ended)
    except (GatewayLost, Refused, KeyError, IndexError, TypeError, ValueError):
        return None  # a likely cause is a help to the reader and no part of the verdict
    if not cpu:
        return None
    return GatewayLoad(max(cpu), fmean(cpu), max(memory) if memory else None, len(cpu))


def licence_of(gateway: FortiGate) -> Licence | None:
    """The VM's licence; None on a device that is no VM or does not tell."""
    try:
        machine = gateway.monitor("license/status")["results"]["vm"]
        return Licence(
            str(machine.get("status", "")),
            bool(machine.get("valid")),
            machine.get("cpu_used"),
            machine.get("cpu_max"),
            machine.get("mem_used"),
            machine.get("mem_max"),
        )
    except (GatewayLost, Refused, KeyError, TypeError, AttributeError):
        return None


def _during(
    resource: list[dict], name: str, step_s: float, began: float, ended: float
) -> list[float]:
    """The readings of one resource that are about this time.

    The two clocks need not agree: the newest reading is as old as one step at most, and the others
    are counted back from it.
    """
    if not resource:
        return []
    values = resource[0].get("historical", {}).get(name, {}).get("values", [])
    newest = max((float(moment) for moment, _ in values), default=0.0)
    now = time.time()
    ages = [((newest - float(moment)) / 1000, float(value)) for moment, value in values]
    return [value for age, value in ages if now - ended - step_s <= age <= now - began]
