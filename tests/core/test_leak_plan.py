"""What a scan for leaks sends: every packet with its own number, and right to the last checksum."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from importlib import resources
from types import ModuleType

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6

from gatepass.scenarios.leaks.craft import echo, ip, tcp, udp
from gatepass.scenarios.leaks.kinds import KINDS, OWN, TCP_PORTS, UDP_PORTS
from gatepass.scenarios.leaks.packets import parts_of
from gatepass.scenarios.leaks.parts import Handful, Stamp, Sweep, spans
from gatepass.scenarios.leaks.plan import BLOCK, Plan
from gatepass.scenarios.leaks.sweeps import chosen_ports, sweeps_of_own
from gatepass.scenarios.leaks.template import Template
from gatepass.scenarios.leaks.ways import Link, Side, Way, ways_between

PERMITTED = 5301


def _side(name: str, port: str, net: int) -> Side:
    addresses = {4: f"198.18.{net}.10", 6: f"2001:2:0:{net}::10"}
    gateway = {4: f"198.18.{net}.1", 6: f"2001:2:0:{net}::1"}
    own = (f"{addresses[4]}/24", f"{addresses[6]}/64")
    links = {
        version: Link("data", "02:00:00:00:00:01", hop, "02:00:00:00:00:02", own)
        for version, hop in gateway.items()
    }
    return Side(name, port, addresses, links, gateway)


SIDES = [_side("client", "port2", 1), _side("server", "port1", 2), _side("peer", "port3", 4)]
WAYS = ways_between(SIDES)
TO_SERVER = {way.version: way for way in WAYS if str(way).startswith("client to server")}


@pytest.fixture(scope="module")
def plan() -> Plan:
    own = [way for way in WAYS if way.source is SIDES[0]]
    parts = [part for way in own for part in parts_of(way, PERMITTED)]
    parts += sweeps_of_own(own[0], "198.18.1.1", ["198.18.2.1"], PERMITTED)
    return Plan(SIDES[0], PERMITTED, parts)


@pytest.fixture(scope="module")
def sender() -> ModuleType:
    """The endpoint's program, without its main."""
    text = resources.files("gatepass.endpoint.remote").joinpath("frame_sender.py").read_text()
    spec = importlib.util.spec_from_loader("frame_sender", loader=None)
    module = importlib.util.module_from_spec(spec)
    exec(text.replace("\nmain()\n", "\n"), module.__dict__)
    return module


def _sent(sender: ModuleType, told: dict) -> Iterator[bytes]:
    return (bytes(frame) for part in told["parts"] for frame in sender.numbered(part))


def test_every_way_between_the_ports_over_both_versions() -> None:
    assert len(WAYS) == 12
    assert len({str(way) for way in WAYS}) == 12


@pytest.mark.parametrize("kind", [TCP_PORTS, UDP_PORTS])
def test_every_port_but_the_permitted_one(plan: Plan, kind: str) -> None:
    for way in plan.ways:
        (part,) = (one for one in plan.parts if one.kind == kind and one.way is way)
        ports = {part.port(index) for index in range(len(part))}
        assert ports == set(range(1, 65536)) - {PERMITTED}


def test_every_kind_on_every_way(plan: Plan) -> None:
    for way in plan.ways:
        assert {part.kind for part in plan.parts if part.way is way} >= set(KINDS) - {OWN}


def test_what_is_sent_is_what_was_crafted(plan: Plan, sender: ModuleType) -> None:
    """Ports and numbers are written in at the endpoint; scapy makes the same packet whole."""
    told = json.loads(plan.as_json())
    rows = zip(told["parts"], plan.numbered, strict=True)
    for part_told, (part, numbers) in rows:
        if not isinstance(part, Sweep):
            continue
        frames = sender.numbered(part_told)
        for index in range(2):
            frame = bytes(next(frames))
            stamp = Stamp(plan.mark, numbers[index])
            assert frame[14:] == bytes(part.build(stamp, part.port(index)))


