"""Stands in for hosts: takes their addresses, and tries and serves connections as they would.

Usage: stand_in.py PLAN FOLDER LIMIT_S     (as root)

The addresses live in a network namespace of this process alone, behind a TAP device whose Ethernet
frames go out and come in by the endpoint's interface. So nothing of this host is changed, its own
services keep their ports, and all of it is gone with the process.

PLAN is JSON: `interface`; `gateways`, by IP version the next hop's address and its hardware
address; `hold`, the addresses, and `most`, how many of them at most, if not all; `ask`, more
addresses that somebody may have; `listen`, of each place that is served protocol (tcp, udp),
address and port; `tries`, each with `number`, `protocol` (tcp, udp, icmp or a number of IP),
`source`, `target`, `port`, `patience_s`, `bare`, whether a TCP SYN that is made by hand goes first,
`payload`, hexadecimal, what a packet of another protocol of IP consists of, and `late_s`, of UDP,
after which it is to be answered once more;
`mark`, eight hexadecimal digits by which all of it is known; `certificate`, PEM with its key, if
TLS is to be spoken.

It writes FOLDER/ready when it can be reached: JSON with `held`, the addresses that it has, `busy`,
those that another host has, and `reached`, versions of IP in which the next hop answered. It tries
whenever FOLDER/go is there: what that file says (JSON with `tries`, and `ask`, addresses that are
to be asked for before), or what PLAN says where it is empty. When it has tried all it takes the
file away and writes FOLDER/tried: JSON with `outcomes`, by number what the trying side saw
(answered, late if that came as well, opened, refused, silent, or sent where nothing answers) and in
what words, and
`answering`, which of those addresses somebody has. What arrives is written to FOLDER/arrived as it
comes, a JSON list a line: the number of the try, what it was (frame, connection, datagram), source,
target and its port. It ends when FOLDER/stop is there, at last after LIMIT_S. Then it prints JSON:
`arrived`, all of them; `outcomes`; `busy`; `reached`; `sent`, frames.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import re
import resource
import select
import selectors
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

CLONE_NEWNET, SET_INTERFACE = 0x40000000, 0x400454CA
TAP, NO_INFORMATION, WITH_HEADER = 0x0002, 0x1000, 0x4000
SOL_PACKET, ADD_MEMBERSHIP, VNET_HEADER, OUTGOING = 263, 1, 15, 4
ALL_MULTICAST, PROMISCUOUS = 2, 1
HEADER = bytes(10)
"""What the kernel says of checksums and segments: nothing is left to be done."""
LONGEST = 70000
ALL_KINDS, ARP = 0x0003, 0x0806
"""Of frames."""
CLAIM_S, UDP_EVERY_S, LATE_PATIENCE_S = 0.4, 0.7, 0.4
AT_ONCE, FILES = 100, 8192
DEVICE = "stand-in"
TLS_PORTS = (443, 465, 636, 853, 990, 993, 995, 8443)
HTTP_PORTS = (80, 8000, 8008, 8080, 8888)
TOKEN = "gatepass-%s-%d-"
LATE, LATE_WANTED = b"late ", re.compile(rb"once more after ([0-9.]+) s$")
STAMPED = (b"\x06", b"\x84")
"""TCP and SCTP, whose first packets have room for numbers alone."""
REQUESTS = {b"\x01": b"\x08", b"\x3a": b"\x80"}
"""Of ICMP the type that asks, by the protocol's number."""


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def read(path):
    with open(path) as stream:
        return stream.read().strip()


def packed(address):
    return socket.inet_pton(family(address), address)


def readable(address):
    return socket.inet_ntop(socket.AF_INET if len(address) == 4 else socket.AF_INET6, address)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


# -- the wire ------------------------------------------------------------------------------------


