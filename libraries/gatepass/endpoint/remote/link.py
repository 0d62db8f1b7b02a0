"""Tells by which interface, and past which neighbour, this host reaches some addresses; as JSON.

Usage: link.py ADDRESS...

For each address: the interface, its hardware address, the next hop (the address itself on the same
network), the next hop's hardware address, and the networks of the interface. A next hop that nobody
has spoken to yet is spoken to first. What cannot be found out is empty.
"""

import contextlib
import json
import socket
import subprocess
import sys
import time

PATIENCE_S = 2.0


def told(*words):
    done = subprocess.run(
        ["ip", "-j", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    if not done.stdout:
        return []
    try:
        return json.loads(done.stdout.decode())
    except ValueError:
        sys.exit("ip answers its option -j without JSON")


def neighbour(hop, interface, address):
    """The hardware address of the next hop; packets to it make the kernel look for it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    give_up = time.monotonic() + PATIENCE_S
    while True:
        for row in told("neigh", "show", hop, "dev", interface):
            if row.get("lladdr"):
                return row["lladdr"]
        if time.monotonic() > give_up:
            return ""
        with socket.socket(family, socket.SOCK_DGRAM) as sock, contextlib.suppress(OSError):
            sock.sendto(b"", (address, 9))
        time.sleep(0.05)


def link(address):
    route = next(iter(told("route", "get", address)), {})
    interface, hop = route.get("dev", ""), route.get("gateway", address)
    shown = next(iter(told("address", "show", "dev", interface)), {}) if interface else {}
    networks = [
        "%s/%s" % (one["local"], one["prefixlen"])
        for one in shown.get("addr_info", ())
        if one.get("scope") == "global"
    ]
    mac = shown.get("address", "") if shown.get("link_type") == "ether" else ""
    return {
        "interface": interface,
        "mac": mac,
        "hop": hop,
        "hop_mac": neighbour(hop, interface, address) if mac else "",
        "networks": networks,
    }


def main():
    if not told("address", "show", "dev", "lo"):
        sys.exit("ip does not know its option -j")
    json.dump({address: link(address) for address in sys.argv[1:]}, sys.stdout)


main()
