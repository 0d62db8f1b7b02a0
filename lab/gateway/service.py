"""The gateway's process: starts everything, says `ready`, ends on SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path

from lab.gateway.control import Control
from lab.gateway.device import Device, SetupError
from lab.gateway.listener import RestListener
from lab.gateway.rest.app import Api
from lab.gateway.rest.server import Server

_LOG_BYTES = 5_000_000
_BEFORE_REBIND_SECONDS = 0.3
_BEFORE_RESTART_SECONDS = 0.1


def log_to(folder: Path) -> None:
    """Write the log to the gateway's folder, at most a few megabytes."""
    handler = RotatingFileHandler(folder / "gateway.log", maxBytes=_LOG_BYTES, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger("lab.gateway").setLevel(logging.INFO)
    # What is not even HTTP is answered with 400; only the gateway's own faults are worth a trace.
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)


async def run(device: Device, ready: Callable[[], None]) -> bool:
    """Serve until SIGTERM or SIGINT, or until it is told to restart.

    Args:
        ready: called once the gateway listens and its configuration is in force.

    Returns:
        Whether it is to start again.

    Raises:
        SetupError: it cannot start.
    """
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    listener = RestListener(device, Server(Api(device).handle))
    control = Control(device, listener)
    # The answer to the call that changed the port goes out first.
    device.on_settings_changed = lambda: loop.call_later(
        _BEFORE_REBIND_SECONDS, lambda: loop.create_task(listener.refresh()))
    device.on_restart = lambda: loop.call_later(_BEFORE_RESTART_SECONDS, ended.set)
    try:
        await device.start()
        try:
            await listener.start()
        except OSError as error:
            raise SetupError(f"The management address cannot be used: {error.strerror}.") from None
        await control.start()
        ready()
        await ended.wait()
    finally:
        await control.stop()
        await listener.stop()
        await device.stop()
    return device.restarts
