"""Puts the faults of endpoints in force, and takes them back.

Each is a pair of functions. The first puts it in force and returns what the second needs to know
in order to take it back.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.base import share
from lab.base.errors import LabError
from lab.base.faults import Value
from lab.base.process import Process, wait_until
from lab.endpoints.endpoint import INSIDE, Endpoint
from lab.nodes.node import PATH, Node, program
from lab.nodes.topology import ENDPOINT_DATA, ENDPOINT_DIRECT

_START_SECONDS = 5
_LISTEN, _ESTABLISHED = "0A", "01"
_SHAPED = ("data", "direct")
_FIREWALL = "site_firewall"
_REFUSING = """\
#!/bin/sh
echo 'iperf3: error - unable to start listener for connections: Cannot allocate memory' >&2
exit 1
"""
_BROKEN = """\
#!/bin/sh
case "$*" in
*--version) echo 'OpenConnect version v9.01' ;;
*) echo 'openconnect: symbol lookup error: libopenconnect.so.5: undefined symbol' >&2; exit 127 ;;
esac
"""

# They end with the program that takes the script's place.
_HOG = "while kill -0 $$ 2>/dev/null; do :; done "
# Programs of the other nodes are on the same processors, and are to keep their share: all that
# begins here together comes after them, and in it the test program comes last. How far last must
# not depend on how nice the lab itself was started.
_STARVED = """\
#!/bin/sh
[ -w {groups}/cgroup.procs ] && echo 0 >{groups}/cgroup.procs
[ -w /proc/self/autogroup ] && echo 19 >/proc/self/autogroup
renice -n 0 -p $$ >/dev/null
{hogs}&
exec chrt --idle 0 {real} "$@"
"""

Record = dict[str, Any]


@dataclass(frozen=True)
class FaultyEndpoint:
    """Where a fault acts: the endpoint's node and what the lab keeps of it."""

    node: Node
    endpoint: Endpoint


Begin = Callable[[FaultyEndpoint, Mapping[str, Value]], Record]
End = Callable[[FaultyEndpoint, Record], None]


def _iperf3() -> str:
    return program("iperf3") or "/usr/bin/iperf3"


