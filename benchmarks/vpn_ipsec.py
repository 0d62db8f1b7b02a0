"""IPsec throughput over that of the plain path, its CPU, and many tunnels and users at once.

Every cipher that can be ordered takes turns with the same path without a tunnel, from the client
through the gateway to the peer, and dial-up IPsec of one user with the path to the server, without
a shaper. CPU is what the whole machine was busy with, both ends and both sides' encryption
together, in milliseconds of one core for each Mbit of TCP goodput. Then many tunnels, and many
users, are brought up at once. The published figures are of other devices and hosts.
"""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from statistics import median

from benchmarks.bench_lab import MARK, BenchLab, labs
from benchmarks.machine import busy_s
from benchmarks.table import show, spread
from gatepass.endpoint import iperf
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.ssh import SshShell
from gatepass.endpoint.strongswan import Charon
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import RuleSet
from gatepass.inputs.proposals import PROPOSALS
from gatepass.results.trial import Load
from gatepass.scenarios.remote_access.dialup import DialUp
from gatepass.scenarios.remote_access.dialup_client import DialUpClient
from gatepass.scenarios.remote_access.vpn_client import Connected
from gatepass.scenarios.site_to_site.peer import SitePeer
from gatepass.scenarios.site_to_site.tunnels import Site, SiteTunnels
from gatepass.scenarios.site_to_site.vpn import SiteVpn

STRONG = PROPOSALS["aes256gcm-dh14"]
LOAD = Load(seconds=2, omit_s=1, streams=4)
TUNNELS, USERS = (10, 50, 100), (10, 50, 100, 200)
PLAIN, PLAIN_TO_SERVER = "to the peer, no tunnel", "to the server, no tunnel"
DIAL_UP = "dial-up, AES256, SHA256, DH 14"
PUBLISHED = {
    "AES256, SHA256, DH 14": "318 (Hokkanen 2016); AES 220 (Basak 2010)",
    "AES128, SHA256, DH 5": "443 (Hokkanen 2016)",
    "3DES, SHA1, DH 2": "121 (Hokkanen 2016); 112 (Basak 2010); 66, IMIX (Decusatis 2014)",
}
PUBLISHED_RATE = "80 tunnels/s (Decusatis 2014)"


def main(args: Namespace) -> None:
    """Ciphers and dial-up in turns, then many tunnels, then many users."""
    with (
        labs() as (lab,),
        lab.inside(),
        lab.endpoints() as (client, server),
        lab.endpoint("peer") as peer,
    ):
        gateway = lab.gateway()
        lab.without_shaper(gateway)
        vpn = _vpn(lab, gateway, peer)
        vpn.peer.open(vpn.new(STRONG, max(TUNNELS)))
        vpn.gateway.prepare()
        users = _users(lab, vpn.gateway.rules, client)
        print(f"ESP on the peer is done in {vpn.peer.charon.esp}.\n")
        _throughput(lab, vpn, users, (client, server), args.times or 5)
        _many_tunnels(lab, vpn, client, args.times or 3)
        vpn.drop()
        _many_users(lab, users, args.times or 3)
        users.disconnect()
        vpn.peer.close()
        gateway.close()


def _vpn(lab: BenchLab, gateway: FortiGate, peer: SshShell) -> SiteVpn:
    """Tunnels by the suite's own code."""
    ends = lab.testbed.endpoints
    port = ends.peer.gateway_port
    site = Site(port, gateway.port_address(port), ends.peer.address)
    rules = lab.rules(gateway)
    far = SitePeer(peer, Charon(peer), MARK, site, ends.client.address, ends.peer.probe_port)
    return SiteVpn(SiteTunnels(gateway, rules.changes, rules, site), far)


def _users(lab: BenchLab, rules: RuleSet, client: SshShell) -> DialUpClient:
    """Dial-up users by the suite's own code."""
    access = DialUp(rules.gateway, rules.changes, rules, max(USERS))
    access.prepare()
    here, port = lab.testbed.endpoints.client, lab.testbed.gateway.client_port
    gateway = rules.gateway.port_address(port)
    return DialUpClient(client, MARK, here.address, gateway, access)


