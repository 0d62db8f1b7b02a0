"""A gateway and the users behind tunnels to it, in two network namespaces.

Each user's tunnel is a wire of its own; what users and their host cannot tell from a tunnel.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_shell import LocalShell

from gatepass.endpoint.script import Script
from gatepass.scenarios.remote_access.configuration import SPLIT, VpnUser, profiles
from gatepass.scenarios.remote_access.vpn_client import Connected, table_of

MARK = "gp0a1b2c"
SERVER, GATEWAY, CLIENT = "198.18.2.10", "198.18.1.1", "198.18.1.10"
PORT = 5301
PROFILE = profiles(SERVER, 50)[SPLIT - 1]


class VpnWorld:
    """The client (here) and everything beyond it (there).

    Args:
        folder: of the run, on both.
        users: how many there are.
    """

    def __init__(self, folder: Path, users: int) -> None:
        self._holders: list[subprocess.Popen] = []
        self.here, self.there = self._namespace("client", folder), self._namespace("server", folder)
        self._wire("data", "port2")
        self._must(self.here, f"ip address add {CLIENT}/24 dev data")
        self._must(self.here, f"ip route add default via {GATEWAY}")
        self._must(self.there, f"ip address add {GATEWAY}/24 dev port2")
        self._must(self.there, f"ip address add {SERVER}/32 dev lo")
        self._must(self.there, "sysctl -qw net.ipv4.ip_forward=0 net.ipv4.conf.all.rp_filter=0")
        self.users = [self._user(number) for number in range(1, users + 1)]
        responder = Path(__file__).parents[2] / "libraries/gatepass/endpoint/remote/responder.py"
        listens = f"{SERVER},{GATEWAY},198.19.250.1"
        words = [*self.there.inside, sys.executable, str(responder), "60", listens, str(PORT)]
        self._holders.append(subprocess.Popen(words))
        self._must(
            self.there, f"n=0; until ss -Hltn 'sport = :{PORT}' | grep -q .; do sleep 0.05; done"
        )

    def close(self) -> None:
        """End it all."""
        for holder in self._holders:
            holder.kill()
            holder.wait()

    def forward(self) -> None:
        """The gateway hands on what one user sends to another."""
        self._must(self.there, "sysctl -qw net.ipv4.ip_forward=1")

    def _user(self, number: int) -> Connected:
        user = VpnUser(number, f"{MARK}-user{number}", "secret", PROFILE)
        address, interface = f"198.19.210.{number}", f"{MARK}-{number}"
        table = table_of(MARK, number)
        # a wire wants an address for each packet, which a tunnel does not
        hardware = f"02:00:00:00:01:{number:02x}", f"02:00:00:00:02:{number:02x}"
        self._wire(interface, f"tunnel{number}", *hardware)
        for command in (
            f"ip address add {address}/32 dev {interface}",
            f"ip neigh add {SERVER} dev {interface} lladdr {hardware[1]}",
            f"ip route add {SERVER} dev {interface} table {table}",
            f"ip rule add from {address} lookup {table} pref 200",
            f"ip rule add fwmark {table} lookup {table} pref 200",
        ):
            self._must(self.here, command)
        self._must(self.there, f"ip route add {address} dev tunnel{number}")
        self._must(self.there, f"ip neigh add {address} dev tunnel{number} lladdr {hardware[0]}")
        # on a wire, unlike in a tunnel, a packet may name another receiver's hardware
        hook = f"type filter hook ingress device tunnel{number} priority 0;"
        chain = f"chain tunnel{number} {{ {hook} meta pkttype set unicast; }}"
        self._must(self.there, f"nft 'table netdev wires {{ {chain}; }};'")
        return Connected(user, address, (f"{SERVER}/32",), interface, table)

    def _wire(self, one: str, other: str, *hardware: str) -> None:
        there = self._holders[1].pid
        ends = [f"address {address}" for address in hardware] or ["", ""]
        add = f"ip link add {one} {ends[0]} type veth peer name {other} {ends[1]} netns {there}"
        self._must(self.here, add)
        self._must(self.here, f"ip link set {one} up")
        self._must(self.there, f"ip link set {other} up")

    def _namespace(self, name: str, folder: Path) -> LocalShell:
        words = ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep 120"]
        holder = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        self._holders.append(holder)
        return LocalShell(name, folder, ("nsenter", "--net", "--target", str(holder.pid)))

    @staticmethod
    def _must(shell: LocalShell, command: str) -> None:
        done = shell.run(Script(command))
        assert done.status == 0, f"{command}: {done.errors}"


@contextmanager
def vpn_world(folder: Path, users: int) -> Iterator[VpnWorld]:
    """One that ends with the block."""
    world = VpnWorld(folder, users)
    try:
        yield world
    finally:
        world.close()
