"""Tries flows to a responder, all at once, and prints what became of each as a JSON list.

Usage: prober.py TIMEOUT_S PROTOCOL:ADDRESS:PORT[:TRIES][@VIA]...   PROTOCOL is tcp or udp, an IPv6
address stands in square brackets. VIA is a number that marks the flow's packets, for the routes to
look at, an interface that they are to leave by, or an address of this host that they come from.
Each result: "answered" with the address that the far side saw, "refused" (a reset or an ICMP error
came back) or "silent"; and `seconds`, how long the last try took.
"""

import json
import re
import socket
import sys
import threading
import time

FLOW = re.compile(r"(tcp|udp):\[?([0-9a-fA-F.:]+?)\]?:(\d+)(?::(\d+))?(?:@(.+))?$")
ADDRESS = re.compile(r"[0-9]+(\.[0-9]+){3}$|[0-9a-fA-F]*:[0-9a-fA-F:.]*$")


def choose(sock, via):
    """Have its packets marked, or bound to an interface, which needs root, or to an address."""
    if ADDRESS.match(via):
        sock.bind((via, 0))
    elif via.isdigit():
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, int(via))
    else:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, via.encode())


def attempt(protocol, address, port, via, timeout):
    kind = socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, kind) as sock:
        sock.settimeout(timeout)
        try:
            if via:
                choose(sock, via)
            sock.connect((address, port))
            if protocol == "udp":
                sock.send(b"?")
            seen = sock.recv(64).decode()
        except socket.timeout:
            return "silent", ""
        except OSError as error:
            return "refused", str(error)
    return ("answered", seen) if seen else ("refused", "closed without an answer")


def probe(flow, timeout, results, index):
    protocol, address, port, tries, via = FLOW.match(flow).groups()
    for remaining in range(int(tries or 1), 0, -1):
        begun = time.monotonic()
        outcome, detail = attempt(protocol, address, int(port), via, timeout)
        seconds = round(time.monotonic() - begun, 3)
        if outcome == "answered" or remaining == 1:
            break
        time.sleep(0.1)
    results[index] = {"flow": flow, "outcome": outcome, "detail": detail, "seconds": seconds}


def main():
    timeout, flows = float(sys.argv[1]), sys.argv[2:]
    results = [None] * len(flows)
    threads = [
        threading.Thread(target=probe, args=(flow, timeout, results, index))
        for index, flow in enumerate(flows)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump(results, sys.stdout)


main()
