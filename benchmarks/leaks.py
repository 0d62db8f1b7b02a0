"""What a scan for leaks finds, how long it takes and what it costs, beside nmap.

A sound gateway is scanned, quiet and with every core busy: nothing may be found. Then the lab's
gateway is given each of its leaks, one at a time: each has to be found. At last the same is asked
of nmap, which goes by answers: every TCP port from the client to the server, by SYN, over IPv4.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.bench_lab import BenchLab, labs
from benchmarks.stability import taken
from benchmarks.table import show, spread
from gatepass.scenarios.leaks.conduct import Prepared, prepare
from gatepass.scenarios.leaks.findings import Findings, listed
from gatepass.scenarios.leaks.kinds import KINDS, OWN, TCP_PORTS
from gatepass.scenarios.leaks.sweeps import EVERY_PORT
from lab.gateway.dataplane.nft.leaks import NAMES

QUICK_PPS, FAST_PPS = 50_000, 100_000
"""The pace of the profile quick, and that of the leaks one at a time."""
_TIMES = 20


def main(args: Namespace) -> None:
    """Print the three tables."""
    times = args.times or _TIMES
    with labs(1) as (lab,), lab.inside(), _prepared(lab) as prepared:
        _sound(prepared, times)
        _leaks(lab, prepared)
        _beside_nmap(lab, prepared, min(times, 3))


@contextmanager
def _prepared(lab: BenchLab) -> Iterator[Prepared]:
    with ExitStack() as open_:
        shells = {
            name: open_.enter_context(lab.endpoint(name)) for name in ("client", "server", "peer")
        }
        gateway = lab.gateway()
        open_.callback(gateway.close)
        yield prepare(gateway, lab.rules(gateway), lab.testbed, shells)


def _sound(prepared: Prepared, times: int) -> None:
    """Scans of a gateway that lets nothing through, a half of them under load."""
    rows = []
    for load, takers in (("quiet", ()), ("every core busy", ("",) * 2)):
        seconds, cpu, wrong, unproven, sent = [], [], 0, 0, 0
        for _ in range(max(1, times // 2)):
            with taken(takers):
                began = time.monotonic()
                findings = prepared.scan(QUICK_PPS)
                seconds.append(time.monotonic() - began)
            cpu.append(findings.scanned.cpu_s)
            sent = sum(findings.sent(kind) for kind in KINDS)
            wrong += any(findings.of(kind).leaks for kind in KINDS) or bool(_answered(findings))
            unproven += bool(findings.scanned.unproven or findings.scanned.trouble)
        rows.append(
            (load, len(seconds), f"{sent:,}", wrong, unproven, spread(seconds, 1), spread(cpu, 1))
        )
    head = ("machine", "scans", "packets", "false leaks", "not proven", "s", "CPU s of endpoints")
    show(head, rows)


def _leaks(lab: BenchLab, prepared: Prepared) -> None:
    """Each leak by itself, met by a whole scan."""
    found, missed, seconds = [], [], []
    for name in NAMES:
        lab.must("lab", "fault", "leak", f"of={name}", "--lab", "bench")
        began = time.monotonic()
        try:
            findings = prepared.scan(FAST_PPS, beside_first=False)
        finally:
            lab.must("lab", "fault", "--clear", "--lab", "bench")
        seconds.append(time.monotonic() - began)
        leaks = [leak for kind in KINDS for leak in findings.of(kind).leaks]
        answers = _answered(findings)
        (found if leaks or answers else missed).append(name)
        print(f"- {name}: {listed(leaks[:1]) or answers or 'MISSED'}", flush=True)
    print(flush=True)
    show(
        ("leaks, one at a time", "found", "missed", "s a scan"),
        [(len(NAMES), len(found), ", ".join(missed) or 0, spread(seconds, 1))],
    )


def _answered(findings: Findings) -> str:
    """What the gateway itself answered; a lab that was delivered answers nothing to endpoints."""
    own = {part.target for plan in findings.scanned.plans for part in plan.parts
           if part.kind == OWN}
    return "; ".join(
        f"TCP port {port} of {address} answered the {side}"
        for side, answers in findings.scanned.answers.items()
        for address, words in answers.items()
        if address in own
        for port in sorted(words.get("SYN+ACK", ()))
    )


def _beside_nmap(lab: BenchLab, prepared: Prepared, times: int) -> None:
    """The same work by either: SYN to every TCP port."""
    rows = []
    ours = [prepared.scan(FAST_PPS, [TCP_PORTS], beside_first=False) for _ in range(times)]
    packets = ours[0].sent(TCP_PORTS)
    rows.append(
        _row("gatepass, all ways", packets, [one.scanned.seconds for one in ours],
             [one.scanned.cpu_s for one in ours])
    )
    if not shutil.which("nmap"):
        print("nmap is not installed: apt-get install nmap\n", file=sys.stderr)
    else:
        wall, cpu = zip(*(_nmap(lab) for _ in range(times)), strict=True)
        rows.append(_row("nmap -sS, client to server", EVERY_PORT[1], wall, cpu))
    show(("by", "packets", "s", "packets/s", "CPU us a packet"), rows)


def _row(by: str, packets: int, wall: list[float], cpu: list[float]) -> tuple[str, ...]:
    return (
        by,
        f"{packets:,}",
        spread(wall, 1),
        spread([packets / one for one in wall], 0),
        spread([one / packets * 1e6 for one in cpu], 1),
    )


def _nmap(lab: BenchLab) -> tuple[float, float]:
    """Wall and processor time of one scan by nmap, as fast as it is asked to go."""
    target = lab.testbed.endpoints.server.address
    command = f"nmap -n -Pn -sS -p1-65535 --min-rate {FAST_PPS} --max-retries 0 -oN - {target}"
    done = subprocess.run(
        [sys.executable, "-m", "lab", "exec", "client", "--lab", "bench", "--", "bash", "-c",
         f"TIMEFORMAT='%R %U %S'; time {command}"],
        env=lab.environment, capture_output=True, text=True, check=True,
    )
    wall, user, system = map(float, re.search(r"([\d.]+) ([\d.]+) ([\d.]+)\s*$",
                                              done.stderr).groups())
    return wall, user + system
