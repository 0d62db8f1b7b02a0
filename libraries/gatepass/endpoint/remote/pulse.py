"""Sends numbered datagrams at a steady pace to echoing hosts; prints what came back as JSON.

Usage: pulse.py INTERVAL_S PORT STOP ADDRESS=COUNT...

To each address COUNT datagrams, one each INTERVAL_S; all addresses at once. None is sent any more
once the file STOP is there. By address: how many were sent and answered, and each time without an
answer, as a pair: when the first of the unanswered datagrams was sent, by this host's clock, and
for how many seconds none was answered. An answer may take a second.
"""

import contextlib
import json
import os
import selectors
import socket
import struct
import sys
import time

PATIENCE_S, LOOK_S = 1.0, 0.2
SIZE = 100


class Flow:
    def __init__(self, address, port, count):
        self.count, self.sent, self.answered = count, [], set()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.target = (address, port)

    def send(self):
        number = len(self.sent)
        self.sent.append(time.monotonic())
        with contextlib.suppress(OSError):  # no way there at the moment: it counts as lost
            self.socket.sendto(struct.pack("!I", number).ljust(SIZE, b"."), self.target)

    def receive(self):
        try:
            data, sender = self.socket.recvfrom(2048)
        except OSError:
            return
        if sender == self.target:
            self.answered.add(struct.unpack_from("!I", data)[0])

    def report(self, interval):
        gaps, since, clock = [], None, time.time() - time.monotonic()
        for number, moment in enumerate([*self.sent, self.sent[-1] + interval]):
            if number in self.answered or number == len(self.sent):
                if since is not None:
                    gaps.append((round(clock + since, 3), round(moment - since, 3)))
                since = None
            elif since is None:
                since = moment
        return {"sent": len(self.sent), "answered": len(self.answered), "gaps": gaps}


def main():
    interval, port, stop = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    flows = {}
    for target in sys.argv[4:]:
        address, count = target.split("=")
        flows[address] = Flow(address, port, int(count))
    selector = selectors.DefaultSelector()
    for flow in flows.values():
        selector.register(flow.socket, selectors.EVENT_READ, flow)
    begun = time.monotonic()
    rounds = max(flow.count for flow in flows.values())
    looks, number, last = max(1, int(LOOK_S / interval)), 0, rounds
    while number <= last + PATIENCE_S / interval:
        if 0 < number < last and number % looks == 0 and os.path.exists(stop):
            last = number
        for flow in flows.values():
            if number < min(flow.count, last):
                flow.send()
        number += 1
        due = begun + number * interval
        while True:
            left = due - time.monotonic()
            for key, _ in selector.select(timeout=max(0, left)):
                key.data.receive()
            if left <= 0:
                break
    json.dump({address: flow.report(interval) for address, flow in flows.items()}, sys.stdout)


main()
