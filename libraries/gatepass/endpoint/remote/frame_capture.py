"""Takes down which numbered frames arrive at an interface, until told to stop; prints JSON.

Usage: frame_capture.py PLAN STOP LIMIT_S PCAP     (as root)

PLAN is JSON: `interface`; `marks`, by hexadecimal mark how many numbers there are at most after it
(a frame of ours has a mark and behind it its 32-bit number, wherever in it); `own`, the mark of
what this host itself sends, so that an answer to it is known; `asked`, TCP and UDP ports that it
sends from; `taken`, addresses that this host answers for while it listens, where nobody else does;
`serve`, an address and a port each, on which connections and datagrams are taken, not answered.

What it prints: by mark the numbers that arrived, as pairs of first and last, those that an ICMP
error quoted apart; how many had a number that makes no sense; `answers` to `own`; `busy`, the
addresses of `taken` that somebody else has; `dropped`, what the kernel could not keep. The first
frames of each mark go into the file PCAP. Once it listens, the file STOP.ready has `busy`, too. It
ends when the file STOP is there, at last after LIMIT_S.
"""

import contextlib
import json
import os
import re
import select
import socket
import struct
import sys
import time

ETH_P_ALL, SOL_PACKET, OUTGOING = 3, 263, 4
STATISTICS, IGNORE_OUTGOING, ADD_MEMBERSHIP, ALL_MULTICAST = 6, 23, 1, 2
BUFFER, MOST_SAMPLES, LONGEST = 32 << 20, 3000, 200
CLAIM_S, LEAVE_S = 0.4, 2.0
A_TURN, WHOLE_BUFFER = 20_000, 200_000
"""Frames at a time; more than there is room for in the buffer."""


class Numbers:
    """Which of the numbers up to a most there were."""

    def __init__(self, most):
        self.seen = bytearray(most + 1)
        self.odd = 0

    def add(self, number):
        if number < len(self.seen):
            self.seen[number] = 1
        else:
            self.odd += 1

    def spans(self):
        found = []
        for match in re.finditer(b"\x01+", self.seen):
            found.append([match.start(), match.end() - 1])
        return found


class Capture:
    def __init__(self, plan):
        self.plan = plan
        self.socket = opened(plan["interface"])
        self.marks = {bytes.fromhex(mark): most for mark, most in plan["marks"].items()}
        self.found = {mark: Numbers(most) for mark, most in self.marks.items()}
        self.quoted = {mark: Numbers(most) for mark, most in self.marks.items()}
        self.search = re.compile(b"|".join(map(re.escape, self.marks))).search
        own = int(plan["own"], 16)
        self.next_own = struct.pack("!I", (own + 1) & 0xFFFFFFFF)
        self.own = struct.pack("!I", own)
        self.asked = set(plan["asked"])
        self.answers, self.samples, self.kept = {}, [], {}
        self.mac = self.socket.getsockname()[4]
        self.taken = {socket.inet_pton(family(one), one) for one in plan["taken"]}
        self.busy = set()
        self.claiming = True

    def take(self, data):
        kind = data[12:14]
        if kind == b"\x08\x06":
            return self.arp(data)
        at = 14 + (data[14] & 15) * 4 if kind == b"\x08\x00" else 54
        protocol = data[23] if kind == b"\x08\x00" else data[20] if kind == b"\x86\xdd" else 0
        hit = self.search(data)
        if hit:
            return self.arrived(hit.group(), hit.start(), data, protocol, at)
        if protocol == 58 and data[54:55] in (b"\x87", b"\x88"):
            return self.neighbour(data)
        if protocol in (6, 17):
            self.answer(data, kind, protocol, at)

    def arrived(self, mark, start, data, protocol, at):
        first = data[at : at + 1]
        error = protocol == 1 and first in (b"\x03", b"\x04", b"\x05", b"\x0b", b"\x0c")
        error = error or (protocol == 58 and first < b"\x80")
        number = data[start + 4 : start + 8]
        kept = self.quoted if error else self.found
        kept[mark].add(struct.unpack("!I", number)[0] if len(number) == 4 else 0)
        if self.kept.get(mark, 0) < MOST_SAMPLES:
            self.kept[mark] = self.kept.get(mark, 0) + 1
            self.samples.append((time.time(), data))

    def answer(self, data, kind, protocol, at):
        """What comes back to a port that this host has sent from."""
        ports = data[at : at + 4]
        if len(ports) < 4:
            return
        source, target = struct.unpack("!HH", ports)
        if target not in self.asked:
            return
        address = data[26:30] if kind == b"\x08\x00" else data[22:38]
        word = "UDP"
        if protocol == 6:
            if data[at + 8 : at + 12] != self.next_own:
                return
            flags = data[at + 13]
            word = "SYN+ACK" if flags & 0x12 == 0x12 else "RST" if flags & 4 else "TCP"
        text = socket.inet_ntop(socket.AF_INET if len(address) == 4 else socket.AF_INET6, address)
        self.answers.setdefault(text, {}).setdefault(word, set()).add(source)

    # -- addresses that are answered for ---------------------------------------------------------

    def claim(self):
        """Ask whether somebody has one of the addresses; who does keeps it."""
        for address in self.taken:
            self.socket.send(asked_for(address, self.mac))

    def arp(self, data):
        operation, sender, target = data[20:22], data[28:32], data[38:42]
        if self.claiming:
            if sender in self.taken:
                self.busy.add(sender)
        elif operation == b"\x00\x01" and target in self.taken and any(sender):
            hardware = data[22:28]
            body = b"\x00\x01\x08\x00\x06\x04\x00\x02" + self.mac + target + hardware + sender
            self.socket.send(hardware + self.mac + b"\x08\x06" + body)

    def neighbour(self, data):
        target = data[62:78]
        if data[54] == 0x88:
            if self.claiming and target in self.taken:
                self.busy.add(target)
        elif target in self.taken and not self.claiming and any(data[22:38]):
            option = b"\x02\x01" + self.mac
            told = b"\x88\x00\x00\x00\x60\x00\x00\x00" + target + option
            self.socket.send(over_ipv6(data[6:12], self.mac, target, data[22:38], told))

    def others(self):
        """The addresses that somebody else has."""
        return [socket.inet_ntop(kind(one), one) for one in self.busy]

    def told(self):
        packets, dropped = struct.unpack("II", self.socket.getsockopt(SOL_PACKET, STATISTICS, 8))
        return {
            "arrived": {mark.hex(): one.spans() for mark, one in self.found.items()},
            "quoted": {mark.hex(): one.spans() for mark, one in self.quoted.items()},
            "odd": {mark.hex(): one.odd for mark, one in self.found.items()},
            "answers": {
                address: {word: sorted(ports) for word, ports in words.items()}
                for address, words in self.answers.items()
            },
            "busy": self.others(),
            "frames": packets,
            "dropped": dropped,
            "cpu_s": time.process_time(),
        }


