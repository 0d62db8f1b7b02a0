"""Sends streams of numbered datagrams, each at its own pace; prints as JSON what it could send.

Usage: datagram_send.py PLAN STOP LIMIT_S, with datagram_wire.py and datagram_tally.py beside it.

PLAN is a file of JSON: {"run": NUMBER, "streams": {NAME: {"source": ADDRESS or "", "source_port":
PORT or 0, "address": ..., "port": ..., "payloads": [BYTES, ...] in turn, "per_s": DATAGRAMS,
"count": HOW MANY, "after_s": WHEN IT BEGINS, "tos": BYTE, "segments": HOW MANY AT A TIME,
"reflected": WHETHER, "whole": WHETHER}}}. With several segments the kernel is handed many datagrams
of one size as one (UDP_SEGMENT) and cuts them late: more bits a second, but devices and filters on
this machine see them as one packet. It ends once each has sent its count, the file STOP is there or
LIMIT_S is over.

Beyond 5,000 datagrams a second, those that have their turn within LOT_S go one right behind the
other. A sender that was late catches up no more than MOST_AT_ONCE datagrams: a burst
would be lost in a queue that the stream itself never fills. The others are left out for good and
told as `unsent`. By stream: `sent`, `unsent`, `seconds` from the first to the last, `by_tick` how
many were sent in which tenth of a second of the epoch, `late_us` the longest that one was after its
turn, the `cpu_s` that the program took, `path_mtu` the largest IP packet that the path is told to
carry, and `back` what came back, as `Tally.told` has it, where it is reflected. What is to
leave whole and is larger than that is sent all the same: it gets lost on the way.
"""

import contextlib
import ctypes
import json
import os
import select
import socket
import sys
import time

from datagram_tally import Tally
from datagram_wire import (
    HEAD,
    NUMBER_BITS,
    SO_SNDBUFFORCE,
    UDP_SEGMENT,
    Receiving,
    enlarge,
    listen,
    mark,
    path_mtu,
    udp,
    whole,
)

MOST_AT_ONCE = 64
LEAD_S, LOOK_S = 0.02, 0.05
QUIET_S = 1.0  # so long what is reflected may be on its way: by satellite, from a busy machine
SPIN_S = 0.0001  # a sleep takes about as long
LOT_S = 0.0002  # to be woken takes longer than to send: for each datagram, twice the processor
REST_S = 0.01  # what comes wakes it up; more often, and it would keep others from the processor
NS, TICK_NS = 10 ** 9, 10 ** 8
PR_SET_TIMERSLACK = 29


class Back:
    """What a reflector sends back of a stream."""

    def __init__(self, sock, base):
        listen(sock)
        self.socket, self.base = sock, base
        self.tally, self.receiving = Tally(), Receiving()

    def take(self):
        """What is there by now."""
        while True:
            try:
                marked, sent, _ = self.receiving.take(self.socket)
            except OSError:  # told of a datagram that was not taken
                continue
            now = time.time_ns()  # by the clock that they were sent by, whatever it is worth
            lot = [(number - self.base, moment) for number, moment in zip(marked, sent)]
            ours = [one for one in lot if 0 <= one[0] < 1 << NUMBER_BITS]
            if not ours:
                return
            numbers, moments = zip(*ours)
            self.tally.add(list(numbers), moments, [now] * len(ours))


