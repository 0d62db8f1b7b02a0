"""Client, gateway and server in three network namespaces, with a path beside the gateway."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint.direct_path import must_be_answered_directly
from gatepass.endpoint.probe import SILENT, Probe, start_responder, try_all
from gatepass.endpoint.script import Script
from gatepass.endpoint.where_lost import must_be_lost_in_between
from gatepass.inputs.testbed import Endpoint

PORT = 5301
CLIENT, SERVER = "198.18.1.10", "198.18.2.10"
CLIENT6, SERVER6 = "2001:2:0:1::10", "2001:2:0:2::10"
DIRECT = {"client": "198.18.9.1", "server": "198.18.9.2"}
_PATHS = (("client", "198.18.1", "2001:2:0:1"), ("server", "198.18.2", "2001:2:0:2"))
QUIET = (
    "sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 "
    "net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0"
)


class GatewayWorld:
    """What stands there; `client`, `gateway` and `server` are its shells.

    Args:
        folder: of the run on each of them.
    """

    def __init__(self, folder: Path) -> None:
        self._holders: dict[str, subprocess.Popen] = {}
        self.client, self.gateway, self.server = (
            self._namespace(name, folder / name) for name in ("client", "gateway", "server")
        )
        self.shells = {"client": self.client, "server": self.server}
        forward = "net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1"
        must(self.gateway, f"sysctl -qw {forward}")
        for name, network, network6 in _PATHS:
            self._wire(self.shells[name], "data", self.gateway, name)
            far = ("198.18.0.0/15", "2001:2::/48")
            must(self.gateway, f"ip a add {network}.1/24 dev {name}")
            must(self.gateway, f"ip a add {network6}::1/64 dev {name} nodad")
            must(self.shells[name], f"ip a add {network}.10/24 dev data")
            must(self.shells[name], f"ip a add {network6}::10/64 dev data nodad")
            must(self.shells[name], f"ip r add {far[0]} via {network}.1")
            must(self.shells[name], f"ip r add {far[1]} via {network6}::1")
        self._wire(self.client, "direct", self.server, "direct")
        for name, address in DIRECT.items():
            must(self.shells[name], f"ip a add {address}/30 dev direct")
        self.far = Endpoint.model_construct(
            ssh=None, address=SERVER, direct_address=DIRECT["server"]
        )

    def close(self) -> None:
        """End it all."""
        for holder in self._holders.values():
            holder.kill()
            holder.wait()

    def blamed(self, probe: Probe) -> str:
        """Why a connection that is not answered shows nothing of the gateway; empty where it does.

        Args:
            probe: silent or refused through the gateway.
        """
        responder = start_responder(self.server, [SERVER, SERVER6, DIRECT["server"]], [PORT], 30)
        try:
            assert try_all(self.client, [probe], 0.4)[0].outcome == SILENT
            if ":" not in probe.address:
                must_be_answered_directly(self.client, "server", self.far, [probe])
            must_be_lost_in_between(self.client, self.server, [probe])
        except NotProven as reason:
            return str(reason)
        finally:
            responder.stop()
        return ""

    def _namespace(self, name: str, folder: Path) -> LocalShell:
        folder.mkdir()
        words = ["unshare", "--net", "sh", "-c", f"ip link set lo up; {QUIET}; echo up; sleep 120"]
        holder = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        self._holders[name] = holder
        return LocalShell(name, folder, ("nsenter", "--net", "--target", str(holder.pid)))

    def _wire(self, here: LocalShell, one: str, there: LocalShell, other: str) -> None:
        pid = self._holders[there.name].pid
        must(here, f"ip link add {one} type veth peer name {other} netns {pid}")
        must(here, f"ip link set {one} up")
        must(there, f"ip link set {other} up")


def must(shell: LocalShell, command: str) -> None:
    """Run a command that succeeds."""
    done = shell.run(Script(command))
    assert done.status == 0, f"{command}: {done.errors}"


def drop(shell: LocalShell, hook: str, match: str, family: str = "inet") -> None:
    """Have a host drop packets.

    Args:
        shell: the host.
        hook: of nftables: input, output or forward.
        match: which packets.
        family: of nftables.
    """
    chain = f"chain c {{ type filter hook {hook} priority 0; {match} drop; }}"
    must(shell, f"nft 'table {family} t {{ {chain}; }}'")


@contextmanager
def gateway_world(folder: Path) -> Iterator[GatewayWorld]:
    """One that ends with the block."""
    world = GatewayWorld(folder)
    try:
        yield world
    finally:
        world.close()
