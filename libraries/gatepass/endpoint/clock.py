"""An endpoint's clock beside this machine's."""

from __future__ import annotations

import re
import time

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.base.printable import shown
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell

_SAME_CLOCK_S = 2.0
_ASK = script(
    "date +%s.%N | {{ read -r now; case $now in ''|*[!0-9.]*|*.|*.*.*) "
    "python3 -c 'import time; print(\"%.6f\" % time.time())' 2>/dev/null || date +%s.5;; "
    "*) echo $now;; esac; }}"
)
"""Seconds since 1970. BusyBox has no %N: Python tells it, or else the middle of the second."""
_SECONDS = re.compile(r"\d{1,12}\.\d{1,9}")
_SHOWN = 80


def look(shell: Shell, keeps: tuple[str, ...]) -> tuple[float, Finding]:
    """By how many seconds it is ahead, and what follows from it.

    Args:
        shell: the endpoint.
        keeps: the chapters that need it to agree.

    Raises:
        EndpointLost: it cannot be reached.
        NotProven: it does not tell its time.
    """
    before = time.time()
    answer = shell.run(_ASK).output.strip()
    if not _SECONDS.fullmatch(answer):
        words = shown(" ".join(answer.split()), _SHOWN)
        raise NotProven(f"the {shell.name} does not report its time ({words}).")
    offset = float(answer) - (before + time.time()) / 2
    what = (
        f"the {shell.name}'s clock differs by {offset:+.1f} s from this machine's; "
        f"{_SAME_CLOCK_S:g} s are allowed"
    )
    if abs(offset) <= _SAME_CLOCK_S:
        return offset, Finding(shell.name, what)
    return offset, Finding(shell.name, what, "Set up NTP there.", keeps)