def opened(interface, promiscuous, kinds=ALL_KINDS):
    """The endpoint's interface, frames as they are with the kernel's header before them."""
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(kinds))
    wire.setsockopt(SOL_PACKET, VNET_HEADER, 1)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    wire.bind((interface, kinds))
    index = socket.if_nametoindex(interface)
    for kind in (ALL_MULTICAST, PROMISCUOUS)[: 2 if promiscuous else 1]:
        membership = struct.pack("IHH8s", index, kind, 0, b"")
        wire.setsockopt(SOL_PACKET, ADD_MEMBERSHIP, membership)
    wire.setblocking(False)
    return wire


def forwards(interface):
    """Whether this host passes on what is for somebody else: then its own kernel would as well."""
    for version in ("ipv4", "ipv6"):
        with contextlib.suppress(OSError):
            path = "/proc/sys/net/%s/conf/%s/forwarding" % (version, interface)
            if read(path) != "0":
                return True
    return False


def asked_for(address, mac, sender=b""):
    """The question who has an address; of a host that has none itself (RFC 5227, RFC 4862)."""
    if len(address) == 4:
        return arp(mac, sender or bytes(4), address)
    group = packed("ff02::1:ff00:0")[:13] + address[13:]
    return over_ipv6(mac, bytes(16), group, b"\x87\0\0\0\0\0\0\0" + address)


def announced(address, mac):
    """Says who has an address now, so that nobody goes on with another host's."""
    if len(address) == 4:
        return arp(mac, address, address)
    told = b"\x88\0\0\0\x20\0\0\0" + address + b"\x02\x01" + mac
    return over_ipv6(mac, address, packed("ff02::1"), told)


def arp(mac, sender, target):
    body = b"\x00\x01\x08\x00\x06\x04\x00\x01" + mac + sender + bytes(6) + target
    return b"\xff" * 6 + mac + b"\x08\x06" + body


def over_ipv6(mac, source, group, message):
    """An ICMPv6 message with its checksum (RFC 4443, 2.3), in a frame to a group."""
    pseudo = source + group + struct.pack("!IHBB", len(message), 0, 0, 58)
    message = message[:2] + struct.pack("!H", checksum(pseudo + message)) + message[4:]
    header = struct.pack("!IHBB", 6 << 28, len(message), 58, 255) + source + group
    return b"\x33\x33" + group[12:] + mac + b"\x86\xdd" + header + message


def answering(wire, addresses, mac, sender=b""):
    """Which of the addresses somebody on the wire has."""
    found, asked, rounds = set(), set(map(packed, addresses)), 0
    received(wire)  # what came before the question answers none
    end = time.monotonic() + CLAIM_S
    while asked - found and time.monotonic() < end:
        if time.monotonic() > end - CLAIM_S / 2 * (2 - rounds) and rounds < 2:
            rounds += 1
            for address in asked - found:
                wire.send(HEADER + asked_for(address, mac, sender))
        select.select([wire], [], [], 0.02)
        for frame in received(wire):
            if frame[12:14] == b"\x08\x06" and frame[28:32] in asked:
                found.add(frame[28:32])
            elif frame[12:14] == b"\x86\xdd" and frame[20] == 58 and frame[54:55] == b"\x88":
                found |= {frame[62:78]} & asked
    return sorted(map(readable, found))


def received(wire):
    """The frames that have come in, without the kernel's header."""
    return [data[len(HEADER) :] for data in received_as_is(wire)]


def received_as_is(wire):
    found = []
    while len(found) < 1000:
        try:
            data, address = wire.recvfrom(LONGEST)
        except OSError:  # nothing more, or the interface went down
            break
        if address[2] != OUTGOING:
            found.append(data)
    return found


