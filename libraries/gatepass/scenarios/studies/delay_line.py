"""A longer path: what the client sends to one port of one host is held back for a while.

The delay acts on packets and not on connections. A relay that ended TCP would answer each side by
itself, so that neither would feel the delay. It is put on one way, what the client sends: TCP goes
by the round trip, whichever way its bytes take.

Only the test's own packets take it: a policy route leads them to a device of the run's own, past
the interface's queueing discipline, which stays as it is for all others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint import host_changes
from gatepass.endpoint.frames import must_be_root
from gatepass.endpoint.probe import install
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.scenarios.leaks.ways import links_of

_NAME = "delay-line"
_TABLE = 4748
"""Of routes, and the rule's place: before the host's own."""
_LIMIT_S = 3600
RELAY, NETEM = "relay", "netem"


@dataclass(frozen=True)
class Target:
    """Where the packets go that are held back.

    Attributes:
        address: IPv4.
        port: of TCP.
    """

    address: str
    port: int


@contextmanager
def held_back(client: Shell, target: Target, ms: float) -> Iterator[str]:
    """Hold back what the client sends there, as long as the context lasts.

    Args:
        client: with root, a TAP device and Ethernet towards the target.
        target: see there.
        ms: for how long; with 0 the packets take the same way and are held no longer than it takes.

    Yields:
        Who holds them: `NETEM` where the client's kernel has it, or else `RELAY`.

    Raises:
        NotProven: the client cannot, with its own words.
    """
    must_be_root(client)
    link = links_of(client, [target.address])[target.address]
    script, stem = install(client, "delay_line.py"), f"{client.folder()}/{_NAME}"
    command = f"python3 {script} {ms:g} {link.interface}"
    try:
        program = Detached.start(
            client, stem, command, _LIMIT_S, ready=f"[ -s {stem}.out ]", ahead=True
        )
    except ProgramEnded as ended:
        raise NotProven(
            f"the client cannot hold packets back: “{ended}”. It needs /dev/net/tun."
        ) from ended
    try:
        told = json.loads(client.run(f"cat {stem}.out", again=True).output)
        own, table = told["device"], f"table {_TABLE}"
        rule = f"priority {_TABLE} to {target.address} ipproto tcp dport {target.port} lookup"
        source = _word_after("src", f"ip -4 route get {target.address}")
        mtu = _word_after("mtu", f"ip -o link show {link.interface}")
        host_changes.change(
            client,
            _NAME,
            [
                f"s=$({source}); m=$({mtu})",
                f"ip link set {own} address {link.mac} mtu $m",
                f"ip neigh replace {link.hop} lladdr {link.hop_mac} dev {own} nud permanent",
                f"ip route add {target.address} via {link.hop} dev {own} onlink src $s {table}",
                f"ip rule add {rule} {_TABLE}",
            ],
            [f"while ip rule del lookup {_TABLE}; do :; done", f"ip route flush {table}"],
        )
        yield told["by"]
    finally:
        host_changes.take_back(client, _NAME)
        program.stop()


def _word_after(name: str, command: str) -> str:
    """What prints the word that follows a name in a command's output."""
    return f"{command} | sed -n 's/.* {name} \\([^ ]*\\).*/\\1/p'"
