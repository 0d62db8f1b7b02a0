"""Transactions between two hosts: a request, its response, and only then the next; tells JSON.

Usage: transactions.py answer tcp|udp ADDRESS PORT REQUEST_BYTES RESPONSE_BYTES
       transactions.py ask    tcp|udp ADDRESS PORT REQUEST_BYTES RESPONSE_BYTES SECONDS

It is netperf's TCP_RR and UDP_RR. Both sides block in the kernel, so that nothing is measured but a
round trip and two programs that wake up. TCP is one connection, opened before the time begins. A
datagram's first byte is its number, which its response repeats: what comes too late is no answer to
another. One without a response after LOST_S is lost, and the next is sent; netperf would wait for
ever. The asking side ends after SECONDS, the answering one with it or after SILENT_S of silence.

Where the connection does not open, breaks or falls silent, the asking side tells in `error` what
the kernel calls it, and in `seconds` for how long it had gone well.

Each keeps to one processor, as with netperf's -T: on a machine that holds both sides they would
else share one now and then, and a transaction takes half as long there.
"""

import contextlib
import errno
import json
import os
import socket
import struct
import sys
import time

LOST_S = 0.2
"""As long as TCP waits at least before it sends again."""
SILENT_S = 10
"""After which nothing more is expected of the other side."""
GOODBYES = 3
"""Empty datagrams at the end, as one may get lost."""


def answer(sock, tcp, request, response):
    """Answer until the other side has ended; how often, and whom."""
    answered = answer_connection if tcp else answer_datagrams
    seen, count = set(), 0
    with contextlib.suppress(ConnectionError, BlockingIOError):  # it broke, or all is silent
        for peer in answered(sock, request, response):
            seen.add(peer)
            count += 1
    return {"answered": count, "seen": sorted(seen)}


def answer_connection(sock, request, response):
    sock.listen(1)
    connection, (peer, *_) = sock.accept()
    patient(connection, SILENT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    content = bytes(response)
    while len(connection.recv(request, socket.MSG_WAITALL)) == request:
        connection.sendall(content)
        yield peer


def answer_datagrams(sock, request, response):
    rest, data = bytes(response - 1), b"-"
    while data:
        data, peer = sock.recvfrom(request + 1)
        if len(data) == request:
            sock.sendto(data[:1] + rest, peer)
            yield peer[0]


def ask(sock, tcp, request, response, seconds):
    """Ask for so long; how many transactions there were, and how many were lost."""
    transact = over_tcp(sock, request, response) if tcp else over_udp(sock, request, response)
    done = lost = 0
    begun = now = time.monotonic()
    while now - begun < seconds:
        try:
            if transact():
                done += 1
            else:
                lost += 1
        except BlockingIOError:  # SO_RCVTIMEO is over
            return broken("Connection timed out", now - begun, done)
        except ConnectionError as error:
            return broken(error.strerror, now - begun, done)
        now = time.monotonic()
    if not tcp:
        for _ in range(GOODBYES):
            with contextlib.suppress(ConnectionError):
                sock.send(b"")
    return {"done": done, "lost": lost, "seconds": now - begun}


def broken(error, seconds, done):
    return {"error": error, "seconds": seconds if done else 0}


def over_tcp(sock, request, response):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    content = bytes(request)

    def transact():
        sock.sendall(content)
        if len(sock.recv(response, socket.MSG_WAITALL)) != response:
            raise ConnectionAbortedError(errno.ECONNABORTED, "the other side closed the connection")
        return True

    return transact


def over_udp(sock, request, response):
    rest, number = bytes(request - 1), 0

    def transact():
        nonlocal number
        number = (number + 1) % 256
        try:
            sock.send(bytes((number,)) + rest)
            data = b""
            while len(data) != response or data[0] != number:
                data = sock.recv(response + 1)
        except BlockingIOError:  # SO_RCVTIMEO is over
            return False
        return True

    return transact


def patient(sock, seconds):
    """Let the kernel end a wait; a time-out of Python's own costs a call more each time."""
    times = struct.pack("@ll", int(seconds), round(seconds % 1 * 1e6))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, times)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, times)


def main():
    what, protocol, address, port, request, response, *seconds = sys.argv[1:]
    tcp = protocol == "tcp"
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM)
    place, sizes = (address, int(port)), (int(request), int(response))
    processors, own = os.sched_getaffinity(0), min if what == "answer" else max
    os.sched_setaffinity(0, {own(processors)})
    if what == "answer":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        patient(sock, SILENT_S)
        sock.bind(place)
        told = answer(sock, tcp, *sizes)
    else:
        patient(sock, SILENT_S if tcp else LOST_S)
        try:
            sock.connect(place)
            told = ask(sock, tcp, *sizes, float(seconds[0]))
        except BlockingIOError:  # SO_SNDTIMEO is over
            told = broken("Connection timed out", 0, 0)
        except OSError as error:
            told = broken(error.strerror, 0, 0)
    json.dump(told, sys.stdout)


main()
