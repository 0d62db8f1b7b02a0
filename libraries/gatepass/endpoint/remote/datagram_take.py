"""Takes numbered datagrams; prints as JSON what arrived of each stream.

Usage: datagram_take.py PLAN STOP LIMIT_S, with datagram_wire.py and datagram_tally.py beside it.

PLAN is a file of JSON: {"run": NUMBER, "streams": {NAME: {"address": ..., "port": ...}}}. It ends a
moment after the file STOP is there, when nothing comes any more, at last after LIMIT_S. By stream:
see `Tally.told`; besides `foreign`, of another run, `socket_lost`, that
came and found no room as this program was late, the `sources` that they came from, and the `cpu_s`
that the program took.
"""

import json
import os
import select
import sys
import time

from datagram_tally import Tally
from datagram_wire import NUMBER_BITS, Receiving, dropped, receiver

LOOK_S = 0.05
QUIET_S = 0.3  # so long nothing comes any more after the end


class Taken:
    """One stream."""

    def __init__(self, run, address, port):
        self.port, self.socket = port, receiver(address, port)
        self.base = run << NUMBER_BITS
        self.tally, self.foreign, self.sources = Tally(), 0, set()
        self.dropped_before = dropped(port)

    def take(self, receiving):
        """What is there; whether anything was."""
        marked, sent, came = receiving.take(self.socket)
        if not len(marked):
            return False
        low, high = self.base, self.base + (1 << NUMBER_BITS)
        if min(marked) >= low and max(marked) < high:
            self.sources.add(receiving.came_from())
            numbers = [number - low for number in marked]
        else:
            ours = [one for one in zip(marked, sent, came) if low <= one[0] < high]
            self.foreign += len(marked) - len(ours)
            numbers = [one[0] - low for one in ours]
            sent, came = [one[1] for one in ours], [one[2] for one in ours]
        self.tally.add(numbers, sent, came)
        return True

    def told(self):
        lost = dropped(self.port) - self.dropped_before
        return dict(
            self.tally.told(), foreign=self.foreign, socket_lost=lost,
            sources=sorted(self.sources), cpu_s=time.process_time(),
        )


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    stop, give_up = sys.argv[2], time.monotonic() + float(sys.argv[3])
    streams = {
        name: Taken(plan["run"], one["address"], one["port"])
        for name, one in plan["streams"].items()
    }
    by_fd = {one.socket.fileno(): one for one in streams.values()}
    poll, receiving = select.epoll(), Receiving()
    for fd in by_fd:
        poll.register(fd, select.EPOLLIN)
    print(json.dumps("ready"), flush=True)
    looked = newest = time.monotonic()
    ended = False
    while True:
        came = False
        for fd, _ in poll.poll(LOOK_S):
            came = by_fd[fd].take(receiving) or came
        now = time.monotonic()
        if came:
            newest = now
        if now - looked > LOOK_S:
            looked, ended = now, ended or os.path.exists(stop)
        if now > give_up or (ended and now - newest > QUIET_S):
            break
    json.dump({name: one.told() for name, one in streams.items()}, sys.stdout)


main()