def _throughput(
    lab: BenchLab, vpn: SiteVpn, users: DialUpClient, ends: tuple[Shell, Shell], times: int
) -> None:
    client, server = ends
    far = lab.testbed.endpoints
    rates: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}

    def measured(path: str, shell: Shell, address: str, port: int, source: str = "") -> None:
        before = busy_s()
        trial = iperf.run(client, shell, address, port, replace(LOAD, source=source))
        rates.setdefault(path, []).append(trial.mbps)
        costs.setdefault(path, []).append((busy_s() - before) * 1e3 / (trial.all_bytes * 8 / 1e6))

    for _ in range(times):
        to_peer, there = far.peer.iperf3_port, (far.server.address, far.server.iperf3_port)
        measured(PLAIN, vpn.peer.shell, far.peer.address, to_peer)
        for proposal in PROPOSALS.values():
            vpn.configure(vpn.new(proposal))
            vpn.raise_one(vpn.current, client)
            measured(proposal.label, vpn.peer.shell, vpn.current.host, to_peer)
        measured(PLAIN_TO_SERVER, server, *there)
        (user,) = _connected(users, 1)
        measured(DIAL_UP, server, *there, user.address)
        users.disconnect()
    to_server = median(rates[PLAIN_TO_SERVER])
    plain = {DIAL_UP: to_server, PLAIN_TO_SERVER: to_server}
    show(
        ("path", "Mbit/s", "of the plain path", "CPU, ms of a core/Mbit", "published, Mbit/s"),
        [
            (
                path,
                spread(rates[path], 0),
                f"{median(rates[path]) / plain.get(path, median(rates[PLAIN])):.3f}",
                spread(costs[path], 2),
                PUBLISHED.get(path, ""),
            )
            for path in rates
        ],
    )


def _connected(users: DialUpClient, count: int) -> list[Connected]:
    """So many users, all of whom have to come in."""
    came = [one for one in users.connect(users.access.promised[:count]) if one.up]
    if len(came) != count:
        raise SystemExit(f"{len(came)} of {count} dial-up users came in")
    return came


def _many_tunnels(lab: BenchLab, vpn: SiteVpn, client: Shell, times: int) -> None:
    rows = []
    for count in TUNNELS:
        configured, came_up, memory = [], [], []
        for _ in range(times):
            tunnels = vpn.new(STRONG, count)
            begun = time.monotonic()
            vpn.configure(tunnels)
            configured.append(time.monotonic() - begun)
            vpn.raise_one(vpn.current, client)
            came = vpn.peer.charon.initiate([tunnel.name for tunnel in tunnels[:-1]])
            if len(came) != count - 1:
                raise SystemExit(f"{len(came) + 1} of {count} tunnels came up")
            came_up.append(len(came) / max(came.values()))
            memory.append(_memory_mib(lab, vpn.peer.shell))
        rows.append((count, spread(configured), spread(came_up, 0), *_both(memory)))
    show(("tunnels", "s to configure", "tunnels/s set up", "MiB, gateway", "MiB, peer"), rows)
    print(f"Published: {PUBLISHED_RATE}. Memory is what charon has resident.\n")


def _many_users(lab: BenchLab, users: DialUpClient, times: int) -> None:
    rows = []
    for count in USERS:
        came_in, memory = [], []
        for _ in range(times):
            came = _connected(users, count)
            came_in.append(count / max(one.seconds for one in came))
            memory.append(_memory_mib(lab, users.shell))
        rows.append((count, spread(came_in, 0), *_both(memory)))
    show(("dial-up users", "users/s set up", "MiB, gateway", "MiB, client"), rows)


_MEMORY = ("ps", "-C", "charon", "-o", "rss=")


def _memory_mib(lab: BenchLab, shell: Shell) -> tuple[float, float]:
    """What charon has resident on the gateway and on an endpoint."""
    both = lab.in_gateway(*_MEMORY), shell.run(Script(" ".join(_MEMORY))).output
    here, there = (sum(map(int, memory.split())) / 1024 for memory in both)
    return here, there


def _both(memory: list[tuple[float, float]]) -> tuple[str, str]:
    here, there = zip(*memory, strict=True)
    return spread(here, 1), spread(there, 1)
