"""Exchanges datagrams for the sake of their time stamps, so that two hosts' clocks can be compared.

Usage: clock_exchange.py answer ADDRESS PORT LIMIT_S STOP
       clock_exchange.py ask ADDRESS PORT COUNT

`answer` tells each datagram that comes when it came and when its answer leaves; it ends once the
file STOP is there, at last after LIMIT_S. `ask` sends COUNT of them, one after the other, or as
many as ASK_S allow, and prints as JSON of each exchange [sent, came, answered, back], in ns since
the epoch: the first and the last by this host's clock, the others by that of the host that answers.
When a datagram comes is the moment in which the kernel got it.
"""

import json
import os
import socket
import struct
import sys
import time

NUMBER, ANSWER, STAMP = struct.Struct("<Q"), struct.Struct("<Qqq"), struct.Struct("qq")
SO_TIMESTAMPNS = 35
PATIENCE_S, APART_S, LOOK_S, ASK_S = 0.5, 0.002, 0.1, 3


def opened(address):
    """A socket that tells when datagrams came."""
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return sock


def taken(sock):
    """A datagram, when it came, and from where."""
    data, control, _, where = sock.recvmsg(64, socket.CMSG_SPACE(STAMP.size))
    seconds, ns = STAMP.unpack(control[0][2][: STAMP.size])
    return data, seconds * 10 ** 9 + ns, where


def answer(address, port, limit_s, stop):
    sock = opened(address)
    sock.bind((address, port))
    sock.settimeout(LOOK_S)
    print("ready", flush=True)
    give_up = time.monotonic() + limit_s
    while time.monotonic() < give_up and not os.path.exists(stop):
        try:
            data, came, where = taken(sock)
        except socket.timeout:
            continue
        if len(data) == NUMBER.size:
            sock.sendto(ANSWER.pack(*NUMBER.unpack(data), came, time.time_ns()), where)


def ask(address, port, count):
    sock = opened(address)
    sock.settimeout(PATIENCE_S)
    sock.connect((address, port))
    seen, give_up = [], time.monotonic() + ASK_S
    for number in range(count):
        if time.monotonic() > give_up:
            break
        sent = time.time_ns()
        try:
            sock.send(NUMBER.pack(number))
            while True:
                data, back, _ = taken(sock)
                if len(data) == ANSWER.size and ANSWER.unpack(data)[0] == number:
                    seen.append([sent, *ANSWER.unpack(data)[1:], back])
                    break
        except OSError:  # lost on the way, or nobody there
            continue
        time.sleep(APART_S)
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "answer":
        answer(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
    else:
        ask(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