def _iperf3_down(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    script = place.endpoint.folder / "iperf3-refusing"
    script.write_text(_REFUSING)
    script.chmod(0o755)
    target = os.path.realpath(_iperf3())
    place.node.must(["mount", "--bind", f"{INSIDE}/{script.name}", target])
    return {"mounts": [target]}


def _missing(name: str) -> Begin:
    """Hide a program, wherever it is."""

    def begin(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
        folders = {
            os.path.realpath(folder)
            for folder in PATH.split(":")
            if os.path.exists(os.path.join(folder, name))
        }
        mounts = []
        for number, folder in enumerate(sorted(folders)):
            # A character device 0:0 in an upper layer hides the file of its name in those below.
            without = f"/run/without-{name}-{number}"
            place.node.must(["mkdir", "-p", without])
            place.node.run(["mknod", f"{without}/{name}", "c", "0", "0"])
            layers = f"lowerdir={without}:{folder}"
            place.node.must(["mount", "-t", "overlay", "overlay", "-o", layers, folder])
            mounts.append(folder)
        return {"mounts": mounts}

    return begin


def _vpn_client_broken(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    script = place.endpoint.folder / "openconnect-broken"
    script.write_text(_BROKEN)
    script.chmod(0o755)
    target = os.path.realpath(program("openconnect") or "/usr/sbin/openconnect")
    place.node.must(["mount", "--bind", f"{INSIDE}/{script.name}", target])
    return {"mounts": [target]}


def _unmount(place: FaultyEndpoint, record: Record) -> None:
    for target in record["mounts"]:
        place.node.must(["umount", "--lazy", target])


def _iperf3_busy(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    port = str(values["port"])
    log = place.endpoint.folder / "iperf3-busy.log"
    node = place.node
    server = node.spawn([_iperf3(), "--server", "--port", port, "--interval", "0"], log)
    record: Record = {"processes": [server.as_dict()]}
    try:
        _wait(place, int(port), _LISTEN, "listen")
        # Slow enough to take nothing from others, and as long as iperf3 allows.
        client = [_iperf3(), "--client", "127.0.0.1", "--port", port, "--time", "86400"]
        slow = ["--bitrate", "80K", "--length", "1K", "--interval", "0"]
        record["processes"].append(node.spawn([*client, *slow], log).as_dict())
        _wait(place, int(port), _ESTABLISHED, "serve a test")
    except LabError:
        _end_processes(place, record)
        raise
    return record


def _wait(place: FaultyEndpoint, port: int, state: str, what: str) -> None:
    """Wait until a TCP socket of this local port is in a state (RFC 9293, 3.3.2)."""

    def reached() -> bool:
        for table in ("tcp", "tcp6"):
            text = Path(f"/proc/{place.node.init.pid}/net/{table}").read_text()
            for line in text.splitlines()[1:]:
                fields = line.split()
                if int(fields[1].rpartition(":")[2], 16) == port and fields[3] == state:
                    return True
        return False

    if not wait_until(reached, _START_SECONDS):
        raise LabError(
            f"The lab's {place.node.name} did not {what} on port {port}; "
            "another program may hold the port, or iperf3 has a fault: clear it before."
        )


def _end_processes(place: FaultyEndpoint, record: Record) -> None:
    for entry in reversed(record["processes"]):
        process = Process(**entry)
        place.node.signal(process, "KILL")
        wait_until(lambda process=process: not process.alive(place.node.proc), _START_SECONDS)


def _ssh_lost(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    server = place.endpoint.sshd(place.node)
    if server is None:
        raise LabError(f"The lab's {place.node.name} has no SSH server that could be lost.")
    watcher = Path(__file__).with_name("ssh_lost.py")
    command = [sys.executable, "-I", "-S", str(watcher), str(server.pid), str(values["after"])]
    process = place.node.spawn(command, place.endpoint.folder / "ssh-lost.log")
    return {"processes": [process.as_dict()]}


def _ssh_found(place: FaultyEndpoint, record: Record) -> None:
    _end_processes(place, record)
    if place.endpoint.sshd(place.node) is None:
        place.endpoint.start_sshd(place.node)


def _slow_endpoint(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    record: Record = {"interfaces": list(_SHAPED)}
    limit = f"tbf rate {float(values['mbps']):g}mbit burst 64k latency 50ms"
    commands = []
    for name in _SHAPED:
        # What arrives can only be shaped where it leaves: it takes a way round through an ifb.
        commands += [
            f"tc qdisc add dev {name} root {limit}",
            f"ip link add slow-{name} type ifb",
            f"ip link set slow-{name} up",
            f"tc qdisc add dev slow-{name} root {limit}",
            f"tc qdisc add dev {name} handle ffff: ingress",
            f"tc filter add dev {name} parent ffff: protocol all u32 match u32 0 0 "
            f"action mirred egress redirect dev slow-{name}",
        ]
    try:
        place.node.must(["/bin/sh", "-ec", "\n".join(commands)])
    except LabError:
        _as_fast_as_before(place, record)
        raise
    return record


def _as_fast_as_before(place: FaultyEndpoint, record: Record) -> None:
    for name in record["interfaces"]:
        place.node.run(["tc", "qdisc", "del", "dev", name, "root"])
        place.node.run(["tc", "qdisc", "del", "dev", name, "ingress"])
        place.node.run(["ip", "link", "del", f"slow-{name}"])


def _cpu_busy(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    real = "/run/iperf3-program"
    script = place.endpoint.folder / "iperf3-starved"
    hogs = "& ".join([_HOG] * (os.cpu_count() or 1))
    script.write_text(_STARVED.format(groups=share.INSIDE, real=real, hogs=hogs))
    script.chmod(0o755)
    return _in_the_place_of(place, _iperf3(), script, real)


def _clock_off(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    """All nodes share the machine's clock, so it is its reading that is made wrong."""
    script, real = place.endpoint.folder / "date-ahead", "/run/date-program"
    script.write_text(f'#!/bin/sh\nexec {real} --date="{values["seconds"]} seconds" "$@"\n')
    script.chmod(0o755)
    return _in_the_place_of(place, program("date") or "/usr/bin/date", script, real)


def _clock_drifts(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    """Lay what bends the clock over the folder of Python's standard library."""
    bend = {
        "began_ns": time.time_ns(),
        "fast": float(values["milliseconds_per_s"]) / 1000,
        "step_ns": int(float(values["step_milliseconds"]) * 1e6),
        "every_ns": int(float(values["every_s"]) * 1e9),
    }
    layer = place.endpoint.folder / "bent-clock"
    layer.mkdir(exist_ok=True)
    shutil.copyfile(Path(__file__).with_name("bent_clock.py"), layer / "sitecustomize.py")
    (layer / "bent_clock.json").write_text(json.dumps(bend))
    ask = "import sysconfig; print(sysconfig.get_path('stdlib'))"
    library = place.node.must(["python3", "-I", "-S", "-c", ask]).strip()
    layers = f"lowerdir={INSIDE}/{layer.name}:{library}"
    place.node.must(["mount", "-t", "overlay", "overlay", "-o", layers, library])
    return {"mounts": [library]}


def _in_the_place_of(place: FaultyEndpoint, path: str, script: Path, real: str) -> Record:
    """Have a script in a program's place, and the program itself as `real`."""
    target = os.path.realpath(path)
    place.node.must(["/bin/sh", "-ec", f": >{real}; mount --bind {target} {real}"])
    place.node.must(["mount", "--bind", f"{INSIDE}/{script.name}", target])
    return {"mounts": [target, real]}


def _key_files(endpoint: Endpoint) -> list[Path]:
    return [endpoint.folder / f"ssh_host_ed25519_key{suffix}" for suffix in ("", ".pub")]


def _host_key_changed(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    for file in _key_files(place.endpoint):
        shutil.copy2(file, file.with_name(file.name + ".known"))
    place.endpoint.new_host_key()
    _restart_sshd(place)
    return {}


def _host_key_as_known(place: FaultyEndpoint, record: Record) -> None:
    for file in _key_files(place.endpoint):
        file.with_name(file.name + ".known").replace(file)
    _restart_sshd(place)


def _restart_sshd(place: FaultyEndpoint, before: Sequence[str] = ()) -> None:
    place.endpoint.stop_sshd(place.node)
    place.endpoint.start_sshd(place.node, before)


def _without_rights(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    """Whoever logs in from now on is a root without these capabilities, as in a container."""
    taken = ",".join(f"-{name.strip()}" for name in str(values["capabilities"]).split(","))
    _restart_sshd(place, ["setpriv", "--bounding-set", taken])
    return {}


def _with_all_rights(place: FaultyEndpoint, record: Record) -> None:
    _restart_sshd(place)


def _firewall(hook: str) -> Begin:
    """Drop what comes to ports (hook `input`), or what is for them (`output`)."""

    def begin(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
        rule = f"meta l4proto {{ tcp, udp }} th dport {{ {values['ports']} }} drop"
        chain = f"chain ports {{ type filter hook {hook} priority filter; {rule}; }}"
        place.node.must(["nft", f"table inet {_FIREWALL} {{ {chain}; }}"])
        return {}

    return begin


def _zone(end: str) -> Begin:
    """Drop what comes by the interface towards the gateway: to ports (`dport`), or from them."""

    def begin(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
        match = f"meta l4proto {{ {values['protocols']} }} th {end} {{ {values['ports']} }}"
        share = f"numgen random mod 100 <= {int(values['percent']) - 1}"
        rule = f'iifname "data" {match} {share} drop'
        chain = f"chain data {{ type filter hook input priority filter; {rule}; }}"
        place.node.must(["nft", f"table inet {_FIREWALL} {{ {chain}; }}"])
        return {}

    return begin


def _reverse_path(place: FaultyEndpoint, values: Mapping[str, Value]) -> Record:
    """Have the way back to the client past the gateway, and let nothing in by another."""
    there, back = ENDPOINT_DATA["client"], ENDPOINT_DIRECT["client"]
    place.node.must(["ip", "route", "add", there, "via", back])
    place.node.must(["sysctl", "-qw", "net.ipv4.conf.data.rp_filter=1"])
    return {"route": there}


def _no_reverse_path(place: FaultyEndpoint, record: Record) -> None:
    place.node.must(["sysctl", "-qw", "net.ipv4.conf.data.rp_filter=0"])
    place.node.must(["ip", "route", "del", record["route"]])


def _no_firewall(place: FaultyEndpoint, record: Record) -> None:
    place.node.must(["nft", "delete", "table", "inet", _FIREWALL])


ENDPOINT_FAULTS: Mapping[str, tuple[Begin, End]] = {
    "iperf3-down": (_iperf3_down, _unmount),
    "iperf3-busy": (_iperf3_busy, _end_processes),
    "iperf3-missing": (_missing("iperf3"), _unmount),
    "ssh-lost": (_ssh_lost, _ssh_found),
    "slow-endpoint": (_slow_endpoint, _as_fast_as_before),
    "endpoint-cpu-busy": (_cpu_busy, _unmount),
    "endpoint-clock-off": (_clock_off, _unmount),
    "endpoint-clock-drifts": (_clock_drifts, _unmount),
    "client-without-rights": (_without_rights, _with_all_rights),
    "host-key-changed": (_host_key_changed, _host_key_as_known),
    "server-firewall": (_firewall("input"), _no_firewall),
    "peer-firewall": (_firewall("input"), _no_firewall),
    "server-zone": (_zone("dport"), _no_firewall),
    "server-reverse-path": (_reverse_path, _no_reverse_path),
    "client-zone": (_zone("sport"), _no_firewall),
    "client-firewall": (_firewall("output"), _no_firewall),
    "vpn-client-broken": (_vpn_client_broken, _unmount),
    "vpn-client-missing": (_missing("openconnect"), _unmount),
}