def test_every_frame_bears_its_own_number(plan: Plan, sender: ModuleType) -> None:
    mark = plan.mark.to_bytes(4, "big")
    seen = 0
    for number, frame in enumerate(_sent(sender, json.loads(plan.as_json())), 1):
        seen = number
        if number % 7 and number < plan.frames - 20_000:
            continue  # all of them would take a minute
        if b"tiny" in plan.part_of(number)[0].kind.encode() or len(frame) < 60:
            continue
        at = frame.find(mark)
        assert at > 0 and int.from_bytes(frame[at + 4 : at + 8], "big") == number
    assert seen == plan.frames


def test_blocks_hold_every_frame_once(plan: Plan) -> None:
    assert sum(block.frames for block in plan.blocks) == plan.frames
    assert all(block.frames <= BLOCK for block in plan.blocks)
    numbers = [number for block in plan.blocks for number in block.controls]
    assert len(numbers) == len(set(numbers))


def test_the_sender_numbers_blocks_as_the_plan_does(plan: Plan, sender: ModuleType) -> None:
    told, sent = json.loads(plan.as_json()), []
    chosen, block = {3, len(plan.blocks) - 1}, 0
    for part in told["parts"]:
        sent += [bytes(frame) for frame, _ in sender.frames_of(part, block, told, chosen)]
        block += sender.blocks_of(part, told)
    assert block == len(plan.blocks)
    mark = plan.control_mark.to_bytes(4, "big")
    controls = [
        int.from_bytes(frame[frame.index(mark) + 4 :][:4], "big")
        for frame in sent
        if mark in frame
    ]
    wanted = [number for at in sorted(chosen) for number in plan.blocks[at].controls]
    assert controls == wanted
    assert len(sent) - len(controls) == sum(plan.blocks[at].frames for at in chosen)


@pytest.mark.parametrize("way", TO_SERVER.values(), ids=str)
@pytest.mark.parametrize("make", ["tcp", "udp", "echo"])
def test_a_template_is_what_scapy_would_make(way: Way, make: str) -> None:
    def craft(stamp: Stamp, **where: str) -> bytes:
        rest = echo(way, stamp) if make == "echo" else {"tcp": tcp, "udp": udp}[make](stamp, 80)
        return bytes(ip(way, **where) / rest)

    template = Template(craft)
    other = "203.0.113.255" if way.version == 4 else "2001:db8:ffff::fffe"
    for number in (1, 65535, 65536, 0xFFFFFFFF):
        stamp = Stamp(0xDEADBEEF, number)
        assert template.made(stamp) == craft(stamp)
        assert template.made(stamp, source=other) == craft(stamp, source=other)
        assert template.made(stamp, target=other) == craft(stamp, target=other)


def test_what_a_policy_would_be_asked(plan: Plan) -> None:
    found = set()
    for part, numbers in plan.numbered:
        met = plan.as_met(numbers[-1], "port1")
        assert met.arrives == "port2" and met.leaves == "port1"
        if isinstance(part, Sweep):
            assert met.target_port == part.port(len(part) - 1)
            assert met.source_port == part.source_port
            assert met.protocol == (17 if "UDP" in part.words else 6)
        found.add((part.kind, met.protocol))
    assert ("protocols", 89) in found or ("protocols", 136) in found


def test_words_tell_a_packet_from_another(plan: Plan) -> None:
    for part in plan.parts:
        if isinstance(part, Handful):
            told = [part.told(index) for index in range(len(part))]
            assert len(told) == len(set(told)), part.kind


def test_neighbours_by_one_bit_are_among_the_ports() -> None:
    assert {PERMITTED ^ (1 << bit) for bit in range(16)} <= set(chosen_ports(PERMITTED))


def test_rows_of_ports() -> None:
    assert spans([5, 1, 2, 3, 9]) == ((1, 3), (5, 5), (9, 9))


def test_a_packet_is_whole(plan: Plan) -> None:
    """What the sender puts on the wire has a right checksum in IP and in what it carries."""
    told = json.loads(plan.as_json(sample=True))
    for part in told["parts"]:
        if "frame" in part:
            layer = IP if part["frame"][24:28] == "0800" else IPv6
            raw = bytes.fromhex(part["frame"])[14:]
            packet = layer(raw)
            kind = TCP if TCP in packet else UDP
            del packet[kind].chksum
            assert bytes(packet) == raw
