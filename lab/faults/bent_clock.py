"""Bends the clock that Python programs read. Put beside the standard library as `sitecustomize`.

All nodes share the machine's clock, so it is its reading that is made wrong: `time.time`,
`time.time_ns` and, for CLOCK_REALTIME, `time.clock_gettime` and `time.clock_gettime_ns`. The other
clocks, `datetime`, the times that the kernel gives packets (SO_TIMESTAMPNS) and every program that
is not Python go on as before. Where the clock stood right, how fast it goes and how far it steps
stand in `bent_clock.json` beside this file.
"""

import json
import os
import time


def _bend(began_ns, fast, step_ns, every_ns):
    """Put a clock that goes fast, and steps back and forth, in the place of the right one.

    Args:
        began_ns: when it stood right.
        fast: by how much it goes too fast, as a share.
        step_ns: how far it is ahead besides in every other span.
        every_ns: length of a span.
    """
    real_ns, by_clock, by_clock_ns = time.time_ns, time.clock_gettime, time.clock_gettime_ns

    def time_ns():
        passed = real_ns() - began_ns
        stepped = step_ns if every_ns and passed // every_ns % 2 else 0
        return began_ns + passed + int(passed * fast) + stepped

    def now():
        return time_ns() / 1e9

    def clock_gettime(clock):
        return now() if clock == time.CLOCK_REALTIME else by_clock(clock)

    def clock_gettime_ns(clock):
        return time_ns() if clock == time.CLOCK_REALTIME else by_clock_ns(clock)

    time.time, time.time_ns = now, time_ns
    time.clock_gettime, time.clock_gettime_ns = clock_gettime, clock_gettime_ns


if __name__ == "sitecustomize":
    with open(os.path.join(os.path.dirname(__file__), "bent_clock.json")) as _file:
        _bend(**json.load(_file))
