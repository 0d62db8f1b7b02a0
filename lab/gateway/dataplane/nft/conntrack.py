"""The session table, read from the kernel's connection tracking."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from lab.inspector.marks import SERVER_LEG_SESSION

# Not /proc/net, which is that of the process: a thread may be in a namespace of its own.
_TABLE = Path("/proc/thread-self/net/nf_conntrack")
_COUNT = Path("/proc/sys/net/netfilter/nf_conntrack_count")
_MARK = re.compile(rb" mark=(\d+)")
# The inspector's own half of a session that is in the table already.
_SECOND_HALF = f" mark={SERVER_LEG_SESSION} "
_PAIR = re.compile(r"(\S+?)=(\S+)")


def count() -> int:
    """Number of sessions, those to the gateway itself included."""
    return int(_COUNT.read_text())


def counts() -> tuple[int, int]:
    """Number of sessions of IPv4 and of IPv6."""
    table = b"\n" + _TABLE.read_bytes() if count() else b""
    return table.count(b"\nipv4 "), table.count(b"\nipv6 ")


def active_by_mark() -> Counter[int]:
    """Number of sessions of each mark."""
    return Counter(int(mark) for mark in _MARK.findall(_TABLE.read_bytes()))


def sessions(limit: int) -> list[dict]:
    """The first sessions of the table, as FortiOS's session monitor names their attributes.

    Args:
        limit: how many at most.

    Returns:
        For each: `proto` (a name), `saddr`, `sport`, `daddr`, `dport` as the client sent them,
        `snaddr`, `snport` the source after translation, `dnaddr`, `dnport` the destination after
        translation, `policyid`, `duration` and `expiry` in seconds, and bytes and packets sent
        (`sentbyte`, `sentpkt`) and received (`rcvdbyte`, `rcvdpkt`).
    """
    found = []
    with _TABLE.open() as lines:
        for line in lines:
            if len(found) >= limit:
                break
            if _SECOND_HALF not in line:
                found.append(parse(line))
    return found


def parse(line: str) -> dict:
    """Parse one line of the table."""
    words = line.split()
    ways: list[dict[str, str]] = []
    rest: dict[str, str] = {}
    for key, value in _PAIR.findall(line):
        if key == "src":
            ways.append({})
        target = ways[-1] if key in _OF_A_WAY else rest
        target[key] = value
    sent, received = ways[0], ways[1]

    def number(source: dict[str, str], key: str) -> int:
        return int(source.get(key, 0))

    return {
        "proto": words[2],
        "saddr": sent["src"],
        "sport": number(sent, "sport"),
        "daddr": sent["dst"],
        "dport": number(sent, "dport"),
        "snaddr": received["dst"],
        "snport": number(received, "dport"),
        "dnaddr": received["src"],
        "dnport": number(received, "sport"),
        "policyid": number(rest, "mark"),
        "duration": number(rest, "delta-time"),
        "expiry": int(words[4]),
        "sentbyte": number(sent, "bytes"),
        "rcvdbyte": number(received, "bytes"),
        "sentpkt": number(sent, "packets"),
        "rcvdpkt": number(received, "packets"),
    }


_OF_A_WAY = {"src", "dst", "sport", "dport", "type", "code", "id", "packets", "bytes"}
