"""Faults of classes of service: what each changes in the intent.

A class is what a shaping policy tells by DSCP; the tier's own shaper is for everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from lab.gateway.dataplane.faults.vpn import Params
from lab.gateway.dataplane.intent.model import Intent, Shaper, ShapingPolicy
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS
from lab.gateway.dataplane.intent.values import Selector

_IPV6 = "only ipv6"
"""The shaper of `ipv6-slow`."""


def _classes_ignored(intent: Intent, params: Params) -> Intent:
    kept = [row for row in intent.shaping_policies if row.marking is None]
    return replace(intent, shaping_policies=kept)


def _excess_not_granted(intent: Intent, params: Params) -> Intent:
    return _with_class_shapers(
        intent, lambda one: replace(one, kbps=one.guaranteed_kbps or one.kbps)
    )


def _class_unpoliced(intent: Intent, params: Params) -> Intent:
    return _with_class_shapers(intent, lambda one: replace(one, kbps=0))


def _with_class_shapers(intent: Intent, change: Callable[[Shaper], Shaper]) -> Intent:
    """The intent, with the shapers changed that the classes name."""
    named = {
        name
        for row in intent.shaping_policies
        if row.marking is not None
        for name in (row.shaper, row.shaper_reverse)
    }
    shapers = {
        name: change(one) if name in named else one for name, one in intent.shapers.items()
    }
    return replace(intent, shapers=shapers)


def _marking_lost(intent: Intent, params: Params) -> Intent:
    return replace(intent, loses_markings=True)


def _ipv6_slow(intent: Intent, params: Params) -> Intent:
    """All of IPv6 waits in one queue of its own, whatever the configuration has for it."""
    everything = {6: EVERY_ADDRESS[6]}
    row = ShapingPolicy(0, Selector(sources=everything, dests=everything), _IPV6, _IPV6)
    return replace(
        intent,
        shapers={**intent.shapers, _IPV6: Shaper(_IPV6, int(params["mbps"] * 1000))},
        shaping_policies=[row, *intent.shaping_policies],
    )


CLASS_FAULTS: Mapping[str, Callable[[Intent, Params], Intent]] = {
    "classes-ignored": _classes_ignored,
    "excess-not-granted": _excess_not_granted,
    "class-unpoliced": _class_unpoliced,
    "marking-lost": _marking_lost,
    "ipv6-slow": _ipv6_slow,
}
