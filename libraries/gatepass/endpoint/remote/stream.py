"""Numbered datagrams in one direction: sends them, or tells when which of them arrived; as JSON.

Usage: stream.py send INTERVAL_S ADDRESS PORT MARK STOP LIMIT_S
       stream.py take ADDRESS PORT MARK STOP LIMIT_S

Each datagram carries MARK, its number, and when it was sent by the sender's clock. Both end when
the file STOP is there, at last after LIMIT_S; the receiver once it has read what came until then.
Times are told as stretches, each as the first and the last time of it, broken where more than
BREAK_S lies between two. The sender prints how many it sent, and when (`sendings`); the receiver
when those that arrived were sent (`stretches`), when they came (`came`), by its own clock, as the
kernel stamped them and not when they were read, and how many the kernel had no room for. Before
that it prints now and then when the last that it has read was sent.
"""

import contextlib
import json
import os
import socket
import struct
import sys
import time

FORM = "!8sId"
BREAK_S = 0.1
BUFFER = 16 << 20
"""For all that can come in five minutes, should this program stand still."""
STAMP, OVERFLOW = 35, 40  # SO_TIMESTAMPNS, SO_RXQ_OVFL
TIMESPEC = "ll"


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def send(interval, address, port, mark, ended):
    sock = socket.socket(family(address), socket.SOCK_DGRAM)
    begun, number, sendings = time.monotonic(), 0, []
    while not ended():
        now = time.time()
        with contextlib.suppress(OSError):  # no way there at the moment
            sock.sendto(struct.pack(FORM, mark, number, now), (address, port))
        lengthen(sendings, now)
        number += 1
        time.sleep(max(0, begun + number * interval - time.monotonic()))
    return {"sent": number, "sendings": sendings}


def bound(address, port):
    sock = socket.socket(family(address), socket.SOCK_DGRAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, 33, BUFFER)  # SO_RCVBUFFORCE
    except OSError:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    for option in (STAMP, OVERFLOW):
        sock.setsockopt(socket.SOL_SOCKET, option, 1)
    sock.bind((address, port))
    return sock


class Taken:
    """What has arrived."""

    def __init__(self, sock, mark):
        self.sock, self.mark = sock, mark
        self.stretches, self.came = [], []
        self.arrived = self.dropped = 0
        self.told = 0.0

    def read(self, wait_s):
        """Read one datagram, waited for so long; whether there was one."""
        self.sock.settimeout(wait_s)
        try:
            data, notes, _, _ = self.sock.recvmsg(2048, 256)
        except (socket.timeout, BlockingIOError):
            return False
        stamp = time.time()
        for level, kind, value in notes:
            if level == socket.SOL_SOCKET and kind == STAMP:
                seconds, rest = struct.unpack(TIMESPEC, value)
                stamp = seconds + rest / 1e9
            elif level == socket.SOL_SOCKET and kind == OVERFLOW:
                (self.dropped,) = struct.unpack("I", value)
        if len(data) == struct.calcsize(FORM) and data[:8] == self.mark:
            self.arrived += 1
            self.take(struct.unpack(FORM, data)[2], stamp)
        return True

    def take(self, sent, stamp):
        lengthen(self.stretches, sent)
        lengthen(self.came, stamp)
        if sent > self.told + BREAK_S:
            self.told = sent
            print(sent, flush=True)


def take(address, port, mark, ended):
    taken = Taken(bound(address, port), mark)
    while not ended():
        taken.read(0.05)
    while taken.read(0):  # of what came before the end it may have been kept
        pass
    return {
        "arrived": taken.arrived,
        "stretches": taken.stretches,
        "came": taken.came,
        "dropped": taken.dropped,
    }


def lengthen(stretches, moment):
    """Have the last stretch end at this moment, or begin another one."""
    if not stretches or moment - stretches[-1][1] > BREAK_S:
        stretches.append([moment, moment])
    else:
        stretches[-1][1] = max(moment, stretches[-1][1])


def main():
    what, words = sys.argv[1], sys.argv[2:]
    stop, give_up = words[-2], time.monotonic() + float(words[-1])

    def ended():
        return os.path.exists(stop) or time.monotonic() > give_up

    mark = words[-3].encode()[:8].ljust(8)
    if what == "send":
        told = send(float(words[0]), words[1], int(words[2]), mark, ended)
    else:
        told = take(words[0], int(words[1]), mark, ended)
    json.dump(told, sys.stdout)


main()
