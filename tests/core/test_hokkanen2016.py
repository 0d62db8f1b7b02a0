"""Hokkanen 2016: its conditions, what is kept of what was measured, and its tables."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from played import Played
from test_causes import TRIAL, conduct

import Hokkanen2016
from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import Phrase, say
from gatepass.gateway.fortigate import Refused
from gatepass.inputs import load_profile
from gatepass.inputs.published import load_published
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement
from gatepass.results.study import IN_STUDY, StudyTable
from gatepass.scenarios.remote_access.ssl_vpn_client import SslVpnClient
from gatepass.scenarios.studies.hokkanen2016 import (
    CITED,
    CONDITIONS,
    LABELS,
    NAT,
    POLICIES,
    SSL_VPN,
    Found,
    Rate,
    as_fast_as_it_goes,
    by_rig_in,
    percent_less,
    told,
)
from gatepass.scenarios.studies.hokkanen2016_differences import differences_table
from gatepass.scenarios.studies.hokkanen2016_published import DOWNLOADS_MB, MB, figures
from gatepass.scenarios.studies.hokkanen2016_tables import tables
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials
from support.run_context import RunContext

PUBLISHED = figures(VARIABLES / "published_results.yaml")
QUIET = {"client": conduct(), "server": conduct()}


def profile(name: str = "standard"):
    return load_profile(VARIABLES / "profiles.yaml", name)


def measured(promise: str, conditions: Phrase, mbps: float = 300.0) -> Measurement:
    return observed(promise, say(IN_STUDY, what=conditions, by=CITED), mbps, trials=[mbps] * 3)


def whole() -> Found:
    """As if all of it had been found, the gateway like the source's."""
    found = Found(Rate(1930.0, 2.0, 3))
    for (policies, nat), mbps in PUBLISHED.stateful.items():
        found.stateful[policies, nat] = Rate(mbps, 1.0, 3, "no shaper")
    made = {name: [one * MB for one in mb] for name, mb in DOWNLOADS_MB.items()}
    found.keep_downloads(made, 0.95, "no shaper")
    found.tunnels = {label: Rate(mbps, 1.0, 3) for label, mbps in PUBLISHED.tunnels.items()}
    found.remote = {SSL_VPN: Rate(109.0, 1.0, 3)}
    return found


def named(found: Found, version: str = "v7.4.8") -> dict[str, StudyTable]:
    return {table.name: table for table in tables(found, PUBLISHED, version)}


class TestConditions:
    @pytest.mark.parametrize("usual", ["standard", "y1564-15min", "thesis"])
    def test_the_sources_own(self, usual: str) -> None:
        asked = CONDITIONS["whole"].applied(profile(usual))
        assert (asked.trial_s, asked.omit_s, asked.streams, asked.interval_s) == (900, 0, 10, 10)
        assert (asked.min_trials, asked.sampling) == (1, "intervals")
        assert (asked.downloads, asked.download_mib) == (10, 1024)
        assert asked.most_trials > asked.min_trials  # one that the rig disturbed is repeated

    @pytest.mark.parametrize("usual", ["quick", "smoke"])
    def test_shorter_ones_keep_the_profiles_rule(self, usual: str) -> None:
        own = profile(usual)
        asked = CONDITIONS[own.studies].applied(own)
        assert (asked.min_trials, asked.confidence) == (own.min_trials, own.confidence)
        assert asked.omit_s == 0 and asked.most_trials >= asked.min_trials
        assert CONDITIONS[own.studies].applied(asked) == asked

    def test_a_budget_holds_the_fewest_trials(self) -> None:
        own = profile("quick").model_copy(update={"min_trials": 20, "budget_s": 30})
        assert CONDITIONS["short"].applied(own).most_trials == 20

    def test_how_long_it_takes(self) -> None:
        assert CONDITIONS["short"].lasts_s(profile("quick")) < 240
        assert CONDITIONS["whole"].lasts_s(profile()) > 10 * 900


class TestPublished:
    def test_it_has_all_that_the_tables_show(self) -> None:
        assert set(PUBLISHED.stateful) == {(count, nat) for count in POLICIES for nat in NAT}
        assert set(PUBLISHED.tunnels) == set(LABELS) and set(PUBLISHED.remote) == {SSL_VPN}

    @pytest.mark.parametrize(
        ("promise", "which"),
        [("throughput_without_services", "off"), ("services_throughput", "on")],
    )
    def test_single_downloads_have_the_published_mean(self, promise: str, which: str) -> None:
        references = load_published(VARIABLES / "published_results.yaml").references
        (value,) = (one.value for one in references if one.promise == promise)
        assert sum(DOWNLOADS_MB[which]) / 10 * 8 == pytest.approx(value, abs=0.05)


