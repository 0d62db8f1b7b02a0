"""Downloads and the proof of inspection: what counts, by a gateway and a rig that are played."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from played import Played
from test_causes import conduct

import ApplicationLoads
import Downloads
import Services
from gatepass.base.errors import NotApplicable, NotProven
from gatepass.endpoint.download import Broken, Download
from gatepass.endpoint.specimens import specimens
from gatepass.gateway.licences import FUNCTIONS
from gatepass.results.conduct import Conduct
from gatepass.results.downloads import Transfer
from gatepass.results.record import Measurement
from gatepass.verdict.judgement import Rule
from support import arrivals

GATEWAY, DIRECT = "198.18.2.10", "198.18.9.10"
STEADY = Transfer(20_000_000, 1.0, 500)


class World:
    """A context whose gateway inspects, and a client whose downloads end as told.

    Attributes:
        stops: whether the gateway stops the virus while inspection is on.
        scanned: whether the server has lost the virus to a scanner of its own.
        lost: addresses that nothing arrives from.
        licences: answer to license/status.
        timed: what becomes of large downloads by address: rates in Mbit/s, or None for a break.
        loads: what becomes of loads by address.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.stops, self.on, self.scanned = True, False, False
        self.lost: set[str] = set()
        self.licences = {function: {"status": "licensed"} for function in FUNCTIONS}
        self.timed: Callable[[str], float | None] = lambda address: 200.0
        self.loads: Callable[[str, int], list[Transfer]] = lambda address, seconds: [
            STEADY for _ in range(seconds)
        ]
        self.during: Callable[[], None] = lambda: None
        files = SimpleNamespace(put=list, noise=lambda *_: None, path=str)
        ports = SimpleNamespace(http_port=80, https_port=443, ftp_port=21)
        self.server = SimpleNamespace(address=GATEWAY, direct_address=DIRECT)
        self.context = Played(
            order=SimpleNamespace(
                options=SimpleNamespace(security_services=True), filtered_file_types=["exe"]
            ),
            profile=SimpleNamespace(
                confidence=0.95, trial_s=2, omit_s=1, min_trials=3, downloads=3,
                download_mib=20, budget_s=36,
            ),
            rule=Rule(3, 12, 0.95),
            specimens=specimens("gp0a1b2c", ("exe",)),
            files=files,
            folder=folder,
            file_server=ports,
            client=None,
            gateway=SimpleNamespace(monitor=lambda path: {"results": self.licences}),
            inspection=SimpleNamespace(
                switch=self._switch, begin=lambda: None, mode="", must_inspect=lambda mib: None
            ),
            rules=SimpleNamespace(in_force_within=lambda seconds: 0.0),
            testbed=SimpleNamespace(endpoints=SimpleNamespace(server=self.server)),
            promised=lambda promise: 120.0,
            server=None,
            rig=SimpleNamespace(mark=dict, since=lambda begun: self.conduct, unwatched={}),
        )
        self.conduct: dict[str, Conduct] = {}
        monkeypatch.setattr(arrivals, "fetch", self._fetch)
        self.looked_at: list[int] = []
        for part in (arrivals, Downloads, ApplicationLoads):
            monkeypatch.setattr(part, "must_be_reached", self._reached)
        monkeypatch.setattr(arrivals, "decided_by", lambda run, port: "Policy 7 decides.")
        monkeypatch.setattr(Downloads, "timed", self._timed)
        monkeypatch.setattr(ApplicationLoads, "mixed_load", self._load)
        self.downloads = Downloads.Downloads(self.context)
        self.loaded = ApplicationLoads.ApplicationLoads(self.context)

    def _switch(self, on: bool, mode: str = "") -> None:
        self.on = on
        self.context.run.inspection.mode = "flow" if on else ""

    def _reached(self, run: object, port: int) -> None:
        """Nothing is lost at an endpoint."""
        self.looked_at.append(port)

    def _fetch(self, client: object, source: object, path: str, **_: object) -> Download:
        specimen = next(one for one in self.context.run.specimens.values() if one.file == path)
        stopped = source.address == GATEWAY and self.on and self.stops and specimen.log
        if stopped or source.address in self.lost or (self.scanned and specimen.log):
            return Download("", 403, 0, 0, "")
        digest = hashlib.sha256(specimen.content).hexdigest()
        return Download(digest, 200, len(specimen.content), 0, "")

    def _timed(self, client: object, source: object, path: str, size: int, limit: float):
        self.during()
        if (mbps := self.timed(source.address)) is None:
            raise Broken(f"10 of {size:,} bytes arrived: (18) end of response.")
        return Transfer(size, size * 8 / mbps / 1e6)

    def _load(self, client, source, files, mix, ramp_s, sustain_s) -> list[Transfer]:
        self.during()
        return self.loads(source("HTTP").address, int(sustain_s))

    @property
    def noted(self) -> list[object]:
        """All that was noted."""
        return self.context.check.noted

    def facts(self) -> dict:
        """Of the measurement with services on."""
        (one,) = (
            note for note in self.noted if isinstance(note, Measurement) and note.threshold
        )
        return one.facts


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    return World(monkeypatch, tmp_path)


