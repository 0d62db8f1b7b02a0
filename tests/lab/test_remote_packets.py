"""The SSL VPN's packets: segments in a row are joined, one that is too long is answered."""

from __future__ import annotations

import random
import struct
from collections.abc import Coroutine
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.sslvpn.merging import HEADER_BYTES, PLAIN, Merger
from lab.sslvpn.pace import PacketPace
from lab.sslvpn.packets import checksum, fragmentation_needed


def segment(sequence: int, payload: bytes, flags: int = 0x10, port: int = 1000, **rest) -> bytes:
    """A TCP segment with a time stamp, with its check sums."""
    options = rest.get("options", b"\1\1\x08\x0a" + bytes(8))
    tcp = struct.pack("!HHIIBBHHH", port, 80, sequence % 2**32, rest.get("ack", 5),
                      (20 + len(options)) // 4 << 4, flags, 500, 0, 0) + options + payload
    source, dest = (IPv4Address(text).packed for text in ("198.19.210.1", "198.18.2.10"))
    pseudo = source + dest + struct.pack("!HH", 6, len(tcp))
    tcp = tcp[:16] + checksum(pseudo + tcp).to_bytes(2) + tcp[18:]
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + source + dest
    return head[:10] + checksum(head).to_bytes(2) + head[12:] + tcp


def cut_up(data: bytes) -> list[bytes]:
    """What the kernel makes of a packet with a header about its offloading."""
    flags, kind, header, size, _, _ = struct.unpack_from("=BBHHHH", data)
    packet = data[HEADER_BYTES:]
    assert int.from_bytes(packet[2:4]) == len(packet) and checksum(packet[:20]) == 0
    if not kind:
        return [packet]
    assert (flags, kind) == (1, 1)
    payload, sequence = packet[header:], int.from_bytes(packet[24:28])
    found = []
    for at in range(0, len(payload), size):
        is_last = at + size >= len(payload)
        found.append(segment(sequence + at, payload[at : at + size],
                             packet[33] if is_last else packet[33] & ~8,
                             int.from_bytes(packet[20:22]), ack=int.from_bytes(packet[28:32]),
                             options=packet[40:header]))
    return found


def test_segments_in_a_row_go_on_as_one() -> None:
    packets = [segment(100 + 1000 * n, bytes((n,)) * 1000) for n in range(9)]
    packets.append(segment(9100, b"end", 0x18))
    written: list[bytes] = []
    merger = Merger(written.append)
    for packet in packets:
        merger.add(packet)
    assert written == []
    merger.flush()
    assert len(written) == 1 and cut_up(written[0]) == packets


@pytest.mark.parametrize(
    "second",
    [
        segment(1101, b"x" * 1000),
        segment(1100, b"x" * 1001),
        segment(1100, b"x" * 1000, ack=6),
        segment(1100, b"x" * 1000, 0x11),
        segment(1100, b"", 0x10),
        segment(1100, b"x" * 1000, options=b"\1\1\x08\x0a" + b"\1" * 8),
    ],
    ids=["gap", "longer", "other ack", "FIN", "nothing in it", "other time stamp"],
)
def test_others_stay_as_they_are(second: bytes) -> None:
    first = segment(100, b"y" * 1000)
    written: list[bytes] = []
    merger = Merger(written.append)
    merger.add(first)
    merger.add(second)
    merger.flush()
    assert written == [PLAIN + first, PLAIN + second]


def test_the_order_within_a_flow_stays() -> None:
    chance = random.Random(7)
    sequences, packets = {1000: 2**32 - 5000, 1001: 0}, []
    for _ in range(400):
        port = chance.choice((1000, 1001))
        size = chance.choice((1000, 1000, 1000, 0, 10))
        flags = chance.choice((0x10, 0x10, 0x10, 0x18, 0x11))
        packets.append(segment(sequences[port], b"d" * size, flags, port))
        sequences[port] += chance.choice((size, size, size, 5))
    written: list[bytes] = []
    merger = Merger(written.append)
    for at, packet in enumerate(packets):
        merger.add(packet)
        if at % 50 == 49:
            merger.flush()
    found = [packet for data in written for packet in cut_up(data)]
    for port in (b"\x03\xe8", b"\x03\xe9"):
        assert [p for p in found if p[20:22] == port] == [p for p in packets if p[20:22] == port]
    assert len(written) < len(packets)


@given(st.binary(max_size=120))
def test_any_packet_is_passed_on(packet: bytes) -> None:
    written: list[bytes] = []
    merger = Merger(written.append)
    merger.add(packet)
    merger.flush()
    assert written == [PLAIN + packet]


def test_a_packet_that_is_too_long_is_answered() -> None:
    packet = segment(1, b"x" * 1400)
    answer = fragmentation_needed(packet, 1300)
    assert answer is not None and checksum(answer[:20]) == checksum(answer[20:]) == 0
    assert (answer[12:16], answer[16:20]) == (packet[16:20], packet[12:16])
    assert (answer[20:22], int.from_bytes(answer[26:28])) == (b"\x03\x04", 1300)
    assert fragmentation_needed(packet[:6] + b"\0\0" + packet[8:], 1300) is None


class Clock:
    """A loop of its own time: whoever sleeps moves it on."""

    def __init__(self) -> None:
        self.now = 100.0
        self.spawned: list[Coroutine[None, None, None]] = []

    def monotonic(self) -> float:
        return self.now

    def spawn(self, coroutine: Coroutine[None, None, None]) -> None:
        self.spawned.append(coroutine)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("lab.sslvpn.pace.time", clock)
    pace = PacketPace(clock)
    pace.mbps = 8
    sent: list[float] = []
    for _ in range(150):
        pace.put(1000, lambda: sent.append(clock.now - 100))
    (lets_go,) = clock.spawned
    with pytest.raises(StopIteration):
        lets_go.send(None)
    assert len(sent) == 100, "what is 0.1 s at the rate waits, and no more"
    # ten at once, for what it saved up; then 1,000 a second, and it looks every 4 ms
    assert sent[9] == 0
    assert all(0 <= at - (n - 11) / 1000 <= 0.005 for n, at in enumerate(sent[10:], 11))
