"""Waiting on an endpoint itself, within one command.

By the clock and not by turns, which take many times as long on a busy host.
"""

from __future__ import annotations

from gatepass.endpoint.script import Script, script


def begin_look(seconds: int) -> Script:
    """A command from which on `LOOK_OVER` counts.

    Args:
        seconds: how long the look takes at most.
    """
    return script("read -r u x </proc/uptime; e=$((${{u%%.*}}+{seconds}))", seconds=seconds)


LOOK_OVER = script("read -r u x </proc/uptime; [ ${{u%%.*}} -gt $e ]")
"""Whether the look is over."""
