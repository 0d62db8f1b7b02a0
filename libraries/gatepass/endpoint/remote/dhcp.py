"""Asks for addresses as many hosts would, each with a hardware address of its own; prints JSON.

Usage: dhcp.py PLAN LIMIT_S     (as root)

The hosts are clients of DHCP (RFC 2131) that speak by the interface's packet socket: nothing of
this host is changed, and nothing is left of them but what their server remembers.

PLAN is JSON: `interface`; `server`, whose answers are taken, an IPv4 address; `server_mac`, its
hardware address; `name`, what each host's name begins with; `has`, by hardware address the address
that a host has already; `steps`, one after the other.

Of a step: `groups`, each with what it does (`ask`: for offers that nobody takes; `lease`; `renew`;
`release`), its `hosts`, `from_s`, when it begins, `within_s`, over which its hosts begin, and
whether the step waits for them (`awaited`); `who_has`, addresses that are asked for by ARP;
`least_s` and `most_s`, how long it takes. It ends when all that are awaited are done. Time in which
this program itself stood still does not count: nobody was asked in it, and no answer read.

Each host also asks by ARP who has the address of the server: its answer to that shows that packets
of such a host get there and back. A host that has an address answers the server's own ARP for it.

It prints `steps`, each with `hosts`, by hardware address: `state` (silent, offered, bound, refused,
released), `address`, `options` by their number in hexadecimal, `ms` from the first question to the
address, `asked` how often, `refusals`, and whether the server was `reached`; `taken`, of `who_has`
what somebody has; `foreign`, the addresses of other servers that answered anybody; `strangers`, the
hardware addresses of other hosts that the server gave an address; `sent`, how many frames, and
`heard`, how many came from the server.
"""

import json
import random
import select
import socket
import struct
import sys
import time

SOL_PACKET, ADD_MEMBERSHIP, PROMISCUOUS, OUTGOING = 263, 1, 1, 4
BUFFER, LONGEST = 4 << 20, 2048
BROADCAST, NOBODY = b"\xff" * 6, bytes(4)
EVERYBODY = b"\xff" * 4
IPV4, ARP = b"\x08\x00", b"\x08\x06"
QUESTION, REPLY = 1, 2
COOKIE = b"\x63\x82\x53\x63"
DISCOVER, OFFER, REQUEST, ACK, NAK, RELEASE = 1, 2, 3, 5, 6, 7
NETMASK, HOST_NAME, WANTED_ADDRESS, KIND, SERVER, LIST, IDENTITY = 1, 12, 50, 53, 54, 55, 61
WANTED = bytes([1, 3, 6, 15, 51, 54, 58, 59])
BROADCAST_FLAG = 0x8000
FIRST_S, LONGEST_S, SPREAD_S = 0.4, 6.4, 0.1
"""A tenth of what RFC 2131, 4.1, has: 4 s, doubled up to 64 s, one second more or less."""
TRIES = 4
"""So often it asks for an address that it was offered, before it begins anew."""
AGAIN_S = 0.2
AWAKE_S = 0.05
"""Between two turns; what is more was this program's own standstill."""


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def mac_of(text):
    return bytes.fromhex(text.replace(":", ""))


def text_of(mac):
    return ":".join("%02x" % byte for byte in mac)


def arp(kind, mac, sender, target_mac, target):
    """An ARP message in a frame; a question goes to everybody (RFC 826, RFC 5227)."""
    to = BROADCAST if kind == QUESTION else target_mac
    head = b"\x00\x01\x08\x00\x06\x04" + struct.pack("!H", kind)
    return to + mac + ARP + head + mac + sender + target_mac + target


def option(number, value):
    return bytes([number, len(value)]) + value


def datagram(mac, to_mac, source, target, message):
    """A message from the client's port to the server's, in a frame."""
    length = 8 + len(message)
    pseudo = source + target + struct.pack("!BBH", 0, 17, length)
    udp = struct.pack("!HHHH", 68, 67, length, 0)
    total = checksum(pseudo + udp + message) or 0xFFFF
    udp = struct.pack("!HHHH", 68, 67, length, total)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, 17, 0) + source + target
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    return to_mac + mac + IPV4 + ip + udp + message


def options_in(message):
    """The options of a message by their number (RFC 2132, 2)."""
    found, at = {}, 240
    while at < len(message) and message[at] != 255:
        if message[at] == 0:
            at += 1
            continue
        if at + 1 >= len(message):
            break
        length = message[at + 1]
        found[message[at]] = found.get(message[at], b"") + message[at + 2 : at + 2 + length]
        at += 2 + length
    return found


def message_in(frame):
    """The DHCP message of a frame to a client, and who sent it; None for any other frame."""
    if frame[12:14] != IPV4 or len(frame) < 34 or frame[23] != 17:
        return None
    at = 14 + (frame[14] & 15) * 4
    if frame[at : at + 4] != b"\x00\x43\x00\x44":
        return None
    message = frame[at + 8 :]
    if len(message) < 240 or message[0] != REPLY or message[236:240] != COOKIE:
        return None
    return message, frame[26:30]