class Sent:
    """One stream."""

    def __init__(self, run, told):
        self.socket = udp(told["address"])
        enlarge(self.socket, SO_SNDBUFFORCE, socket.SO_SNDBUF)
        if told["source"]:
            self.socket.bind((told["source"], told["source_port"]))
        mark(self.socket, told["tos"])
        self.socket.connect((told["address"], told["port"]))
        self.base, self.per_s, self.count = run << NUMBER_BITS, told["per_s"], told["count"]
        self.payloads, self.segments = told["payloads"], told["segments"]
        if told["whole"]:
            whole(self.socket, max(self.payloads))
        self.after = told["after_s"]
        self.back = Back(self.socket, self.base) if told["reflected"] else None
        if self.segments > 1:
            try:
                self.socket.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, self.payloads[0])
            except OSError:  # before Linux 4.18
                self.segments = 1
        self.buffer = bytearray(max(max(self.payloads), self.payloads[0] * self.segments))
        self.view = memoryview(self.buffer)
        self.turns = self.sent = self.unsent = 0
        self.first = self.last = 0
        self.by_tick, self.late = {}, 0.0

    def due(self):
        """When its next lot is complete, in seconds after the begin; None once it is over."""
        if self.turns >= self.count:
            return None
        return self.after + (min(self.turns + self.segments, self.count) - 1) / self.per_s

    def go(self, elapsed):
        """Send what has its turn, so many seconds after the begin of all."""
        elapsed -= self.after
        if elapsed < 0:
            return
        owed = min(int(elapsed * self.per_s) + 1, self.count) - self.turns
        if owed <= 0:
            return
        self.late = max(self.late, elapsed - self.turns / self.per_s)
        most = MOST_AT_ONCE * self.segments
        if owed > most:
            self.unsent += owed - most
            self.turns += owed - most
            owed = most
        if self.segments > 1:
            self.together(owed)
        else:
            self.singly(owed)

    def singly(self, owed):
        """One by one, each with its own moment."""
        base, view, payloads = self.base, self.view, self.payloads
        for _ in range(owed):
            size = payloads[self.sent % len(payloads)]
            self.pass_on(view[:size], 1, [(base + self.sent, 0)])

    def together(self, owed):
        """As many at a time as the kernel takes."""
        while owed > 0:
            count = min(owed, self.segments)
            size = self.payloads[0]
            marks = [(self.base + self.sent + place, place * size) for place in range(count)]
            self.pass_on(self.view[: count * size], count, marks)
            owed -= count

    def pass_on(self, data, count, marks):
        now = time.time_ns()
        for number, place in marks:
            HEAD.pack_into(self.buffer, place, number, now)
        self.turns += count
        for _ in range(2):
            try:
                self.socket.send(data)
            except OSError:  # told of an earlier one; or no way there, or no room, at the moment
                continue
            self.sent += count
            self.first, self.last = self.first or now, now
            tick = now // TICK_NS
            self.by_tick[tick] = self.by_tick.get(tick, 0) + count
            return
        self.unsent += count

    def told(self):
        return {
            "sent": self.sent, "unsent": self.unsent + self.count - self.turns,
            "seconds": (self.last - self.first) / NS, "by_tick": sorted(self.by_tick.items()),
            "late_us": round(self.late * 1e6), "path_mtu": path_mtu(self.socket),
            "cpu_s": time.process_time(), "back": self.back and self.back.tally.told(),
        }


def nap(seconds, backs):
    """Wait, and take what comes back meanwhile as soon as it does."""
    end = time.monotonic() + seconds
    while backs and (left := end - time.monotonic()) > 0:
        ready, _, _ = select.select([one.socket for one in backs], [], [], left)
        for one in backs:
            if one.socket in ready:
                one.take()
    if not backs:
        time.sleep(seconds)


def wait_for_the_last(streams):
    """What is still on its way back; for a moment."""
    give_up, missing = time.monotonic() + QUIET_S, [one for one in streams if one.back]
    while time.monotonic() < give_up:
        missing = [one for one in streams if one.back and one.back.tally.received < one.sent]
        if not missing:
            return
        nap(REST_S, [one.back for one in missing])
    for one in missing:  # while this program had no processor, the time went on
        one.back.take()


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    stop, limit = sys.argv[2], float(sys.argv[3])
    with contextlib.suppress(OSError, AttributeError):  # wake-ups to the microsecond
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0)
    streams = {name: Sent(plan["run"], told) for name, told in plan["streams"].items()}
    backs = [one.back for one in streams.values() if one.back]
    begun = time.monotonic() + LEAD_S
    looked, rested = 0.0, False
    while True:
        elapsed = time.monotonic() - begun
        if elapsed - looked > LOOK_S:
            looked = elapsed
            if os.path.exists(stop):
                break
        waiting = [due for due in [one.due() for one in streams.values()] if due is not None]
        if not waiting or elapsed > limit:
            break
        wait = min(waiting) - elapsed
        if wait > SPIN_S or (wait > 0 and not rested):
            # Between any two lots, however close: who comes before others is not to keep the
            # processor from those who carry what it sends.
            nap(max(min(wait, LOOK_S) - SPIN_S / 2, LOT_S), backs)
            rested = True
        if wait > 0:
            continue
        rested = False
        for one in streams.values():
            one.go(elapsed)
    wait_for_the_last(streams.values())
    json.dump({name: one.told() for name, one in streams.items()}, sys.stdout)


main()
