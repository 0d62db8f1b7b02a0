"""Listens on TCP and UDP ports and tells each caller the address that it is seen with.

Usage: responder.py SECONDS PORT...   Ends by itself after SECONDS.
"""

import contextlib
import selectors
import socket
import sys
import time


def listen(kind, port):
    """A socket for IPv4 and IPv6 on every address of this host."""
    sock = socket.socket(socket.AF_INET6, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    sock.bind(("::", port))
    if kind == socket.SOCK_STREAM:
        sock.listen(512)
    return sock


def plain(address):
    """An IPv4 address without the prefix it has on an IPv6 socket."""
    return address[7:] if address.startswith("::ffff:") else address


def answer(sock, kind):
    """Tell one caller its address."""
    if kind == socket.SOCK_STREAM:
        caller, address = sock.accept()
        with caller:
            caller.sendall(plain(address[0]).encode())
    else:
        _, address = sock.recvfrom(64)
        sock.sendto(plain(address[0]).encode(), address)


def main():
    end = time.monotonic() + float(sys.argv[1])
    selector = selectors.DefaultSelector()
    for port in map(int, sys.argv[2:]):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            selector.register(listen(kind, port), selectors.EVENT_READ, kind)
    while time.monotonic() < end:
        for key, _ in selector.select(timeout=1):
            with contextlib.suppress(OSError):  # a caller has gone away; there will be others
                answer(key.fileobj, key.data)


main()
