"""A trial's course is what the receiver's interface counted, also where the slow start ends.

tests/core/data/shaped-*: a trial through a shaper of 250 Mbit/s between two namespaces, with what
the receiver's watch wrote down meanwhile (`python tests/core/test_iperf_intervals.py` keeps another
one).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.endpoint.iperf import run
from gatepass.endpoint.iperf_intervals import Interval, counted
from gatepass.endpoint.rig_watch import EndpointWatch
from gatepass.report.failure_trials import rows
from gatepass.results.conduct import Conduct
from gatepass.results.trial import Load

DATA = Path(__file__).with_name("data")
LOAD = Load(2, omit_s=1, interval_s=0.25)
HEADERS = 66
_CABLE = """
ip link set lo up && ip netns add far && ip link add near type veth peer name far netns far &&
ip address add 10.0.0.1/24 dev near && ip link set near up &&
ip -n far address add 10.0.0.2/24 dev far && ip -n far link set far up &&
ip -n far link set lo up &&
tc qdisc add dev near root tbf rate 250mbit burst 64kb latency 20ms && echo up && exec sleep 120
"""


@contextmanager
def shaped_path(folder: Path) -> Iterator[tuple[LocalShell, LocalShell]]:
    """Client and server, at two ends of a cable that carries 250 Mbit/s."""
    words = ["unshare", "--net", "--mount", "sh", "-c", f"mount -t tmpfs none /run; {_CABLE}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        inside = ("nsenter", "--net", "--mount", "--target", str(holder.pid))
        shells = [
            LocalShell("client", folder / "client", inside),
            LocalShell("server", folder / "server", (*inside, "ip", "netns", "exec", "far")),
        ]
        for shell in shells:
            Path(shell.folder()).mkdir()
        yield shells[0], shells[1]
        holder.kill()


def watched_trial(folder: Path) -> list[dict]:
    """Run a trial, keep its reports as 001 in a folder; what the receiver's watch wrote down."""
    with shaped_path(folder) as (client, server):
        watch = EndpointWatch(server)
        watch.now()
        run(client, server, "10.0.0.2", 5299, LOAD, folder / "001")
        lines = (Path(server.folder()) / "watch.lines").read_text().splitlines()
        watch.end()
    return [json.loads(line) for line in lines if line.endswith("}")]


def wire(lines: list[dict]) -> list[tuple[float, float]]:
    """Moments, and the payload that the receiver's interface had counted by then."""
    conduct = Conduct.of(lines)
    assert conduct is not None
    return [(at, links["far"][0] - HEADERS * links["far"][1]) for at, links in conduct.links]


def by(moment: float, seen: Sequence[tuple[float, float]]) -> float:
    """What the interface had counted by a moment between two looks."""
    after = next(place for place, (at, _) in enumerate(seen) if at >= moment)
    (was, before), (at, count) = seen[after - 1], seen[after]
    return before + (count - before) * (moment - was) / (at - was)


def rates(seen: Sequence[tuple[float, float]], seconds: float) -> list[float]:
    """What the interface carried in each window of a length within the transfer, Mbit/s."""
    most = max(count - before for (_, before), (_, count) in pairwise(seen))
    busy = [at for (_, before), (at, count) in pairwise(seen) if count - before > most / 2]
    begins = [at for at in busy if at + seconds <= busy[-1]]
    return [(by(at + seconds, seen) - by(at, seen)) * 8e-6 / seconds for at in begins]


def agree(course: Sequence[Interval], seen: Sequence[tuple[float, float]], off: float) -> None:
    """A course has no dip and no peak that the wire had not, by more than the share `off`."""
    for one in course:
        on_the_wire = rates(seen, one.seconds)
        assert min(on_the_wire) * (1 - off) <= one.mbps <= max(on_the_wire) * (1 + off)
    assert sum(one.seconds for one in course) == pytest.approx(course[-1].ended_s, rel=0.01)


def course_of(folder: Path) -> Sequence[Interval]:
    """As the failure page draws it."""
    (row,) = rows([{"number": 1, "to": "10.0.0.2", "mbps": 240.0}], folder, ())
    return row.received


def recorded(folder: Path) -> list[dict]:
    for side in ("client", "server"):
        report = DATA / f"shaped-{side}.json"
        (folder / f"001-{side}.json").write_text(report.read_text())
    return json.loads((DATA / "shaped-watch.json").read_text())


def test_a_recorded_trial_is_drawn_as_the_wire_carried_it(tmp_path: Path) -> None:
    seen = wire(recorded(tmp_path))
    agree(course_of(tmp_path), seen, 0.05)


@pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace needs root")
def test_a_trial_of_now_is_drawn_as_the_wire_carried_it(tmp_path: Path) -> None:
    seen = wire(watched_trial(tmp_path))
    agree(course_of(tmp_path), seen, 0.15)


def test_the_bytes_of_the_course_are_those_of_the_trial(tmp_path: Path) -> None:
    recorded(tmp_path)
    report = json.loads((tmp_path / "001-server.json").read_text())
    total = report["end"]["sum_received"]["bytes"]
    drawn = sum(one.bytes for one in counted(report))
    assert total * 0.99 < drawn <= total  # a stub is left out


@pytest.mark.parametrize("name", ["001", "004"])
def test_no_dip_where_the_slow_start_ends(sealed: Path, name: str) -> None:
    """Of a kept run: told as 124.8 of 249 Mbit/s, and as 157.5 of 315 without the gateway."""
    report = json.loads((sealed / "trials" / f"{name}-server.json").read_text())
    mean = report["end"]["sum_received"]["bits_per_second"] / 1e6
    course = counted(report)
    assert [one.mbps for one in course] == pytest.approx([mean] * len(course), rel=0.02)


@pytest.mark.parametrize("name", ["tcp-reverse", "udp-loss-reverse"])
def test_of_traffic_to_the_client_the_clients_report_is_drawn(tmp_path: Path, name: str) -> None:
    for side in ("client", "server"):
        text = (DATA / f"{name}-{side}.json").read_text()
        (tmp_path / f"001-{side}.json").write_text(text)
    course = course_of(tmp_path)
    assert course == counted(json.loads((DATA / f"{name}-client.json").read_text()))
    assert max(one.mbps for one in course) < 1.4 * min(one.mbps for one in course)


def test_what_is_not_whole_has_no_course(tmp_path: Path) -> None:
    for text in ("{", '{"intervals": []}', '{"intervals": [{"sum": {"bytes": 1}}]}', "[]"):
        (tmp_path / "001-server.json").write_text(text)
        assert not course_of(tmp_path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        kept = watched_trial(Path(scratch))
        for end in ("client", "server"):
            report = json.loads((Path(scratch) / f"001-{end}.json").read_text())
            (DATA / f"shaped-{end}.json").write_text(json.dumps(report, indent=1))
        left_out = ("programs", "pressure", "packets_waited")
        slim = [{k: v for k, v in line.items() if k not in left_out} for line in kept]
        (DATA / "shaped-watch.json").write_text(json.dumps(slim, indent=1))
    sys.exit()