def make_device(mac, mtu, held, gateways):
    """The TAP device in this namespace, with everything that its hosts need."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    flags = TAP | NO_INFORMATION | WITH_HEADER
    fcntl.ioctl(descriptor, SET_INTERFACE, struct.pack("16sH22x", DEVICE.encode(), flags))
    hardware = ":".join("%02x" % byte for byte in mac)
    lines = {"4": [], "6": []}
    lines["4"] = [
        "link set dev %s address %s addrgenmode none" % (DEVICE, hardware),
        "link set dev lo up",
        "link set dev %s mtu %s up" % (DEVICE, mtu),
    ]
    for address in held:
        version, bits = ("6", "128 nodad") if ":" in address else ("4", "32")
        lines[version].append("address add %s/%s dev %s" % (address, bits, DEVICE))
    for version, (hop, hop_mac) in gateways.items():
        lines[version] += [
            "neigh replace %s lladdr %s dev %s nud permanent" % (hop, hop_mac, DEVICE),
            "route add %s dev %s" % (hop, DEVICE),
            "route add default via %s dev %s" % (hop, DEVICE),
        ]
    for version, batch in lines.items():
        done = subprocess.run(
            ["ip", "-" + version, "-batch", "-"],
            input="\n".join(batch).encode(),
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            sys.exit("ip: %s" % done.stderr.decode().strip())
    return descriptor


# -- what arrives --------------------------------------------------------------------------------


class Seen:
    """What arrived of the tries of all sides.

    mark: by which it is known; path: of the file that takes a line for each.
    """

    def __init__(self, mark, path):
        self.path, self.lock = path, threading.Lock()
        with open(path, "w"):
            pass
        self.token = re.compile(("gatepass-%s-([0-9]+)-" % mark).encode())
        self.stamp = re.compile(re.escape(bytes.fromhex(mark)) + b"(.{4})", re.DOTALL)
        self.arrived = set()

    def frame(self, data):
        """A frame that came in: what it says in clear."""
        at, source, target, protocol = 14, data[26:30], data[30:34], data[23:24]
        if data[12:14] == b"\x86\xdd":
            at, source, target, protocol = 54, data[22:38], data[38:54], data[20:21]
        else:
            at += (data[14] & 15) * 4
        hit = self.token.search(data, at)
        stamped = self.stamp.search(data, at) if not hit and protocol in STAMPED else None
        if not (hit or stamped):
            return
        number = int(hit.group(1)) if hit else struct.unpack("!I", stamped.group(1))[0]
        if data[at : at + 1] != REQUESTS.get(protocol, data[at : at + 1]):
            return  # an answer, or an error that quotes it
        ports = protocol in (b"\x06", b"\x11")
        port = struct.unpack("!H", data[at + 2 : at + 4])[0] if ports else 0
        self.add(number, "frame", readable(source), readable(target), port)

    def text(self, data, what, source, target, port):
        """What a connection or a datagram said; whether it was one of ours."""
        hit = self.token.search(data)
        if hit:
            self.add(int(hit.group(1)), what, source, target, port)
        return bool(hit)

    def add(self, *row):
        with self.lock:
            if row not in self.arrived:
                self.arrived.add(row)
                with open(self.path, "a") as stream:
                    stream.write(json.dumps(row) + "\n")


class Relay(threading.Thread):
    """Frames between the wire and the device, of the addresses that are held."""

    def __init__(self, wire, device, held, seen):
        super().__init__(daemon=True)
        self.wire, self.device, self.seen = wire, device, seen
        self.held = set(map(packed, held))
        self.sent = 0

    def run(self):
        while True:
            ready, _, _ = select.select([self.wire, self.device], [], [])
            if self.wire in ready:
                for data in received_as_is(self.wire):
                    frame = data[len(HEADER) :]
                    if self.is_ours(frame):
                        with contextlib.suppress(OSError):
                            os.write(self.device, data)
            if self.device in ready:
                self.pass_out()

    def is_ours(self, frame):
        kind = frame[12:14]
        if kind == b"\x08\x00":
            ours = frame[30:34] in self.held
        elif kind == b"\x86\xdd":
            ours = frame[38:54] in self.held
            if not ours:
                return frame[20] == 58 and frame[54:55] == b"\x87" and frame[62:78] in self.held
        else:
            return kind == b"\x08\x06" and frame[38:42] in self.held
        if ours:
            self.seen.frame(frame)
        return ours

    def pass_out(self):
        while True:
            try:
                data = os.read(self.device, LONGEST)
            except OSError:
                return
            frame = data[len(HEADER) :]
            kind = frame[12:14]
            own = {b"\x08\x00": frame[26:30], b"\x86\xdd": frame[22:38], b"\x08\x06": frame[28:32]}
            if own.get(kind) in self.held:
                with contextlib.suppress(OSError):
                    self.wire.send(data)
                    self.sent += kind != b"\x08\x06"


# -- what serves ---------------------------------------------------------------------------------


class Service(threading.Thread):
    """Takes connections and datagrams, and gives back what they said.

    context: for those that begin with TLS; None where none does.
    """

    def __init__(self, places, seen, context):
        super().__init__(daemon=True)
        self.seen, self.context = seen, context
        self.selector = selectors.DefaultSelector()
        for protocol, address, port in places:
            style = socket.SOCK_STREAM if protocol == "tcp" else socket.SOCK_DGRAM
            sock = socket.socket(family(address), style)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((address, port))
            if protocol == "tcp":
                sock.listen(64)
            self.selector.register(sock, selectors.EVENT_READ, (protocol, address, port))

    def run(self):
        while True:
            for key, _ in self.selector.select(1.0):
                sock, (protocol, address, port) = key.fileobj, key.data
                with contextlib.suppress(OSError):
                    if protocol == "tcp":
                        connection, peer = sock.accept()
                        words = (connection, peer[0], address, port)
                        threading.Thread(target=self.serve, args=words, daemon=True).start()
                    else:
                        data, peer = sock.recvfrom(LONGEST)
                        self.seen.text(data, "datagram", peer[0], address, port)
                        sock.sendto(as_answer(data, port), peer)
                        self.answer_late(sock, data, peer)

    def answer_late(self, sock, data, peer):
        """Say the same once more, if it was asked for."""
        wanted = LATE_WANTED.search(data)
        if wanted:
            words = (float(wanted.group(1)), sock.sendto, (LATE + data, peer))
            timer = threading.Timer(*words)
            timer.daemon = True
            timer.start()

    def serve(self, connection, source, target, port):
        with contextlib.suppress(OSError, ValueError):
            connection.settimeout(10)
            if self.context and connection.recv(1, socket.MSG_PEEK) == b"\x16":
                connection = self.context.wrap_socket(connection, server_side=True)
            data = b""
            while not self.seen.text(data, "connection", source, target, port):
                more = connection.recv(4096)
                if not more:
                    break
                data += more
            body = data.split(b"\r\n", 1)[0] + b"\n"
            if data[:4] == b"GET ":
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                body = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
            connection.sendall(body)
            with contextlib.suppress(OSError):  # read to the end, or what was said may be cut off
                connection.shutdown(socket.SHUT_WR)
                connection.recv(4096)
        connection.close()


def as_answer(data, port):
    """A datagram's answer: itself, of DNS with the bit that says so (RFC 1035, 4.1.1)."""
    return data[:2] + bytes([data[2] | 0x80]) + data[3:] if port == 53 and len(data) > 3 else data


