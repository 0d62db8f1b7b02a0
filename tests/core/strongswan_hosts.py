"""Two hosts with strongSwan in network namespaces of their own, and a wire between them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.endpoint import strongswan
from gatepass.endpoint.ike import Connection
from gatepass.endpoint.script import Script

PEER, GATEWAY, CLIENT = "198.18.4.10", "198.18.4.1", "198.18.1.10"


@contextmanager
def two_hosts(folders: tuple[Path, Path]) -> Iterator[tuple[LocalShell, LocalShell]]:
    """The peer, and a gateway that is the client as well.

    Args:
        folders: for the files of a run on either; a socket's path has to be short.
    """
    if os.geteuid() or not any(Path(place, "charon").exists() for place in strongswan.PLACES):
        pytest.skip("needs root and strongSwan")
    with ExitStack() as stack:
        shells = []
        for name, folder in zip(("peer", "gateway"), folders, strict=True):
            begin = "ip link set lo up && mount -n -t tmpfs none /run && echo && exec cat"
            words = ["unshare", "--net", "--mount", "sh", "-c", begin]
            holder = stack.enter_context(
                subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            stack.callback(holder.kill)
            assert holder.stdout is not None and holder.stdout.readline()
            inside = ("nsenter", "--net", "--mount", "--target", str(holder.pid))
            shells.append(LocalShell(name, folder, inside))
        peer, gateway = shells
        for shell, command in (
            (peer, f"ip link add data type veth peer name data netns {gateway.inside[-1]}"),
            (peer, f"ip addr add {PEER}/24 dev data && ip link set data up"),
            (peer, f"ip route add 198.18.0.0/15 via {GATEWAY}"),
            (gateway, f"ip addr add {GATEWAY}/24 dev data && ip link set data up"),
            (gateway, f"ip addr add {CLIENT}/32 dev lo"),
            (gateway, f"ip route add 198.19.0.0/16 via {PEER} src {CLIENT}"),
        ):
            done = shell.run(Script(command))
            assert done.status == 0, done.errors
        yield peer, gateway


def other_side(one: Connection) -> Connection:
    """The same connection as the far side has it; it takes nothing else than was asked for."""
    return replace(
        one,
        local=one.remote,
        remote=one.local,
        local_ts=one.remote_ts,
        remote_ts=one.local_ts,
        also_ike=(),
        also_esp=(),
    )
