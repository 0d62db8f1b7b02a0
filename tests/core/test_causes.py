"""Why a promise was missed, from what was seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatepass.base.phrase import NOTHING
from gatepass.results.conduct import Conduct
from gatepass.results.gateway_state import GatewayLoad, Licence
from gatepass.results.record import Measurement, dump, parse
from gatepass.results.trial import Trial
from gatepass.verdict import causes as kinds
from gatepass.verdict.causes import Observations, Shaper, causes, in_sentences
from gatepass.verdict.endpoint_load import EndpointLoads
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials
from said import measurement


def conduct(**more: object) -> Conduct:
    """A host on which nothing happened, but for what is said."""
    quiet = Conduct(
        seconds=3.0,
        busy_percent=20.0,
        stolen_percent=0.2,
        soft_percent=3.0,
        late_percent=0.3,
        longest_late_s=0.004,
        packets_waited_percent=0.5,
        pressure_percent=3.0,
        nic_lost=0,
        socket_lost=0,
        stepped_s=0.0,
    )
    return replace(quiet, **more)


TRIAL = Trial(
    mbps=240.0,
    received_bytes=30_000_000,
    all_bytes=31_000_000,
    seconds=1.0,
    intervals=(),
    retransmits=0,
    lost_percent=None,
    rtt_ms=9.0,
    client_cpu=5.0,
    server_cpu=5.0,
    seen=frozenset({"198.18.1.10"}),
    least_rtt_ms=3.0,
    sent_bytes=31_000_000,
    mss=1448,
    path_mtu=1500,
    client_waited_s=0.01,
    server_waited_s=0.01,
    began=100.0,
    ended=101.2,
    conduct={"client": conduct(), "server": conduct()},
)
QUIET = GatewayLoad(12, 8.0, 40, 3)
VALID = Licence("vm_valid", True, 2, 2, 4096, 4096)
WIDE = Shaper("sgw-200", 322.0)
STEADY, UNSTEADY = (240.0, 240.5), (200.0, 280.0)


def rate(value: float = 240.0, trials: tuple[float, ...] = UNSTEADY, **more: object) -> Measurement:
    """A measurement against 300 Mbit/s."""
    return measurement(
        "Stateful throughput",
        "1 policy",
        value,
        "Mbit/s",
        half_width=2.0,
        trials=trials,
        **{"threshold": 300.0, **more},
    )


def seen(measurement: Measurement | None = None, **more: object) -> Observations:
    """A gateway about which nothing is remarkable, but for what is said."""
    usual = {"trials": (TRIAL,), "without": (900.0,), "load": QUIET, "licence": VALID}
    return Observations(measurement or rate(), **{**usual, **more})


def trial(**more: object) -> tuple[Trial, ...]:
    return (replace(TRIAL, **more),)


def test_nothing_explains_it_and_that_is_said() -> None:
    (cause,) = causes(seen())
    assert cause.name == kinds.UNKNOWN
    assert cause.sentence == (
        "Nothing that was seen explains it (the gateway's CPU was at 12 %, its memory at 40 %, "
        "0.00 % of TCP's segments were sent again)."
    )
    assert "Likely cause" not in in_sentences([cause], seen())
    assert causes(Observations(rate()))[0].sentence == "Nothing that was seen explains it."


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        ({"shaper": Shaper("slow", 250.0)}, kinds.SHAPER, '"slow" is set to 250 Mbit/s'),
        ({"load": GatewayLoad(97, 90.0, 40, 3)}, kinds.CPU, "CPU was at 97 %"),
        ({"load": GatewayLoad(12, 9.0, 91, 3)}, kinds.MEMORY, "memory was 91 % used"),
        (
            {"licence": Licence("vm_eval", True, 1, 1)},
            kinds.LICENCE,
            "evaluation licence; it may use 1 CPU",
        ),
        (
            {"licence": Licence("vm_valid", True, 4, 2)},
            kinds.LICENCE,
            "4 CPUs of 2 allowed",
        ),
        ({"licence": Licence("vm_expired", False)}, kinds.LICENCE, "not valid (vm_expired)"),
        ({"trials": trial(mss=204)}, kinds.SEGMENTS, "204 bytes of payload instead of 1448"),
        ({"trials": trial(mss=524, path_mtu=576)}, kinds.MTU, "the path's MTU is 576 bytes"),
        ({"trials": trial(retransmits=2000)}, kinds.LOSS, "2,000 segments again, 8.54 % of all"),
        ({"services_off": 310.0}, kinds.INSPECTION, "with services off the gateway carried 310"),
    ],
)
def test_a_trace_is_found(what: dict, name: str, words: str) -> None:
    best, *others = causes(seen(**what))
    assert best.name == name
    assert words in best.sentence
    assert not others
    assert f"Likely cause: {best.sentence}" in in_sentences([best], seen(**what))


@pytest.mark.parametrize(
    "what",
    [
        {"shaper": WIDE},
        {"load": GatewayLoad(79, 70.0, 79, 3)},
        {"trials": trial(mss=1310)},
        {"trials": trial(retransmits=10)},  # what a shaper drops to slow the sender
        {"services_off": 250.0},
        {"load": None, "licence": None, "trials": (), "without": ()},
    ],
)
def test_what_does_not_explain_it_is_not_named(what: dict) -> None:
    assert [cause.name for cause in causes(seen(**what))] == [kinds.UNKNOWN]


def test_the_better_explanation_comes_first() -> None:
    both = seen(rate(240.0), shaper=Shaper("slow", 250.0), load=GatewayLoad(83, 50.0, 40, 3))
    found = causes(both)
    assert [cause.name for cause in found] == [kinds.SHAPER, kinds.CPU]
    text = in_sentences(found, both)
    assert text.index("Likely cause: the gateway's shaper") < text.index("Seen as well: the gate")
    far_below = seen(rate(60.0), shaper=Shaper("slow", 250.0), load=GatewayLoad(99, 98.0, 40, 3))
    assert causes(far_below)[0].name == kinds.CPU


def test_a_rate_that_stands_still_is_limited_by_something() -> None:
    (cause,) = causes(seen(rate(trials=STEADY), shaper=WIDE))
    assert cause.name == kinds.SHAPER
    assert "was constant" in cause.sentence
    assert "check whether it lets less through" in cause.sentence
    other = seen(rate(trials=STEADY), shaper=WIDE, trials=trial(mss=204))
    assert [cause.name for cause in causes(other)] == [kinds.SEGMENTS]  # that suffices
    assert causes(seen(rate(trials=STEADY)))[0].name == kinds.UNKNOWN  # there is no shaper


def test_a_ceiling_that_is_exceeded() -> None:
    over = rate(400.0, relation="at most", threshold=315.0)
    assert "no shaper is in use" in causes(seen(over))[0].sentence
    assert "but more gets through" in causes(seen(over, shaper=WIDE))[0].sentence
    assert "RFC 6349" not in in_sentences(causes(seen(over)), seen(over))


def test_loss_of_datagrams() -> None:
    lost = measurement("Loss", "", 4.9, "%", threshold=0.1, relation="at most", trials=(4.9, 4.9))
    assert causes(seen(lost))[0].name == kinds.LOSS
    busy = seen(lost, load=GatewayLoad(99, 98.0, 40, 3))
    assert causes(busy)[0].name == kinds.CPU  # which is why they get lost


def test_a_figure_that_is_missed_is_never_explained_by_the_rig() -> None:
    """It could have carried the promise, or there were no fail; one that straddles it may be."""
    starved = trial(conduct={"client": conduct(busy_percent=99.7)})
    assert [cause.name for cause in causes(seen(trials=starved))] == [kinds.UNKNOWN]
    delayed = measurement(
        "added_delay", "", 25.0, "ms", half_width=1.0, threshold=5.0, relation="at most"
    )
    assert [one.name for one in causes(seen(delayed, trials=starved))] == [kinds.UNKNOWN]
    straddles = rate(299.0, trials=(299.0, 299.1))
    assert kinds.ENDPOINT_CPU in {one.name for one in causes(seen(straddles, trials=starved * 2))}


class TestTheRig:
    """What keeps the rig from telling is never looked for on the gateway."""

    def test_other_programs_take_the_processor(self) -> None:
        taken = {"client": conduct(busy_percent=99.7)}
        starved = trial(client_waited_s=1.1, conduct=taken)
        busy = GatewayLoad(99, 98.0, 40, 3)
        (cause,) = causes(seen(by_rig=True, trials=starved, without=(90.0,), load=busy))
        assert cause.name == kinds.ENDPOINT_CPU
        assert "client" in cause.sentence and "92 % of the time" in cause.sentence

    def test_iperf3_itself(self) -> None:
        (cause,) = causes(seen(by_rig=True, trials=trial(server_cpu=98.0), without=(90.0,)))
        assert "server" in cause.sentence and "98 % of one core" in cause.sentence

    def test_it_became_slower(self) -> None:
        (cause,) = causes(seen(by_rig=True, before=940.0, without=(200.0, 220.0)))
        assert cause.name == kinds.DRIFT
        assert "940 Mbit/s before the checks and 210 now" in cause.sentence
        assert causes(seen(by_rig=True, before=220.0, without=(210.0,)))[0].name == kinds.UNKNOWN

    def test_nothing_there_explains_it(self) -> None:
        (cause,) = causes(seen(by_rig=True, without=(200.0,)))
        assert "the client's processors were 20 % busy" in cause.sentence
        assert "gateway" not in cause.sentence


def test_rfc_6349() -> None:
    slow = seen(trials=trial(retransmits=100))
    assert kinds.rfc6349(slow) == (
        "RFC 6349: transfer time ratio 1.25, efficiency 99.54 %, buffer delay 200 %."
    )
    assert kinds.rfc6349(seen(trials=())) == ""
    assert kinds.rfc6349(seen(rate(0.0))) == ""


def test_a_cause_survives_its_record() -> None:
    (cause,) = causes(seen(load=GatewayLoad(97, 90.0, 40, 3)))
    assert parse(dump("cause", cause)) == ("cause", cause)


@pytest.mark.parametrize(
    ("intervals", "all_bytes", "name", "words"),
    [
        ((0.0,) * 8, 0, "path MTU", "packets of full size get lost"),
        ((300.0,) * 4 + (0.0,) * 4, 9, "sessions ended", "gone on for about 1.0 s"),
        ((300.0,) * 7 + (0.0,), 9, "unknown", "Nothing that was seen explains it"),
    ],
)
def test_what_stopped_or_never_came_is_told(
    intervals: tuple[float, ...], all_bytes: int, name: str, words: str
) -> None:
    trial = replace(
        TRIAL, intervals=intervals, interval_s=0.25, seconds=2.0, all_bytes=all_bytes
    )
    best = causes(seen(trials=(trial, trial)))[0]
    assert best.name == name and words in best.sentence


@pytest.mark.parametrize(
    ("hosts", "missing"),
    [
        ({"client": conduct()}, {"server_busy_percent", "interface_mbps"}),
        ({}, {"client_busy_percent", "server_busy_percent", "interface_mbps"}),
        ({"client": conduct(), "server": conduct()}, set()),
    ],
)
def test_what_nobody_looked_at_is_none_and_not_nothing(hosts: dict, missing: set) -> None:
    (one,) = trial(conduct=hosts, wire_mbps=None if missing else 240.0)
    facts = Trials((one,), Rule(1, 1, 0.95), "TCP goodput").measurement("baseline", NOTHING).facts
    assert {name for name, fact in facts.items() if fact is None} == missing
    told = EndpointLoads.of([one])
    assert told.limit() == ""
    assert (told.server.busy_percent is None) == ("server" not in hosts)


def test_an_endpoint_that_was_starved_and_not_watched_is_named() -> None:
    (one,) = trial(conduct={}, client_waited_s=1.1)
    assert EndpointLoads.of([one]).limit() == (
        "The client's CPU was taken by other programs: iperf3 waited for a processor for 92 % of "
        "the time. End what else runs there."
    )
