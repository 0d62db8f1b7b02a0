"""Faults of what is forwarded, session by session: what each changes in the intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lab.gateway.dataplane.faults.vpn import Params
from lab.gateway.dataplane.intent.model import Intent

Change = Callable[[Intent, Params], Intent]


def _with(of: Callable[[Params], dict[str, Any]]) -> Change:
    def change(intent: Intent, params: Params) -> Intent:
        return replace(intent, session_faults=replace(intent.session_faults, **of(params)))

    return change


SESSION_FAULTS: Mapping[str, Change] = {
    "sessions-reset": _with(lambda params: {"reset_s": float(params["seconds"])}),
    "first-datagram-lost": _with(lambda params: {"loses_first_datagram": True}),
    "sessions-begin-late": _with(lambda params: {"loses_first_syn": True}),
    "mtu-small": _with(lambda params: {"mtu": int(params["bytes"])}),
    "few-sessions": _with(lambda params: {"most": int(params["sessions"])}),
    "policed-after-burst": _with(
        lambda params: {
            "policed_per_s": int(params["packets"]),
            "burst_packets": int(params["burst"]),
        }
    ),
}
