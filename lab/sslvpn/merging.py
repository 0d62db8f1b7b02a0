"""Joins TCP segments that follow each other, so that the kernel forwards many of them as one.

Whatever the kernel does with a packet (rules, routes, the session table, the wire) it then does
once for up to 64 KiB. Where a wire takes no such packet, the kernel cuts it up again as it was.
This is what the kernel itself does with what comes in over Ethernet (generic receive offload), by
the same conditions: one flow, no gap, the same acknowledgement and options, all but the last of one
size.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from lab.sslvpn.packets import checksum, folded

HEADER_BYTES = 10
"""What stands before each packet on the device: `struct virtio_net_hdr`."""

PLAIN = bytes(HEADER_BYTES)
_NEEDS_CHECKSUM, _TCP_OVER_IPV4 = 1, 1
_VIRTIO = struct.Struct("=BBHHHH")
_IP_BYTES, _TCP_CHECKSUM_AT = 20, 16
_SIMPLE_IP, _TCP = 0x45, 6
_PUSH, _ACK = 0x08, 0x10
_SHORTEST, _LONGEST = 40, 65_000

Write = Callable[[bytes], None]


class _Run:
    """Segments that follow each other."""

    __slots__ = (
        *("expected", "first", "flags", "header", "parts"),
        *("same", "size", "takes_more", "total"),
    )

    def __init__(self, packet: bytes, header: int, same: bytes, size: int, sequence: int) -> None:
        self.first = packet
        self.header = header
        self.same = same
        self.size = size
        self.total = size
        self.expected = (sequence + size) & 0xFFFFFFFF
        self.parts: list[bytes] = []
        self.flags = packet[33]
        self.takes_more = not self.flags & _PUSH


class Merger:
    """Passes packets on, joined where they can be.

    Args:
        write: takes what the device is to be given.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._runs: dict[bytes, _Run] = {}

    def add(self, packet: bytes) -> None:
        """Take an IPv4 packet; it goes on with the next `flush` at the latest."""
        length = len(packet)
        if (
            length <= _SHORTEST
            or packet[0] != _SIMPLE_IP
            or packet[9] != _TCP
            or packet[33] & ~_PUSH != _ACK
            or packet[6] & 0x3F
            or packet[7]
        ):
            if self._runs:
                self.flush()
            self._write(PLAIN + packet)
            return
        header = _IP_BYTES + (packet[32] >> 4) * 4
        size = length - header
        if size <= 0 or header < _SHORTEST or int.from_bytes(packet[2:4]) != length:
            self.flush()
            self._write(PLAIN + packet)
            return
        flow = packet[12:24]
        same = packet[28:33] + packet[34:36] + packet[40:header]
        sequence = int.from_bytes(packet[24:28])
        run = self._runs.get(flow)
        if run is not None:
            if (
                run.takes_more
                and sequence == run.expected
                and size <= run.size
                and same == run.same
                and run.total + size <= _LONGEST
            ):
                run.parts.append(packet[header:])
                run.total += size
                run.expected = (sequence + size) & 0xFFFFFFFF
                run.flags |= packet[33]
                run.takes_more = size == run.size and not run.flags & _PUSH
                return
            self._end(run)
        self._runs[flow] = _Run(packet, header, same, size, sequence)

    def flush(self) -> None:
        """Pass everything on."""
        if self._runs:
            runs, self._runs = self._runs, {}
            for run in runs.values():
                self._end(run)

    def _end(self, run: _Run) -> None:
        first, header = run.first, run.header
        if not run.parts:
            self._write(PLAIN + first)
            return
        length = header + run.total
        ip = first[:2] + length.to_bytes(2) + first[4:10] + b"\0\0" + first[12:20]
        ip = ip[:10] + checksum(ip).to_bytes(2) + ip[12:]
        # The kernel completes the check sum, from the one over addresses, protocol and length.
        pseudo = folded(first[12:20] + struct.pack("!HH", _TCP, length - _IP_BYTES))
        self._write(
            b"".join(
                (
                    _VIRTIO.pack(
                        _NEEDS_CHECKSUM,
                        _TCP_OVER_IPV4,
                        header,
                        run.size,
                        _IP_BYTES,
                        _TCP_CHECKSUM_AT,
                    ),
                    ip,
                    first[20:33],
                    bytes((run.flags,)),
                    first[34:36],
                    pseudo.to_bytes(2),
                    first[38:],
                    *run.parts,
                )
            )
        )
