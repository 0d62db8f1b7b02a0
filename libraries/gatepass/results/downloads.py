"""Downloads that were timed: what arrived, and in which time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gatepass.results.conduct import Conduct

OFF, ON = "services off", "services on"
"""Roles of trials through the gateway, with its security services off and on."""
BESIDE, CONTROL, COMPARED = "beside", "control", "compared"
"""Roles of trials without the gateway: for the baseline, in turns with those that fall short, and
for a study that compares."""


@dataclass(frozen=True)
class Transfer:
    """A timed download of a large file, or a window of a longer load of many small ones.

    Attributes:
        bytes: that arrived as content.
        seconds: from the first request to the last byte, or the window's length.
        files: how many ended; `failed` of them did not arrive whole.
        failed: see `files`.
    """

    bytes: int
    seconds: float
    files: int = 1
    failed: int = 0

    @property
    def mbps(self) -> float:
        """Content that arrived, Mbit/s (10^6)."""
        return self.bytes * 8 / self.seconds / 1e6

    @classmethod
    def joined(cls, windows: Sequence[Transfer]) -> Transfer:
        """Windows that follow one another, as one; at least one."""
        return cls(
            sum(one.bytes for one in windows),
            sum(one.seconds for one in windows),
            sum(one.files for one in windows),
            sum(one.failed for one in windows),
        )


@dataclass(frozen=True)
class DownloadTrial:
    """One trial.

    Attributes:
        windows: a large file, or the windows of a load, one after the other; at least one.
        broken: downloads that did not arrive whole before the one that did.
        role: one of those above.
        number: in the run, as its file in ``trials/`` is called; 0 where none is kept.
        conduct: what the hosts did meanwhile, by name.
    """

    windows: tuple[Transfer, ...]
    broken: int = 0
    role: str = ""
    number: int = 0
    conduct: Mapping[str, Conduct] = field(default_factory=dict, repr=False)

    @property
    def whole(self) -> Transfer:
        """All of it as one."""
        return Transfer.joined(self.windows)

    @property
    def mbps(self) -> float:
        """Content that arrived, Mbit/s (10^6)."""
        return self.whole.mbps

    def record(self) -> dict[str, Any]:
        """What was downloaded, as JSON takes it; the hosts' conduct is noted elsewhere."""
        windows = [asdict(one) for one in self.windows]
        return {"role": self.role, "broken": self.broken, "windows": windows}

    @classmethod
    def of(cls, told: Mapping[str, Any], number: int) -> DownloadTrial:
        """One from its record.

        Args:
            told: see `record`.
            number: of the trial.

        Raises:
            KeyError, TypeError: it is no such record.
        """
        windows = tuple(Transfer(**one) for one in told["windows"])
        return cls(windows, told["broken"], told["role"], number)
