"""Troubles of the gateway, in which it fails closed, and what a faulty one does in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lab.base.faults import FAULTS as CATALOGUE
from lab.gateway.dataplane.faults.network import FAULTS
from lab.gateway.dataplane.intent.model import Intent

GONE, UNLICENSED, SHORT = "inspector-dead", "licence-expired", "memory-short"
FAILS_OPEN, STAYS_CLOSED = "fails-open", "stays-closed"
CONTENT, PACKETS = "content", "packets"
TROUBLE_FAULTS = (GONE, UNLICENSED, SHORT, FAILS_OPEN, STAYS_CLOSED)
_TROUBLES = frozenset({GONE, UNLICENSED, SHORT})


class InTrouble:
    """What becomes of an intent while there is trouble, and of what stays when it is over."""

    def __init__(self) -> None:
        self._were: frozenset[str] = frozenset()  # that the fault did not let end

    def endured(self, intent: Intent, faults: Mapping[str, Mapping[str, Any]]) -> Intent:
        """The intent that is carried out with these faults.

        Without its inspector the gateway passes nothing that is to be inspected. Short of memory it
        does as `av-failopen` says. An expired licence alone changes nothing: what was known last
        goes on being looked for.

        Args:
            intent: with all other faults in it.
            faults: that are in force, with their parameters.
        """
        now = _TROUBLES & faults.keys()
        self._were = self._were | now if STAYS_CLOSED in faults else frozenset()
        opened = set()
        if now and FAILS_OPEN in faults:
            given = CATALOGUE[FAILS_OPEN].defaults | dict(faults[FAILS_OPEN])
            opened.update(given["of"].split("+"))
        if PACKETS in opened:
            intent = FAULTS["any-any"](intent, {})
        if CONTENT in opened or (SHORT in now and _passes_when_short(intent)):
            return replace(intent, inspected={})
        if now - {UNLICENSED} or self._were - now:
            return replace(intent, inspector=replace(intent.inspector, runs=False))
        return intent


def _passes_when_short(intent: Intent) -> bool:
    """FortiOS's own default lets everything pass that there is no memory to inspect."""
    settings = next(iter(intent.config.get("system/global", ())), {})
    return settings.get("av-failopen") != "off"
