"""The frames that carry PPP over TLS: total length, a magic number, length, all 16 bits wide."""

from __future__ import annotations

import struct

HEADER_BYTES = 6
MAGIC = b"PP"
IPV4 = b"\x00\x21"
_HEADER = struct.Struct("!HHH")
_ADDRESS_AND_CONTROL = b"\xff\x03"

# What stands before an IPv4 packet of each length up to that of an Ethernet frame.
IPV4_HEADS = tuple(
    _HEADER.pack(length + 2 + HEADER_BYTES, 0x5050, length + 2) + IPV4 for length in range(9217)
)


class FrameError(Exception):
    """What came is no frame; nothing after it can be read."""


def frame(packet: bytes) -> bytes:
    """A PPP packet, which begins with its protocol, in its frame."""
    return _HEADER.pack(len(packet) + HEADER_BYTES, 0x5050, len(packet)) + packet


class Deframer:
    """Takes frames out of a stream of bytes."""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def is_empty(self) -> bool:
        """Whether no part of a frame waits for its end."""
        return not self._rest

    def feed(self, data: bytes) -> list[bytes]:
        """The PPP packets that are whole now, each beginning with its protocol.

        Raises:
            FrameError: the stream is no sequence of frames.
        """
        if self._rest:
            data = self._rest + data
        found, at, size = [], 0, len(data)
        while size - at >= HEADER_BYTES:
            total, magic, length = _HEADER.unpack_from(data, at)
            if magic != 0x5050 or total != length + HEADER_BYTES:
                raise FrameError("no frame where one has to begin")
            if at + total > size:
                break
            begin = at + HEADER_BYTES
            if data[begin : begin + 2] == _ADDRESS_AND_CONTROL:
                begin += 2
            at += total
            found.append(data[begin:at])
        self._rest = data[at:]
        return found
