"""Holds the packets back that this host sends into a device of its own, and sends them on.

Usage: delay_line.py HOLD_MS INTERFACE     (as root)

It makes a TAP device. What is routed into that leaves by the interface, as the frame that it is,
HOLD_MS later: so TCP feels a longer path. Where the kernel has netem, that holds the packets on the
TAP device; the interface's own queueing discipline is never touched. First it writes a line of
JSON: `by`, who holds (netem or relay), and `device`, its name. It works until it is ended, and its
device goes with it.

Each frame has the kernel's header about offloading before it (virtio_net_hdr), both ways, so that a
super-packet of TCP stays one until the interface takes it apart.
"""

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from collections import deque

SET_INTERFACE, SET_OFFLOADS = 0x400454CA, 0x400454D0
TAP, NO_PACKET_INFORMATION, WITH_HEADER = 0x0002, 0x1000, 0x4000
CHECK_SUMS, TCP4 = 0x01, 0x02
SOL_PACKET, PACKET_VNET_HDR = 263, 15
SNDBUFFORCE, BUFFER = 32, 16 << 20
PR_SET_TIMERSLACK = 29
HEADER, LARGEST, LOT = 10, 70_000, 32
IPV4, ETHERTYPE = b"\x08\x00", slice(HEADER + 12, HEADER + 14)
NETEM_PACKETS = 100_000
MOST_HELD = 256 << 20
"""Bytes; more wait in the device's own queue, and are lost where that is full."""


def tap_device():
    """A new one; its descriptor, and the name that the kernel gave it."""
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    asked = struct.pack("16sH22x", b"gpdelay%d", TAP | NO_PACKET_INFORMATION | WITH_HEADER)
    name = fcntl.ioctl(tap, SET_INTERFACE, asked)[:16].rstrip(b"\0").decode()
    fcntl.ioctl(tap, SET_OFFLOADS, CHECK_SUMS | TCP4)
    return tap, name


def port_of(interface):
    """What sends frames there."""
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # of protocol 0, it sends only
    port.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    port.setsockopt(socket.SOL_SOCKET, SNDBUFFORCE, BUFFER)
    port.bind((interface, 0))
    return port


def held_by_netem(device, hold_ms):
    """Whether the kernel holds what is sent into the device."""
    words = ["tc", "qdisc", "add", "dev", device, "root", "netem"]
    words += ["delay", "%dus" % round(hold_ms * 1000), "limit", str(NETEM_PACKETS)]
    try:
        done = subprocess.run(words, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    return done.returncode == 0


def taken(tap):
    """A lot of frames that wait, so that those that are due do not wait for all that come."""
    for _ in range(LOT):
        try:
            frame = os.read(tap, LARGEST)
        except BlockingIOError:
            return
        # what the kernel says of the device itself is nobody else's business
        if frame[ETHERTYPE] == IPV4:
            yield frame


def relay(tap, port, hold_s):
    """Send each frame when it is due, in their order."""
    waiting, held = deque(), 0
    while True:
        left = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        if select.select([tap] if held < MOST_HELD else [], (), (), left)[0]:
            for frame in taken(tap):
                waiting.append((time.monotonic() + hold_s, frame))
                held += len(frame)
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            frame = waiting.popleft()[1]
            held -= len(frame)
            with contextlib.suppress(OSError):  # a port that is down loses it
                port.send(frame)


def main():
    hold_ms, interface = float(sys.argv[1]), sys.argv[2]
    tap, device = tap_device()
    port = port_of(interface)
    netem = hold_ms > 0 and held_by_netem(device, hold_ms)
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0)
    gc.disable()  # nothing here leaves circles, and looking for them would hold frames up
    subprocess.run(["ip", "link", "set", device, "txqueuelen", "10000", "up"], check=True)
    print(json.dumps({"by": "netem" if netem else "relay", "device": device}), flush=True)
    relay(tap, port, 0.0 if netem else hold_ms / 1000)


if __name__ == "__main__":
    main()
