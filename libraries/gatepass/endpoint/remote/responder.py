"""Listens on TCP and UDP ports and tells each caller the address that it is seen with.

Usage: responder.py SECONDS ADDRESS,... PORT...   Ends by itself after SECONDS.

Of this host's addresses nobody but those that are named can be called.
"""

import contextlib
import itertools
import selectors
import socket
import sys
import time

IP_FREEBIND, IPV6_FREEBIND = 15, 78
"""An address may come or go while this listens (ip(7), linux/in6.h)."""


def listen(kind, address, port):
    """A socket for one address of this host."""
    sixth = ":" in address
    sock = socket.socket(socket.AF_INET6 if sixth else socket.AF_INET, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sixth:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
    else:
        sock.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
    sock.bind((address, port))
    if kind == socket.SOCK_STREAM:
        sock.listen(512)
    return sock


def answer(sock, kind):
    """Tell one caller its address."""
    if kind == socket.SOCK_STREAM:
        caller, address = sock.accept()
        with caller:
            caller.sendall(address[0].encode())
    else:
        _, address = sock.recvfrom(64)
        sock.sendto(address[0].encode(), address)


def main():
    end = time.monotonic() + float(sys.argv[1])
    selector = selectors.DefaultSelector()
    for address, port in itertools.product(sys.argv[2].split(","), map(int, sys.argv[3:])):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            selector.register(listen(kind, address, port), selectors.EVENT_READ, kind)
    while time.monotonic() < end:
        for key, _ in selector.select(timeout=1):
            with contextlib.suppress(OSError):  # a caller has gone away; there will be others
                answer(key.fileobj, key.data)


main()