def every_second(address: str) -> Callable[[str], float | None]:
    """Of downloads from this address every second one breaks."""
    count = 0

    def timed(asked: str) -> float | None:
        nonlocal count
        count += asked == address
        return None if asked == address and count % 2 else 200.0

    return timed


CHECKS = {
    "large": lambda world: world.downloads.large_file("FTP"),
    "objects": lambda world: world.loaded.small_objects(16),
    "mix": lambda world: world.loaded.application_mix(),
}


# licences


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("state", ["no_license", "expired"])
@pytest.mark.parametrize("function", ["antivirus", "ips"])
def test_a_rate_without_a_licence_is_a_fail(
    world: World, check: str, state: str, function: str
) -> None:
    world.licences[function] = {"status": state}
    with pytest.raises(AssertionError) as told:
        CHECKS[check](world)
    assert str(told.value).startswith(
        "The order includes security services; the gateway has no valid licence for "
    )
    assert f"license/status says “{state.replace('_', ' ')}”. Have the licence" in str(told.value)


@pytest.mark.parametrize("state", ["no_license", "expired"])
def test_a_specimen_that_takes_a_licence_is_a_fail_without(world: World, state: str) -> None:
    """Fortinet KB 240941: lists of URLs and signatures of one's own need none."""
    for function in world.licences:
        world.licences[function] = {"status": state}
    services = Services.Services(world.context)
    services.the_security_services_are_prepared()
    for what in ("the virus test file", "a virus in a large archive"):
        with pytest.raises(AssertionError, match="no valid licence for antivirus: "):
            services.should_arrive(what, "HTTP")
        with pytest.raises(AssertionError, match="no valid licence for antivirus: "):
            services.should_be_stopped(what, "HTTP")
    for what in (
        "the page of a blocked host",
        "an exploit-like request",
        "a controlled application",
        "a file of a filtered type",
    ):
        services.should_arrive(what, "HTTP")


