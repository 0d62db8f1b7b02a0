"""What a round of floods sends, and what is made of what arrived."""

from __future__ import annotations

import importlib.util
import itertools
import json
from dataclasses import replace
from importlib import resources
from types import ModuleType

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether

from gatepass.base.errors import NotProven
from gatepass.endpoint.talk import Talked
from gatepass.scenarios.floods import plan
from gatepass.scenarios.floods.findings import FloodFindings, Seen
from gatepass.scenarios.floods.kinds import (
    FLOOD,
    FLOODS,
    FROM_ANOTHER,
    PROTOCOLS,
    SOURCE,
    TARGET,
    TO_ANOTHER,
)
from gatepass.scenarios.floods.kinds import TCP as BY_TCP
from gatepass.scenarios.floods.plan import Hosts, Round
from gatepass.scenarios.leaks.ways import Link

LINK = Link("data", "02:00:00:00:00:01", "198.18.1.1", "02:00:00:00:00:02", ("198.18.1.10/24",))
HOSTS = Hosts("198.18.1.10", "198.18.2.10", "198.18.1.254", "198.18.2.254", LINK)
SYN_FLOOD, SCAN = FLOODS[0], FLOODS[3]


@pytest.fixture(scope="module")
def sender() -> ModuleType:
    """The endpoint's program, without its main."""
    text = resources.files("gatepass.endpoint.remote").joinpath("frame_sender.py").read_text()
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sender", loader=None))
    exec(text.replace("\nmain()\n", "\n"), module.__dict__)
    return module


@pytest.fixture(scope="module")
def frames(sender: ModuleType) -> dict[tuple[str, str], list[IP]]:
    """The packets of a round as they are sent, by protocol and role."""
    one = Round(60, 3)
    plan = json.loads(one.as_json(HOSTS))
    found: dict[tuple[str, str], list[IP]] = {key: [] for key in one.marks}
    block = 0
    for part in plan["parts"]:
        for frame, _ in sender.frames_of(part, block, plan, None):
            raw = bytes(frame)
            key = next(key for key, mark in one.marks.items() if mark.to_bytes(4, "big") in raw)
            found[key].append(Ether(raw)[IP])
        block += sender.blocks_of(part, plan)
    return found


def _session(packet: IP) -> tuple:
    inner = packet.payload
    return (inner.sport, inner.dport) if isinstance(inner, TCP | UDP) else (inner.id,)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("role", [FLOOD, TO_ANOTHER, FROM_ANOTHER])
def test_each_packet_is_a_session_of_its_own_and_right_to_its_checksum(
    frames: dict[tuple[str, str], list[IP]], protocol: str, role: str
) -> None:
    packets = frames[protocol, role]
    assert len(packets) == Round(60, 3).sent[role]
    assert len({_session(packet) for packet in packets}) == len(packets)
    for packet in packets:
        assert (packet.src, packet.dst) == HOSTS.ends(role)
        inner = packet.payload
        wanted = type(inner)(bytes(inner))
        del wanted.chksum
        again = IP(src=packet.src, dst=packet.dst, proto=packet.proto) / wanted
        # 0 and 65535 are the same in ones' complement, and the first is "none" to UDP (RFC 768)
        assert inner.chksum and inner.chksum % 0xFFFF == IP(bytes(again)).payload.chksum % 0xFFFF
    kinds = {"tcp": TCP, "udp": UDP, "icmp": ICMP}
    assert all(isinstance(packet.payload, kinds[protocol]) for packet in packets)


def test_rounds_have_sessions_of_their_own() -> None:
    plans = [json.loads(Round(600, number).as_json(HOSTS)) for number in (0, 1, 99)]
    spans = [tuple(plan["parts"][0]["ports"][0]) for plan in plans]
    assert spans == [(1024, 1623), (1624, 2223), (60424, 61023)]
    assert [plan["first_port"] for plan in plans] == [60000, 60050, 64950]
    assert max(Round(600, 0).sent.values()) == 600


def test_protocols_take_turns(sender: ModuleType) -> None:
    rows = ([1, 1, 1], [2], [3, 3])
    assert list(sender.in_turn(rows)) == [1, 2, 3, 1, 3, 1]


def test_what_a_capture_saw_is_counted_by_protocol_and_role() -> None:
    one = Round(60, 3)
    told: dict[str, list] = {f"{mark:08x}": [] for mark in one.marks.values()}
    told[f"{one.marks[BY_TCP, FLOOD]:08x}"] = [[1, 10], [12, 12]]
    arrived = one.arrived(told)
    assert arrived.pop((BY_TCP, FLOOD)) == 11 and set(arrived.values()) == {0}


