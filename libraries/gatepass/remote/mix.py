"""A mix of applications by curl, in the phases of RFC 9411; prints what was seen as JSON.

Usage: mix.py RAMP_S WINDOW_S WINDOWS, and on standard input a JSON object:
{"connections": [{"options": [...], "urls": [[url, size], ...]}, ...]}

Each connection is a curl of its own, which asks for its URLs in turn over one kept-alive
connection. They begin one after another (ramp up), all work (sustain), and end one after another
(ramp down). Only what is completed in the sustain phase counts, in windows of equal length.
"""

import json
import subprocess
import sys
import threading
import time

REPEATED = 400
"""How often a curl asks for all its URLs before it is started anew."""
GOOD = ("200", "226")
FIGURES = "%{stderr}%{http_code} %{size_download}\\n"  # standard error is not buffered


class Connection:
    def __init__(self, told):
        self.options, self.urls = told["options"], told["urls"]
        self.completed = []
        self.over = False
        self.process = None
        self.thread = threading.Thread(target=self._work, daemon=True)

    def _work(self):
        wanted = ["%s %s" % (code, size) for code in GOOD for _, size in self.urls]
        lines = []
        for url, _ in self.urls:
            lines += ['url = "%s"' % url, 'output = "/dev/null"']
        text = "\n".join(lines * REPEATED) + "\n"
        while not self.over:
            self.process = subprocess.Popen(
                ["curl", *self.options, "-w", FIGURES, "-K", "-"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                self.process.stdin.write(text)
                self.process.stdin.close()
            except OSError:
                pass  # it was ended
            for line in self.process.stderr:
                word = line.strip()
                good = word in wanted
                if good or word[:3].isdigit():
                    size = int(word.split()[1]) if good else 0
                    self.completed.append((time.monotonic(), size))
            self.process.wait()

    def end(self):
        self.over = True
        if self.process is not None:
            self.process.terminate()


def windows_of(connections, start, length, count):
    """Bytes, files and failures of each window."""
    found = [{"bytes": 0, "files": 0, "failed": 0} for _ in range(count)]
    for connection in connections:
        for moment, size in connection.completed:
            number = int((moment - start) // length)
            if 0 <= number < count:
                window = found[number]
                window["files"] += 1
                window["bytes"] += size
                window["failed"] += not size
    return found


def main():
    ramp, length, count = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    connections = [Connection(told) for told in json.load(sys.stdin)["connections"]]
    step = ramp / len(connections)
    try:
        for connection in connections:
            connection.thread.start()
            time.sleep(step)
        start = time.monotonic()
        time.sleep(length * count)
    finally:
        for connection in connections:
            connection.end()
            time.sleep(step / 4)
    for connection in connections:
        connection.thread.join(5)
    told = {
        "windows": windows_of(connections, start, length, count),
        "idle": sum(not connection.completed for connection in connections),
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
