"""Sends the frames of a plan as they are; prints how many, in what time, as JSON.

Usage: leak_sender.py PLAN PACE [BLOCKS]     (as root)

PLAN is JSON: `interface`, `block` (frames in a block at most), `every` (frames between two control
frames), `words` (connections to open before, each from an own address and port to an address and
port, and a text), and `parts`. A part has a `control` frame and either `frames` or a `frame` that
is sent to each of some `ports` (pairs of first and last). All frames but those in `frames` are
numbered here: their 32-bit number is at `id_at`, the port at `port_at`, the checksum at `sum_at`
and its sum without them in `sum`.

PACE is in frames a second. BLOCKS, numbers with commas between, has only these sent. Blocks are
numbered over all parts; in each the control frames are numbered from block * 32 on.
"""

import errno
import json
import socket
import struct
import sys
import time

AT_A_TIME = 32
PATIENCE_S = 2.0
OPEN_S = 3.0


class Frame:
    """A frame whose number and port are written into it."""

    def __init__(self, told):
        self.bytes = bytearray.fromhex(told["frame"])
        self.id_at, self.sum_at, self.sum = told["id_at"], told["sum_at"], told["sum"]
        self.port_at = told.get("port_at")

    def numbered(self, number, port=0):
        struct.pack_into("!I", self.bytes, self.id_at, number)
        if self.port_at is not None:
            struct.pack_into("!H", self.bytes, self.port_at, port)
        total = self.sum + port + (number >> 16) + (number & 0xFFFF)
        # the sum in ones' complement: 65535 for 0, which UDP would take for "none" (RFC 768)
        struct.pack_into("!H", self.bytes, self.sum_at, 0xFFFF - total % 0xFFFF)
        return self.bytes


class Sender:
    def __init__(self, interface, pace):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.socket.bind((interface, 0))
        self.pace, self.sent, self.control = pace, 0, 0
        self.began = time.monotonic()

    def send(self, frame):
        give_up = 0.0
        while True:
            try:
                self.socket.send(frame)
                break
            except OSError as error:
                if error.errno not in (errno.ENOBUFS, errno.EAGAIN):
                    raise
                give_up = give_up or time.monotonic() + PATIENCE_S
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.0005)
        self.sent += 1
        if self.sent % AT_A_TIME == 0:
            ahead = self.began + self.sent / self.pace - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
            elif ahead < -0.05:
                self.began -= ahead  # it lost time: that is not made good by a burst


def numbered(part):
    """The frames of a part, one after the other, each as it is to be sent."""
    if "frames" in part:
        for frame in part["frames"]:
            yield bytes.fromhex(frame)
        return
    frame, number = Frame(part), part["first"]
    for first, last in part["ports"]:
        for port in range(first, last + 1):
            yield frame.numbered(number, port)
            number += 1


def size(part):
    if "frames" in part:
        return len(part["frames"])
    return sum(last - first + 1 for first, last in part["ports"])


def send_part(sender, part, block, plan, chosen):
    """Send a part's blocks, of those chosen; the number of the block after its last."""
    frames, left = numbered(part), size(part)
    control = Frame(part["control"])
    while left:
        here = min(left, plan["block"])
        left -= here
        wanted = chosen is None or block in chosen
        number = block << 5
        for index in range(here):
            frame = next(frames)
            if not wanted:
                continue
            if index % plan["every"] == 0:
                sender.send(control.numbered(number))
                sender.control += 1
                number += 1
            sender.send(frame)
        if wanted:
            sender.send(control.numbered(number))
            sender.control += 1
        block += 1
    return block


def open_words(words):
    """Open the connections and say in them what a helper would listen to; they stay open."""
    opened = []
    for own, own_port, address, port, text in words:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        connection.settimeout(OPEN_S)
        try:
            connection.bind((own, own_port))
            connection.connect((address, port))
            connection.sendall(text.encode())
        except OSError:
            connection.close()
        else:
            opened.append(connection)
    return opened


def main():
    with open(sys.argv[1]) as stream:
        plan = json.load(stream)
    chosen = set(map(int, sys.argv[3].split(","))) if len(sys.argv) > 3 else None
    opened = open_words(plan["words"])
    sender = Sender(plan["interface"], float(sys.argv[2]))
    began, block = time.monotonic(), 0
    for part in plan["parts"]:
        block = send_part(sender, part, block, plan, chosen)
    used = time.process_time()
    json.dump(
        {
            "sent": sender.sent - sender.control,
            "control": sender.control,
            "blocks": block,
            "words": len(opened),
            "seconds": time.monotonic() - began,
            "cpu_s": used,
        },
        sys.stdout,
    )


main()
