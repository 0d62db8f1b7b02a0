"""Numbered datagrams in one direction: sends them, or tells when which of them arrived; as JSON.

Usage: stream.py send INTERVAL_S ADDRESS PORT MARK STOP LIMIT_S
       stream.py take ADDRESS PORT MARK STOP LIMIT_S

Each datagram carries MARK, its number, and when it was sent by the sender's clock. Both end when
the file STOP is there, at last after LIMIT_S. The sender prints how many it sent; the receiver the
stretches of those that arrived, each as the first and last time of sending, broken where more than
BREAK_S lies between two, and the same by the time when they came, by its own clock. Before that it
prints when the first of each stretch was sent, as soon as it has come.
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


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def send(interval, address, port, mark, ended):
    sock = socket.socket(family(address), socket.SOCK_DGRAM)
    begun, number = time.monotonic(), 0
    while not ended():
        with contextlib.suppress(OSError):  # no way there at the moment
            sock.sendto(struct.pack(FORM, mark, number, time.time()), (address, port))
        number += 1
        time.sleep(max(0, begun + number * interval - time.monotonic()))
    return {"sent": number}


def take(address, port, mark, ended):
    sock = socket.socket(family(address), socket.SOCK_DGRAM)
    sock.bind((address, port))
    sock.settimeout(0.05)
    stretches, came, arrived = [], [], 0
    while not ended():
        try:
            data = sock.recv(2048)
        except socket.timeout:
            continue
        if len(data) != struct.calcsize(FORM) or data[:8] != mark:
            continue
        arrived += 1
        if lengthen(stretches, struct.unpack(FORM, data)[2]):
            print(stretches[-1][0], flush=True)
        lengthen(came, time.time())
    return {"arrived": arrived, "stretches": stretches, "came": came}


def lengthen(stretches, moment):
    """Have the last stretch end at this moment, or begin another one; whether that."""
    begins = not stretches or moment - stretches[-1][1] > BREAK_S
    if begins:
        stretches.append([moment, moment])
    else:
        stretches[-1][1] = max(moment, stretches[-1][1])
    return begins


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
