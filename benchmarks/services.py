"""FTP and HTTP throughput direct, through the gateway and with security services, and its CPU.

The three paths take turns, so that all of them meet the same machine. The gateway has no shaper
here. CPU is what the whole machine was busy with during a download, both endpoints, gateway and
inspection together, in milliseconds of one core for each Mbit of file content.
"""

from __future__ import annotations

from argparse import Namespace

from benchmarks.bench_lab import MARK, labs
from benchmarks.machine import busy_s
from benchmarks.table import show, spread
from gatepass.base.waiting import until
from gatepass.endpoint.download import FileSource, Transfer, fetch, timed
from gatepass.endpoint.file_server import TestFiles
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.specimens import EICAR, Specimen
from gatepass.scenarios.security.profiles import FLOW, Inspection, SecurityProfiles

SIZE = 256 * 2**20
DIRECT, PLAIN, INSPECTED = "direct", "through the gateway", "with security services"
LIMIT_S = 60
VIRUS = Specimen("the virus test file", "eicar.com", EICAR)


def main(args: Namespace) -> None:
    """Interleaved downloads over both protocols and all three paths."""
    rates: dict[tuple[str, str], list[float]] = {}
    costs: dict[tuple[str, str], list[float]] = {}
    with labs() as (lab,), lab.inside(), lab.endpoints() as (client, server):
        gateway = lab.gateway()
        lab.without_shaper(gateway)
        far = lab.testbed.endpoints.server
        files = TestFiles(server, far.files.folder, MARK)
        files.noise("large.bin", SIZE)
        files.put([VIRUS])
        rules = lab.rules(gateway)
        profiles = SecurityProfiles(gateway, rules.changes, ["exe", "bat"])
        inspection = Inspection(rules, {FLOW: profiles}, FLOW)
        inspection.begin()
        ports = {"ftp": far.files.ftp_port, "http": far.files.http_port}
        paths = {DIRECT: far.direct_address, PLAIN: far.address, INSPECTED: far.address}
        for _ in range(args.times or 5):
            for path, address in paths.items():
                inspection.switch(path == INSPECTED)
                _await(client, files, FileSource("http", address, ports["http"]), path != INSPECTED)
                for scheme, port in ports.items():
                    source = FileSource(scheme, address, port)
                    transfer, busy_s = _measured(client, source, files.path("large.bin"))
                    key = (scheme.upper(), path)
                    rates.setdefault(key, []).append(transfer.mbps)
                    costs.setdefault(key, []).append(busy_s * 1e3 / (SIZE * 8 / 1e6))
        files.remove()
        gateway.close()
    show(
        ("protocol", "path", "Mbit/s of file content", "CPU, ms of a core for a Mbit"),
        [
            (scheme, path, spread(rates[scheme, path], 0), spread(costs[scheme, path], 2))
            for scheme in ("FTP", "HTTP")
            for path in paths
        ],
    )


def _await(client: Shell, files: TestFiles, source: FileSource, arrives: bool) -> None:
    """Wait until the virus test file shows that inspection is on, or off."""

    def as_it_should() -> bool:
        got = fetch(client, source, files.path(VIRUS.file))
        return got.is_copy_of(VIRUS.content) is arrives

    if not until(as_it_should, LIMIT_S):
        raise SystemExit(f"The virus test file {'does not arrive' if arrives else 'arrives'}.")


def _measured(client: Shell, source: FileSource, path: str) -> tuple[Transfer, float]:
    """A download, and how long the machine's cores were busy meanwhile, in seconds."""
    before = busy_s()
    transfer = timed(client, source, path, SIZE, LIMIT_S)
    return transfer, busy_s() - before
