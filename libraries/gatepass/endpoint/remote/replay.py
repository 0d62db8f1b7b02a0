"""Opens a TCP connection, and sends segments in its name that cannot belong to it (as root).

Usage: replay.py SOURCE TARGET PORT MARK COUNT

The connection says a word to a port that answers, before and after. Between them COUNT segments
with its addresses and ports go out, whose sequence numbers lie beyond any window that a connection
can have (2^30 octets, RFC 7323, section 2.3). Each holds MARK, hexadecimal, and its own number,
from 1 on. Prints as JSON how many were sent, and whether the connection was answered before and
after.
"""

import json
import socket
import struct
import sys
import time

BEYOND, STEP = 0x60000000, 0x10000
PATIENCE_S, PAUSE_S = 3.0, 0.005
WORD = b"12345678"
SYN, PSH, ACK = 0x02, 0x08, 0x10
ALL_PROTOCOLS = 3


class Began:
    """The numbers with which both sides of a connection begin."""

    def __init__(self):
        kind = socket.SOCK_DGRAM
        self.socket = socket.socket(socket.AF_PACKET, kind, socket.htons(ALL_PROTOCOLS))

    def numbers(self, own, other):
        """Ours and the other's first sequence number; each side is an address and a port."""
        ends = {side: (socket.inet_aton(side[0]), side[1]) for side in (own, other)}
        found, give_up = {}, time.monotonic() + PATIENCE_S
        while len(found) < 2 and time.monotonic() < give_up:
            self.socket.settimeout(max(0.01, give_up - time.monotonic()))
            try:
                data = self.socket.recv(200)
            except socket.timeout:
                break
            if len(data) < 40 or data[0] >> 4 != 4 or data[9] != socket.IPPROTO_TCP:
                continue
            at = (data[0] & 15) * 4
            ports = struct.unpack_from("!HH", data, at)
            here = {(data[12:16], ports[0]): (data[16:20], ports[1])}
            for side, far in ((own, other), (other, own)):
                if here.get(ends[side]) == ends[far] and data[at + 13] & SYN:
                    found[side] = struct.unpack_from("!I", data, at + 4)[0]
        if len(found) < 2:
            raise SystemExit("the connection's own segments could not be seen")
        return found[own], found[other]


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def segment(own, other, numbers, content):
    """One segment of a connection, with its checksum (RFC 9293, section 3.1)."""
    addresses = socket.inet_aton(own[0]) + socket.inet_aton(other[0])

    def made(total):
        fixed = (own[1], other[1], *numbers, 5 << 4, PSH | ACK, 1024, total, 0)
        return struct.pack("!HHIIBBHHH", *fixed) + content

    pseudo = addresses + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(made(0)))
    return made(checksum(pseudo + made(0)))


def answered(connection):
    try:
        connection.sendall(WORD)
        heard = b""
        while len(heard) < len(WORD):
            data = connection.recv(64)
            if not data:
                return False
            heard += data
    except OSError:
        return False
    return heard == WORD


def main():
    source, target, port, mark, count = sys.argv[1:]
    began = Began()
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.settimeout(PATIENCE_S)
    connection.bind((source, 0))
    other = (target, int(port))
    try:
        connection.connect(other)
    except OSError as error:
        raise SystemExit("no connection to {}:{}: {}".format(target, port, error)) from None
    own = connection.getsockname()
    first, others = began.numbers(own, other)
    before = answered(connection)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
    raw.bind((source, 0))
    for number in range(1, int(count) + 1):
        numbers = ((first + BEYOND + number * STEP) % 2**32, (others + 1 + len(WORD)) % 2**32)
        content = bytes.fromhex(mark) + struct.pack("!I", number)
        raw.sendto(segment(own, other, numbers, content), (target, 0))
        time.sleep(PAUSE_S)
    after = answered(connection)
    json.dump({"sent": int(count), "before": before, "after": after}, sys.stdout)


main()
