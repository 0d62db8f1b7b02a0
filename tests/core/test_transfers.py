"""Transfers that break off: whose doing it was, by what the path without the gateway did then."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from played import Played
from test_causes import conduct

from gatepass.base.errors import NotProven
from gatepass.endpoint import iperf
from gatepass.gateway.fortigate import Refused
from gatepass.results.broken import (
    CLOSED,
    CONTROL_LOST,
    FIRST_LOST,
    INCOMPLETE,
    REFUSED,
    RESET,
    STOPPED,
    TOO_LARGE,
    UNANSWERED,
    Broken,
    how_in_words,
)
from gatepass.results.record import Cause
from gatepass.results.trial import Load
from support import trial_runner
from support.transfers import CLAIMS, KEPT, whole
from support.trial_runner import TrialRunner, as_long

GATEWAY, DIRECT = "198.18.2.10", "198.18.3.20"
HAPPENED = {
    REFUSED: "a connection from client to server was refused",
    UNANSWERED: "a connection from client to server got no answer",
    RESET: "the connection from client to server was reset after 2.1 s of 3 s",
    CLOSED: "the connection from client to server was closed after 2.1 s of 3 s",
    STOPPED: "nothing came through any more from client to server after 2.1 s of 3 s",
    FIRST_LOST: "the first datagram of the flow from client to server got lost",
    TOO_LARGE: "a packet of 1,428 bytes from client to server was too large for the path",
    CONTROL_LOST: "the control connection from client to server broke once all data had come",
    INCOMPLETE: "a file from client to server arrived in part after 2.1 s of 3 s",
}
CAUSES = {
    REFUSED: "opening",
    UNANSWERED: "opening",
    FIRST_LOST: "first packet",
    TOO_LARGE: "path MTU",
}
"""Of what ends no session that is in use."""


def broken(how: str, **more: object) -> Broken:
    carried = 0.0 if how in (REFUSED, UNANSWERED, FIRST_LOST) else 2.1
    return Broken(how, "client", "server", carried, 3, packet=1428, **more)


class World:
    """Transfers that end as told, through the gateway and beside it."""

    def __init__(self, *through: Broken | None, beside: Broken | None = None) -> None:
        self._through: Iterator[Broken | None] = iter(through)
        self._beside, self.controls = beside, 0
        self.sessions, self.limit = 12, 0
        gateway = SimpleNamespace(monitor=self._monitor, rows_if_any=self._rows)
        self.played = Played(gateway=gateway)

    def _monitor(self, path: str, **query: object) -> dict:
        return {"results": {"session": [{"current": self.sessions}]}}

    def _rows(self, path: str) -> list[dict]:
        return [{"session": self.limit}]

    def through(self) -> str:
        if ended := next(self._through):
            raise ended
        return "whole"

    def control(self, ended: Broken) -> None:
        self.controls += 1
        if self._beside:
            raise self._beside

    def whole(self, **more: object) -> str:
        return whole(self.played.check, self.through, self.control, **more)

    @property
    def causes(self) -> list[str]:
        return [note.name for note in self.played.check.noted if isinstance(note, Cause)]


def test_what_runs_to_its_end_is_held_against_nothing() -> None:
    world = World(None)
    assert world.whole() == "whole"
    assert world.controls == 0


@pytest.mark.parametrize("how", HAPPENED)
def test_what_breaks_off_through_the_gateway_alone_is_a_fail(how: str) -> None:
    world = World(broken(how), broken(how))
    with pytest.raises(AssertionError) as failed:
        world.whole()
    assert f": not the case. Through the gateway {HAPPENED[how]}" in str(failed.value)
    (evidence,) = world.played.evidence
    assert (evidence.claim.name, evidence.holds) == (CLAIMS.get(how, KEPT), False)
    assert "2 of 2 times; without the gateway the same transfer ran to its end" in str(failed.value)
    assert world.controls == 2
    assert world.causes == [CAUSES.get(how, "sessions ended")]


@pytest.mark.parametrize("how", HAPPENED)
def test_what_breaks_off_without_the_gateway_as_well_is_not_proven(how: str) -> None:
    world = World(broken(how), beside=broken(how))
    with pytest.raises(NotProven, match=r"; without the gateway .* as well"):
        world.whole()


def test_without_a_control_nothing_is_proven() -> None:
    world = World(broken(RESET))
    with pytest.raises(NotProven, match="without a direct_address it cannot be determined"):
        whole(world.played.check, world.through, None)


def test_a_single_break_rejects_nobody_and_approves_nobody() -> None:
    world = World(broken(RESET), None, None, None)
    with pytest.raises(NotProven, match="as well, 3 times"):
        world.whole()


def test_a_break_that_comes_back_is_a_fail() -> None:
    world = World(broken(RESET), None, None, broken(RESET))
    with pytest.raises(AssertionError, match="2 of 4 times"):
        world.whole()


def test_one_datagram_may_get_lost() -> None:
    assert World(broken(FIRST_LOST), None).whole() == "whole"


def test_a_rig_that_was_disturbed_blames_nobody() -> None:
    spoilt = broken(RESET, disturbed="the client stood still for 900 ms")
    assert World(spoilt, None).whole() == "whole"
    world = World(*[spoilt] * 9)
    with pytest.raises(NotProven, match="the client stood still for 900 ms"):
        world.whole()
    assert world.controls == 0


@pytest.mark.parametrize(
    ("sessions", "limit", "opened", "cause", "words"),
    [
        (64, 64, 0, "session limit", "the gateway had 64 of the 64 sessions that it may have"),
        (12, 0, 1, "session limit", "let 1 of 4 connections begin"),
        (12, 1000, 0, "opening", "lets no session of this kind begin"),
    ],
)
def test_too_few_sessions_are_told(
    sessions: int, limit: int, opened: int, cause: str, words: str
) -> None:
    ended = broken(UNANSWERED, opened=opened, wanted=4)
    world = World(ended, ended)
    world.sessions, world.limit = sessions, limit
    with pytest.raises(AssertionError, match=words):
        world.whole(decided=lambda: "Policy 7 decides.")
    assert world.causes == [cause]


def test_what_the_gateway_does_not_tell_is_left_out() -> None:
    world = World(broken(REFUSED), broken(REFUSED))

    def refuses(path: str, **query: object) -> dict:
        raise Refused("no right")

    world.played.run.gateway.monitor = refuses
    with pytest.raises(AssertionError, match=r"each time\. Likely cause: the gateway lets"):
        world.whole(decided=lambda: refuses("policy-lookup"))


@pytest.mark.parametrize(
    ("words", "begun", "how"),
    [
        ("unable to connect to server: Connection refused", False, REFUSED),
        ("unable to connect stream: Connection timed out", False, UNANSWERED),
        ("unable to write to stream socket: Connection timed out", True, STOPPED),
        ("unable to receive control message: Connection reset by peer", True, RESET),
        ("control socket has closed unexpectedly", True, CLOSED),
        ("unable to write to stream socket: Message too long", False, TOO_LARGE),
        ("the server is busy running a test. try again later", False, ""),
        ("unable to start listener for connections: Address already in use", False, ""),
        ("unable to create a new stream: Cannot allocate memory", False, ""),
        ("interrupt - the client has terminated", True, ""),
        ("unable to connect to server: Network is unreachable", False, ""),
    ],
)
def test_words_of_a_program_are_the_networks_or_its_own(words: str, begun: bool, how: str) -> None:
    assert how_in_words(words, begun) == how


class TestTrials:
    """Trials of iperf3 by the runner that every chapter has."""

    def runner(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: object, breaks: dict[str, list]
    ) -> TrialRunner:
        host = SimpleNamespace(address=GATEWAY, direct_address=DIRECT, iperf3_port=5201)
        server = SimpleNamespace(name="server")
        played = Played(
            gateway=World().played.run.gateway,
            testbed=SimpleNamespace(endpoints=SimpleNamespace(server=host)),
            server=server,
            client=SimpleNamespace(name="client"),
            folder=tmp_path,
            rig=SimpleNamespace(mark=dict, since=lambda begun: {}, unwatched={}),
        )
        self.sent: list[tuple[str, Load]] = []

        def run(client: object, there: object, address: str, port: int, load: Load, keep: object):
            self.sent.append((address, load))
            if breaks.get(address) and (ended := breaks[address].pop(0)):
                raise ended
            raise NotProven(f"{address} carried it")  # the figure is another test's

        monkeypatch.setattr(iperf, "run", run)
        monkeypatch.setattr(trial_runner, "decided_by", lambda run, port: f"It decides on {port}.")
        return TrialRunner(played.check)

    def test_a_break_is_held_against_the_direct_path(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: object
    ) -> None:
        both = {GATEWAY: [broken(RESET)], DIRECT: [broken(RESET)]}
        runner = self.runner(monkeypatch, tmp_path, both)
        with pytest.raises(NotProven, match=r"; without the gateway the connection .* as well"):
            runner.one(Load(30, source="10.0.0.1"), runner.server())
        assert [address for address, _ in self.sent] == [GATEWAY, DIRECT]
        control = self.sent[-1][1]
        assert (control.source, control.seconds) == ("", 10)

    def test_a_break_without_the_gateway_is_the_rigs(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: object
    ) -> None:
        runner = self.runner(monkeypatch, tmp_path, {DIRECT: [broken(REFUSED)]})
        with pytest.raises(NotProven, match=r"without the gateway a connection .* was refused"):
            runner.one(Load(3), runner.server_directly())

    def test_a_control_goes_on_for_as_long_as_it_takes(self) -> None:
        assert as_long(Load(3), broken(RESET)).seconds == 3
        assert as_long(Load(86400, source="a"), None) == Load(86400, source="a")
        assert as_long(Load(86400), Broken(STOPPED, "client", "server", 3600)).seconds == 7200

    def test_a_disturbed_rig_is_told_from_its_conduct(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: object
    ) -> None:
        runner = self.runner(monkeypatch, tmp_path, {GATEWAY: [broken(RESET)]})
        lost = conduct(nic_lost=900)
        runner._run.rig.since = lambda begun: {"client": lost}
        with pytest.raises(NotProven, match=f"{GATEWAY} carried it"):
            runner.one(Load(3), runner.server())
        assert [address for address, _ in self.sent] == [GATEWAY, GATEWAY]
