"""A longer path: what the client sends to one port of one host is held back for a while.

The delay acts on packets and not on connections. A relay that ended TCP would answer each side by
itself, so that neither would feel the delay. It is put on one way, what the client sends: TCP goes
by the round trip, whichever way its bytes take.

Only the test's own packets take it: a policy route leads them to a device of the run's own, past
the interface's queueing discipline, which stays as it is for all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.endpoint import host_changes
from gatepass.endpoint.answers import Interface, of_json
from gatepass.endpoint.frames import must_be_root
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.scenarios.leaks.ways import Link, links_of

_NAME = "delay-line"
_TABLE = 4748
"""Of routes, and the rule's place: before the host's own."""
_LIMIT_S = 3600
RELAY, NETEM = "relay", "netem"
_THERE = (
    "s=$(ip -4 route get {address} | sed -n 's/.* src \\([^ ]*\\).*/\\1/p'); "
    "m=$(ip -o link show {interface} | sed -n 's/.* mtu \\([^ ]*\\).*/\\1/p'); "
    "ip link set {device} address {mac} mtu $m; "
    "ip neigh replace {hop} lladdr {hop_mac} dev {device} nud permanent; "
    "ip route add {address} via {hop} dev {device} onlink src $s table {table}; "
    "ip rule add priority {table} to {address} ipproto tcp dport {port} lookup {table}"
)
_BACK = "while ip rule del lookup {table}; do :; done\nip route flush table {table}"


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
    stem = f"{client.folder()}/{_NAME}"
    command = script(
        "python3 {program} {ms:g} {interface}",
        program=install(client, "delay_line.py"),
        ms=ms,
        interface=link.interface,
    )
    ready = script("[ -s {stem}.out ]", stem=stem)
    try:
        program = Detached.start(client, stem, command, _LIMIT_S, ready=ready, ahead=True)
    except ProgramEnded as ended:
        raise NotProven(
            f"the client cannot hold packets back: “{ended}”. It needs /dev/net/tun."
        ) from ended
    try:
        look = script("cat {stem}.out", stem=stem)
        told = _told(client.run(look, again=True).output)
        there, back = _routes(target, link, told["device"])
        host_changes.change(client, _NAME, [there], [back])
        yield told["by"]
    finally:
        host_changes.take_back(client, _NAME)
        program.stop()


class _Told(TypedDict):
    by: Literal["relay", "netem"]
    device: Interface


def _told(text: str) -> _Told:
    try:
        return of_json(_Told, text)
    except ValueError as error:
        raise NotProven(
            f"the client cannot hold packets back: “{error}”. It needs /dev/net/tun."
        ) from None


def _routes(target: Target, link: Link, device: str) -> tuple[Script, Script]:
    """What leads the packets to a device of the run's own, and what takes that back."""
    there = script(
        _THERE,
        table=_TABLE,
        device=device,
        interface=link.interface,
        mac=link.mac,
        hop=link.hop,
        hop_mac=link.hop_mac,
        address=target.address,
        port=target.port,
    )
    return there, script(_BACK, table=_TABLE)
