"""Writes down what this host does, line by line, so that a trial can later be held against it.

Usage: rig_watch.py INTERVAL_S FILE [PID]
       rig_watch.py now
       rig_watch.py between FILE BEGAN ENDED
       rig_watch.py once INTERVAL_S

Every INTERVAL_S one line of JSON with running totals since the host was started. Wakes up a few
times as often as that: how late a wake-up comes is what any program here has to wait for a
processor. Two files of a few MB are kept, FILE and FILE.1. With PID it ends when its parent is no
longer that process. Needs nothing that a bare Linux has not; what a kernel does not tell is left
out of the line.

`now` prints the moment by the clock that the lines have, `between` the lines of a time, and `once`
two lines as they would be written, INTERVAL_S apart.
"""

import contextlib
import ctypes
import glob
import json
import logging.handlers
import os
import sys
import time

TICK_S = 0.02
LATE_S = 0.002  # what a quiet host takes for a wake-up anyway
LARGEST = 4000000
PROGRAMS_S = 1.0
PR_SET_TIMERSLACK = 29
PACKET_THREADS = ("ksoftirqd/", "napi/")
SOCKET_DROPS = (("Udp:", "RcvbufErrors"), ("TcpExt:", "TCPRcvQDrop"), ("TcpExt:", "RcvPruned"),
                ("TcpExt:", "TCPBacklogDrop"))
FIRST = '{"at": '
"""What a line begins with."""
HERTZ = os.sysconf("SC_CLK_TCK")


def read(path):
    with open(path) as file:
        return file.read()


def clock():
    """Seconds since the host was started; Python 3.6 has no name for that clock (time.h)."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", 7))


def processors():
    """Seconds of all processors: idle, stolen by a hypervisor, in soft interrupts, and in all."""
    spent = [int(word) / HERTZ for word in read("/proc/stat").split("\n", 1)[0].split()[1:9]]
    return {"idle": spent[3] + spent[4], "steal": spent[7], "soft": spent[6], "all": sum(spent)}


def pressure():
    """Seconds in which some program waited for a processor."""
    first = read("/proc/pressure/cpu").split("\n", 1)[0]
    return {"pressure": int(first.rpartition("total=")[2]) / 1e6}


def packets():
    """By interface the bytes, packets and losses of what came in; packets lost on the way up."""
    lost, links = 0, {}
    for line in read("/proc/net/dev").splitlines()[2:]:
        name, _, rest = line.partition(":")
        cells = [int(word) for word in rest.split()]
        if name.strip() != "lo":
            links[name.strip()] = [cells[0], cells[1], cells[3]]
    for line in read("/proc/net/softnet_stat").splitlines():
        lost += int(line.split()[1], 16)
    return {"links": links, "nic_lost": lost}


def sockets():
    """Packets that came, and were lost as a program did not fetch them in time."""
    found = {}
    for path in ("/proc/net/snmp", "/proc/net/netstat"):
        lines = [line.split() for line in read(path).splitlines()]
        for names, values in zip(lines[::2], lines[1::2]):
            found.update({(names[0], name): value for name, value in zip(names, values)})
    return {"socket_lost": sum(int(found.get(name, 0)) for name in SOCKET_DROPS)}


class PacketThreads:
    """The kernel's own threads that carry packets; a container does not see them."""

    def __init__(self):
        self.paths = []
        for path in glob.glob("/proc/[0-9]*/comm"):
            with contextlib.suppress(OSError):
                if read(path).startswith(PACKET_THREADS):
                    self.paths.append(os.path.dirname(path) + "/schedstat")

    def waited(self):
        """Seconds in which they were ready and got no processor."""
        if not self.paths:
            return {}
        return {"packets_waited": sum(int(read(path).split()[1]) for path in self.paths) / 1e9}


class Programs:
    """Which programs took the processors, by name."""

    def __init__(self):
        self.before, self.since = self.look(), clock()

    def look(self):
        spent = {}
        for path in glob.glob("/proc/[0-9]*/stat"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                head, _, rest = read(path).rpartition(")")
                cells = rest.split()
                spent[path] = (head.partition("(")[2], (int(cells[11]) + int(cells[12])) / HERTZ)
        return spent

    def busiest(self):
        now, moment = self.look(), clock()
        taken = {}
        for path, (name, seconds) in now.items():
            grown = seconds - self.before.get(path, (name, 0.0))[1]
            taken[name] = taken.get(name, 0.0) + grown
        share = 100 / max(moment - self.since, 0.01)
        self.before, self.since = now, moment
        first = sorted(taken, key=lambda name: -taken[name])[:8]
        return {"programs": {name: round(taken[name] * share) for name in first if taken[name]}}


def totals(threads):
    line = {"stepped": time.clock_gettime(time.CLOCK_REALTIME) - clock()}
    for part in (processors, pressure, packets, sockets, threads.waited):
        with contextlib.suppress(OSError, ValueError, IndexError, KeyError):
            line.update(part())
    return line


def between(name, began, ended):
    """Print the lines of a time."""
    for path in (name + ".1", name):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            for line in read(path).splitlines():
                moment = line[len(FIRST) :].partition(",")[0] if line.startswith(FIRST) else ""
                with contextlib.suppress(ValueError):  # a line that is being written
                    if began <= float(moment) <= ended:
                        print(line)


def once(interval):
    threads = PacketThreads()
    for pause in (0.0, interval):
        time.sleep(pause)
        line = {"at": round(clock(), 4), "late": 0.0, "longest": 0.0}
        line.update(totals(threads))
        print(json.dumps(line))


def main():
    if sys.argv[1] == "now":
        print("%.4f" % clock())
    elif sys.argv[1] == "between":
        between(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]))
    elif sys.argv[1] == "once":
        once(float(sys.argv[2]))
    else:
        watch()


def watch():
    interval, name = float(sys.argv[1]), sys.argv[2]
    parent = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with contextlib.suppress(OSError, AttributeError):  # wake-ups to the microsecond
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0)
    threads, programs = PacketThreads(), Programs()
    keep = logging.getLogger("lines")
    keep.setLevel(logging.INFO)
    keep.addHandler(logging.handlers.RotatingFileHandler(name, maxBytes=LARGEST, backupCount=1))
    due, written = clock(), 0.0
    late = longest = 0.0
    while not parent or os.getppid() == parent:
        due += TICK_S
        time.sleep(max(0.0, due - clock()))
        over = clock() - due
        if over > LATE_S:
            late, longest = late + over, max(longest, over)
            due = max(due, clock() - TICK_S)  # what was missed is not made up for
        now = clock()
        if now - written < interval:
            continue
        line = {"at": round(now, 4), "late": round(late, 4), "longest": round(longest, 4)}
        line.update(totals(threads))
        if now - programs.since >= PROGRAMS_S:
            line.update(programs.busiest())
        keep.info(json.dumps(line))
        written, longest = now, 0.0


if __name__ == "__main__":
    main()