class TestKept:
    def test_where_conditions_say_that_it_belongs(self) -> None:
        found, rate = Found(), Rate(300.0)
        found.keep(measured("stateful_throughput", say("rule_set", policies=100, nat=say("on"))),
                   rate)  # fmt: skip
        found.keep(measured("ipsec_throughput", say("cipher", label=LABELS[2])), rate)
        way = say("direction", what=say("ssl_vpn"), way=say("to_server"))
        found.keep(measured("remote_access_throughput", way), rate)
        assert set(found.stateful) == {(100, "on")}
        assert set(found.tunnels) == {LABELS[2]} and set(found.remote) == {SSL_VPN}

    def test_nothing_else(self) -> None:
        with pytest.raises(NotProven, match=r"no figure of Hokkanen 2016"):
            Found().keep(measured("baseline", say("before")), Rate(1.0))


class TestKnown:
    """What the rig's own limit makes of a rate."""

    def rate(self, by_rig: str = "", beside: Rate | None = None) -> Rate:
        one = measured("stateful_throughput", say("one_policy", policies=1, nat=say("off")))
        return told(one, by_rig, "no shaper", beside)

    def test_nothing_where_the_gateway_is_the_limit(self) -> None:
        assert self.rate(beside=Rate(600.0)).known == ""

    def test_at_least_where_the_rig_carries_no_more(self) -> None:
        known = "at least: the rig itself carries 310 Mbit/s beside the gateway"
        assert self.rate(beside=Rate(310.0)).known == known

    def test_at_least_where_the_rig_disturbed_a_trial(self) -> None:
        assert self.rate("the client stood still").known == "at least: the client stood still"

    def test_what_the_rig_did(self) -> None:
        def by_rig(**changed: object) -> str:
            trial = replace(TRIAL, **{"conduct": QUIET, "wire_mbps": None} | changed)
            return by_rig_in(Trials((trial,), Rule(1, 1, 0.95), "TCP goodput"))

        assert by_rig() == ""
        stalled = QUIET | {"client": conduct(longest_late_s=0.3)}
        assert by_rig(conduct=stalled) == "the client stood still for 300 ms"
        assert by_rig(client_cpu=99.0).startswith("The client was at its own limit")


class TestTunnels:
    """What is told is as fast as it goes; what is held against the order is paced."""

    PACED = replace(measured("ipsec_throughput", say("cipher", label=LABELS[0])), threshold=20.0)
    FASTEST = replace(
        PACED, threshold=None, value=190.0,
        conditions=say(IN_STUDY, by=CITED,
                       what=say("fastest", what=say("cipher", label=LABELS[0]))),
    )  # fmt: skip

    def test_the_fastest_trial_is_told(self) -> None:
        one = as_fast_as_it_goes([self.PACED, self.FASTEST], self.PACED)
        assert one == self.FASTEST
        found = Found()
        found.keep(one, Rate(one.value))
        assert found.tunnels == {LABELS[0]: Rate(190.0)}

    def test_trials_that_nothing_paces_are_told_themselves(self) -> None:
        unheld = replace(self.PACED, threshold=None)
        assert as_fast_as_it_goes([unheld, self.FASTEST], unheld) == unheld

    def test_without_one_nothing_is_told(self) -> None:
        with pytest.raises(NotProven, match="not tried at its highest rate"):
            as_fast_as_it_goes([self.PACED], self.PACED)


class TestTables:
    def test_without_a_figure_the_published_ones_stand_there(self) -> None:
        made = named(Found())
        assert [row["published_off"] for row in made["stateful"].rows] == [1900, 1890, 1890]
        assert [row["published"] for row in made["tunnels"].rows] == [318, 443, 121]
        assert [row["published"] for row in made["remote"].rows] == [109]
        assert all(row["measured"] is None for row in made["costs"].rows)

    def test_the_sources_figures_make_the_sources_tables(self) -> None:
        made = named(whole())
        for row in made["stateful"].rows:
            assert (row["mbps_off"], row["mbps_on"]) == (row["published_off"], row["published_on"])
        assert len(made["downloads"].rows) == 10
        averages = made["averages"].rows
        assert [row["published"] for row in averages] == [79.48, 77.666, 73.151]
        assert [row["published_mb"] for row in averages] == [635.84, 621.328, 585.208]
        assert [row["measured"] for row in averages] == [79.48, 77.666, 73.151]
        assert averages[0]["mbps"] == pytest.approx(666.727, abs=0.001)
        assert [row["held"] for row in averages] == ["", "no shaper", "no shaper"]
        for row in made["costs"].rows[:4]:
            assert row["measured"] == pytest.approx(row["published"], abs=0.1)

    def test_what_it_costs_is_the_sources_chapter_7(self) -> None:
        published = [row["published"] for row in named(Found())["costs"].rows]
        assert published == [2.1, 0.5, 5.8, 28.2, 88.5]  # its text has 2, 6 and 28 %
        assert percent_less(None, 3.0) is None and percent_less(3.0, None) is None

    def test_more_downloads_than_the_sources(self) -> None:
        found = whole()
        found.keep_downloads({"beside": [], "off": [210.0, 209.0], "on": [200.0] * 12}, 0.95, "")
        rows = named(found)["downloads"].rows
        assert len(rows) == 12 and rows[11]["published_on"] is None and rows[11]["measured_on"]

    def test_a_release_without_ssl_vpn(self) -> None:
        found = Found(remote={"dial-up IPsec": Rate(150.0)})
        first, second = named(found, "v7.6.4")["remote"].rows
        assert (first["published"], first["mbps"]) == (109, None)
        assert first["known"] == "FortiOS v7.6.4 has none any more: dial-up IPsec is in its place"
        assert (second["published"], second["mbps"]) == (None, 150.0)

    @pytest.mark.parametrize("name", CONDITIONS)
    def test_short_trials_are_told(self, name: str) -> None:
        identity = SimpleNamespace(model="VM", version="v7.4.8", vcpus=2, memory_mb=None)
        asked = CONDITIONS[name].applied(profile("quick"))
        made = differences_table(name, asked, identity, "flow", '"sgw-200"')
        assert bool(made.notes) == (name != "whole")
        here = {row["what"]: row["here"] for row in made.rows}
        assert here["Trials of TCP"].startswith(f"{asked.trial_s} s, {asked.streams} streams")


