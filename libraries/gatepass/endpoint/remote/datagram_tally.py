"""What arrived of one stream of numbered datagrams: how many, in which order, how late.

Numbers count from 0 without a gap: one that is left out was lost, or is still under way; one that
comes after a higher one was overtaken (RFC 4737, 3.3); one that came already was doubled.
Delays are kept as counts by the microsecond, so that a day's stream takes no more room than a
minute's. What a datagram's delay differs by from that of the one before it in number is its
variation (RFC 3393 with consecutive numbers), kept likewise. A tick is a tenth of a second of the
epoch: `ticks` counts the datagrams that arrived by when they were sent, `tick_delays` has the sum
of their delays and the longest; `arrivals` counts all by when they came. `seconds` is from the
first that came to the last.
"""

from bisect import bisect_right
from collections import Counter
from operator import sub

TICK_NS = 10 ** 8
MOST_GAPS = 1000


class Tally:
    def __init__(self):
        self.next = 0  # one more than the highest number so far
        self.received = self.doubled = self.overtaken = 0
        self.delays, self.variations = Counter(), Counter()
        self.ticks, self.arrivals = Counter(), Counter()
        self.tick_delays = {}  # tick -> [sum, longest]
        self.missing = []  # [low, high): in order, apart from one another
        self.gaps = []  # [number, how many, when the next was sent], the first MOST_GAPS
        self.before = None  # the newest delay, of number next - 1
        self.first = self.last = None  # when the first came, and the last

    def add(self, numbers, sent, came):
        """Datagrams as they came.

        numbers: a list; sent, came: when, in ns since the epoch, of the same length.
        """
        if not len(numbers):
            return
        delays = [(there - here) // 1000 for here, there in zip(sent, came)]
        self.first, self.last = self.first or came[0], came[-1]
        count, begin = len(numbers), self.next
        by_tick(self.arrivals, came)
        if numbers[0] == begin and numbers == list(range(begin, begin + count)):
            self.in_order(sent, delays)
        else:
            for one in zip(numbers, sent, delays):
                self.one(*one)

    def in_order(self, sent, delays):
        """The common case, at the speed of C."""
        count = len(delays)
        self.received += count
        self.next += count
        self.delays.update(delays)
        if self.before is not None:
            self.variations[abs(delays[0] - self.before)] += 1
        self.variations.update(map(abs, map(sub, delays[1:], delays)))
        self.before = delays[-1]
        by_tick(self.ticks, sent)
        if sent[0] // TICK_NS == sent[-1] // TICK_NS:
            self.late(sent[0], sum(delays), max(delays))
        else:
            for moment, delay in zip(sent, delays):
                self.late(moment, delay, delay)

    def one(self, number, sent, delay):
        """One that may be anything."""
        if number >= self.next:
            if number > self.next:
                self.missing.append([self.next, number])
                if len(self.gaps) < MOST_GAPS:
                    self.gaps.append([self.next, number - self.next, sent])
            elif self.before is not None:
                self.variations[abs(delay - self.before)] += 1
            self.next, self.before = number + 1, delay
        elif self.fill(number):
            self.overtaken += 1
        else:
            self.doubled += 1
            return
        self.received += 1
        self.delays[delay] += 1
        self.ticks[sent // TICK_NS] += 1
        self.late(sent, delay, delay)

    def late(self, sent, total, longest):
        """Delays of one tick, told by one of its moments."""
        so_far = self.tick_delays.setdefault(sent // TICK_NS, [0, longest])
        so_far[0] += total
        so_far[1] = max(so_far[1], longest)

    def fill(self, number):
        """Whether a number was missing; it is no more."""
        place = bisect_right(self.missing, [number, float("inf")]) - 1
        if place < 0 or number >= self.missing[place][1]:
            return False
        low, high = self.missing[place]
        self.missing[place:place + 1] = [
            part for part in ([low, number], [number + 1, high]) if part[0] < part[1]
        ]
        return True

    def told(self):
        """All of it, as JSON takes it."""
        seconds = (self.last - self.first) / 10 ** 9 if self.first else 0.0
        return {
            "received": self.received, "doubled": self.doubled, "overtaken": self.overtaken,
            "seconds": seconds, "gaps": self.gaps, "delays_us": sorted(self.delays.items()),
            "variations_us": sorted(self.variations.items()),
            "ticks": sorted(self.ticks.items()), "arrivals": sorted(self.arrivals.items()),
            "tick_delays": [[tick, *seen] for tick, seen in sorted(self.tick_delays.items())],
        }


def by_tick(ticks, moments):
    """Count moments that follow one another, in ns, by their ticks."""
    first, last = moments[0] // TICK_NS, moments[-1] // TICK_NS
    if first == last:
        ticks[first] += len(moments)
    else:
        ticks.update([moment // TICK_NS for moment in moments])
