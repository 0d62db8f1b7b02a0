"""What a gateway tells whoever asks about themselves and about itself: ``monitor/web-ui/state``.

Its GUI asks this first of all, to know what the administrator may see. It takes no right of the
access profile, and holds that very profile; an API user gets it as anybody does (seen from FortiOS
7.0 on).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from gatepass.gateway.answers import Malformed, Unanswered, validated
from gatepass.gateway.fortigate import FortiGate, Refused

PATH = "web-ui/state"


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore")


class LogDevice(_Shape):
    """Whether something can be logged to, and is."""

    is_available: bool = False
    is_enabled: bool = False


class Vdom(_Shape):
    """A virtual domain, as far as it is told."""

    log_device_state: dict[str, LogDevice] = {}


class Administrator(_Shape):
    """Who asks.

    Attributes:
        name: of the API user.
        profile: the row of its access profile; empty where it is not told.
        super_admin: whether it may do everything.
        vdoms: that it may see.
        vdom_info: about each of them.
    """

    name: str = Field("", max_length=200)
    profile: dict[str, Any] = {}
    super_admin: bool = False
    vdoms: list[str] = []
    vdom_info: dict[str, Vdom] = {}


class OwnState(_Shape):
    """The gateway, and who asks.

    Attributes:
        admin: who asks.
        vdom_mode: "no-vdom" where it is not divided.
        ha_mode: 0 for a device that stands alone.
        is_ha_master: whether it is the one of a cluster that is configured.
        conserve_mode: whether it is short of memory.
        has_log_disk: whether it has a disk to log to.
    """

    admin: Administrator = Administrator()
    vdom_mode: str = ""
    ha_mode: int = 0
    is_ha_master: bool = True
    conserve_mode: bool = False
    has_log_disk: bool = False


class _Answer(_Shape):
    results: OwnState


def own_state(gateway: FortiGate) -> OwnState | None:
    """Ask for it; None where the device has no such monitor, keeps it from API users, or tells it
    in another way than is known: it is made for the GUI of the same release.

    Raises:
        GatewayLost: the device does not answer.
    """
    try:
        answer: Mapping = gateway.monitor(PATH)
    except Refused as refused:
        if refused.status in (403, 404) or isinstance(refused, Unanswered):
            return None
        raise
    try:
        return validated(_Answer, answer, f"GET monitor/{PATH}").results
    except Malformed:
        return None
