"""What a faulty gateway does to the sessions that it forwards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionFaults:
    """All of it; the defaults are those of a gateway that is whole.

    Attributes:
        reset_s: after how many seconds a connection of TCP is reset; 0 for never.
        loses_first_datagram: whether the first datagram of each flow gets lost.
        loses_first_syn: whether the packet that a connection of TCP begins with gets lost.
        mtu: of the port on the server's side, in bytes; 0 leaves it as it is.
        most: how many sessions may be open at once; 0 for any number.
        policed_per_s: how many packets a second pass from client to server; 0 for all.
        burst_packets: how many pass at once before that.
    """

    reset_s: float = 0.0
    loses_first_datagram: bool = False
    loses_first_syn: bool = False
    mtu: int = 0
    most: int = 0
    policed_per_s: int = 0
    burst_packets: int = 0
