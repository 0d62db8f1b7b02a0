"""An endpoint's clock beside this machine's."""

from __future__ import annotations

import time

from gatepass.base.finding import Finding
from gatepass.endpoint.shell import Shell

_SAME_CLOCK_S = 2.0


def look(shell: Shell, keeps: tuple[str, ...]) -> tuple[float, Finding]:
    """By how many seconds it is ahead, and what follows from it.

    Args:
        shell: the endpoint.
        keeps: the chapters that need it to agree.

    Raises:
        EndpointLost: it cannot be reached.
    """
    before = time.time()
    offset = float(shell.run("date +%s.%N").output) - (before + time.time()) / 2
    what = (
        f"the {shell.name}'s clock differs by {offset:+.1f} s from this machine's; "
        f"{_SAME_CLOCK_S:g} s are allowed"
    )
    if abs(offset) <= _SAME_CLOCK_S:
        return offset, Finding(shell.name, what)
    return offset, Finding(shell.name, what, "Set up NTP there.", keeps)
