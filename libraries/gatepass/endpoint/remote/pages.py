"""Asks ports for the page that a browser would show there; prints as JSON what each answered.

Usage: pages.py ADDRESS,... PORT,...

Each is asked over TLS, whatever its certificate, and over plain HTTP where it speaks none; a
redirect on the same port is followed. A row is the address, the port, HTTPS, HTTP, open or nothing,
and the beginning of all that was answered.
"""

import json
import re
import socket
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor

PATIENCE_S, LARGEST, MOST = 2.5, 65536, 4
LOCATION = re.compile(r"\r\nlocation: *(?:https?://[^/\r\n]+)?(/[^\r\n]*)", re.IGNORECASE)
SCRIPT = re.compile(r"location(?:\.href)? *= *[\"'](/[^\"']*)")


def wrapped(plain):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.set_ciphers("ALL:@SECLEVEL=0")
    return context.wrap_socket(plain)


def page(address, port, tls, path):
    host = f"[{address}]" if ":" in address else address
    plain = socket.create_connection((address, port), PATIENCE_S)
    with plain, wrapped(plain) if tls else plain as link:
        request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        link.sendall(request.encode())
        got = b""
        while len(got) < LARGEST:
            try:
                part = link.recv(LARGEST)
            except OSError:
                break
            if not part:
                break
            got += part
        return got.decode("latin-1")


def ask(place):
    address, port = place
    try:
        socket.create_connection(place, PATIENCE_S).close()
    except OSError:
        return [address, port, "", ""]
    for tls in (True, False):
        read, path = "", "/"
        try:
            for _ in range(MOST):
                got = page(address, port, tls, path)
                read += got
                further = LOCATION.search(got) or SCRIPT.search(got)
                if not further:
                    break
                path = further[1]
        except OSError:
            pass
        if read.startswith("HTTP/"):
            return [address, port, "HTTPS" if tls else "HTTP", read[:LARGEST]]
    return [address, port, "open", ""]


def main():
    places = [(a, int(p)) for a in sys.argv[1].split(",") for p in sys.argv[2].split(",")]
    with ThreadPoolExecutor(len(places)) as pool:
        json.dump(list(pool.map(ask, places)), sys.stdout)


main()
