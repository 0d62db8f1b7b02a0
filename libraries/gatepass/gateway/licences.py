"""What the gateway is licensed for, and until when: ``monitor/license/status``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.base.formats import Name
from gatepass.gateway.answers import Unanswered, validated
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.identity import UNKNOWN, VALID, Identity

FUNCTIONS = {
    "antivirus": "antivirus",
    "web_filtering": "web filter",
    "ips": "intrusion prevention",
    "appctrl": "application control",
}
"""Names in ``license/status``, and what a reader calls them."""
LICENSED = "licensed"
_NONE = {"no license", "no support", "expired"}
"""The device's words, with spaces: that a licence is there, or none is."""
_MACHINE = "vm"
_SOON_S, _LATEST = 30 * 86_400, 1e11
_RENEW = "Have the licence installed or renewed."
_EVALUATION = "the permanent evaluation licence"


class _Licence(BaseModel):
    model_config = ConfigDict(extra="ignore")
    status: Name = "unknown"
    expires: Any = None

    @property
    def end(self) -> float:
        """When it ends, in seconds since the epoch; 0 where that is not told."""
        told = self.expires
        return float(told) if isinstance(told, int | float) and 0 <= told < _LATEST else 0.0


class _Answer(BaseModel):
    results: dict[str, object]


def licences(gateway: FortiGate) -> dict[str, str]:
    """What the device says of its licence for each function that it speaks of.

    Returns:
        Key of FUNCTIONS -> its word: "licensed", "no license", "expired", …

    Raises:
        NotProven: it does not tell.
    """
    return {
        name: one.status.replace("_", " ")
        for name, one in _all(gateway).items()
        if name in FUNCTIONS
    }


def lacking_licence(told: Mapping[str, str], functions: Iterable[str] = FUNCTIONS) -> str:
    """For which of these functions the device has no valid licence, in a sentence; empty for none.

    An expired licence is none: the function goes on with what it knew last. A function that the
    device does not speak of is taken as there: its own check will show.

    Args:
        told: see `licences`.
        functions: keys of FUNCTIONS.

    Raises:
        NotProven: the device has a word for it that says neither.
    """
    if not (lacking := _lacking(told, functions)):
        return ""
    return f"The order includes security services; {lacking}. {_RENEW[:-1]}, and test again."


def must_be_licensed(gateway: FortiGate, functions: Iterable[str] = FUNCTIONS) -> None:
    """What an order with security services includes, the gateway has to have a licence for.

    Args:
        gateway: the device.
        functions: keys of FUNCTIONS.

    Raises:
        AssertionError: a licence is missing or has expired.
        NotProven: the device does not tell.
    """
    if lacking := lacking_licence(licences(gateway), functions):
        raise AssertionError(lacking)


def of_the_machine(identity: Identity, evaluation: bool = False) -> Finding:
    """Whether the VM's licence is valid.

    A wrong licence is the gateway's fault; whatever is measured with it says nothing of the tier.

    Args:
        identity: of the device.
        evaluation: whether the order takes one on the permanent evaluation licence.
    """
    if identity.licence == UNKNOWN:
        what = "the gateway does not report a licence of a virtual machine (license/status)"
        remedy = "Look up in its GUI whether it is licensed (System > FortiGuard)."
        return Finding("gateway", what, remedy, ("preflight",))
    as_ordered = identity.evaluation and evaluation
    held = _EVALUATION if identity.evaluation else identity.licence
    what = f"the gateway reports its licence as {held}{', as ordered' * as_ordered}"
    if identity.licence == VALID or as_ordered:
        return Finding("gateway", what)
    return Finding("gateway", what, _RENEW, ("preflight",))


def look(gateway: FortiGate, keeps: Iterable[str]) -> list[Finding]:
    """Whether the security services are licensed, and which licence runs out soon.

    Args:
        gateway: the device.
        keeps: the chapters that need the services; none where they were not ordered.

    Raises:
        NotProven: the device does not tell.
    """
    keeps, found = tuple(keeps), []
    if keeps and (lacking := _lacking(licences(gateway), FUNCTIONS)):
        found.append(Finding("gateway", lacking, _RENEW, keeps))
    now = time.time()
    for name, licence in _all(gateway).items():
        label = FUNCTIONS.get(name, "the VM itself")
        if now < licence.end < now + _SOON_S:
            day = datetime.fromtimestamp(licence.end, UTC).date().isoformat()
            what = f"the licence for {label} ends on {day}"
            found.append(Finding("gateway", what, "Renew it before the handover."))
    return found


def _lacking(told: Mapping[str, str], functions: Iterable[str]) -> str:
    others = {name: told[name] for name in functions if told.get(name, LICENSED) != LICENSED}
    if not others:
        return ""
    names = " and ".join(FUNCTIONS[function] for function in others)
    states = " and ".join(dict.fromkeys(f"“{state}”" for state in others.values()))
    if not set(others.values()) <= _NONE:
        raise NotProven(
            f"whether the gateway has a valid licence for {names} is not known: license/status "
            f"says {states}."
        )
    return f"the gateway has no valid licence for {names}: license/status says {states}"


def _all(gateway: FortiGate) -> dict[str, _Licence]:
    """The licences that are spoken of."""
    call = "GET monitor/license/status"
    try:
        told = validated(_Answer, gateway.monitor("license/status"), call).results
    except Unanswered as unanswered:
        raise NotProven(
            f"whether the gateway has the licences that the order needs is not known: {unanswered}"
        ) from None
    except Refused as refused:
        raise NotProven(
            f"whether the gateway has the licences that the order needs is not known: {refused} "
            "Give the API user read access to it (sysgrp)."
        ) from None
    return {
        name: validated(_Licence, told[name], call)
        for name in (_MACHINE, *FUNCTIONS)
        if isinstance(told.get(name), dict)
    }
