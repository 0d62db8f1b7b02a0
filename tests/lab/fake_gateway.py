"""Runs the gateway with a data plane that only remembers, for tests without namespaces."""

from __future__ import annotations

import asyncio
import faulthandler
import json
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.gateway.dataplane.ipsec.status import IpsecStatus
from lab.gateway.dataplane.programs.dnsmasq import Lease
from lab.gateway.device import Device, Folder
from lab.gateway.identity import Identity
from lab.gateway.service import log_to, run
from lab.gateway.versions import Version

NOBODY = {
    "sessions": [], "connections": 0, "most": {"users": 0, "tunnels": 0, "connections": 0}}


@dataclass
class Counter:
    """What a policy counted."""

    bytes: int = 0
    packets: int = 0
    hit_count: int = 0
    active_sessions: int = 0
    first_used: float | None = None
    last_used: float | None = None


class RememberingPlane:
    """Writes what it was told to `applied.json` and answers from `counters.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._applies = 0

    def apply(self, config: Any, faults: Any) -> None:
        while (self._folder / "plane-is-held").exists():
            time.sleep(0.01)
        if (failure := self._folder / "plane-fails").exists():
            raise RuntimeError(failure.read_text())
        self._applies += 1
        told = {"applies": self._applies, "faults": faults,
                "config": {path: list(rows) for path, rows in config.items()}}
        new = self._folder / "applied.new"
        new.write_text(json.dumps(told))
        new.rename(self._folder / "applied.json")

    def policy_counters(self) -> dict[int, Counter]:
        file = self._folder / "counters.json"
        told = json.loads(file.read_text()) if file.exists() else {}
        return {int(number): Counter(**fields) for number, fields in told.items()}

    def clear_counters(self, policyids: Any = None) -> None:
        (self._folder / "cleared.json").write_text(json.dumps(policyids))

    def lookup(self, srcintf: str, sourceip: str, protocol: int, dest: str,
               destport: int | None) -> tuple[int, str]:
        return (1, "accept") if destport == 443 else (0, "deny")

    def remote_users(self) -> dict[str, Any]:
        file = self._folder / "remote.json"
        return json.loads(file.read_text()) if file.exists() else NOBODY

    def end_remote_users(self, index: int | None) -> bool:
        (self._folder / "ended.json").write_text(json.dumps(index))
        return index in (None, 620, 621)

    def leases(self) -> list[Lease]:
        file = self._folder / "leases.json"
        told = json.loads(file.read_text()) if file.exists() else []
        return [Lease(**fields) for fields in told]

    def sessions(self, count: int) -> list[dict[str, Any]]:
        return [{"proto": "tcp", "policyid": number % 2, "saddr": f"198.18.1.{number}",
                 "snaddr": "198.18.2.20" if number % 2 else f"198.18.1.{number}"}
                for number in range(4)][:count]

    def session_count(self) -> int:
        return 4

    def session_counts(self) -> tuple[int, int]:
        return 3, 1

    def ban(self, address: str, seconds: int) -> None:
        (self._folder / "banned.json").write_text(json.dumps([address, seconds]))

    def lift(self, address: str) -> None:
        (self._folder / "banned.json").write_text(json.dumps([address, None]))

    def routes(self, version: int = 4) -> list[dict[str, Any]]:
        if version == 6:
            return []
        return [{"ip_version": 4, "type": "connect", "ip_mask": "198.18.1.0/24",
                 "gateway": "0.0.0.0", "interface": "port2"}]

    def interfaces(self) -> dict[str, dict[str, Any]]:
        linked = {"link": True, "speed": 10000.0}
        return {"port1": {**linked, "rx_bytes": 7, "tx_bytes": 9}, "port2": linked}

    def ipsec(self) -> IpsecStatus:
        return IpsecStatus()

    def reset_ipsec_counters(self, tunnel: str | None) -> None:
        pass

    def tunnel_up(self, tunnel: str, child: str) -> None:
        pass

    def tunnel_down(self, tunnel: str, child: str) -> None:
        pass

    def end_ipsec(self, name: str) -> bool:
        return False

    def close(self) -> None:
        (self._folder / "closed").touch()


def main() -> None:
    """`fake_gateway FOLDER PORT VERSION [DELIVERED]`."""
    faulthandler.register(signal.SIGUSR1)  # where a process is that does not end
    folder, port, version = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    delivered = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    log_to(folder)
    device = Device(Folder(folder), Identity("LABGW0000000001", Version.parse(version)),
                    "127.0.0.1", port, RememberingPlane(folder), delivered)
    asyncio.run(run(device, lambda: print("ready", flush=True)))


if __name__ == "__main__":
    main()
