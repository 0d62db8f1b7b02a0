"""Tells which packets get to some addresses and back whole: ICMP echoes that nobody may cut.

Usage: mtu.py ADDRESS... [-- ADDRESS...]

For each IPv4 address, as JSON: the interface, its MTU and speed (Mbit/s, 0 where it does not tell),
whether a small echo is answered and whether one as large as the MTU is, and the MTU of the path
where somebody on it tells one. Nothing is sent to those behind the `--`, nor where the user may not
send echoes. Where `ip` prints no JSON nothing is known, and none of them is told.
"""

import contextlib
import errno
import json
import os
import socket
import struct
import subprocess
import sys
import time

IP_MTU_DISCOVER, IP_PMTUDISC_DO, IP_MTU = 10, 2, 14
HEADERS = 28
SMALL, LARGEST = 56, 65535
PATIENCE_S = 1.0
TRIES = 2


def routes(*words):
    """What `ip` tells of routes; None where that is no JSON, as where there is none."""
    done = subprocess.run(
        ["ip", "-j", "route", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        return json.loads(done.stdout.decode())
    except ValueError:
        return None


def interface_of(address):
    try:
        return routes("get", address)[0].get("dev", "")
    except (IndexError, AttributeError, TypeError):
        return ""


def number(interface, name):
    try:
        with open("/sys/class/net/%s/%s" % (interface, name)) as file:
            return max(0, int(file.read()))
    except (OSError, ValueError):  # a virtual one has no speed
        return 0


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def echo(size, number):
    """An ICMP echo request whose packet has so many bytes (RFC 792)."""
    own = os.getpid() & 0xFFFF
    content = b"x" * (size - HEADERS)
    head = struct.pack("!BBHHH", 8, 0, 0, own, number)
    return struct.pack("!BBHHH", 8, 0, checksum(head + content), own, number) + content


def opened():
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        with contextlib.suppress(OSError):
            sock = socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP)
            sock.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
            return sock
    return None


def answered(address, size):
    """Whether an echo of that size comes back; None where none may be sent. And the path's MTU."""
    told = 0
    for number in range(1, TRIES + 1):
        sock = opened()
        if sock is None:
            return None, 0
        with sock:
            sock.settimeout(PATIENCE_S)
            try:
                sock.connect((address, 0))
                sock.send(echo(size, number))
                give_up = time.monotonic() + PATIENCE_S
                while time.monotonic() < give_up:
                    answer = sock.recv(65535)
                    if answer[:1] and answer[0] >> 4 == 4:  # a raw socket shows the IP header, too
                        answer = answer[(answer[0] & 15) * 4 :]
                    if answer[:1] == b"\0" and answer[6:8] == struct.pack("!H", number):
                        return True, 0
            except OSError as error:
                if error.errno == errno.EMSGSIZE:
                    told = sock.getsockopt(socket.IPPROTO_IP, IP_MTU)
                # silence, or nobody there: once more
    return False, told


def path(address, sends):
    interface = interface_of(address)
    mtu = number(interface, "mtu") if interface else 0
    small, _ = answered(address, SMALL) if interface and sends else (None, 0)
    whole, told = answered(address, min(mtu, LARGEST)) if small else (None, 0)
    return {
        "interface": interface,
        "mtu": mtu,
        "speed": number(interface, "speed") if interface else 0,
        "small": small,
        "whole": whole,
        "path_mtu": told,
    }


def main():
    words = [*sys.argv[1:], "--"]
    asked, others = words[: words.index("--")], words[words.index("--") :]
    told = {}
    if routes("show", "default") is not None:
        told = {address: path(address, True) for address in asked}
        told.update({address: path(address, False) for address in others if address != "--"})
    json.dump(told, sys.stdout)


main()