class Host:
    """One client.

    A host that has an address keeps it from step to step until it releases it.
    """

    def __init__(self, mac, name, address):
        self.mac, self.name, self.address = mac, name, address
        self.has = address is not None
        self.does, self.state = "", "idle"

    def begin(self, does, now):
        self.does, self.state = does, "silent"
        self.began, self.next, self.pause = now, now, FIRST_S
        self.first = time.monotonic()
        self.asked, self.tries, self.refusals = 0, 0, 0
        self.reached, self.ms, self.options = False, None, {}
        self.offer = None
        self.xid = random.getrandbits(32)

    @property
    def done(self):
        return self.state in ("bound", "refused", "released")

    @property
    def quiet(self):
        """Whether it has nothing more to say."""
        return self.done or (self.does == "ask" and self.state == "offered")

    def anew(self, now):
        """From the beginning, as a host does whose offer was not kept (RFC 2131, 3.1)."""
        self.offer, self.tries, self.next = None, 0, now
        self.xid = random.getrandbits(32)

    def frames(self, now, plan):
        """What it sends now, and when it will again."""
        self.next = now + max(0.05, self.pause + random.uniform(-SPREAD_S, SPREAD_S))
        self.pause = min(2 * self.pause, LONGEST_S)
        if self.does == "release":
            found = [self.unicast(RELEASE, plan)] if self.has else []
            self.state, self.has, self.address = "released", False, None
            return found
        found = []
        if not self.reached:
            found.append(arp(QUESTION, self.mac, NOBODY, bytes(6), plan.server))
        if self.does == "renew" and self.has:
            found.append(self.unicast(REQUEST, plan))
        elif self.offer:
            self.tries += 1
            if self.tries > TRIES:
                self.anew(now)
            else:
                wanted = option(WANTED_ADDRESS, self.offer) + option(SERVER, plan.server)
                found.append(self.broadcast(REQUEST, wanted, now))
        if self.does in ("ask", "lease") and not self.offer:
            found.append(self.broadcast(DISCOVER, b"", now))
        self.asked += 1
        return found

    def broadcast(self, kind, more, now):
        seconds = min(int(now - self.began), 0xFFFF)
        message = self.message(kind, seconds, BROADCAST_FLAG, NOBODY, more)
        return datagram(self.mac, BROADCAST, NOBODY, EVERYBODY, message)

    def unicast(self, kind, plan):
        """What a host says that has an address (RFC 2131, 4.3.2 and 4.4.5)."""
        more = option(SERVER, plan.server) if kind == RELEASE else b""
        message = self.message(kind, 0, 0, self.address, more)
        return datagram(self.mac, plan.server_mac, self.address, plan.server, message)

    def message(self, kind, seconds, flags, address, more):
        head = struct.pack("!BBBBIHH", QUESTION, 1, 6, 0, self.xid, seconds, flags)
        head += address + bytes(12) + self.mac + bytes(10 + 64 + 128) + COOKIE
        body = option(KIND, bytes([kind])) + option(IDENTITY, b"\x01" + self.mac) + more
        if kind != RELEASE:
            body += option(HOST_NAME, self.name) + option(LIST, WANTED)
        return (head + body + b"\xff").ljust(300, b"\0")

    def hear(self, message, options, now):
        """An answer of the server to this host's question."""
        kind, address = options.get(KIND, b"\0")[0], message[16:20]
        if kind == OFFER and self.does in ("ask", "lease") and not self.offer and not self.done:
            self.offer, self.state = address, "offered"
            self.pause, self.next = FIRST_S, now
        elif kind == ACK and not self.done and (self.offer or self.does == "renew"):
            self.state, self.address, self.has = "bound", address, True
            self.options, self.ms = options, (time.monotonic() - self.first) * 1000
        elif kind == NAK and not self.done and (self.offer or self.does == "renew"):
            self.refusals += 1
            if self.does == "renew":
                self.state, self.has = "refused", False
            else:
                self.pause = FIRST_S
                self.anew(now)

    def told(self):
        return {
            "state": self.state,
            "address": socket.inet_ntoa(self.address) if self.address else "",
            "options": {str(number): value.hex() for number, value in self.options.items()},
            "ms": self.ms,
            "asked": self.asked,
            "refusals": self.refusals,
            "reached": self.reached,
        }


class Awake:
    """A clock in seconds that stands still while this program does."""

    def __init__(self):
        self.last, self.slept = time.monotonic(), 0.0

    def now(self):
        """The time; to be asked each turn."""
        real = time.monotonic()
        self.slept += max(0.0, real - self.last - AWAKE_S)
        self.last = real
        return real - self.slept


