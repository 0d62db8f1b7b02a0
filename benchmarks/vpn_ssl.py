"""The SSL VPN beside ocserv: throughput of one user, and many users who come at once.

Both servers run in the same gateway at once and serve openconnect over TLS, each with the protocol
it has; the trials take turns, so that both meet the same machine. CPU is given twice, in
milliseconds of one core for each Mbit of TCP payload: of the server's processes, and of the whole
machine with client, server and everything between. Memory is what the server's processes have for
themselves (PSS).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from statistics import median

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate

from benchmarks import PROJECT
from benchmarks.bench_lab import BenchLab, labs
from benchmarks.machine import busy_s
from benchmarks.table import show, spread
from gatepass.endpoint import iperf
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached, Shell
from gatepass.gateway.fortigate import FortiGate
from gatepass.results.trial import Load

SIZES = (10, 50, 100, 200)
PLAIN = "no tunnel"
UP, DOWN = "from the user", "to the user"
LOADS = {UP: Load(seconds=3, omit_s=1), DOWN: Load(seconds=3, omit_s=1, reverse=True)}
USER, GROUP, PASSWORD = "bench", "bench-users", "a password of the benchmark"
PORT, OCSERV_PORT = 10443, 443
_PATIENCE_S = 130

# Sums up CPU ticks and kilobytes of the processes whose command line holds a word.
_LOOK = """\
import os, sys
ticks = kilobytes = 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        words = open(f"/proc/{pid}/cmdline").read()
        if sys.argv[1] not in words or "import os, sys" in words:
            continue
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
        lines = open(f"/proc/{pid}/smaps_rollup").read().split("\\n")
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    except OSError:
        pass
print(ticks, kilobytes)
"""
_SCRIPT = """\
#!/bin/sh
if [ "$reason" = connect ]; then
    ip link set "$TUNDEV" up mtu "$INTERNAL_IP4_MTU"
    ip addr add "$INTERNAL_IP4_ADDRESS/32" dev "$TUNDEV"
    touch "FOLDER/$TUNDEV.up"
