"""Waiting on an endpoint itself, within one command.

By the clock and not by turns, which take many times as long on a busy host.
"""

from __future__ import annotations


def begin_look(seconds: int) -> str:
    """A command from which on `LOOK_OVER` counts.

    Args:
        seconds: how long the look takes at most.
    """
    return f"read -r u x </proc/uptime; e=$((${{u%%.*}}+{seconds}))"


LOOK_OVER = "read -r u x </proc/uptime; [ ${u%%.*} -gt $e ]"
"""Whether the look is over."""
