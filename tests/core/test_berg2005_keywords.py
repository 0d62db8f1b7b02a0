"""The keywords of the study Berg 2005; runner and endpoints are played."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from played import Played
from test_causes import TRIAL, conduct

from Berg2005 import Berg2005
from gatepass.base.errors import NotProven
from gatepass.results.trial import Load, Trial
from gatepass.scenarios.studies.delay_line import Target
from gatepass.verdict.disturbance import Watched, disturbed_by
from gatepass.verdict.judgement import Rule
from support.trial_runner import RemoteEnd

QUIET = {"client": conduct(), "server": conduct()}
REST_MS = 0.4


class World:
    """TCP of 800 Mbit/s beside the gateway and 300 through it.

    Args:
        direct: whether there is a path beside the gateway.
        root: whether packets can be held back.
    """

    def __init__(self, direct: bool = True, root: bool = True) -> None:
        self._direct, self._root, self._added = direct, root, 0.0
        self.context = Played(
            profile=SimpleNamespace(studies="shortest", confidence=0.95),
            rule=Rule(1, 1, 0.95),
            promised=lambda name: 300.0,
            client=None,
        )
        self.tables: dict[str, list[dict]] = {}
        self.context.check.note = self._note

    def server(self) -> RemoteEnd:
        return RemoteEnd(None, "198.18.2.10", 5201)

    def server_directly(self) -> RemoteEnd | None:
        return RemoteEnd(None, "198.18.3.20", 5201, by_policy=False) if self._direct else None

    def one(self, load: Load, remote: RemoteEnd) -> Trial:
        rtt, mbps = REST_MS + self._added, 300.0 if remote.by_policy else 800.0
        told = {"rtt_ms": rtt, "least_rtt_ms": rtt, "conduct": QUIET, "wire_mbps": None}
        return replace(TRIAL, mbps=mbps, mss=1448, **told)

    def both_ways(self, load: Load, remote: RemoteEnd) -> tuple[Watched, Watched]:
        return Watched(150.0, QUIET), Watched(140.0, QUIET)

    @contextmanager
    def held_back(self, client: object, target: Target, ms: float) -> Iterator[str]:
        if not self._root:
            raise NotProven("the client's SSH user is not root.")
        self._added = ms + 0.1  # it takes that by itself
        yield "relay"
        self._added = 0.0

    def _note(self, kind: str, content: dict, aside: bool = False) -> None:
        """Keep the tables' rows by their names."""
        if kind == "study":
            self.tables[content["name"]] = list(content["rows"])


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch):
    """Makes the library in a world."""

    def make(world: World) -> Berg2005:
        monkeypatch.setattr(Berg2005, "runner", world)
        monkeypatch.setattr("Berg2005.held_back", world.held_back)
        return Berg2005(world.context)

    return make


class TestKeywords:
    def test_the_rig_comes_first_and_stands_beside(self, study) -> None:
        world = World()
        library = study(world)
        library.the_added_delays_are_measured_without_the_gateway()
        bare, nothing, seven, forty = world.tables["delays"]
        assert [row["asked"] for row in (bare, nothing, seven, forty)] == [None, 0, 7, 40]
        assert (bare["own"], nothing["own"], forty["own"]) == (None, 0.1, pytest.approx(0.1))
        assert (bare["fifty"], nothing["fifty"]) == (800.0, 800.0)
        library.connections_are_sent_through_the_packet_filter_over_longer_and_longer_paths()
        rows = world.tables["connections-stateful_throughput"]
        assert [(row["there"], row["back"]) for row in rows[::2]][:1] == [(300.0, None)]
        assert {row["rig"] for row in rows} == {800.0, 290.0}
        assert [row["told"] for row in rows if row["back"]] == ["at least"] * 2
        assert world.context.check.trials.rates == [300.0] * 4  # the step for evidence has them

    @pytest.mark.parametrize("in_user_space", [True, False])
    def test_what_esp_in_a_program_loses_is_the_rigs_limit(
        self, study, in_user_space: bool
    ) -> None:
        world = World()
        charon = SimpleNamespace(in_user_space=in_user_space)
        world.context.run.site_vpn = SimpleNamespace(peer=SimpleNamespace(charon=charon))
        conducts = {**QUIET, "peer": conduct(socket_lost=400)}
        rest, limit = study(world)._without_esp(conducts)
        assert bool(limit) == in_user_space
        assert bool(disturbed_by(rest)) != in_user_space  # the kernel's would be a disturbance
        assert study(world)._without_esp(QUIET) == (QUIET, "")

    def test_without_a_direct_path_the_rig_is_not_known(self, study) -> None:
        library = study(World(direct=False))
        with pytest.raises(NotProven, match="direct_address"):
            library.the_added_delays_are_measured_without_the_gateway()

    def test_without_root_what_needs_no_delay_is_told_all_the_same(self, study) -> None:
        world = World(root=False)
        library = study(world)
        with pytest.raises(NotProven, match="is not root"):
            library.the_added_delays_are_measured_without_the_gateway()
        assert [row["asked"] for row in world.tables["delays"]] == [None]
        with pytest.raises(NotProven, match=r"40 ms added it could not be measured: .* not root"):
            library.connections_are_sent_through_the_packet_filter_over_longer_and_longer_paths()
        rows = world.tables["connections-stateful_throughput"]
        assert {row["delay"] for row in rows} == {0} and len(rows) == 3
