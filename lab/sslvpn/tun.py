"""The TUN device: IP packets in and out, each with a header about its offloading."""

from __future__ import annotations

import fcntl
import os
import struct

MTU = 1433
"""What clients agree on unless told otherwise: what fits into an Ethernet frame with its TLS."""

_DEVICE = "/dev/net/tun"
_SET_INTERFACE, _SET_PERSISTENT = 0x400454CA, 0x400454CB
_TUN, _NO_PACKET_INFORMATION, _WITH_HEADER = 0x0001, 0x1000, 0x4000


def attach(name: str) -> int:
    """A descriptor of a device, which is made if it is not there, in this network namespace.

    Raises:
        OSError: the kernel has no TUN, or the device is in use.
    """
    descriptor = os.open(_DEVICE, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        flags = _TUN | _NO_PACKET_INFORMATION | _WITH_HEADER
        request = struct.pack("16sH22x", name.encode(), flags)
        fcntl.ioctl(descriptor, _SET_INTERFACE, request)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def make(name: str) -> None:
    """Make a device that stays without a process that serves it."""
    _set_persistent(name, 1)


def remove(name: str) -> None:
    """Take the device away."""
    _set_persistent(name, 0)


def _set_persistent(name: str, value: int) -> None:
    descriptor = attach(name)
    try:
        fcntl.ioctl(descriptor, _SET_PERSISTENT, value)
    finally:
        os.close(descriptor)