fi
"""
_OCSERV = """\
auth = "plain[passwd={folder}/passwords]"
tcp-port = {port}
udp-port = 0
listen-host = {address}
run-as-user = root
run-as-group = root
socket-file = {folder}/socket
pid-file = {folder}/pid
server-cert = {folder}/certificate
server-key = {folder}/key
isolate-workers = false
max-clients = 0
max-same-clients = 0
try-mtu-discovery = false
device = vpns
ipv4-network = 198.19.220.0/23
compression = false
rekey-time = 0
log-level = 1
"""


@dataclass(frozen=True)
class Side:
    """One of the two servers.

    Attributes:
        name: as the tables have it.
        protocol: as openconnect calls it.
        address: where it answers,
        port: and its port.
        pin: of its key.
        word: what the command line of its processes holds.
        prefix: of its users' interfaces.
    """

    name: str
    protocol: str
    address: str
    port: int
    pin: str
    word: str
    prefix: str


def main(args: Namespace) -> None:
    """Throughput in turns, then users at once."""
    with labs() as (lab,), lab.inside(), lab.endpoints() as (client, server):
        gateway = lab.gateway()
        lab.without_shaper(gateway)
        _configure(lab, gateway)
        certificate = gateway.row("vpn.certificate/local", "Fortinet_Factory")["certificate"]
        row = gateway.row("system/interface", lab.testbed.gateway.client_port)
        address, pin = row["ip"].split()[0], _pin(certificate)
        sides = [Side("lab", "fortinet", address, PORT, pin, "lab.sslvpn", "bl")]
        if shutil.which("ocserv"):
            sides.append(_ocserv(lab, gateway, address))
        else:
            print("ocserv is not installed; the package of that name has it.\n", flush=True)
        _throughput(args, lab, client, server, sides)
        _crowds(args, lab, client, sides)
        gateway.close()


def _configure(lab: BenchLab, gateway: FortiGate) -> None:
    """The SSL VPN with one user, who may come as often as it likes."""
    ports = lab.testbed.gateway

    def names(*words: str) -> list[dict[str, str]]:
        return [{"name": word} for word in words]

    gateway.create("user/local", {"name": USER, "passwd": PASSWORD})
    gateway.create("user/group", {"name": GROUP, "member": names(USER)})
    pool = {"start-ip": "198.19.210.0", "end-ip": "198.19.211.255"}
    gateway.create("firewall/address", {"name": "bench-pool", "type": "iprange", **pool})
    gateway.create(
        "vpn.ssl.web/portal",
        {"name": "bench", "tunnel-mode": "enable", "ip-pools": names("bench-pool")},
    )
    rule = {"id": 1, "groups": names(GROUP), "portal": "bench"}
    gateway.change(
        "vpn.ssl/settings",
        None,
        {
            "status": "enable",
            "port": PORT,
            "source-interface": names(ports.client_port),
            "source-address": names("all"),
            "servercert": "Fortinet_Factory",
            "authentication-rule": [rule],
        },
    )
    everything = {
        "dstintf": names(ports.server_port),
        "srcaddr": names("all"),
        "dstaddr": names("all"),
        "service": names("ALL"),
        "schedule": "always",
        "action": "accept",
    }
    users = {"policyid": 0, "name": "bench", "srcintf": names("ssl.root"), "groups": names(GROUP)}
    gateway.create("firewall/policy", users | everything)
    others = {"policyid": 0, "name": "bench-ocserv", "srcintf": names("any")}
    gateway.create("firewall/policy", others | everything)


def _ocserv(lab: BenchLab, gateway: FortiGate, address: str) -> Side:
    """Start ocserv in the gateway's node, where the management would answer on a data port."""
    access = {"allowaccess": "ping https"}
    gateway.change("system/interface", lab.testbed.gateway.client_port, access)
    folder = lab.testbed_file.parent / "ocserv"
    folder.mkdir(mode=0o700)
    certificate = lab.testbed_file.parent / "gateway" / "tls" / "server.pem"
    shutil.copyfile(certificate, folder / "certificate")
    shutil.copyfile(certificate.with_suffix(".key"), folder / "key")
    subprocess.run(
        ["ocpasswd", "-c", folder / "passwords", USER],
        input=f"{PASSWORD}\n{PASSWORD}\n",
        text=True,
        check=True,
        capture_output=True,
    )
    text = _OCSERV.format(folder=folder, port=OCSERV_PORT, address=address)
    (folder / "configuration").write_text(text)
    lab.in_gateway("ocserv", "-c", str(folder / "configuration"))
    pin = _pin(certificate.read_text())
    return Side("ocserv", "anyconnect", address, OCSERV_PORT, pin, "ocserv", "bo")


def _pin(certificate: str) -> str:
    key = load_pem_x509_certificate(certificate.encode()).public_key()
    public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "pin-sha256:" + b64encode(sha256(public).digest()).decode()


def _seen(lab: BenchLab, side: Side) -> tuple[float, float]:
    """CPU seconds and megabytes of a server's processes."""
    ticks, kilobytes = lab.in_gateway(sys.executable, "-c", _LOOK, side.word).split()
    return int(ticks) / os.sysconf("SC_CLK_TCK"), int(kilobytes) / 1024


@contextmanager
def _users(client: Shell, side: Side, count: int) -> Iterator[float]:
    """Users of a server who come at once and stay; answers the seconds until all are there."""
    folder = f"{client.folder()}/{side.prefix}"
    client.run(Script(f"rm -rf {folder}"))
    script, program, file = (f"{folder}-{name}" for name in ("script", "users.py", "told"))
    client.put(_SCRIPT.replace("FOLDER", folder), script)
    client.put((PROJECT / "benchmarks" / "vpn_users.py").read_text(), program)
    command = ["openconnect", f"--protocol={side.protocol}", "--no-dtls", "--passwd-on-stdin"]
    command += ["--non-inter", "-u", USER, "--servercert", side.pin, "-s", script]
    command += [f"{side.address}:{side.port}"]
    call = {"command": command, "password": PASSWORD, "count": count, "prefix": side.prefix}
    client.put(json.dumps({**call, "folder": folder}), file)
    client.run(Script(f"chmod 755 {script}; chmod 600 {file}"))
    crowd = Detached.start(client, f"{folder}-run", Script(f"python3 {program} {file}"), 900)
    try:
        look = f"n=0; until [ -s {folder}/up ]; do n=$((n+1)); [ $n -gt 6500 ] && exit 1; "
        done = client.run(Script(f"{look} sleep 0.02; done; cat {folder}/up"), _PATIENCE_S)
        if not done.output.strip().replace(".", "").isdigit():
            logs = client.run(Script(f"tail -n 2 {folder}/*.log | tail -c 500")).output
            raise SystemExit(f"{side.name}: {done.output.strip()}. {logs}")
        yield float(done.output)
    finally:
        crowd.stop()
        gone = f"n=0; while ls /sys/class/net | grep -q ^{side.prefix}; do n=$((n+1)); "
        client.run(Script(f"{gone} [ $n -gt 1000 ] && exit 1; sleep 0.02; done; sleep 0.5"), 30)


