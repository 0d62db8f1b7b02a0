"""The hosts of a run that ask for addresses, by their hardware addresses."""

from __future__ import annotations

from functools import cached_property

HOSTS = 50
"""That ask at once."""
UNLISTED = 200
"""That are not on the server's list."""
AGAIN = 10
"""Of the fifty: that ask once more while those do."""
_LISTED_KIND, _UNLISTED_KIND = 0x02, 0x06
"""Both are addresses that are given out locally, for one host (IEEE 802, 8.2)."""


class Hosts:
    """All of them; their addresses come from the run's mark.

    Args:
        mark: of the run, two letters and six hexadecimal digits.
    """

    def __init__(self, mark: str) -> None:
        self._middle = ":".join(mark[at : at + 2] for at in (2, 4, 6))

    def _macs(self, kind: int, first: int, count: int) -> list[str]:
        return [
            f"{kind:02x}:{self._middle}:{number >> 8:02x}:{number & 255:02x}"
            for number in range(first, first + count)
        ]

    @cached_property
    def fifty(self) -> list[str]:
        """Those who ask at once."""
        return self._macs(_LISTED_KIND, 0, HOSTS)

    @cached_property
    def too_many(self) -> str:
        """The one for whom no address is left."""
        return self._macs(_LISTED_KIND, HOSTS, 1)[0]

    @cached_property
    def reserved(self) -> str:
        """The one that an address is reserved for."""
        return self._macs(_LISTED_KIND, HOSTS + 1, 1)[0]

    @cached_property
    def unlisted(self) -> list[str]:
        """Those that the server does not know."""
        return self._macs(_UNLISTED_KIND, 0, UNLISTED)

    @property
    def listed(self) -> list[str]:
        """Those who may have any address."""
        return [*self.fifty, self.too_many]

    @property
    def again(self) -> list[str]:
        """Those who ask once more."""
        return self.fifty[-AGAIN:]

    @property
    def everybody(self) -> list[str]:
        """All of them."""
        return [*self.listed, self.reserved, *self.unlisted]
