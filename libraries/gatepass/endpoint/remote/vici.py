"""Speaks to a charon over its socket (strongSwan's VICI protocol); prints the answers as JSON.

Usage: vici.py SOCKET FILE

FILE holds a JSON list of [COMMAND, MESSAGE] and is removed as soon as it is read, because it may
hold secrets. Commands are VICI's own; one that streams (list-...) is answered with the list of its
events. One is not: ["raise", {"children": {IKE: [CHILD, ...]}, "timeout_s": S}] initiates all of
these at once, and is answered with the seconds that each took to come up, by "IKE/CHILD".
"""

import json
import os
import socket
import struct
import sys
import time

REQUEST, RESPONSE, REGISTER, CONFIRM, EVENT = 0, 1, 3, 5, 7
SECTION, SECTION_END, VALUE, LIST, ITEM, LIST_END = 1, 2, 3, 4, 5, 6
STREAMS = {"list-sas": "list-sa", "list-conns": "list-conn"}
LONGEST_ANSWER_S = 60


class Charon:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.settimeout(LONGEST_ANSWER_S)
        self.events = []

    def call(self, command, message):
        stream = STREAMS.get(command)
        if stream:
            self.register(stream)
        self.send(REQUEST, command, encoded(message))
        while True:
            kind, name, answer = self.receive()
            if kind == EVENT:
                self.events.append((name, answer))
            elif kind == RESPONSE:
                break
            else:
                raise SystemExit("charon does not know the command %s" % command)
        if not stream:
            return answer
        mine = [event for name, event in self.events if name == stream]
        self.events = [event for event in self.events if event[0] != stream]
        return mine

    def register(self, event):
        self.send(REGISTER, event, b"")
        while True:
            kind, name, answer = self.receive()
            if kind == CONFIRM:
                return
            if kind != EVENT:
                raise SystemExit("charon does not know the event %s" % event)
            self.events.append((name, answer))

    def next_event(self, until):
        """The next event, or None once that moment has come."""
        if self.events:
            return self.events.pop(0)
        left = until - time.monotonic()
        if left <= 0:
            return None
        self.socket.settimeout(left)
        try:
            _, name, message = self.receive()
        except socket.timeout:
            return None
        finally:
            self.socket.settimeout(LONGEST_ANSWER_S)
        return name, message

    def send(self, kind, name, body):
        packet = struct.pack("!BB", kind, len(name)) + name.encode() + body
        self.socket.sendall(struct.pack("!I", len(packet)) + packet)

    def receive(self):
        (length,) = struct.unpack("!I", self.exactly(4))
        packet = self.exactly(length)
        kind = packet[0]
        if kind != EVENT:
            return kind, "", decoded(packet[1:])
        end = 2 + packet[1]
        return kind, packet[2:end].decode(), decoded(packet[end:])

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise SystemExit("charon has ended")
            data += part
        return data


def encoded(message):
    """A message of groups, lists and texts."""
    told = b""
    for key, value in message.items():
        name = struct.pack("!B", len(key)) + key.encode()
        if isinstance(value, dict):
            told += bytes([SECTION]) + name + encoded(value) + bytes([SECTION_END])
        elif isinstance(value, list):
            items = b"".join(bytes([ITEM]) + text(item) for item in value)
            told += bytes([LIST]) + name + items + bytes([LIST_END])
        else:
            told += bytes([VALUE]) + name + text(value)
    return told


def text(value):
    data = str(value).encode()
    return struct.pack("!H", len(data)) + data


def decoded(data):
    root = {}
    stack, items, at = [root], None, 0
    while at < len(data):
        kind, at = data[at], at + 1
        if kind in (SECTION, VALUE, LIST):
            end = at + 1 + data[at]
            name, at = data[at + 1 : end].decode(), end
        if kind in (VALUE, ITEM):
            (length,) = struct.unpack_from("!H", data, at)
            value, at = data[at + 2 : at + 2 + length].decode(errors="replace"), at + 2 + length
        if kind == SECTION:
            stack.append(stack[-1].setdefault(name, {}))
        elif kind == SECTION_END:
            stack.pop()
        elif kind == VALUE:
            stack[-1][name] = value
        elif kind == LIST:
            items = stack[-1].setdefault(name, [])
        elif kind == ITEM:
            items.append(value)
    return root


def raise_all(path, children, timeout_s):
    """Seconds until each of the children was up; those that did not come up are not among them.

    Events come over a connection of their own, so that none is missed between two answers.
    """
    wanted = {"%s/%s" % (ike, child) for ike, names in children.items() for child in names}
    watch, order = Charon(path), Charon(path)
    watch.register("child-updown")
    begun, came = time.monotonic(), {}
    for ike, names in children.items():
        for child in names:
            # below 0: the answer does not wait until it is up
            order.call("initiate", {"ike": ike, "child": child, "timeout": "-1"})
    while wanted - set(came):
        event = watch.next_event(begun + timeout_s)
        if event is None:
            break
        if event[1].get("up") != "yes":
            continue
        for ike, sa in event[1].items():
            if isinstance(sa, dict):
                for child in sa.get("child-sas", {}).values():
                    came.setdefault("%s/%s" % (ike, child["name"]), time.monotonic() - begun)
    return {name: round(seconds, 4) for name, seconds in came.items() if name in wanted}


def main():
    path, file = sys.argv[1:]
    with open(file) as stream:
        requests = json.load(stream)
    os.remove(file)
    answers = []
    for command, message in requests:
        if command == "raise":
            answers.append(raise_all(path, message["children"], message["timeout_s"]))
        else:
            answers.append(Charon(path).call(command, message))
    json.dump(answers, sys.stdout)


main()
