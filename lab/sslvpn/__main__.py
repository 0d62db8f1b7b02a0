"""`python -m lab.sslvpn --tun NAME --table TABLE`: serve the users of the SSL VPN.

Started by the gateway, which speaks with it over standard input and output: the server writes
`ready`, then answers each line of JSON with one. It ends at the end of its input, so never
outlives the gateway.

- `{"plan": …}` gives it a plan (`plan.py`), `{"sets": {NAME: [KIND, WHO]}}` the sets of addresses
  to fill; the answer is `{}`, or `{"error": …}`.
- `{"show": true}` asks for the sessions.
- `{"end": NUMBER}` ends a session or tunnel, `{"end": null}` all; the answer says if there was one.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import select
import sys
from typing import Any

from lab.sslvpn import tracked, tun
from lab.sslvpn.membership import Membership, PacketFilter
from lab.sslvpn.plan import heard
from lab.sslvpn.server import Server


class Service:
    """The server and what it is asked.

    Args:
        device: name of the TUN device.
        table: family and name of the table of the packet filter.
    """

    def __init__(self, device: str, table: str) -> None:
        self._membership = Membership(PacketFilter().run, table)
        self._server = Server(tun.attach(device), self._membership.put, self._take)
        self._said = b""

    def _take(self, address: int) -> None:
        self._membership.take(address)
        tracked.forget(address)

    def run(self) -> None:
        """Run until the gateway ends."""
        loop = self._server.loop
        loop.register(sys.stdin.fileno(), lambda _: self._hear(), select.EPOLLIN)
        print("ready", flush=True)
        loop.run()

    def _hear(self) -> None:
        piece = os.read(sys.stdin.fileno(), 1 << 20)
        if not piece:
            os._exit(0)
        *lines, self._said = (self._said + piece).split(b"\n")
        for line in lines:
            print(json.dumps(self._answer(json.loads(line))), flush=True)

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        server = self._server
        if "show" in asked:
            return server.shown()
        if "end" in asked:
            return {"ended": server.disconnect(asked["end"])}
        try:
            if "plan" in asked:
                server.follow(heard(asked["plan"]))
            if "sets" in asked:
                sets = {name: (kind, who) for name, (kind, who) in asked["sets"].items()}
                self._membership.follow(sets)
                server.refresh()
        except (OSError, ValueError) as error:
            return {"error": str(error) or type(error).__name__}
        return {}


def main() -> None:
    """Run the server."""
    parser = argparse.ArgumentParser(prog="python -m lab.sslvpn", description=__doc__)
    parser.add_argument("--tun", required=True, help="name of the TUN device")
    parser.add_argument("--table", required=True, help="family and name of the nftables table")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Connections leave few circles; looking for them often would cost throughput.
    gc.set_threshold(50_000, 20, 20)
    Service(options.tun, options.table).run()


if __name__ == "__main__":
    main()
