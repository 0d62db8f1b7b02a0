"""Packets for which this machine's processors had no room while a test was at work."""

from __future__ import annotations

from pathlib import Path


class Crowd:
    """What the kernel dropped since this was made, as too many packets waited for a processor.

    A processor holds net.core.netdev_max_backlog of them, those of all namespaces together: where
    another test floods it, a datagram of this one may find no room, also on the loopback device.
    """

    def __init__(self) -> None:
        self._before = _dropped()

    @property
    def most(self) -> int:
        """So many packets at most has a test lost that way."""
        return _dropped() - self._before

    def accounts_for(self, missing: int) -> bool:
        """Whether so many datagrams, or none, can be missing for that alone."""
        return 0 <= missing <= self.most


def _dropped() -> int:
    lines = Path("/proc/net/softnet_stat").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1], 16) for line in lines)
