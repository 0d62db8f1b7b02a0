"""Sends datagrams back to whom they came from, with the address that they were sent to.

Usage: echo.py SECONDS PORT ADDRESS...   Ends by itself after SECONDS.
"""

import contextlib
import selectors
import socket
import sys
import time


def main():
    end, port = time.monotonic() + float(sys.argv[1]), int(sys.argv[2])
    selector = selectors.DefaultSelector()
    for address in sys.argv[3:]:
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind((address, port))
        selector.register(sock, selectors.EVENT_READ)
    while time.monotonic() < end:
        for key, _ in selector.select(timeout=1):
            with contextlib.suppress(OSError):  # nobody is there any more; there will be others
                data, sender = key.fileobj.recvfrom(2048)
                key.fileobj.sendto(data, sender)


main()
