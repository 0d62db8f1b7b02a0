"""A TAP device from which frames come, and the port by which they leave.

Each frame has the kernel's own header about offloading before it (virtio_net_hdr), both ways, so
that a super-packet of TCP stays one and check sums are made where they would have been. A
super-packet of datagrams (UDP_SEGMENT) is taken apart by the kernel before.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from contextlib import suppress

_DEVICE = "/dev/net/tun"
_SET_INTERFACE, _SET_OFFLOADS = 0x400454CA, 0x400454D0
_TAP, _NO_PACKET_INFORMATION, _WITH_HEADER = 0x0002, 0x1000, 0x4000
_CHECK_SUMS, _TCP4, _TCP6 = 0x01, 0x02, 0x04
_SOL_PACKET, _PACKET_VNET_HDR = 263, 15
_LARGEST = 70_000
HEADER = 10
"""Length of the header before each frame, in bytes."""


class Wire:
    """A way round from a TAP device, which ends with it, to a port."""

    def __init__(self, device: str, port: str) -> None:
        """
        Args:
            device: the name that the TAP device gets.
            port: the interface by which frames leave.

        Raises:
            OSError: the kernel has no TAP, or there is no such port.
        """
        self.descriptor = os.open(_DEVICE, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        flags = _TAP | _NO_PACKET_INFORMATION | _WITH_HEADER
        fcntl.ioctl(
            self.descriptor, _SET_INTERFACE, struct.pack("16sH22x", device.encode(), flags)
        )
        fcntl.ioctl(self.descriptor, _SET_OFFLOADS, _CHECK_SUMS | _TCP4 | _TCP6)
        # Protocol 0: it sends only.
        self._port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self._port.setsockopt(_SOL_PACKET, _PACKET_VNET_HDR, 1)
        self._port.bind((port, 0))

    def read(self) -> bytes | None:
        """The next frame with its header; None where none waits."""
        try:
            return os.read(self.descriptor, _LARGEST)
        except BlockingIOError:
            return None

    def send(self, frame: bytes) -> None:
        """Have a frame leave; a port that is down loses it, as a port does."""
        with suppress(OSError):
            self._port.send(frame)
