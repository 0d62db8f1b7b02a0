"""Sends the frames of a plan as they are; prints how many, in what time, as JSON.

Usage: frame_sender.py PLAN PACE [BLOCKS [STOP]]     (as root)

PLAN is JSON: `interface`, `block` (frames in a block at most), `every` (frames between two control
frames), `words` (connections to open before, each from an own address and port to an address and
port, and a text), `parts`, and whether these are sent `together`, a frame of each in turn, or one
after the other. A part has `controls`, control frames that take turns, and either `frames` or a
`frame` that is sent to each of some `ports` (pairs of first and last). All frames but those in
`frames` are numbered here: their 32-bit number is at `id_at`, the port at `port_at`, the checksum
at `sum_at` and its sum without them in `sum`. A control frame that has a port has `first_port` and
its number added.

PACE is in frames a second. BLOCKS, numbers with commas between, has only these sent, "all" all of
them. Blocks are numbered over all parts; in each the control frames are numbered from block * 32
on. With STOP, a file, sending ends once that is there, and what cannot be sent is left out.
"""

import errno
import json
import os
import socket
import struct
import sys
import time
from itertools import chain

AT_A_TIME = 32
PATIENCE_S = 2.0
OPEN_S = 3.0
ALL = "all"


class Frame:
    """A frame whose number and port are written into it."""

    def __init__(self, told):
        self.bytes = bytearray.fromhex(told["frame"])
        self.id_at, self.sum_at, self.sum = told["id_at"], told["sum_at"], told["sum"]
        self.port_at = told.get("port_at")

    def numbered(self, number, port=0):
        struct.pack_into("!I", self.bytes, self.id_at, number)
        if self.port_at is None:
            port = 0
        else:
            struct.pack_into("!H", self.bytes, self.port_at, port)
        total = self.sum + port + (number >> 16) + (number & 0xFFFF)
        # the sum in ones' complement: 65535 for 0, which UDP would take for "none" (RFC 768)
        struct.pack_into("!H", self.bytes, self.sum_at, 0xFFFF - total % 0xFFFF)
        return self.bytes


class Sender:
    def __init__(self, interface, pace, stop):
        self.stop, self.left_out = stop, 0
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
                if self.stop:
                    self.left_out += 1
                    break
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

    def over(self):
        """Whether it was told to end; looked at now and then."""
        return self.stop and self.sent % AT_A_TIME == 0 and os.path.exists(self.stop)


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


def blocks_of(part, plan):
    """How many blocks a part has."""
    return -(-size(part) // plan["block"])


def frames_of(part, block, plan, chosen):
    """A part's frames of its blocks, of those chosen, each with whether it is a control frame."""
    frames, left, first_port = numbered(part), size(part), plan["first_port"]
    controls = [Frame(told) for told in part["controls"]]
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
                yield controls[number % len(controls)].numbered(number, first_port + number), True
                number += 1
            yield frame, False
        if wanted:
            yield controls[number % len(controls)].numbered(number, first_port + number), True
        block += 1


def in_turn(rows):
    """One of each row, again and again, until none has any left."""
    rows = [iter(row) for row in rows]
    while rows:
        for row in list(rows):
            try:
                yield next(row)
            except StopIteration:
                rows.remove(row)


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
    blocks = sys.argv[3] if len(sys.argv) > 3 else ALL
    chosen = None if blocks == ALL else set(map(int, blocks.split(",")))
    opened = open_words(plan["words"])
    sender = Sender(plan["interface"], float(sys.argv[2]), sys.argv[4] if len(sys.argv) > 4 else "")
    began, block, rows = time.monotonic(), 0, []
    for part in plan["parts"]:
        rows.append(frames_of(part, block, plan, chosen))
        block += blocks_of(part, plan)
    for frame, is_control in in_turn(rows) if plan["together"] else chain.from_iterable(rows):
        if sender.over():
            break
        sender.send(frame)
        sender.control += is_control
    used = time.process_time()
    json.dump(
        {
            "sent": sender.sent - sender.left_out - sender.control,
            "control": sender.control,
            "blocks": block,
            "words": len(opened),
            "seconds": time.monotonic() - began,
            "cpu_s": used,
        },
        sys.stdout,
    )


main()
