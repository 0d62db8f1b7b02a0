"""Faults that impair packets on their way: what each changes in the intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lab.gateway.dataplane.faults.vpn import Params
from lab.gateway.dataplane.intent.model import Intent
from lab.impairment.plan import Gap


def _impaired(intent: Intent, **how: Any) -> Intent:
    return replace(intent, impairment=replace(intent.impairment, **how))


def _latency(intent: Intent, params: Params) -> Intent:
    return _later(intent, params["milliseconds"])


def _latency_by_policies(intent: Intent, params: Params) -> Intent:
    return _later(intent, params["microseconds"] / 1000 * len(intent.in_force))


def _later(intent: Intent, milliseconds: float) -> Intent:
    return _impaired(intent, delay_ms=intent.impairment.delay_ms + milliseconds)


def _jitter(intent: Intent, params: Params) -> Intent:
    return _impaired(intent, jitter_ms=params["milliseconds"])


def _latency_under_load(intent: Intent, params: Params) -> Intent:
    return _impaired(intent, full_mbps=params["mbps"], buffer_ms=params["milliseconds"])


def _reordering(intent: Intent, params: Params) -> Intent:
    return _impaired(
        intent, overtaken_percent=params["percent"], overtaken_ms=params["milliseconds"]
    )


def _duplication(intent: Intent, params: Params) -> Intent:
    return _impaired(intent, doubled_percent=params["percent"])


def _loss_bursts(intent: Intent, params: Params) -> Intent:
    return _with_gap(intent, params["milliseconds"] / 1000, params["every_s"])


def _outages(intent: Intent, params: Params) -> Intent:
    return _with_gap(intent, params["seconds"], params["every_s"])


def _with_gap(intent: Intent, seconds: float, every_s: float) -> Intent:
    # One after the other without end, where they are as long as the time between them.
    gap = Gap(seconds, max(every_s, seconds, 0.001))
    return _impaired(intent, gaps=(*intent.impairment.gaps, gap))


IMPAIRMENT_FAULTS: Mapping[str, Callable[[Intent, Params], Intent]] = {
    "latency": _latency,
    "latency-by-policies": _latency_by_policies,
    "latency-under-load": _latency_under_load,
    "jitter": _jitter,
    "reordering": _reordering,
    "duplication": _duplication,
    "loss-bursts": _loss_bursts,
    "outages": _outages,
}
