"""monitor/system/config-error-log: what of the configuration the device did not understand.

A device writes there what it skips when it reads a configuration. The lab also tells what of the
running configuration its data plane does not carry out at this moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.gateway.call import Call
from lab.gateway.monitors.model import File, Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device


async def _download(device: Device, call: Call) -> File:
    problem = device.applier.last_error
    lines = [*device.config_errors, *([] if problem is None else [problem])]
    return File("".join(f">>>  {line}\n" for line in lines))


MONITORS = {"system/config-error-log/download": Monitor("sysgrp.cfg", get=_download)}
