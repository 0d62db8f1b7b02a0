"""Has tunnels carry nothing for a while, which only a fault does."""

from __future__ import annotations

from lab.gateway.dataplane.nft import nft

_TABLE = "inet gatepass_outages"
# What is in the set goes out of it by itself when its time is over.
_RULES = f"""\
table {_TABLE} {{
  set silent {{ type ifname; flags timeout; }}
  chain forward {{
    type filter hook forward priority filter - 10
    oifname @silent drop
  }}
}}
"""


class Outages:
    """The tunnels' outages, by a table of nftables that is there once there was one."""

    def __init__(self) -> None:
        self._there = False

    def begin(self, tunnel: str, seconds: float) -> None:
        """Drop what is sent into a tunnel from now on.

        Raises:
            DataPlaneError: the kernel refuses it.
        """
        if not self._there:
            nft.load(f"add table {_TABLE}\ndelete table {_TABLE}\n{_RULES}")
            self._there = True
        milliseconds = round(seconds * 1000)
        nft.load(f'add element {_TABLE} silent {{ "{tunnel}" timeout {milliseconds}ms }}\n')

    def close(self) -> None:
        """End them."""
        if self._there:
            nft.load(f"delete table {_TABLE}\n")
            self._there = False
