"""Connections that go on talking: answers what comes in, or opens some and tells how they fared.

Usage: talk.py answer ADDRESS PORT STOP LIMIT_S
       talk.py ask ADDRESS PORT COUNT INTERVAL_S STOP LIMIT_S

The one sends back on each connection what it receives. The other opens COUNT connections, says a
word on each every INTERVAL_S, and prints as JSON how many were answered at all (`opened`), words
and answers, the longest silence, in seconds: the time in which an opened connection had no
answer; how long before the end the last word was said that had one (`silent_s`, of the connection
where that is longest); and how long this program itself stood still at most (`still_s`). The file
STOP.ready is there once it listens, or once each connection was answered, at the latest after
OPEN_S. Both end when the file STOP is there, at last after LIMIT_S.
"""

import collections
import contextlib
import json
import os
import selectors
import socket
import sys
import time

OPEN_S, TURN_S = 0.6, 0.05
WORD = b"12345678"


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def say_ready(stop):
    with open(stop + ".ready", "w") as stream:
        stream.write("ready")


def answer(address, port, stop, ended):
    listener = socket.socket(family(address), socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(1024)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    say_ready(stop)
    while not ended():
        for key, _ in selector.select(0.05):
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(connection, selectors.EVENT_READ)
                continue
            try:
                data = key.fileobj.recv(4096)
                if data:
                    key.fileobj.sendall(data)
            except OSError:
                data = b""
            if not data:
                selector.unregister(key.fileobj)
                key.fileobj.close()


class Connection:
    def __init__(self, address, port):
        self.socket = socket.socket(family(address), socket.SOCK_STREAM)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        with contextlib.suppress(OSError):
            self.socket.connect((address, port))
        self.said = self.heard = 0
        self.last = self.longest = self.answered = 0.0
        self.words = collections.deque()

    def speak(self, now):
        with contextlib.suppress(OSError):  # not open yet, or full
            self.said += self.socket.send(WORD)
            self.words.append((self.said, now))

    def hear(self, now):
        try:
            data = self.socket.recv(4096)
        except OSError:
            return
        if data:
            self.waited(now)
            self.heard += len(data)
            self.last = now
            while self.words and self.words[0][0] <= self.heard:
                self.answered = self.words.popleft()[1]

    def waited(self, now):
        if self.heard:
            self.longest = max(self.longest, now - self.last)


def ask(address, port, count, interval, stop, ended):
    connections = [Connection(address, port) for _ in range(count)]
    selector = selectors.DefaultSelector()
    for one in connections:
        selector.register(one.socket, selectors.EVENT_READ, one)
    begun = due = last = time.monotonic()
    ready, still = False, 0.0
    while not ended():
        now = time.monotonic()
        still, last = max(still, now - last - TURN_S), now
        if now >= due:
            due += interval
            for one in connections:
                one.speak(now)
        if not ready and (now - begun > OPEN_S or all(one.heard for one in connections)):
            ready = True
            say_ready(stop)
        for key, _ in selector.select(max(0, min(due - now, TURN_S))):
            key.data.hear(time.monotonic())
    now = time.monotonic()
    for one in connections:
        one.waited(now)
    silent = [now - one.answered for one in connections if one.heard]
    return {
        "opened": sum(1 for one in connections if one.heard),
        "said": sum(one.said for one in connections) // len(WORD),
        "heard": sum(one.heard for one in connections) // len(WORD),
        "longest_s": round(max(one.longest for one in connections), 3),
        "silent_s": round(max(silent, default=0.0), 3),
        "still_s": round(max(still, now - last - TURN_S, 0.0), 3),
    }


def main():
    what, words = sys.argv[1], sys.argv[2:]
    stop, give_up = words[-2], time.monotonic() + float(words[-1])

    def ended():
        return os.path.exists(stop) or time.monotonic() > give_up

    if what == "answer":
        answer(words[0], int(words[1]), stop, ended)
    else:
        told = ask(words[0], int(words[1]), int(words[2]), float(words[3]), stop, ended)
        json.dump(told, sys.stdout)


main()