# -- what tries ----------------------------------------------------------------------------------


class Tries:
    """All tries of this side, many at once."""

    def __init__(self, mark):
        self.mark, self.outcomes = mark, {}
        self.turns = threading.BoundedSemaphore(AT_ONCE)

    def run(self, plan):
        threads = [threading.Thread(target=self.one, args=(told,)) for told in plan]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def one(self, told):
        try:
            how = {"tcp": self.tcp, "udp": self.udp, "icmp": self.icmp}
            with self.turns:
                outcome, words = how.get(told["protocol"], self.other)(told)
        except ConnectionRefusedError:
            outcome, words = "refused", "refused"
        except socket.timeout:
            outcome, words = "silent", "no answer"
        except OSError as error:
            outcome, words = "refused", error.strerror or str(error)
        self.outcomes[told["number"]] = [outcome, words]

    def token(self, told):
        return TOKEN % (self.mark, told["number"])

    def tcp(self, told):
        if told["bare"]:
            self.bare_syn(told)
        sock = socket.socket(family(told["target"]), socket.SOCK_STREAM)
        with contextlib.closing(sock):
            sock.settimeout(told["patience_s"])
            sock.bind((told["source"], 0))
            sock.connect((told["target"], told["port"]))
            try:
                answer = self.spoken(sock, told)
            except (OSError, ValueError) as error:
                return "opened", "then %s" % error
        if self.token(told).encode() in answer:
            return "answered", ""
        return "opened", answer[:60].split(b"\r\n")[0].decode("ascii", "replace")

    def spoken(self, sock, told):
        """Say what such a port is spoken to with, and listen."""
        token = self.token(told)
        if told["port"] in TLS_PORTS:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            sock = context.wrap_socket(sock)
        words = token + "\r\n"
        if told["port"] in HTTP_PORTS + TLS_PORTS:
            host = "[%s]" % told["target"] if ":" in told["target"] else told["target"]
            words = "GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (token, host)
        sock.sendall(words.encode())
        answer = b""
        while token.encode() not in answer:
            more = sock.recv(4096)
            if not more:
                break
            answer += more
        return answer

    def bare_syn(self, told):
        """A SYN that is known by its number wherever it arrives, also where no connection does."""
        source, target = packed(told["source"]), packed(told["target"])
        stamp = bytes.fromhex(self.mark) + struct.pack("!I", told["number"])
        ports = struct.pack("!HH", 40000 + told["number"] % 20000, told["port"])
        segment = ports + stamp + b"\x50\x02\x04\x00\0\0\0\0"
        pseudo = source + target + struct.pack("!IHBB", len(segment), 0, 0, 6)
        total = struct.pack("!H", checksum(pseudo + segment))
        with contextlib.closing(self.raw(told, 6)) as sock:
            sock.sendto(segment[:16] + total + segment[18:], (told["target"], 0))

    def raw(self, told, protocol):
        sock = socket.socket(family(told["target"]), socket.SOCK_RAW, protocol)
        sock.settimeout(told["patience_s"])
        sock.bind((told["source"], 0))
        return sock

    def udp(self, told):
        said = self.token(told).encode()
        if told["port"] == 53:
            said = question(said)
        sock = socket.socket(family(told["target"]), socket.SOCK_DGRAM)
        with contextlib.closing(sock):
            sock.bind((told["source"], 0))
            sock.connect((told["target"], told["port"]))
            late_s = told.get("late_s")
            if not late_s:
                return self.asked(sock, said, told)
            outcome, words = self.asked(sock, said + b"once more after %g s" % late_s, told)
            return self.late(sock, told) if outcome == "answered" else (outcome, words)

    def late(self, sock, told):
        """Whether it is answered once more; answers of before are no such."""
        end = time.monotonic() + told["late_s"] + LATE_PATIENCE_S
        with contextlib.suppress(socket.timeout):
            while time.monotonic() < end:
                sock.settimeout(max(0.01, end - time.monotonic()))
                data = sock.recv(LONGEST)
                if data.startswith(LATE) and self.token(told).encode() in data:
                    return "late", "and again after %g s" % told["late_s"]
        return "answered", "and not again after %g s" % told["late_s"]

    def icmp(self, told):
        six = ":" in told["target"]
        head = struct.pack("!BBHHH", 128 if six else 8, 0, 0, told["number"] & 0xFFFF, 1)
        said = head + self.token(told).encode()
        if not six:
            said = said[:2] + struct.pack("!H", checksum(said)) + said[4:]
        sock = self.raw(told, socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP)
        with contextlib.closing(sock):
            sock.connect((told["target"], 0))
            return self.asked(sock, said, told, 129 if six else 0)

    def asked(self, sock, said, told, kind=None):
        """Say it again and again until it is answered or patience ends."""
        end, refused = time.monotonic() + told["patience_s"], None
        while time.monotonic() < end:
            again = min(end, time.monotonic() + UDP_EVERY_S)
            try:
                sock.send(said)
                while time.monotonic() < again:
                    sock.settimeout(max(0.01, again - time.monotonic()))
                    data = sock.recv(LONGEST)
                    at = (data[0] & 15) * 4 if kind == 0 else 0  # IPv4 hands out its header as well
                    if self.token(told).encode() in data and kind in (None, data[at]):
                        return "answered", ""
            except socket.timeout:
                pass
            except OSError as error:  # an ICMP error came back; perhaps the next fares better
                refused = error
                time.sleep(max(0, again - time.monotonic()))
        if refused:
            raise refused
        return "silent", "no answer"

    def other(self, told):
        sock = self.raw(told, int(told["protocol"]))
        with contextlib.closing(sock):
            for _ in range(3):
                sock.sendto(bytes.fromhex(told["payload"]), (told["target"], 0))
                time.sleep(0.1)
        return "sent", ""


