"""Writes down which packets of some ports pass this host's interfaces, before any filter of its.

Usage: wire_look.py STOP LIMIT_S PORT...     (as root)

It prints "ready", and a line of JSON when the file STOP is there or LIMIT_S seconds are over: a
list of packets in their order, each as a list of

    way         "in" or "out"
    interface   its name
    protocol    "tcp", "udp", or "who-has" and "is-at" of ARP (RFC 826) and Neighbor Discovery
                (RFC 4861), the first of addresses of this host alone
    source, source port, target, target port
                of "who-has" and "is-at" the target is the address in question, the rest is empty
    flags       of TCP's header, a number
    length      bytes that TCP or UDP carry

A packet socket takes what comes in before nftables and the reverse-path filter, and what goes out
behind them. Packets of other ports are left out, and all after the first few thousand.
"""

import contextlib
import json
import os
import select
import socket
import struct
import sys
import time

ETH_P_ALL, OUTGOING, FOR_OTHERS = 3, 4, 3
IPV4, ARP, IPV6 = 0x0800, 0x0806, 0x86DD
TCP, UDP, ICMP6 = 6, 17, 58
SOLICITATION, ADVERTISEMENT = 135, 136
BEHIND_IPV6 = (0, 43, 60)
"""Headers that may stand between IPv6's and the one of TCP or UDP (RFC 8200)."""
NAMES = {TCP: "tcp", UDP: "udp"}
LONGEST, MOST, BUFFER = 256, 5000, 4 << 20


def is_own(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with contextlib.closing(socket.socket(family, socket.SOCK_DGRAM)) as sock:
        try:
            sock.bind((address, 0))
        except OSError:
            return False
    return True


def question(kind, address):
    """The rest of a row about who has an address."""
    return None if kind == "who-has" and not is_own(address) else [kind, "", 0, address, 0, 0, 0]


def of_arp(data):
    operation = struct.unpack("!H", data[6:8])[0]
    if operation == 1:
        return question("who-has", socket.inet_ntoa(data[24:28]))
    return question("is-at", socket.inet_ntoa(data[14:18]))


def of_ip(protocol, source, target, rest, length, ports):
    """The rest of a row about a packet; None of one that does not matter.

    rest: what stands behind the headers of IP, as far as it was read; length: all of it.
    """
    if protocol == ICMP6 and rest[0] in (SOLICITATION, ADVERTISEMENT):
        kind = "who-has" if rest[0] == SOLICITATION else "is-at"
        return question(kind, socket.inet_ntop(socket.AF_INET6, rest[8:24]))
    if protocol not in NAMES:
        return None
    here, there = struct.unpack("!HH", rest[:4])
    if not {here, there} & ports:
        return None
    flags, header = (rest[13], rest[12] >> 4 << 2) if protocol == TCP else (0, 8)
    return [NAMES[protocol], source, here, target, there, flags, max(0, length - header)]


def row(kind, data, ports):
    if kind == ARP:
        return of_arp(data)
    if kind == IPV4:
        if struct.unpack("!H", data[6:8])[0] & 0x1FFF:
            return None  # a fragment behind the first has no ports
        head, total = (data[0] & 15) * 4, struct.unpack("!H", data[2:4])[0]
        ends = socket.inet_ntoa(data[12:16]), socket.inet_ntoa(data[16:20])
        return of_ip(data[9], ends[0], ends[1], data[head:], total - head, ports)
    if kind == IPV6:
        protocol, at, length = data[6], 40, struct.unpack("!H", data[4:6])[0]
        ends = [socket.inet_ntop(socket.AF_INET6, data[n : n + 16]) for n in (8, 24)]
        while protocol in BEHIND_IPV6:
            size = 8 * (data[at + 1] + 1)
            protocol, at, length = data[at], at + size, length - size
        return of_ip(protocol, ends[0], ends[1], data[at:], length, ports)
    return None


def taken(sock, ports, rows):
    """Take in all that has come."""
    while True:
        try:
            data, (interface, kind, way, _, _) = sock.recvfrom(LONGEST)
        except OSError:  # nothing more
            return
        if way == FOR_OTHERS or len(rows) >= MOST:
            continue
        with contextlib.suppress(IndexError, struct.error, ValueError):  # cut off
            found = row(kind, data, ports)
            if found:
                rows.append(["out" if way == OUTGOING else "in", interface, *found])


def main():
    stop, limit, ports = sys.argv[1], float(sys.argv[2]), set(map(int, sys.argv[3:]))
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    sock.setblocking(False)
    give_up, rows = time.monotonic() + limit, []
    print("ready", flush=True)
    while not os.path.exists(stop) and time.monotonic() < give_up:
        select.select([sock], [], [], 0.05)
        taken(sock, ports, rows)
    taken(sock, ports, rows)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
