"""Trials of a study with the real programs, in a network namespace of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from local_shell import LocalShell

from crowd import Crowd
from gatepass.endpoint.rig_watch import RigWatch
from gatepass.scenarios.studies.frames import IPV4, FrameSize, Way
from gatepass.scenarios.studies.trials import Ledger, between

WAY = Way("127.0.0.1", 39_600)
SIZE = FrameSize(IPV4, (256,))


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[RigWatch]:
    kept = RigWatch(tmp_path)
    yield kept
    kept.end()


def test_frames_are_sent_counted_and_told(apart: LocalShell, watch: RigWatch) -> None:
    told, ledger, crowd = [], Ledger(), Crowd()
    send = ledger.kept(between(apart, apart, watch, told.append))
    seen = send([WAY.stream(SIZE, 500, 0.2)])
    assert seen.one.sent + seen.one.unsent == 100
    assert seen.one.received + seen.one.socket_lost + seen.one.lost == seen.one.sent
    assert ledger.arrived({"127.0.0.1"}) == seen.one.received * (256 - 18)
    assert ledger.sources({"127.0.0.1"}) == {"127.0.0.1"}
    (facts,) = told
    assert facts["streams"]["frames"]["frames"] == [256]
    assert crowd.accounts_for(facts["streams"]["frames"]["lost"]) and facts["by_rig"] == ""


def test_two_streams_at_once_keep_apart(apart: LocalShell, watch: RigWatch) -> None:
    streams = [WAY.stream(SIZE, 400, 0.2, "steady"), WAY.stream(SIZE, 200, 0.1, "more", after=1)]
    seen = between(apart, apart, watch, lambda facts: None)(streams)
    assert {name: one.stream.count for name, one in seen.carried.items()} == {
        "steady": 80,
        "more": 20,
    }
    assert seen.carried["more"].stream.port == WAY.port + 1
