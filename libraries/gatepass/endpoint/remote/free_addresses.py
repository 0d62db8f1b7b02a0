"""Tells which of some IPv4 addresses nobody on the wire has, one a line.

Usage: free_addresses.py INTERFACE ADDRESS...     (as root)

Each is asked for twice by ARP, as a host does that has no address yet (RFC 5227, 2.1).
"""

import select
import socket
import sys
import time

PATIENCE_S = 0.2
"""After each question; hosts of one wire answer in a few milliseconds."""


def main():
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
    sock.bind((sys.argv[1], 0x0806))
    mac = sock.getsockname()[4]
    asked, busy = {socket.inet_aton(word) for word in sys.argv[2:]}, set()
    for _ in range(2):
        for address in asked - busy:
            body = b"\x00\x01\x08\x00\x06\x04\x00\x01" + mac + bytes(4) + bytes(6) + address
            sock.send(b"\xff" * 6 + mac + b"\x08\x06" + body)
        end = time.monotonic() + PATIENCE_S
        while select.select([sock], [], [], max(0, end - time.monotonic()))[0]:
            busy |= {sock.recv(2048)[28:32]} & asked
    for word in sys.argv[2:]:
        if socket.inet_aton(word) not in busy:
            print(word)


main()