def kind(packed):
    return socket.AF_INET if len(packed) == 4 else socket.AF_INET6


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def opened(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    with contextlib.suppress(OSError):  # Linux before 4.20: what goes out is left out one by one
        sock.setsockopt(SOL_PACKET, IGNORE_OUTGOING, 1)
    try:
        sock.setsockopt(socket.SOL_SOCKET, 33, BUFFER)  # SO_RCVBUFFORCE
    except OSError:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    sock.bind((interface, ETH_P_ALL))
    index = socket.if_nametoindex(interface)
    membership = struct.pack("IHH8s", index, ALL_MULTICAST, 0, b"")
    sock.setsockopt(SOL_PACKET, ADD_MEMBERSHIP, membership)
    sock.setblocking(False)
    return sock


def asked_for(address, mac):
    """The question who has an address, of a host that has none itself (RFC 5227, RFC 4862)."""
    if len(address) == 4:
        body = b"\x00\x01\x08\x00\x06\x04\x00\x01" + mac + bytes(4) + bytes(6) + address
        return b"\xff" * 6 + mac + b"\x08\x06" + body
    group = socket.inet_pton(socket.AF_INET6, "ff02::1:ff00:0")[:13] + address[13:]
    question = b"\x87\x00\x00\x00\x00\x00\x00\x00" + address
    return over_ipv6(b"\x33\x33" + group[12:], mac, bytes(16), group, question)


def over_ipv6(to, mac, source, target, message):
    """An ICMPv6 message with its checksum (RFC 4443, 2.3), in a frame."""
    pseudo = source + target + struct.pack("!IHBB", len(message), 0, 0, 58)
    total = sum(struct.unpack("!%dH" % ((len(pseudo) + len(message)) // 2), pseudo + message))
    checked = message[:2] + struct.pack("!H", 0xFFFF - total % 0xFFFF) + message[4:]
    header = struct.pack("!IHBB", 6 << 28, len(message), 58, 255) + source + target
    return to + mac + b"\x86\xdd" + header + checked


def bound(sock, address, port):
    """Bind to a port that another program may be about to leave."""
    give_up = time.monotonic() + LEAVE_S
    while True:
        try:
            return sock.bind((address, port))
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def listening(served):
    """Sockets that take what is permitted, so that nothing answers it with an error."""
    sockets = []
    for address, port in served:
        for style in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            sock = socket.socket(family(address), style)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound(sock, address, port)
            if style == socket.SOCK_STREAM:
                sock.listen(16)
            sockets.append(sock)
    return sockets


def listen(capture, until):
    """Take in what arrives until this says so, and what has arrived by then."""
    ended = False
    while not ended:
        ended = until()
        select.select([capture.socket], [], [], 0 if ended else 0.05)
        for _ in range(WHOLE_BUFFER if ended else A_TURN):
            try:
                data, address = capture.socket.recvfrom(LONGEST)
            except BlockingIOError:
                break
            if address[2] != OUTGOING and len(data) > 34:
                capture.take(data)


def write_pcap(path, samples):
    with open(path, "wb") as stream:
        stream.write(struct.pack("!IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, LONGEST, 1))
        for moment, data in samples:
            fraction = int(moment % 1 * 1e6)
            stream.write(struct.pack("!IIII", int(moment), fraction, len(data), len(data)) + data)


def main():
    with open(sys.argv[1]) as stream:
        plan = json.load(stream)
    stop, limit_s, pcap = sys.argv[2], float(sys.argv[3]), sys.argv[4]
    give_up = time.monotonic() + limit_s
    capture = Capture(plan)
    served = listening(plan["serve"])
    capture.claim()
    claimed = time.monotonic() + (CLAIM_S if capture.taken else 0)
    listen(capture, lambda: time.monotonic() > claimed)
    capture.taken -= capture.busy
    capture.claiming = False
    with open(stop + ".ready", "w") as ready:
        json.dump(capture.others(), ready)
    listen(capture, lambda: os.path.exists(stop) or time.monotonic() > give_up)
    write_pcap(pcap, capture.samples)
    json.dump(capture.told(), sys.stdout)
    for sock in served:
        sock.close()


main()
