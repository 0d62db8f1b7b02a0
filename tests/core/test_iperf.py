"""Trials from the reports of the real iperf3 3.12, and trials with it."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint import iperf
from gatepass.endpoint.iperf import parse, run
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.results.trial import Load

DATA = Path(__file__).with_name("data")


def report(name: str) -> dict:
    """A captured report."""
    return json.loads((DATA / f"{name}.json").read_text())


def reports(name: str) -> tuple[dict, dict]:
    """Those of client and server."""
    return report(f"{name}-client"), report(f"{name}-server")


@pytest.mark.parametrize(
    ("name", "receiver"),
    [("tcp", 1), ("tcp-reverse", 0), ("udp", 1), ("udp-reverse", 0), ("udp-loss", 1),
     ("udp-loss-reverse", 0)],
)  # fmt: skip
def test_the_figure_is_the_receivers(name: str, receiver: int) -> None:
    both = reports(name)
    total = both[receiver]["end"]["sum_received"]
    trial = parse(*both)
    assert trial.received_bytes == total["bytes"]
    assert trial.seconds == total["seconds"]
    assert trial.mbps == pytest.approx(total["bytes"] * 8e-6 / total["seconds"])
    assert trial.mbps == pytest.approx(total["bits_per_second"] / 1e6)
    assert trial.all_bytes > trial.received_bytes  # the slow start came through as well
    assert trial.seen == {"127.0.0.1"}
    assert trial.client_cpu > 0 and trial.server_cpu > 0


def test_tcp() -> None:
    trial = parse(*reports("tcp"))
    assert trial.retransmits == report("tcp-client")["end"]["sum_sent"]["retransmits"]
    assert trial.rtt_ms is not None and 0 < trial.rtt_ms < 100
    assert trial.lost_percent is None


@pytest.mark.parametrize("name", ["udp", "udp-reverse", "udp-loss", "udp-loss-reverse"])
def test_udp(name: str) -> None:
    trial = parse(*reports(name))
    assert (trial.retransmits, trial.rtt_ms) == (None, None)
    # one datagram in five is dropped on the way
    assert trial.lost_percent == pytest.approx(20 if "loss" in name else 0, abs=3)
    assert trial.mbps == pytest.approx(16 if "loss" in name else 20, rel=0.05)


@pytest.mark.parametrize("name", ["tcp", "tcp-reverse", "udp", "udp-loss"])
def test_the_rates_of_intervals_agree_with_the_whole(name: str) -> None:
    trial = parse(*reports(name))
    assert trial.intervals
    for rate in trial.intervals:
        assert rate == pytest.approx(trial.mbps, rel=0.3)


def test_an_interval_that_lasts_longer_than_its_bytes_took_is_no_sample() -> None:
    """Where the slow start ends, 3.12 may count one interval's bytes and two intervals' time."""
    sent, received = reports("tcp-reverse")
    counted = [part["sum"] for part in sent["intervals"] if not part["sum"]["omitted"]]
    assert [round(part["seconds"], 1) for part in counted] == [1.0, 0.5]
    assert len(parse(sent, received).intervals) == 1


def test_udp_of_a_version_without_sum_received() -> None:
    sent, received = reports("udp-loss")
    new = parse(sent, received)
    for one in (sent, received):
        del one["end"]["sum_received"]
    old = parse(sent, received)
    assert old.mbps == pytest.approx(new.mbps, rel=0.001)
    assert old.received_bytes == new.received_bytes


def test_the_addresses_seen_are_those_of_the_data_not_of_the_control_connection() -> None:
    sent, received = reports("tcp")
    received["start"]["accepted_connection"]["host"] = "203.0.113.9"
    one, other, *rest = received["start"]["connected"]
    one["remote_host"] = "::ffff:198.18.2.1"
    for stream in (other, *rest):
        stream["remote_host"] = "2001:2:0:2::1"
    assert parse(sent, received).seen == {"198.18.2.1", "2001:2:0:2::1"}


@pytest.mark.parametrize(
    "path",
    [
        ("end",),
        ("end", "sum_received"),
        ("end", "cpu_utilization_percent"),
        ("start", "test_start"),
        ("start", "connected"),
        ("intervals",),
    ],
)
def test_a_report_that_is_not_whole_proves_nothing(path: tuple[str, ...]) -> None:
    for side in (0, 1):
        both = copy.deepcopy(reports("tcp"))
        part = both[side]
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]
        try:
            assert parse(*both).mbps > 0  # what is missing there is not asked for
        except NotProven as error:
            assert "not whole" in str(error)
    with pytest.raises(NotProven, match="not whole"):
        parse(report("refused-client"), report("tcp-server"))


def test_the_clients_words() -> None:
    load = Load(10, omit_s=2, streams=4, udp_mbps=200, reverse=True)
    assert load.arguments() == "-t 10 -P 4 -i 1 -O 2 -u -b 50000000 -l 1400 -w 2M -R"
    assert load.layer == "UDP payload"
    assert Load(10).layer == "TCP goodput"
    paced = Load(10, streams=4, pace_mbps=400)
    assert paced.arguments() == "-t 10 -P 4 -i 1 -C cubic --fq-rate 100000000"
    back = replace(paced, reverse=True)
    assert back.arguments() == "-t 10 -P 4 -i 1 -C cubic -b 100000000 -l 12500 -R"
    assert " -l 4096 " in replace(back, pace_mbps=4).arguments()
    assert " -l 131072 " in replace(back, pace_mbps=40_000).arguments()


class TestWithTheProgram:
    """iperf3 itself, or a stand-in for it, in a network namespace of its own."""

    def trial(self, shell: LocalShell, keep: Path | None = None, **load: object):
        return run(shell, shell, "127.0.0.1", 5299, Load(1, interval_s=0.5, **load), keep)

    def stand_in(self, shell: LocalShell, script: str) -> None:
        """Replace the client's program."""
        folder = Path(shell.folder()) / "bin"
        folder.mkdir()
        program = folder / "iperf3"
        real = '[ "$1" = -s ] && exec /usr/bin/iperf3 "$@"\n'
        program.write_text(f"#!/bin/sh\n{real}{script}\n")
        program.chmod(0o755)
        shell.inside = (*shell.inside, "env", f"PATH={folder}:/usr/sbin:/usr/bin:/sbin:/bin")

    def nothing_left(self, shell: LocalShell) -> bool:
        look = f"ss -Hltn 'sport = :5299'; ps -o stat= -g $(cat {shell.folder()}/iperf3-*.pid)"
        return until(lambda: shell.run(Script(f"{look} | grep -v '^Z'")).output == "", 5)

    def test_a_trial(self, apart: LocalShell, tmp_path: Path) -> None:
        trial = self.trial(apart, tmp_path / "001", streams=2)
        assert trial.mbps > 10
        assert trial.seen == {"127.0.0.1"}
        kept = [json.loads((tmp_path / f"001-{side}.json").read_text()) for side in
                ("client", "server")]  # fmt: skip
        seen = {"client_waited_s": None, "server_waited_s": None, "began": 0, "ended": 0}
        assert parse(*kept) == replace(trial, **seen)
        assert 0 < trial.ended - trial.began < 10
        for waited_s in (trial.client_waited_s, trial.server_waited_s):
            assert waited_s is not None and 0 <= waited_s < 10
        assert self.nothing_left(apart)

    @pytest.mark.parametrize("reverse", [False, True])
    def test_tcp_is_let_go_at_its_pace_either_way(self, apart: LocalShell, reverse: bool) -> None:
        trial = self.trial(apart, streams=4, omit_s=0.5, pace_mbps=60, reverse=reverse)
        assert 40 < trial.mbps < 120  # of tens of thousands

    def test_the_server_is_called_at_the_address_of_the_test_alone(
        self, apart: LocalShell
    ) -> None:
        with iperf._both(apart, apart, "127.0.0.1", 5299, Load(seconds=2, omit_s=0, streams=1)):
            listens = apart.run(Script("ss -Hltn sport = :5299")).output.split()
        assert [one for one in listens if ":5299" in one] == ["127.0.0.1:5299"]

    def test_the_port_is_taken(self, apart: LocalShell) -> None:
        listening = Script("ss -Hltn 'sport = :5299' | grep -q .")
        other = Detached.start(
            apart, f"{apart.folder()}/other", Script("iperf3 -s -p 5299"), 30, ready=listening
        )
        with pytest.raises(NotProven, match="port 5299 on the client is busy"):
            self.trial(apart)
        assert apart.run(listening).status == 0  # it was not ours to end
        other.stop()

    @pytest.mark.parametrize(
        ("script", "sentence"),
        [
            (f"cat {DATA}/busy-client.json", "the server is busy running a test"),
            (f"head -c 900 {DATA}/tcp-client.json", "gave no result"),
            ("echo no such option >&2; exit 1", "no such option"),
        ],
    )
    def test_a_trial_that_fails(self, apart: LocalShell, script: str, sentence: str) -> None:
        self.stand_in(apart, f"sleep 0.3; {script}")
        with pytest.raises(NotProven, match=sentence):
            self.trial(apart)
        assert self.nothing_left(apart)
