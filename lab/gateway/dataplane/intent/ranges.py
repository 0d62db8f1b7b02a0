"""Sets of whole numbers (addresses, ports) as sorted, disjoint spans.

Addresses and ports are handled as spans of integers so that groups, exclusions and negation are
plain arithmetic, and the rule text and the policy lookup are made from one and the same thing.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from functools import lru_cache

Spans = tuple[tuple[int, int], ...]

NOTHING: Spans = ()
EVERY_PORT: Spans = ((0, 65535),)
EVERY_ADDRESS: dict[int, Spans] = {4: ((0, 2**32 - 1),), 6: ((0, 2**128 - 1),)}


def union(spans: Iterable[tuple[int, int]]) -> Spans:
    """Sort spans and join those that overlap or touch."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def complement(spans: Spans, universe: Spans) -> Spans:
    """Everything of `universe` (one span) that is not in `spans`."""
    (start, end), left = universe[0], []
    for low, high in spans:
        if low > start:
            left.append((start, low - 1))
        start = high + 1
    if start <= end:
        left.append((start, end))
    return tuple(left)


def subtract(spans: Spans, without: Spans, universe: Spans) -> Spans:
    """What of `spans` is not in `without`."""
    return complement(union((*complement(spans, universe), *without)), universe)


def contains(spans: Spans, number: int) -> bool:
    """Whether `number` lies in one of the spans."""
    return any(low <= number <= high for low, high in spans)


@lru_cache(maxsize=65536)
def address_elements(spans: Spans, version: int) -> tuple[str, ...]:
    """Spans of addresses in nft's notation: one address, a prefix, or first-last."""
    kind = ipaddress.IPv4Address if version == 4 else ipaddress.IPv6Address
    bits = 32 if version == 4 else 128
    texts = []
    for low, high in spans:
        size = high - low + 1
        if size == 1:
            texts.append(str(kind(low)))
        elif size & (size - 1) == 0 and low % size == 0:
            texts.append(f"{kind(low)}/{bits - size.bit_length() + 1}")
        else:
            texts.append(f"{kind(low)}-{kind(high)}")
    return tuple(texts)


@lru_cache(maxsize=4096)
def port_elements(spans: Spans) -> tuple[str, ...]:
    """Spans of ports in nft's notation."""
    return tuple(str(low) if low == high else f"{low}-{high}" for low, high in spans)
