"""Sends numbered datagrams at a steady pace to echoing hosts; prints what came back as JSON.

Usage: pulse.py INTERVAL_S PORT ADDRESS=COUNT...

To each address COUNT datagrams, one each INTERVAL_S; all addresses at once. By address: how many
were sent and answered, and the longest time without an answer, in seconds from when the first of
the unanswered datagrams was sent. An answer may take a second.
"""

import contextlib
import json
import selectors
import socket
import struct
import sys
import time

PATIENCE_S = 1.0
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

    def told(self):
        longest, since = 0.0, None
        for number, moment in enumerate(self.sent):
            if number in self.answered:
                longest, since = max(longest, moment - since if since else 0.0), None
            elif since is None:
                since = moment
        if since is not None:
            longest = max(longest, self.sent[-1] - since)
        return {
            "sent": len(self.sent),
            "answered": len(self.answered),
            "longest_gap_s": round(longest, 3),
        }


def main():
    interval, port = float(sys.argv[1]), int(sys.argv[2])
    flows = {}
    for target in sys.argv[3:]:
        address, count = target.split("=")
        flows[address] = Flow(address, port, int(count))
    selector = selectors.DefaultSelector()
    for flow in flows.values():
        selector.register(flow.socket, selectors.EVENT_READ, flow)
    begun = time.monotonic()
    rounds = max(flow.count for flow in flows.values())
    for number in range(rounds + int(PATIENCE_S / interval) + 1):
        for flow in flows.values():
            if number < flow.count:
                flow.send()
        due = begun + (number + 1) * interval
        while True:
            left = due - time.monotonic()
            for key, _ in selector.select(timeout=max(0, left)):
                key.data.receive()
            if left <= 0:
                break
    json.dump({address: flow.told() for address, flow in flows.items()}, sys.stdout)


main()
