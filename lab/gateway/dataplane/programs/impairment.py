"""The impairment part: the process that impairs what is forwarded, and the way to it and back."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.nft import nft
from lab.gateway.dataplane.nft.leaving import DETOUR_TABLE, detour_table
from lab.gateway.dataplane.programs.children import Worker
from lab.impairment.plan import DETOURS, Plan

# As many frames as come while the process waits for a processor: a third of a second at 30,000.
_QUEUE_FRAMES = 10_000


class Impairment:
    """Runs the process, and leads packets round by it, while there is such a fault.

    It comes before the queues, which are on its devices as well, and before the rules, which mark
    the packets for the detour.
    """

    share = ("impairment",)

    def __init__(self, folder: Path) -> None:
        """Args: folder: the gateway's own folder."""
        command = [sys.executable, "-m", "lab.impairment"]
        self._worker = Worker("The impairment of packets", command, folder / "impairment.log")
        self._in_force: Plan | None = None  # unknown: an earlier process may have left a detour

    def apply(self, intent: Intent) -> None:
        """Have packets impaired by the intent; without such a fault nothing of it is there."""
        plan = intent.impairment
        if plan == self._in_force and (plan == Plan() or self._worker.running):
            return
        if plan == Plan():
            self.close()
            self._in_force = plan
            return
        self._in_force = None
        if not self._worker.running:
            _end_detour()
            self._worker.start()
            _set_up()
            nft.load(detour_table())
        self._worker.ask(json.dumps(asdict(plan)).encode() + b"\n")
        self._in_force = plan

    def close(self) -> None:
        """Let packets leave as they are, and end the process with its devices."""
        _end_detour()
        self._worker.stop()
        self._in_force = None


def _set_up() -> None:
    """Have the devices take frames, and no frame of their own come in between."""
    try:
        with IPRoute() as ipr:
            for port, device in DETOURS.items():
                Path(f"/proc/sys/net/ipv6/conf/{device}/disable_ipv6").write_text("1")
                (original,) = ipr.get_links(ipr.link_lookup(ifname=port)[0])
                ipr.link(
                    "set",
                    index=ipr.link_lookup(ifname=device)[0],
                    mtu=original.get_attr("IFLA_MTU"),
                    txqlen=_QUEUE_FRAMES,
                    state="up",
                )
    except (NetlinkError, OSError) as error:
        raise DataPlaneError(f"The detour of packets cannot be set up: {error}.") from None


def _end_detour() -> None:
    family, table = DETOUR_TABLE.split()
    listed = json.loads(nft.run(["nft", "-j", "list", "tables", family]))["nftables"]
    if any(item.get("table", {}).get("name") == table for item in listed):
        nft.load(f"delete table {DETOUR_TABLE}\n")