class Hosts:
    """All hosts on the wire."""

    def __init__(self, plan, give_up):
        self.give_up = give_up
        self.interface = plan["interface"]
        self.server = socket.inet_aton(plan["server"])
        self.server_mac = mac_of(plan["server_mac"])
        self.name, self.has = plan["name"], plan["has"]
        self.wire = opened(self.interface)
        self.own_mac = self.wire.getsockname()[4]
        self.hosts, self.foreign, self.strangers = {}, set(), set()
        self.sent = self.heard = 0

    def host(self, text):
        mac = mac_of(text)
        if mac not in self.hosts:
            address = socket.inet_aton(self.has[text]) if text in self.has else None
            name = "%s-%02x%s" % (self.name, mac[0], mac[4:].hex())
            self.hosts[mac] = Host(mac, name.encode(), address)
        return self.hosts[mac]

    def send(self, frame):
        while True:
            try:
                self.wire.send(frame)
            except BlockingIOError:
                select.select([], [self.wire], [], 0.1)
            else:
                self.sent += 1
                return

    def step(self, step):
        clock = self.clock = Awake()
        begun = clock.now()
        waiting, active, awaited = [], [], []
        for host in self.hosts.values():
            host.state = "idle"
        for group in step["groups"]:
            hosts = [self.host(text) for text in group["hosts"]]
            apart = group["within_s"] / max(len(hosts), 1)
            waiting += [
                (begun + group["from_s"] + number * apart, group["does"], host)
                for number, host in enumerate(hosts)
            ]
            if group["awaited"]:
                awaited += hosts
        waiting.sort(key=lambda one: one[0], reverse=True)
        left = {host.mac for host in awaited}
        asked, taken = [socket.inet_aton(one) for one in step["who_has"]], set()
        rounds = [begun + AGAIN_S, begun] if asked else []
        while True:
            now = clock.now()
            if time.monotonic() > self.give_up:
                raise SystemExit("the program stood still for too long")
            while rounds and rounds[-1] <= now:
                rounds.pop()
                for address in asked:
                    if address not in taken:
                        self.send(arp(QUESTION, self.own_mac, NOBODY, bytes(6), address))
            while waiting and waiting[-1][0] <= now:
                _, does, host = waiting.pop()
                host.begin(does, now)
                active.append(host)
            for host in active:
                if not host.quiet and host.next <= now:
                    for frame in host.frames(now, self):
                        self.send(frame)
            self.listen(set(asked), taken)
            left = {mac for mac in left if not self.hosts[mac].done}
            if now - begun >= (step["most_s"] if left else step["least_s"]):
                break
        told = {text_of(host.mac): host.told() for host in active}
        return {"hosts": told, "taken": sorted(map(socket.inet_ntoa, taken))}

    def listen(self, asked, taken):
        """Take in what has come; wait a little for the first of it."""
        select.select([self.wire], [], [], 0.005)
        for _ in range(200):
            try:
                frame, address = self.wire.recvfrom(LONGEST)
            except OSError:
                return
            if address[2] == OUTGOING:
                continue
            self.heard += frame[6:12] == self.server_mac
            if frame[12:14] == ARP:
                self.hear_arp(frame, asked, taken)
            else:
                self.hear(frame)

    def hear_arp(self, frame, asked, taken):
        kind, sender, target = frame[21], frame[28:32], frame[38:42]
        if sender in asked:
            taken.add(sender)
        if sender != self.server:
            return
        if kind == REPLY:
            host = self.hosts.get(frame[32:38])
            if host is not None:
                host.reached = True
            return
        for host in self.hosts.values():
            if host.has and host.address == target:
                self.send(arp(REPLY, host.mac, target, frame[22:28], sender))

    def hear(self, frame):
        found = message_in(frame)
        if found is None:
            return
        message, source = found
        options = options_in(message)
        server = options.get(SERVER, source)
        if server != self.server:
            self.foreign.add(server)
            return
        host = self.hosts.get(message[28:34])
        if host is None:
            if options.get(KIND) in (bytes([OFFER]), bytes([ACK])):
                self.strangers.add(message[28:34])
        elif host.state != "idle" and message[4:8] == struct.pack("!I", host.xid):
            host.hear(message, options, self.clock.now())


def opened(interface):
    """The interface, frames as they are, also those for hardware addresses that are not its own."""
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    wire.bind((interface, 3))
    membership = struct.pack("IHH8s", socket.if_nametoindex(interface), PROMISCUOUS, 0, b"")
    wire.setsockopt(SOL_PACKET, ADD_MEMBERSHIP, membership)
    wire.setblocking(False)
    return wire


def main():
    with open(sys.argv[1]) as stream:
        plan = json.load(stream)
    hosts = Hosts(plan, time.monotonic() + float(sys.argv[2]))
    steps = [hosts.step(step) for step in plan["steps"]]
    told = {
        "steps": steps,
        "foreign": sorted(map(socket.inet_ntoa, hosts.foreign)),
        "strangers": sorted(map(text_of, hosts.strangers)),
        "sent": hosts.sent,
        "heard": hosts.heard,
    }
    json.dump(told, sys.stdout)


main()
