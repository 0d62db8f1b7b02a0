"""Sends numbered datagrams at a steady pace to echoing hosts; prints what came back as JSON.

Usage: pulse.py INTERVAL_S PORT STOP ADDRESS=COUNT...

To each address COUNT datagrams, one each INTERVAL_S; all addresses at once. None is sent any more
once the file STOP is there. By address: how many were sent and answered; `gaps`, each time without
an answer: when the first unanswered datagram was sent, by this host's clock, the seconds from it to
the last and INTERVAL_S more, and those between the two answered ones around them, which are more
where this host stood still and sent none; `pauses`, the same where only that was so. An answer may
take a second.
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
PAUSE = 3
"""Times the interval between two datagrams: more is a pause."""
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
        clock = time.time() - time.monotonic()
        gaps, pauses, first = [], [], None
        moments = [self.sent[0] - interval, *self.sent, self.sent[-1] + interval]
        for at in range(1, len(moments)):
            if at <= len(self.sent) and at - 1 not in self.answered:
                first = first or at
                continue
            begun = moments[first or at - 1]
            most = moments[at] - moments[(first or at) - 1]
            if first:
                gaps.append(rounded(clock + begun, moments[at - 1] - begun + interval, most))
            elif most > PAUSE * interval:
                pauses.append(rounded(clock + begun, 0.0, most))
            first = None
        return {
            "sent": len(self.sent),
            "answered": len(self.answered),
            "gaps": gaps,
            "pauses": pauses,
        }


def rounded(*seconds):
    return [round(one, 3) for one in seconds]


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
