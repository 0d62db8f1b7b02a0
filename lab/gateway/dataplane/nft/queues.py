"""The shaping part: HTB queues on the outgoing ports, changed only where they differ."""

from __future__ import annotations

import json
import socket

from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.nft.nft import run
from lab.gateway.dataplane.nft.shaping import Queue, ShaperClasses
from lab.impairment.plan import DETOURS, Plan

# What a queue may send beyond its rate after a pause: the timer that empties it can be some
# milliseconds late, and what it had to send meanwhile follows at once. With it and a super-packet
# no 2 s carry more than 0.5 % too much.
_BURST_S = 0.008
# Room for what waits. It is the stock that a busy machine lives on while senders wait for a
# processor, and so deep that TCP does not overflow it in a trial of some seconds: one packet lost
# holds all behind it back at the receiver, who then counts the wrong bytes into a short trial.
_QUEUE_S = 0.200
# A queue takes a super-packet whole or not at all, so there is always room for one beside some
# frames: what TCP makes of a small window, were none taken, would not get through at any rate. Of
# 2 Mbit/s that is a third of a second, and datagrams fill it when they are too many.
_SUPER_PACKET = 65_536 + 4_096
_LEAST_QUEUE = _SUPER_PACKET + 8 * 1_514


class Queues:
    """The shapers' queues."""

    share = ("shapers",)

    def __init__(self) -> None:
        self._set: dict[Queue, int] | None = None

    def apply(self, intent: Intent) -> None:
        """Make the queues that the intent asks for; without a change this runs no command."""
        links = {name for _, name in socket.if_nameindex()}
        wanted = {
            queue: kbps
            for queue, kbps in _queues(intent).items()
            if queue[0] in links
        }
        if self._set is None:
            # Queues left by an earlier process of this gateway are made anew.
            _batch([f"qdisc del dev {port} root" for port in _ports_with_htb()])
            self._set = {}
        # With an interface that is gone its queues are gone, too.
        self._set = {queue: kbps for queue, kbps in self._set.items() if queue[0] in links}
        if wanted != self._set:
            commands = changes(self._set, wanted)
            self._set = None  # unknown, should a command fail halfway
            _batch(commands)
            self._set = wanted

    def close(self) -> None:
        """Remove the queues."""
        _batch([f"qdisc del dev {port} root" for port in _ports_with_htb()])
        self._set = {}


def _queues(intent: Intent) -> dict[Queue, int]:
    """Those of the ports; what takes a detour waits in the same queues there, and then no more."""
    queues = ShaperClasses.of(intent).queues
    if intent.impairment == Plan():
        return queues
    detoured = {
        (DETOURS[port], minor): kbps
        for (port, minor), kbps in queues.items()
        if port in DETOURS
    }
    return queues | detoured


def changes(old: dict[Queue, int], new: dict[Queue, int]) -> list[str]:
    """The tc commands that turn one set of queues into another.

    Args:
        old: rate in kbit/s of each queue there is.
        new: rate in kbit/s of each queue wanted.
    """
    before, after = ({port for port, _ in queues} for queues in (old, new))
    commands = [f"qdisc del dev {port} root" for port in sorted(before - after)]
    commands += [f"qdisc add dev {port} root handle 1: htb" for port in sorted(after - before)]
    for (port, minor), kbps in sorted(new.items()):
        if old.get((port, minor)) == kbps:
            continue
        bytes_per_s = kbps * 125
        burst = int(bytes_per_s * _BURST_S)
        limit = max(int(bytes_per_s * _QUEUE_S), _LEAST_QUEUE)
        verb = "change" if (port, minor) in old else "add"
        commands.append(
            f"class {verb} dev {port} parent 1: classid 1:{minor:x} htb "
            f"rate {kbps}kbit ceil {kbps}kbit burst {burst}b cburst {burst}b quantum 60000"
        )
        commands.append(f"qdisc replace dev {port} parent 1:{minor:x} bfifo limit {limit}b")
    commands += [
        f"class del dev {port} classid 1:{minor:x}"
        for port, minor in sorted(old)
        if (port, minor) not in new and port in after
    ]
    return commands


def _ports_with_htb() -> list[str]:
    shown = json.loads(run(["tc", "-j", "qdisc", "show"]))
    return [item["dev"] for item in shown if item["kind"] == "htb" and item.get("root")]


def _batch(commands: list[str]) -> None:
    if commands:
        run(["tc", "-batch", "-"], "\n".join(commands) + "\n")