def _throughput(
    args: Namespace, lab: BenchLab, client: Shell, server: Shell, sides: list[Side]
) -> None:
    """No tunnel, and one user of each server, by turns."""
    far = lab.testbed.endpoints.server
    rates: dict[tuple[str, str], list[float]] = {}
    own: dict[tuple[str, str], list[float]] = {}
    whole: dict[tuple[str, str], list[float]] = {}

    def measure(way: str, side: Side | None) -> None:
        busy, cpu = busy_s(), _seen(lab, side)[0] if side else 0.0
        trial = iperf.run(client, server, far.address, far.iperf3_port, LOADS[way])
        cpu, busy = (_seen(lab, side)[0] if side else 0.0) - cpu, busy_s() - busy
        mbit = trial.all_bytes * 8 / 1e6
        key = (way, side.name if side else PLAIN)
        rates.setdefault(key, []).append(trial.mbps)
        own.setdefault(key, []).append(cpu * 1e3 / mbit)
        whole.setdefault(key, []).append(busy * 1e3 / mbit)

    with ExitStack() as stack:
        for side in sides:
            stack.enter_context(_users(client, side, 1))
        for _ in range(args.times or 7):
            for way in LOADS:
                client.run(Script(f"ip route del {far.address}/32 2>/dev/null; true"))
                measure(way, None)
                for side in sides:
                    client.run(Script(f"ip route replace {far.address}/32 dev {side.prefix}0"))
                    measure(way, side)
    rows = []
    for way in LOADS:
        plain = rates[way, PLAIN]
        rows.append((way, PLAIN, spread(plain, 0), "1", "", spread(whole[way, PLAIN]), ""))
        for side in sides:
            key, other = (way, side.name), rates.get((way, "ocserv"), [])
            ratio = ""
            if other and side.name != "ocserv":
                pairs = [mine / its for mine, its in zip(rates[key], other, strict=True)]
                ratio = f"{median(rates[key]) / median(other):.2f}; {spread(pairs)}"
            share = f"{median(rates[key]) / median(plain):.3f}"
            cpu = (spread(own[key]), spread(whole[key]))
            rows.append((way, side.name, spread(rates[key], 0), share, *cpu, ratio))
    show(
        (
            *("one TCP stream", "server", "Mbit/s", "of the plain path"),
            *("CPU of the server, ms/Mbit", "CPU of all, ms/Mbit"),
            "over ocserv: of medians; of each pair",
        ),
        rows,
    )
    print("Published: 109 Mbit/s over SSL VPN (Hokkanen 2016), on another gateway.\n", flush=True)


def _crowds(args: Namespace, lab: BenchLab, client: Shell, sides: list[Side]) -> None:
    """Users who come at once: how long until all are there, and what the server then holds."""
    rows = []
    for count in SIZES:
        for side in sides:
            times, sizes = [], []
            for _ in range(min(args.times or 3, 3)):
                with _users(client, side, count) as seconds:
                    times.append(seconds)
                    sizes.append(_seen(lab, side)[1])
            rate = f"{count / median(times):.0f}"
            rows.append((count, side.name, spread(times), rate, spread(sizes, 0)))
    show(("users at once", "server", "s until all are up", "users/s", "memory, MB"), rows)
