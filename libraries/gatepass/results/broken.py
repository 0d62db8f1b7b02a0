"""A transfer that broke off, although the programs at both of its ends did their work.

What a device between two endpoints can do to their traffic has one exception, whatever program the
traffic comes from: connections are refused, get no answer, are reset or closed; traffic stops; the
first datagram of a flow gets lost; packets are too large; the control connection is gone. Whose
doing it was only the path without that device tells (see `support.transfers`). A program that
fails by itself is no `Broken` but a NotProven.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

REFUSED, UNANSWERED = "refused", "unanswered"
RESET, CLOSED, STOPPED = "reset", "closed", "stopped"
FIRST_LOST, TOO_LARGE, CONTROL_LOST = "first datagram lost", "too large", "control lost"
INCOMPLETE = "incomplete"
KINDS = (
    *(REFUSED, UNANSWERED, RESET, CLOSED, STOPPED, FIRST_LOST, TOO_LARGE, CONTROL_LOST),
    INCOMPLETE,
)

AT_THE_BEGIN = (REFUSED, UNANSWERED, FIRST_LOST)
"""Where nothing had come through yet."""

_BY_WORDS: Mapping[str, str] = {
    "connection refused": REFUSED,
    "no route to host": REFUSED,
    "connection timed out": UNANSWERED,
    "connection reset by peer": RESET,
    "broken pipe": RESET,
    "software caused connection abort": RESET,
    "closed unexpectedly": CLOSED,
    "closed the connection": CLOSED,
    "message too long": TOO_LARGE,
    "idle timeout": STOPPED,
}
"""What the C library and iperf3 call what came from the network, in small letters."""
_LATER = {UNANSWERED: STOPPED, REFUSED: RESET}
"""What the same words say of a connection that had carried something already."""


@dataclass(eq=False)
class Broken(Exception):
    """A transfer that did not run to its end.

    Attributes:
        how: one of the names above.
        near, far: names of the endpoint that opened it and of the other one.
        seconds: for how long it had carried something; 0 where nothing had come through.
        of_s: for how long it was to last; 0 where that is not known.
        opened, wanted: how many of its connections were open, and how many there were to be; 0
            where that is not known.
        packet: size of the largest IP packet that was sent, bytes; 0 where that is not known.
        detail: what else is known of it, in a few words; empty for nothing.
        disturbed: what the rig did meanwhile that could have caused it; empty where it did nothing.
    """

    how: str
    near: str
    far: str
    seconds: float = 0.0
    of_s: float = 0.0
    opened: int = 0
    wanted: int = 0
    packet: int = 0
    detail: str = ""
    disturbed: str = ""

    @property
    def early(self) -> bool:
        """Whether nothing had come through yet."""
        return self.how in AT_THE_BEGIN or not self.seconds

    def __str__(self) -> str:
        ends = f"from {self.near} to {self.far}"
        clauses = {
            REFUSED: f"a connection {ends} was refused",
            UNANSWERED: f"a connection {ends} got no answer",
            RESET: f"the connection {ends} was reset {self._when}",
            CLOSED: f"the connection {ends} was closed {self._when}",
            STOPPED: f"nothing came through any more {ends} {self._when}",
            FIRST_LOST: f"the first datagram of the flow {ends} got lost",
            TOO_LARGE: f"a packet of {self.packet:,} bytes {ends} was too large for the path",
            CONTROL_LOST: f"the control connection {ends} broke once all data had come through",
            INCOMPLETE: f"a file {ends} arrived in part {self._when}",
        }
        detail = f" ({self.detail})" if self.detail else ""
        return f"{clauses[self.how]}{detail}"

    @property
    def _when(self) -> str:
        if not self.seconds:
            return "at its beginning"
        return f"after {self.seconds:.1f} s" + (f" of {self.of_s:g} s" if self.of_s else "")


def how_in_words(words: str, begun: bool) -> str:
    """What words of the C library or of iperf3 say of a transfer; empty for nothing of the network.

    Args:
        words: of a program, in English.
        begun: whether the transfer had carried something.
    """
    low = words.lower()
    how = next((how for text, how in _BY_WORDS.items() if text in low), "")
    return _LATER.get(how, how) if begun else how
