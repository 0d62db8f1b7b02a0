"""Sends numbered datagrams with whatever hardware and IP address they are told to have.

Usage: forged_sender.py INTERFACE HOP PORT MARK TRY ROUNDS INTERVAL_S NAME=MAC,SOURCE,TARGET...
(as root)

In each of ROUNDS rounds one UDP datagram of each NAME goes out by INTERFACE to the hardware address
HOP: from MAC and the IPv4 address SOURCE, to TARGET and PORT, each from a source port of its own.
It carries MARK (eight letters), a space, TRY, NAME and the number of the round, with spaces between
and a line feed behind.
"""

import errno
import socket
import struct
import sys
import time
import zlib

FIRST_PORT, PORTS = 20000, 40000
"""Of the source: each datagram is a session of its own, also from run to run."""
PATIENCE_S = 2.0
"""For a queue that is full, as where the kernel has no processor to empty it."""


def packed(mac):
    return bytes.fromhex(mac.replace(":", ""))


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def datagram(source, target, source_port, port, content):
    """An IPv4 packet (RFC 791) with a datagram in it (RFC 768)."""
    addresses = socket.inet_aton(source) + socket.inet_aton(target)
    length = 8 + len(content)
    begin = struct.pack("!HHH", source_port, port, length)
    total = checksum(addresses + struct.pack("!HH", 17, length) + begin + b"\0\0" + content)
    body = begin + struct.pack("!H", total or 0xFFFF) + content
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, 17, 0) + addresses
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + body


def send(sock, frame):
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            return sock.send(frame)
        except OSError as error:
            if error.errno != errno.ENOBUFS or time.monotonic() > give_up:
                raise
            time.sleep(0.001)


def main():
    interface, hop, port, mark, number, rounds, interval = sys.argv[1:8]
    senders = [(name, *rest.split(",")) for name, rest in (w.split("=") for w in sys.argv[8:])]
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.bind((interface, 0))
    begun, sent = time.monotonic(), 0
    first = zlib.crc32(mark.encode()) + int(number) * int(rounds) * len(senders)
    for at in range(int(rounds)):
        for name, mac, source, target in senders:
            content = "%s %s %s %d\n" % (mark[:8].ljust(8), number, name, at)
            source_port = FIRST_PORT + (first + sent) % PORTS
            packet = datagram(source, target, source_port, int(port), content.encode())
            send(sock, packed(hop) + packed(mac) + b"\x08\x00" + packet)
            sent += 1
        time.sleep(max(0, begun + (at + 1) * float(interval) - time.monotonic()))


main()
