"""Tells which marked datagrams arrive at an interface, and may contend for an address by ARP.

Usage: arrival_watch.py INTERFACE MARK STOP LIMIT_S LOOK [ADDRESS MAC CLAIM]     (as root)

It writes the line "ready" and then one for each datagram that came in and carries MARK (see
`forged_sender.py`): the hardware address that it was sent to and from, its IPv4 source, and what
stood behind the mark. As soon as it has read all that had come when it found the file LOOK, it adds
the line "looked" and what stands in that file, and removes it: what is not written by then did not
arrive.

With ADDRESS it stands as a host of that IPv4 address and of the hardware address MAC: it announces
itself (RFC 5227, 2.3) and answers whoever asks for it (RFC 826). As long as the file CLAIM is there
it also claims the address for the interface's own hardware address, by what an attacker sends:
announcements to all, and answers that nobody asked for, to who asked for the address last. It takes
in what is sent to other hardware addresses as well.

It ends when the file STOP is there, at last after LIMIT_S.
"""

import os
import select
import socket
import struct
import sys
import time

ETH_P_ALL, SOL_PACKET, OUTGOING = 3, 263, 4
ADD_MEMBERSHIP, PROMISCUOUS = 1, 1
EVERY_S, LONGEST = 0.02, 2048
ALL = b"\xff" * 6
REQUEST, ANSWER = 1, 2


def readable(mac):
    return ":".join("%02x" % byte for byte in mac)


def opened(interface, promiscuous):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.bind((interface, ETH_P_ALL))
    if promiscuous:
        index = socket.if_nametoindex(interface)
        membership = struct.pack("IHH8s", index, PROMISCUOUS, 0, b"")
        sock.setsockopt(SOL_PACKET, ADD_MEMBERSHIP, membership)
    sock.setblocking(False)
    return sock


def arp(operation, to, sender_mac, sender, target_mac, target):
    """A frame of ARP (RFC 826)."""
    body = struct.pack("!HHBBH", 1, 0x0800, 6, 4, operation)
    body += sender_mac + sender + target_mac + target
    return to + sender_mac + b"\x08\x06" + body


class Contest:
    """An address that one hardware address has, and another claims."""

    def __init__(self, sock, address, mac, claim):
        self.sock, self.claim = sock, claim
        self.address = socket.inet_aton(address)
        self.mac = bytes.fromhex(mac.replace(":", ""))
        self.attacker = sock.getsockname()[4]
        self.asker, self.due = None, 0.0
        self.announce(self.mac)

    def announce(self, mac):
        """Say to all that the address has this hardware address now."""
        self.sock.send(arp(REQUEST, ALL, mac, self.address, bytes(6), self.address))

    def heard(self, frame):
        """ARP that came in: who asks is answered as the host would."""
        operation, sender = struct.unpack("!H", frame[20:22])[0], frame[28:32]
        if operation == REQUEST and frame[38:42] == self.address != sender:
            mac = frame[22:28]
            self.sock.send(arp(ANSWER, mac, self.mac, self.address, mac, sender))
            if any(sender):  # else it only asks whether the address is free
                self.asker = mac, sender

    def go_on(self):
        now = time.monotonic()
        if now < self.due or not os.path.exists(self.claim):
            return
        self.due = now + EVERY_S
        self.announce(self.attacker)
        if self.asker:
            to = self.asker[0]
            self.sock.send(arp(ANSWER, to, self.attacker, self.address, *self.asker))


def tell(frame, mark):
    at = 14 + (frame[14] & 15) * 4 + 8
    if frame[23] != 17 or frame[at : at + 8] != mark:
        return
    words = frame[at + 9 :].split(b"\n")[0].decode("ascii", "replace")
    source = socket.inet_ntoa(frame[26:30])
    print(readable(frame[:6]), readable(frame[6:12]), source, words, flush=True)


def asked_to(look):
    """What stands in the file that asks for a look, which is removed; nothing without one."""
    try:
        with open(look) as file:
            asked = file.read().strip()
        if asked:
            os.remove(look)
        return asked
    except OSError:
        return ""


def main():
    interface, mark, stop, limit, look = sys.argv[1:6]
    mark = mark.encode()[:8].ljust(8)
    sock = opened(interface, len(sys.argv) > 6)
    contest = Contest(sock, *sys.argv[6:9]) if len(sys.argv) > 6 else None
    give_up = time.monotonic() + float(limit)
    print("ready", flush=True)
    while not os.path.exists(stop) and time.monotonic() < give_up:
        select.select([sock], [], [], EVERY_S / 2 if contest else 0.05)
        asked = asked_to(look)
        while True:
            try:
                frame, address = sock.recvfrom(LONGEST)
            except OSError:  # nothing more
                break
            if address[2] == OUTGOING or len(frame) < 42:
                continue
            if frame[12:14] == b"\x08\x00":
                tell(frame, mark)
            elif contest and frame[12:14] == b"\x08\x06":
                contest.heard(frame)
        if asked:
            print("looked", asked, flush=True)
        if contest:
            contest.go_on()


main()