def question(name):
    """A question for the address of a name, as DNS has it (RFC 1035, 4.1)."""
    return (
        b"\x67\x70\x01\x00\0\x01\0\0\0\0\0\0" + bytes([len(name)]) + name
        + b"\x04test\0\0\x01\0\x01"
    )


def main():
    with open(sys.argv[1]) as stream:
        plan = json.load(stream)
    folder, give_up = sys.argv[2], time.monotonic() + float(sys.argv[3])

    def there(name):
        return os.path.exists(os.path.join(folder, name))

    def tell(name, told):
        with open(os.path.join(folder, name + ".part"), "w") as stream:
            json.dump(told, stream)
        os.rename(stream.name, os.path.join(folder, name))

    mtu = read("/sys/class/net/%s/mtu" % plan["interface"])
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    own_mac = forwards(plan["interface"])
    wire = opened(plan["interface"], own_mac)
    asking = opened(plan["interface"], own_mac, ARP)
    mac = wire.getsockname()[4]
    if own_mac:  # the same each time, as the gateway remembers it for a while
        mac = bytes([mac[0] | 2]) + mac[1:5] + bytes([mac[5] ^ 0x80])
    hops = [hop for hop, _ in plan["gateways"].values()]
    found = answering(wire, plan["hold"] + plan.get("ask", []) + hops, mac)
    reached = [int(version) for version, (hop, _) in plan["gateways"].items() if hop in found]
    busy = [address for address in found if address not in hops]
    held = [address for address in plan["hold"] if address not in busy][: plan.get("most")]
    places = [place for place in plan["listen"] if place[1] in held]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET):
        sys.exit("no network namespace of its own: %s" % os.strerror(ctypes.get_errno()))
    device = make_device(mac, mtu, held, plan["gateways"])
    seen = Seen(plan["mark"], os.path.join(folder, "arrived"))
    relay = Relay(wire, device, held, seen)
    Service(places, seen, context_of(plan.get("certificate"), folder)).start()
    relay.start()
    for address in held:
        wire.send(HEADER + announced(packed(address), mac))
    tell("ready", {"held": held, "busy": busy, "reached": reached})
    tries = Tries(plan["mark"])
    while not there("stop"):
        if time.monotonic() > give_up:
            sys.exit("it was not told to stop in time")
        if not there("go"):
            time.sleep(0.02)
            continue
        told = json.loads(read(os.path.join(folder, "go")) or "{}")
        os.remove(os.path.join(folder, "go"))
        sender = packed(held[0]) if held else b""
        found = answering(asking, told.get("ask", []), mac, sender)
        tries.run(told.get("tries", plan["tries"]))
        tell("tried", {"outcomes": tries.outcomes, "answering": found})
    json.dump(
        {
            "arrived": sorted(seen.arrived),
            "outcomes": tries.outcomes,
            "busy": busy,
            "reached": reached,
            "sent": relay.sent,
        },
        sys.stdout,
    )


def context_of(certificate, folder):
    """What serves TLS; None without a certificate."""
    if not certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w", dir=folder) as stream:
        stream.write(certificate)
        stream.flush()
        context.load_cert_chain(stream.name)
    return context


main()
