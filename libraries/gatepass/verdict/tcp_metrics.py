"""The three figures by which RFC 6349 tells how a TCP connection fared."""

from __future__ import annotations

ETHERNET_MTU = 1500
_IP_AND_TCP = 20 + 32
"""Bytes of header in a segment over IPv4: IP, and TCP with time stamps (RFC 7323)."""
_FRAME = 14 + _IP_AND_TCP
"""The same with Ethernet's header."""


def transfer_time_ratio(mbps: float, ideal_mbps: float) -> float:
    """How many times as long a transfer takes as it should (RFC 6349, section 4.1).

    Args:
        mbps: the rate that was reached.
        ideal_mbps: the rate that the path is to carry, at the same layer.
    """
    return ideal_mbps / mbps


def efficiency_percent(sent_bytes: int, retransmits: int, mss: int) -> float:
    """The share of the transmitted bytes that had not been sent before (section 4.2).

    Args:
        sent_bytes: by the program, above 0.
        retransmits: segments that TCP sent again.
        mss: bytes in a segment.
    """
    again = retransmits * mss
    return 100 * sent_bytes / (sent_bytes + again)


def buffer_delay_percent(loaded_ms: float, rest_ms: float) -> float:
    """By how much the round trip takes longer under load than at rest (section 4.3)."""
    return 100 * (loaded_ms - rest_ms) / rest_ms


def full_segment(mtu: int) -> int:
    """What a TCP segment can carry on a path of this MTU, in bytes."""
    return mtu - _IP_AND_TCP


def goodput_share(mss: int) -> float:
    """The share of a line's frames that is payload with segments of this size, 0 to 1."""
    return mss / (mss + _FRAME)