@pytest.mark.parametrize("state", ["no_license", "expired"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_ordered_service_without_a_licence_is_a_fail(
    world: World, state: str, function: str
) -> None:
    services = Services.Services(world.context)
    services.the_ordered_services_should_be_licensed()
    assert world.context.told("The security services that were ordered are licensed") == [
        "license/status says “licensed” of antivirus, web filter, intrusion prevention, "
        "application control."
    ]
    world.licences[function] = {"status": state}
    with pytest.raises(AssertionError, match=f"no valid licence for {FUNCTIONS[function]}: .*says"):
        services.the_ordered_services_should_be_licensed()
    world.licences[function] = {}
    with pytest.raises(NotProven, match=r"is not known: license/status says “unknown”"):
        services.the_ordered_services_should_be_licensed()
    del world.licences[function]
    with pytest.raises(NotProven, match=f"nothing about a licence for {FUNCTIONS[function]}"):
        services.the_ordered_services_should_be_licensed()
    world.context.run.order.options.security_services = False
    with pytest.raises(NotApplicable, match="does not include security services"):
        services.the_ordered_services_should_be_licensed()


def test_only_what_was_not_ordered_is_not_applicable(world: World) -> None:
    world.context.run.order.options.security_services = False
    with pytest.raises(NotApplicable, match="does not include security services"):
        Services.Services(world.context).the_security_services_are_prepared()


# a rig that is busy


@pytest.mark.parametrize("busy", [1, 2, 3])
def test_a_phase_that_the_rig_disturbed_is_repeated_within_the_budget(
    world: World, busy: int
) -> None:
    disturbed = iter([True] * busy)

    def look() -> None:
        taken = next(disturbed, False)
        world.conduct = {"client": conduct(stolen_percent=30.0 * taken)}

    world.during = look
    if busy < 36 // 12:  # phases of the budget
        world.loaded.application_mix()
        assert world.facts()["transactions"] == 12 * STEADY.files
        return
    with pytest.raises(NotProven, match=r"disturbed 3 trials: .* hypervisor took 30\.0 %"):
        world.loaded.application_mix()


# the proof of the same run


@pytest.mark.parametrize("check", CHECKS)
def test_inspection_is_shown_before_and_after(world: World, check: str) -> None:
    CHECKS[check](world)
    claim = "Inspection is on while the rate with services on is measured"
    assert world.context.told(claim) == [
        f"The virus test file does not arrive {when} the trials." for when in ("before", "after")
    ]


@pytest.mark.parametrize("check", CHECKS)
def test_a_gateway_that_stops_inspecting_under_load_fails(world: World, check: str) -> None:
    def give_up() -> None:
        world.stops = not world.on

    world.during = give_up
    with pytest.raises(AssertionError, match=r"Inspection is on .* arrives after the trials"):
        CHECKS[check](world)
    assert not any(isinstance(note, Measurement) and note.threshold for note in world.noted)


@pytest.mark.parametrize("check", CHECKS)
def test_silence_is_no_proof_of_inspection(world: World, check: str) -> None:
    def break_down() -> None:
        if world.on:
            world.lost.add(GATEWAY)

    world.during = break_down
    with pytest.raises(AssertionError, match=r"A harmless request arrives over HTTP .* not the"):
        CHECKS[check](world)


@pytest.mark.parametrize("check", CHECKS)
def test_a_file_that_the_server_does_not_give_proves_nothing(world: World, check: str) -> None:
    world.scanned = True
    with pytest.raises(NotProven, match="on the path without the gateway either"):
        CHECKS[check](world)


def test_what_does_not_arrive_is_no_fail_without_a_control(world: World) -> None:
    world.lost.add(GATEWAY)
    with pytest.raises(AssertionError, match="It arrives on the path without the gateway"):
        arrivals.must_arrive(world.context.check, "a clean file", "HTTP")
    world.server.direct_address = None
    with pytest.raises(NotProven, match="Give both endpoints a direct_address"):
        arrivals.must_arrive(world.context.check, "a clean file", "HTTP")


# downloads that break


def test_a_download_that_breaks_is_told_and_counts(world: World) -> None:
    world.timed = every_second(GATEWAY)
    with pytest.raises(AssertionError) as told:
        world.downloads.large_file("FTP")
    assert "6 of 12 FTP downloads of 20 MiB through the gateway broke, the first so: 10 of" in str(
        told.value
    )
    assert (world.facts()["downloads"], world.facts()["broken_downloads"]) == (12, 6)


def test_none_that_arrives_fails_as_well(world: World) -> None:
    world.timed = lambda address: None if address == GATEWAY else 200.0
    with pytest.raises(AssertionError, match=r"3 of 3 FTP downloads .* 3 in a row broke"):
        world.downloads.large_file("FTP")
    assert len(world.looked_at) == 1


def test_the_rig_may_have_broken_it(world: World) -> None:
    baseline = iter([200.0] * 3)
    world.timed = lambda address: None if address == GATEWAY else next(baseline, None)
    with pytest.raises(NotProven, match=r"without the gateway: 10 of .* 1 of 1 FTP downloads"):
        world.downloads.large_file("FTP")
    world.server.direct_address = None
    world.context.begin_check()
    with pytest.raises(NotProven, match=r"1 of 1 FTP downloads .* Without a direct_address"):
        world.downloads.large_file("FTP")


def test_all_that_arrive_are_told(world: World) -> None:
    world.downloads.large_file("FTP")
    told = world.context.told("Each download arrives whole")
    assert told == ["All 6 FTP downloads arrived whole."]
    assert world.facts()["degradation_percent"] == 0
    assert not any("cost" in str(one.claim) for one in world.context.evidence)


# objects


@pytest.mark.parametrize("check", ["objects", "mix"])
def test_failed_objects_need_a_control(world: World, check: str) -> None:
    bad = Transfer(20_000_000, 1.0, 500, 1)
    world.loads = lambda address, seconds: [bad if address == GATEWAY else STEADY] * seconds
    with pytest.raises(AssertionError, match=r"Without the gateway all [\d,]+ were fetched"):
        CHECKS[check](world)
    world.server.direct_address = None
    with pytest.raises(NotProven, match="without a direct_address it cannot be determined"):
        CHECKS[check](world)
    world.server.direct_address = DIRECT
    world.loads = lambda address, seconds: [bad] * seconds
    with pytest.raises(NotProven, match=r"nor on the path without the gateway "):
        CHECKS[check](world)


@pytest.mark.parametrize("check", ["objects", "mix"])
def test_nothing_that_gets_through_is_no_pass(world: World, check: str) -> None:
    world.loads = lambda address, seconds: [
        Transfer(0, 1.0, 0) if address == GATEWAY else STEADY
    ] * seconds
    with pytest.raises(AssertionError, match="o attempt was made"):
        CHECKS[check](world)
    world.loads = lambda address, seconds: [Transfer(0, 1.0, 0)] * seconds
    with pytest.raises(NotProven, match="curl on the client completed no transfer"):
        CHECKS[check](world)


@pytest.mark.parametrize("check", ["objects", "mix"])
def test_a_rate_that_swings_is_told(world: World, check: str) -> None:
    CHECKS[check](world)
    claim = "Objects arrive whole with services on"
    assert "RFC 9411's less than 5 % is met" in world.context.told(claim)[0]
    assert world.facts()["deviation_percent"] == 0
    world.noted.clear()
    fast, slow = Transfer(23_000_000, 1.0, 500), Transfer(19_250_000, 1.0, 500)
    world.loads = lambda address, seconds: [fast, slow] * (seconds // 2)
    CHECKS[check](world)
    assert "RFC 9411's 5 % not met: the rate deviated by 8.9 %" in world.context.told(claim)[0]
    assert world.facts()["deviation_percent"] == 8.88
    assert "not demonstrated by so few attempts" in world.context.told(claim)[0]


def test_trials_follow_the_profile_up_to_the_rfcs_sustain_phase(world: World) -> None:
    asked: list[int] = []

    def load(address: str, seconds: int) -> list[Transfer]:
        asked.append(seconds)
        return [STEADY] * seconds

    world.loads = load
    for trial_s, wanted in ((2, 2), (30, 30), (86_400, 300)):
        world.context.run.profile.trial_s = trial_s
        asked.clear()
        world.loaded.small_objects(16)
        assert set(asked) == {wanted}
