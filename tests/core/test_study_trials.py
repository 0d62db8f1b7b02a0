"""Trials of a study with the real programs, in a network namespace of its own."""

from __future__ import annotations

from pathlib import Path

from local_shell import LocalShell

from gatepass.endpoint.rig_watch import RigWatch
from gatepass.scenarios.studies.frames import IPV4, FrameSize, Way
from gatepass.scenarios.studies.trials import Ledger, between

WAY = Way("127.0.0.1", 39_600)
SIZE = FrameSize(IPV4, (256,))


def test_frames_are_sent_counted_and_told(apart: LocalShell, tmp_path: Path) -> None:
    watch, told, ledger = RigWatch(tmp_path), [], Ledger()
    send = ledger.kept(between(apart, apart, watch, told.append))
    seen = send([WAY.stream(SIZE, 500, 0.2)])
    watch.end()
    assert seen.one.sent + seen.one.unsent == 100
    assert seen.one.received == seen.one.sent
    assert ledger.arrived({"127.0.0.1"}) == seen.one.received * (256 - 18)
    assert ledger.sources({"127.0.0.1"}) == {"127.0.0.1"}
    (facts,) = told
    assert facts["streams"]["frames"]["frames"] == [256]
    assert facts["streams"]["frames"]["lost"] == 0 and facts["by_rig"] == ""


def test_two_streams_at_once_keep_apart(apart: LocalShell, tmp_path: Path) -> None:
    watch = RigWatch(tmp_path)
    streams = [WAY.stream(SIZE, 400, 0.2, "steady"), WAY.stream(SIZE, 200, 0.1, "more", after=1)]
    seen = between(apart, apart, watch, lambda facts: None)(streams)
    watch.end()
    assert {name: one.stream.count for name, one in seen.carried.items()} == {
        "steady": 80,
        "more": 20,
    }
    assert seen.carried["more"].stream.port == WAY.port + 1
