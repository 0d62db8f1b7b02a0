"""Counts the datagrams of a port that come to this host's interface, before any filter of its.

Usage: wire_count.py STOP LIMIT_S ADDRESS to|from PORT     (as root)

It prints "ready", and JSON when the file STOP is there or LIMIT_S seconds are over: `interface`,
`arrived`, how many datagrams came in to PORT, or from it, and `no_room`, how many found no room in
a socket meanwhile, whichever. ADDRESS is this host's own, or leads to the interface.

The kernel counts what passes a packet socket's filter, whether or not anybody reads it (packet(7),
PACKET_STATISTICS), so that no rate is too high. Datagrams that a sender's kernel handed over
joined, as between two namespaces of one host, are counted as one.
"""

import contextlib
import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import time

ETH_P_ALL, SOL_PACKET, STATISTICS, ATTACH_FILTER = 3, 263, 6, 26
LOAD_BYTE, LOAD_HALF, LOAD_HALF_X, LOAD_X_HEADER = 0x30, 0x28, 0x48, 0xB1
SHIFT_RIGHT, EQUALS, ANY_BIT, RETURN = 0x74, 0x15, 0x45, 0x06
KIND = 0xFFFFF004
"""Where the kernel keeps the kind of a packet for filters (SKF_AD_PKTTYPE)."""
OUTGOING, UDP, NO_PORT = 4, 17, 1 << 16
LOOK_S = 0.05


def filtered(way, port):
    """A filter of classic BPF for incoming datagrams over IPv4 and IPv6: code, if, else, value."""
    source, target = (port, NO_PORT) if way == "from" else (NO_PORT, port)
    return [
        (LOAD_BYTE, 0, 0, KIND), (EQUALS, 19, 0, OUTGOING),
        (LOAD_BYTE, 0, 0, 0), (SHIFT_RIGHT, 0, 0, 4), (EQUALS, 0, 9, 4),
        # IPv4: UDP, and no fragment behind the first
        (LOAD_BYTE, 0, 0, 9), (EQUALS, 0, 14, UDP),
        (LOAD_HALF, 0, 0, 6), (ANY_BIT, 12, 0, 0x1FFF),
        (LOAD_X_HEADER, 0, 0, 0),
        (LOAD_HALF_X, 0, 0, 0), (EQUALS, 10, 0, source),
        (LOAD_HALF_X, 0, 0, 2), (EQUALS, 8, 7, target),
        (EQUALS, 0, 6, 6),
        (LOAD_BYTE, 0, 0, 6), (EQUALS, 0, 4, UDP),
        (LOAD_HALF, 0, 0, 40), (EQUALS, 3, 0, source),
        (LOAD_HALF, 0, 0, 42), (EQUALS, 1, 0, target),
        (RETURN, 0, 0, 0),
        (RETURN, 0, 0, 1),
    ]  # fmt: skip


class WireCount:
    """How many datagrams to a port, or from it, have come in by an interface since."""

    def __init__(self, interface, way, port):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
        code = b"".join(struct.pack("=HBBI", *one) for one in filtered(way, port))
        kept = ctypes.create_string_buffer(code)
        program = struct.pack("HP", len(code) // 8, ctypes.addressof(kept))
        self.socket.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, program)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        self.socket.bind((interface, ETH_P_ALL))
        self.arrived = 0

    def look(self):
        """All that came so far; the kernel counts from 0 again after each look."""
        told = self.socket.getsockopt(SOL_PACKET, STATISTICS, 8)
        self.arrived += struct.unpack("II", told)[0]
        return self.arrived


def interface_of(address):
    """That has an address, or leads to it; empty where nothing does."""
    look = ["ip", "-o", "address", "show", "to", address]
    words = subprocess.run(look, stdout=subprocess.PIPE, check=False).stdout.decode().split()
    if len(words) > 1:
        return words[1].partition("@")[0]
    look = ["ip", "-o", "route", "get", address]
    words = subprocess.run(look, stdout=subprocess.PIPE, check=False).stdout.decode().split()
    return words[words.index("dev") + 1] if "dev" in words else ""


def no_room():
    """Datagrams that have found no room in a socket since the host was started."""
    found = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/net/snmp") as file:
            names, values = [line.split() for line in file if line.startswith("Udp:")][:2]
        found += int(values[names.index("RcvbufErrors")])
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/net/snmp6") as file:
        found += sum(int(line.split()[1]) for line in file if "Udp6RcvbufErrors" in line)
    return found


def main():
    stop, limit, address, way, port = sys.argv[1:6]
    interface, before = interface_of(address), no_room()
    if not interface:
        sys.exit("no interface has the address %s, or leads to it" % address)
    count = WireCount(interface, way, int(port))
    give_up = time.monotonic() + float(limit)
    print("ready", flush=True)
    while not os.path.exists(stop) and time.monotonic() < give_up:
        time.sleep(LOOK_S)
        count.look()  # before 32 bits are full
    told = {"interface": interface, "arrived": count.look(), "no_room": no_room() - before}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
