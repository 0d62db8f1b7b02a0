"""`python -m lab.inspector --clamd SOCKET --log FILE`: inspect what the packet filter hands over.

Started by the gateway, which speaks with it over standard input and output: first the inspector
writes its two ports on a line, then it answers each line of JSON, a plan, with `ok`. It ends at the
end of its input, so never outlives the gateway.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import select
import socket
import sys
from pathlib import Path

from lab.inspector.clamd import Clamd
from lab.inspector.events import SecurityLog
from lab.inspector.ftp_data import Expected
from lab.inspector.ftp_session import FtpData, FtpSession
from lab.inspector.http_session import HttpSession
from lab.inspector.legs import Leg, accepted, listener
from lab.inspector.pace import InspectionPace
from lab.inspector.plan import InspectionPlan, plan
from lab.inspector.raw_session import RawSession, TlsSession
from lab.inspector.session import InspectedSession, Room
from lab.io.loop import Loop

_SESSIONS: dict[str, type[InspectedSession]] = {
    "HTTP": HttpSession,
    "HTTPS": TlsSession,
    "FTP": FtpSession,
}


class Inspector:
    """Takes in sessions, and plans.

    Args:
        clamd: path of its socket.
        log: path of the security log.
    """

    def __init__(self, clamd: str, log: Path) -> None:
        loop = Loop()
        self._room = Room(
            loop,
            Clamd(loop, clamd),
            SecurityLog(log),
            InspectionPace(loop),
            Expected(),
            InspectionPlan(),
        )
        self._said = b""

    def run(self) -> None:
        """Run until the gateway ends."""
        loop, ports = self._room.loop, []
        for family in (socket.AF_INET, socket.AF_INET6):
            sock = listener(family)
            ports.append(sock.getsockname()[1])
            loop.register(sock.fileno(), lambda _, sock=sock: self._accept(sock), select.EPOLLIN)
        loop.register(sys.stdin.fileno(), lambda _: self._hear(), select.EPOLLIN)
        print(*ports, flush=True)
        loop.run()

    def _hear(self) -> None:
        piece = os.read(sys.stdin.fileno(), 1 << 20)
        if not piece:
            os._exit(0)
        *lines, self._said = (self._said + piece).split(b"\n")
        for line in lines:
            self._room.plan = plan(json.loads(line))
            self._room.pace.mbps = self._room.plan.mbps
            self._room.pace.object_ms = self._room.plan.object_ms
            print("ok", flush=True)

    def _accept(self, sock: socket.socket) -> None:
        for _ in range(64):
            try:
                connection, _ = sock.accept()
            except BlockingIOError:
                return
            except OSError:  # the client is gone already
                continue
            try:
                leg = accepted(self._room.loop, connection)
            except OSError:
                connection.close()
                continue
            self._begin(leg)

    def _begin(self, leg: Leg) -> None:
        room = self._room
        policy = room.plan.policies.get(leg.slot)
        if policy is None:
            leg.stream.reset()
            return
        expectation = room.expected.take(leg.source[0], leg.dest)
        if expectation is not None:
            session: InspectedSession = FtpData(room, leg, expectation)
        else:
            session = _SESSIONS.get(policy.services.get(leg.dest[1], ""), RawSession)(room, leg)
        room.loop.spawn(session.run())


def main() -> None:
    """Run the inspector."""
    parser = argparse.ArgumentParser(prog="python -m lab.inspector", description=__doc__)
    parser.add_argument("--clamd", required=True, help="path of clamd's socket")
    parser.add_argument("--log", type=Path, required=True, help="path of the security log")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Sessions leave few circles; looking for them often would cost throughput.
    gc.set_threshold(50_000, 20, 20)
    Inspector(options.clamd, options.log).run()


if __name__ == "__main__":
    main()
