"""Datagrams that came to an endpoint and that the endpoint itself dropped.

They are lost, and no fault of the gateway's: a firewall of the endpoint may let through what comes
by another interface, or only so much a second.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gatepass.base.errors import NotProven
from gatepass.base.figures import Count, Figures
from gatepass.base.formats import Name
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.wire_program import WireProgram

logger = logging.getLogger(__name__)
FEWEST, SHARE = 5, 1e-4
"""Datagrams that may be missing, and of how many: others that have the port are counted too."""
_LATE = 0.05
"""Of those that were sent: what queues hold when a program has ended comes after it."""


class Arrived(Figures):
    """Datagrams of a port at an endpoint's interface.

    Attributes:
        interface: its name.
        arrived: how many came, before any filter.
        no_room: how many found no room in a socket, as a program was late.
    """

    interface: Name
    arrived: Count
    no_room: Count = 0


class WireCount(WireProgram[Arrived]):
    """A count under way; its words are an address, whether it goes to or from it, and the port."""

    program = "wire_count.py"

    def parsed(self, line: str) -> Arrived:
        """See `WireProgram`."""
        return Arrived.model_validate_json(line)

    def failed(self, words: str) -> NotProven:
        """See `WireProgram`."""
        return NotProven(
            f"the {self._shell.name} cannot count what arrives at its own interface, so what it "
            f"drops itself cannot be distinguished from the gateway's loss: {words}. It needs root "
            "as its SSH user."
        )


@contextmanager
def counting(
    shell: Shell, address: str, port: int, limit_s: float, answers: bool = False
) -> Iterator[Callable[[], Arrived | None]]:
    """A count that ends with the context.

    Args:
        shell: the endpoint that receives.
        address: of it, or of the sender that it answers.
        port: that the datagrams go to, or come from.
        limit_s: after which it ends by itself.
        answers: whether they come from it.

    Yields:
        What ends it and tells what has come; None where the endpoint cannot count, as one whose
        user is not root.
    """
    try:
        words = [address, "from" if answers else "to", port]
        count = WireCount(shell, words, limit_s)
    except NotProven as reason:
        logger.info("%s", reason)
        yield lambda: None
        return
    try:
        yield count.end
    finally:
        count.stop()


def dropped_there(sent: int, arrived: int, taken: int, gaps: int) -> int:
    """How many datagrams an endpoint dropped itself, at least.

    Args:
        sent: in all.
        arrived: at its interface, in all, also behind the end of the program that takes them.
        taken: that the program got.
        gaps: that the program misses between those that it got.
    """
    between = gaps - max(0, sent - arrived)
    behind = arrived - taken - round(sent * _LATE)
    return max(0, between, behind)


def must_be_taken(name: str, port: int, came: Arrived, dropped: int) -> None:
    """An endpoint took what came to it.

    Args:
        name: of the endpoint.
        port: of the datagrams.
        came: what did.
        dropped: of it, that no program got.

    Raises:
        NotProven: it dropped more than a few, and not for want of room in a socket.
    """
    dropped -= came.no_room
    if dropped > max(FEWEST, came.arrived * SHARE):
        raise NotProven(
            f"the {name} itself dropped {dropped:,} of {came.arrived:,} datagrams that came to its "
            f"interface {came.interface}. Is there a firewall on it? Permit port {port} there, on "
            "all interfaces."
        )
