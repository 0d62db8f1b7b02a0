"""Takes numbered datagrams; prints as JSON what arrived of each stream.

Usage: datagram_take.py PLAN STOP LIMIT_S, with datagram_wire.py, datagram_tally.py and
wire_count.py beside it.

PLAN is a file of JSON: {"run": NUMBER, "streams": {NAME: {"address": ..., "port": ..., "tos": BYTE,
"knock": [ADDRESS, PORT] or null, "reflect": WHETHER}}}. Where a stream has a knock, an empty
datagram with its tos goes there now and then until the first of the stream has come, so that a
gateway between knows of a session. What is to be reflected goes back as it came. It ends a moment
after the file STOP is there, when nothing comes any more, at last after LIMIT_S. STOP says as JSON
how many were sent of each stream: once all are there, only doubled ones are waited for. By stream:
see `Tally.told`; besides `foreign`, of another run, `socket_lost`, that came and found no room as
this program was late, `arrived`, that came to the `interface`, before any filter of this host (0
where that cannot be counted, see `wire_count.py`), the `sources` that they came from, the bytes of
`tos` that they came with, and the `cpu_s` that the program took.
"""

import contextlib
import json
import os
import select
import sys
import time

from datagram_tally import Tally
from datagram_wire import HEAD, NUMBER_BITS, Receiving, dropped, mark, receiver
from wire_count import WireCount, interface_of

LOOK_S = 0.05
QUIET_S = 0.3  # so long nothing comes any more after the end
ALL_THERE_S = 0.1  # and so long where all have come already


class Taken:
    """One stream."""

    def __init__(self, run, told):
        self.port, self.socket = told["port"], receiver(told["address"], told["port"])
        self.base = run << NUMBER_BITS
        self.tally, self.foreign, self.sources, self.tos = Tally(), 0, set(), set()
        self.dropped_before = dropped(self.port)
        self.interface, self.count = interface_of(told["address"]), None
        with contextlib.suppress(OSError):  # not root
            if self.interface:
                self.count = WireCount(self.interface, "to", self.port)
        self.knocking, self.reflects = told["knock"], told["reflect"]
        self.back = bytearray(1 << 16)
        mark(self.socket, told["tos"])

    def knock(self):
        """Have a session begin from here, as long as nothing came."""
        if self.knocking and not self.tally.received:
            with contextlib.suppress(OSError):  # of an earlier one, or no way there at the moment
                self.socket.sendto(b"", tuple(self.knocking))

    def take(self, receiving):
        """What is there; whether anything was."""
        marked, sent, came = receiving.take(self.socket)
        if not len(marked):
            return False
        low, high = self.base, self.base + (1 << NUMBER_BITS)
        if min(marked) >= low and max(marked) < high:
            self.sources.add(receiving.came_from()[0])
            self.tos |= set(receiving.marks)
            numbers = [number - low for number in marked]
        else:
            lot = zip(marked, sent, came, receiving.marks)
            ours = [one for one in lot if low <= one[0] < high]
            self.foreign += len(marked) - len(ours)
            self.tos |= {one[3] for one in ours}
            numbers = [one[0] - low for one in ours]
            sent, came = [one[1] for one in ours], [one[2] for one in ours]
        self.tally.add(numbers, sent, came)
        if self.reflects:
            self.reflect([number + low for number in numbers], sent, receiving)
        return True

    def reflect(self, marked, sent, receiving):
        """Send back what came; a stream that is reflected is of one size."""
        where, size = receiving.came_from(), max(receiving.sizes)
        view = memoryview(self.back)
        for number, moment in zip(marked, sent):
            HEAD.pack_into(self.back, 0, number, moment)
            with contextlib.suppress(OSError):  # no room at the moment: it is missing there
                self.socket.sendto(view[:size], where)

    def told(self):
        lost = dropped(self.port) - self.dropped_before
        return dict(
            self.tally.told(), foreign=self.foreign, socket_lost=lost,
            interface=self.interface, arrived=self.count.look() if self.count else 0,
            sources=sorted(self.sources), tos=sorted(self.tos), cpu_s=time.process_time(),
        )


def told_by(stop):
    """How many were sent of each stream; None as long as the file is not there."""
    if not os.path.exists(stop):
        return None
    with open(stop) as file:
        return json.load(file)


def all_there(streams, sent):
    return all(one.tally.received >= sent[name] for name, one in streams.items())


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    stop, give_up = sys.argv[2], time.monotonic() + float(sys.argv[3])
    streams = {name: Taken(plan["run"], told) for name, told in plan["streams"].items()}
    by_fd = {one.socket.fileno(): one for one in streams.values()}
    poll, receiving = select.epoll(), Receiving()
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    for one in streams.values():
        one.knock()
    print(json.dumps("ready"), flush=True)
    looked = newest = time.monotonic()
    sent = None  # of each stream, once that is over

    def take(seconds):
        """What comes within that time; whether anything did."""
        return any([by_fd[fd].take(receiving) for fd, _ in poll.poll(seconds)])

    while True:
        came = take(LOOK_S)
        now = time.monotonic()
        if came:
            newest = now
        if now - looked > LOOK_S:
            looked, sent = now, sent or told_by(stop)
            for one in streams.values():
                one.knock()
                if one.count:
                    one.count.look()  # before 32 bits are full
        if now > give_up:
            break
        if sent and now - newest > (ALL_THERE_S if all_there(streams, sent) else QUIET_S):
            if not take(0):
                break
            newest = now  # it came while this program had no processor
    json.dump({name: one.told() for name, one in streams.items()}, sys.stdout)


main()
