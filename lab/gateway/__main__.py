"""`python -m lab.gateway`: run the lab's gateway in the network namespace it is started in."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

from lab.gateway.dataplane import DataPlane
from lab.gateway.dataplane.kernel.boot import end_sessions, forward, ports_down
from lab.gateway.device import Device, Folder, SetupError
from lab.gateway.identity import Identity
from lab.gateway.service import log_to, run
from lab.gateway.versions import Version

BOOT_S, OPEN_S = 1.0, 1.0
"""How long a restart takes before anything is in force, and how long a faulty one is open then."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(prog="python -m lab.gateway", description=__doc__)
    result.add_argument("--folder", type=Path, required=True,
                        help="the gateway's own folder, with tls/ and api-token")
    result.add_argument("--address", required=True, help="management address")
    result.add_argument("--port", type=int, default=443, help="management port")
    result.add_argument("--serial", required=True, help="serial number, beginning with LAB")
    result.add_argument("--version", default="7.4.8", help="FortiOS release to stand in for")
    result.add_argument("--memory", type=int, default=16_384, metavar="MIB",
                        help="memory that it tells, and that limits depend on")
    result.add_argument("--delivered", type=Path,
                        help="FortiOS script for a gateway that has no state yet")
    return result


def main() -> int:
    """Run the gateway; answers the exit code."""
    options = parser().parse_args()
    try:
        identity = Identity(options.serial, Version.parse(options.version),
                            memory_mib=options.memory)
        log_to(options.folder)
        restarted = False
        while _serves(options, identity, restarted):
            restarted = True
    except (SetupError, ValueError, OSError) as error:
        print(f"The lab's gateway cannot run: {error}", file=sys.stderr)
        return 1
    return 0


def _serves(options: argparse.Namespace, identity: Identity, restarted: bool) -> bool:
    """Run the gateway until it ends; whether it is to start again."""
    device = Device(Folder(options.folder), identity, options.address, options.port,
                    DataPlane(options.folder, restarted), options.delivered)
    again = asyncio.run(run(device, lambda: print("ready", flush=True)))
    if again:
        end_sessions()
        with ports_down():
            time.sleep(BOOT_S)
        if "boots-open" in device.faults:
            forward(on=True)
            time.sleep(OPEN_S)
            forward(on=False)
    return again


if __name__ == "__main__":
    sys.exit(main())