def _seen(flood: int = 600, to: int = 11, of: int = 10, longest: float = 0.02) -> Seen:
    """A round of which so much arrived."""
    counts = {FLOOD: flood, TO_ANOTHER: to, FROM_ANOTHER: of}
    return Seen(
        Round(600, 0).sent,
        0.6,
        {(protocol, role): counts[role] for protocol in PROTOCOLS for role in counts},
        Talked(1, 40, 40, longest),
    )


FREE, HELD = _seen(), _seen(flood=80)
SOUND = FloodFindings(
    before=replace(FREE, talked=Talked(20, 800, 800, 0.02)),
    during={TARGET: HELD, SOURCE: HELD},
    connections=replace(_seen(), talked=Talked(10, 400, 200, 0.02)),
    after=FREE,
)


def test_a_flood_is_held_by_what_arrives() -> None:
    assert HELD.held(SYN_FLOOD) and not FREE.held(SYN_FLOOD)
    assert _seen(flood=96).held(SYN_FLOOD) and not _seen(flood=97).held(SYN_FLOOD)


def test_who_has_no_part_in_it_is_another_host_on_the_side_that_is_counted() -> None:
    during = {TARGET: _seen(to=2), SOURCE: _seen(of=2)}
    findings = replace(SOUND, during=during)
    for flood in (SYN_FLOOD, SCAN):
        told, passed = findings.neighbours_of(flood)
        assert not passed and "2 of 1" in told
        assert SOUND.neighbours_of(flood)[1]
    crossed = replace(SOUND, during={TARGET: during[SOURCE], SOURCE: during[TARGET]})
    assert crossed.neighbours_of(SYN_FLOOD)[1] and crossed.neighbours_of(SCAN)[1]


def test_a_connection_that_falls_silent_meanwhile_is_told() -> None:
    silent = replace(SOUND, during={TARGET: _seen(flood=80, longest=1.4), SOURCE: HELD})
    told, went_on = silent.silences_of(SYN_FLOOD)
    assert not went_on and "1400 ms during" in told
    assert SOUND.silences_of(SYN_FLOOD)[1]


@pytest.mark.parametrize("longest_s", [0.8, 1.4])
def test_a_client_that_stood_still_cannot_tell_how_long_a_silence_was(longest_s: float) -> None:
    still = replace(HELD, talked=Talked(1, 40, 40, longest_s, still_s=0.5))
    with pytest.raises(NotProven, match="the client stood still for 500 ms"):
        replace(SOUND, during={TARGET: still, SOURCE: HELD}).silences_of(SYN_FLOOD)
    short = replace(still, talked=Talked(1, 40, 40, 0.4, still_s=0.5))
    assert replace(SOUND, during={TARGET: short, SOURCE: HELD}).silences_of(SYN_FLOOD)[1]


def test_one_that_never_opened_is_no_connection_that_went_on() -> None:
    none = replace(HELD, talked=Talked(0, 0, 0, 0.0))
    assert not replace(SOUND, during={TARGET: none, SOURCE: none}).silences_of(SYN_FLOOD)[1]


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        (replace(SOUND, before=_seen(flood=500)), "a DoS policy only 500 of 600 TCP packets"),
        (replace(SOUND, before=_seen(to=3)), "a DoS policy only 3 of 11 TCP packets"),
        (replace(SOUND, trouble="the port counted less."), "the port counted less."),
    ],
)
def test_nothing_is_proven_by_what_does_not_arrive_anyway(
    findings: FloodFindings, words: str
) -> None:
    with pytest.raises(NotProven, match=words):
        findings.must_have_come()


def test_few_packets_are_no_flood() -> None:
    slow = replace(SOUND, during={TARGET: replace(HELD, seconds=4.0), SOURCE: HELD})
    with pytest.raises(NotProven, match="150 packets a second, which is no flood"):
        slow.rate_of(SYN_FLOOD)


def test_a_connection_that_is_silent_without_a_policy_proves_nothing() -> None:
    before = replace(SOUND.before, talked=Talked(20, 800, 700, 1.3))
    with pytest.raises(NotProven, match=r"for 1\.3 s during a flood without"):
        replace(SOUND, before=before).silences_of(SYN_FLOOD)


def test_a_run_right_after_another_one_floods_in_other_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second run's sessions are none that a gateway may still know from the first."""
    seconds = 1_800_000_000.0
    monkeypatch.setattr(plan.time, "time", lambda: seconds)
    first = list(itertools.islice(plan.round_numbers(), 15))
    seconds += 12
    second = list(itertools.islice(plan.round_numbers(), 15))
    ports = [
        {tuple(part["ports"][0]) for part in json.loads(Round(600, one).as_json(HOSTS))["parts"]}
        for one in (*first, *second)
    ]
    assert all(not one & another for one, another in itertools.combinations(ports, 2))
