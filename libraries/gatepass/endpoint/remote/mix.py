"""A load of downloads by curl, in the phases of RFC 9411; prints what was seen as JSON.

Usage: mix.py RAMP_S WINDOW_S WINDOWS, and on standard input a JSON object:
{"kinds": [{"options": [...], "url": url, "sizes": [...]}, ...]}

Each kind is a curl of its own, with a URL of which it makes one after another and never comes to an
end. They begin one after another (ramp up), all work (sustain), and end after what was under way
(ramp down). Only the sustain phase counts, in windows of equal length. The bytes of an object count
evenly over the time that it took: few large ones would else look like an uneven rate.
"""

import json
import os
import subprocess
import sys
import time

GOOD = ("200", "226")
FIGURES = "%{stderr}%{http_code} %{size_download} %{time_total}\n"  # is not buffered
LOOK_S = 0.005
"""How often answers are looked for: a look for each line would take a processor from others."""
PATIENCE_S = 5.0
"""How long the first objects are waited for, and those that are under way at the end."""


class Kind:
    def __init__(self, call):
        self.sizes = set(call["sizes"])
        self.command = ["curl", *call["options"], "-w", FIGURES, "-o", "/dev/null", call["url"]]
        self.completed = []  # moment, seconds that it took, bytes; 0 where it failed
        self.process, self.rest = None, b""

    def begin(self):
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        os.set_blocking(self.process.stderr.fileno(), False)

    def look(self):
        """Take in what was completed."""
        now = time.monotonic()
        try:
            while True:
                piece = os.read(self.process.stderr.fileno(), 65536)
                if not piece:
                    sys.exit("curl ended too early, with %s." % self.process.wait())
                *lines, self.rest = (self.rest + piece).split(b"\n")
                for line in lines:
                    self._completed(now, line.decode("latin-1").split())
        except BlockingIOError:
            pass

    def _completed(self, now, words):
        if len(words) == 3 and words[0].isdigit():
            status, size, took = words[0], int(float(words[1])), float(words[2])
            good = status in GOOD and size in self.sizes
            self.completed.append((now, took, size if good else 0))

    def began_and_ended(self, after):
        """Whether one of the largest did both since then: what was under way has ended, too."""
        return any(
            moment - took >= after and (not size or size == max(self.sizes))
            for moment, took, size in self.completed[-100:]
        )

    def end(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()


def windows_of(completed, start, length, count):
    """Bytes, files and failures of each window."""
    found = [{"bytes": 0.0, "files": 0, "failed": 0} for _ in range(count)]
    for moment, took, size in completed:
        for number, share in shares(moment - took - start, moment - start, length, count):
            found[number]["bytes"] += size * share
        number = int((moment - start) // length)
        if 0 <= number < count:
            found[number]["files"] += 1
            found[number]["failed"] += not size
    return [dict(window, bytes=round(window["bytes"])) for window in found]


def shares(begin, end, length, count):
    """The windows that a span of time touches, each with the share of the span within it."""
    begin = min(begin, end - 1e-6)
    for number in range(max(0, int(begin // length)), min(count, int(end // length) + 1)):
        within = min(end, (number + 1) * length) - max(begin, number * length)
        if within > 0:
            yield number, within / (end - begin)


def work(kinds, until, enough=lambda: False):
    """Have them at work until then, or until it is enough."""
    while time.monotonic() < until and not enough():
        for kind in kinds:
            kind.look()
        time.sleep(LOOK_S)


def main():
    ramp, length, count = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    kinds = [Kind(call) for call in json.load(sys.stdin)["kinds"]]
    begun = time.monotonic()
    try:
        for number, kind in enumerate(kinds, 1):
            kind.begin()
            work(kinds[:number], begun + ramp * number / len(kinds))
        work(kinds, time.monotonic() + PATIENCE_S, lambda: all(kind.completed for kind in kinds))
        start = time.monotonic()
        end = start + length * count
        work(kinds, end)
        work(kinds, end + PATIENCE_S, lambda: all(kind.began_and_ended(end) for kind in kinds))
    finally:
        for kind in kinds:
            kind.end()
    completed = [one for kind in kinds for one in kind.completed]
    json.dump({"windows": windows_of(completed, start, length, count)}, sys.stdout)


if __name__ == "__main__":
    main()