class World:
    """A run whose gateway refuses what it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ordered: tuple[str, ...]) -> None:
        def configure(tunnels: object) -> None:
            raise Refused("the gateway refused proposal 3des-sha1 (-651).", -651, 500)

        vpn = SimpleNamespace(new=lambda proposal: [proposal], configure=configure)
        self.own = profile("quick")
        self.context = Played(
            profile=self.own,
            measure_by=self._measure_by,
            site_vpn=vpn,
            order=SimpleNamespace(vpn=SimpleNamespace(ipsec=ordered), inspection_mode="flow"),
            identity=SimpleNamespace(model="VM", version="v8", vcpus=1, memory_mb=2048),
            gateway=None,
            testbed=SimpleNamespace(gateway=SimpleNamespace(client_port="a", server_port="b")),
        )
        monkeypatch.setattr(Hokkanen2016, "held", lambda *_: "no shaper")
        self.study = Hokkanen2016.Hokkanen2016(self.context)

    def _measure_by(self, asked: object) -> None:
        self.context.run.profile = asked


class TestKeywords:
    @pytest.mark.parametrize(
        ("ordered", "ends"), [(("aes256gcm-dh14",), NotApplicable), (("3des-sha1-dh2",), NotProven)]
    )
    def test_a_tunnel_that_the_gateway_takes_no_more(
        self, monkeypatch: pytest.MonkeyPatch, ordered: tuple[str, ...], ends: type[Exception]
    ) -> None:
        world = World(monkeypatch, ordered)
        with pytest.raises(ends):
            world.study.a_tunnel_of_the_study_is_up("3des-sha1-dh2")
        row = named(world.study._found)["tunnels"].rows[2]
        assert row["mbps"] is None and row["known"].startswith("the gateway no longer accepts")

    def test_conditions_hold_for_its_checks_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        world = World(monkeypatch, ())
        run = world.context.run
        for _ in range(2):
            world.study.the_conditions_are_the_studys()
        assert run.profile == CONDITIONS["short"].applied(world.own)
        world.study.tcp_goes_as_fast_as_it_can()
        assert (run.profile.offered_ratio, run.profile.streams) == (None, 10)
        world.study.the_conditions_are_the_profiles()
        world.study.the_conditions_are_the_profiles()
        assert run.profile == world.own

    def test_its_figures_are_no_rows_of_the_profile(self, monkeypatch: pytest.MonkeyPatch) -> None:
        world = World(monkeypatch, ())
        check, plain = world.context.check, say("one_policy", policies=1, nat=say("off"))
        check.measured(observed("stateful_throughput", plain, 300.0))
        assert check.measurement.conditions == plain
        world.study.the_conditions_are_the_studys()
        check.measured(observed("stateful_throughput", plain, 300.0))
        assert check.measurement.conditions == say(IN_STUDY, what=plain, by=CITED)
        assert check.noted[-1] == check.measurement
        assert str(check.measurement.conditions) == "1 policy, NAT off, as in Hokkanen 2016"

    def test_vpn_users_stay_for_as_long_as_its_trials_last(self) -> None:
        run = RunContext()
        run._opened["vpn_client"] = client = SslVpnClient(None, "gp1", "198.18.1.1", 443, "", 1.0)
        run.measure_by(CONDITIONS["whole"].applied(profile()))
        assert client.limit_s > 3 * 900 + 900
