"""Streams of datagrams, and what became of them, for tests."""

from __future__ import annotations

from gatepass.results.datagrams import Carried, Spread, Stream

PORT = 29_400  # none that the kernel gives to others


def stream(**given: object) -> Stream:
    """One over the loopback."""
    usual = {
        "name": "one",
        "address": "127.0.0.1",
        "port": PORT,
        "frames": (512,),
        "per_s": 2000.0,
        "seconds": 0.5,
    }
    return Stream(**(usual | given))  # type: ignore[arg-type]


def carried_of(**given: object) -> Carried:
    """A stream of 1,000 frames of 1,000 bytes in a second of which 900 arrived."""
    none = Spread([])
    usual = {
        "stream": stream(frames=(1000,), per_s=1000.0, seconds=1.0),
        "sent": 1000,
        "unsent": 0,
        "sending_s": 0.999,
        "late_us": 0,
        "received": 900,
        "receiving_s": 0.999,
        "doubled": 0,
        "overtaken": 0,
        "socket_lost": 0,
        "foreign": 0,
        "sources": frozenset(),
        "dscps": frozenset(),
        "sender_cpu_s": 0.1,
        "receiver_cpu_s": 0.1,
        "delay": none,
        "round_trip": none,
        "variation": none,
        "gaps": (),
        "ticks": (),
        "arrivals": (),
    }
    return Carried(**(usual | given))  # type: ignore[arg-type]
