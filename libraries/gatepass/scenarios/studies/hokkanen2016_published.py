"""What Hokkanen 2016 measured, to stand beside a study's own figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatepass.base.phrase import say
from gatepass.inputs.published import Reference, load_published
from gatepass.scenarios.studies.hokkanen2016 import DOWNLOADS

_SOURCE = "hokkanen-2016"
PHYSICAL_MBPS, VIRTUAL_MBPS = 949.0, 1930.0
"""Tables 9 and 10: between two servers, and between two virtual machines of one."""
DOWNLOADS_MB = {
    "beside": (82.17, 69.11, 77.83, 79.39, 82.31, 78.75, 76.72, 79.66, 87.85, 81.01),
    "off": (78.59, 76.82, 80.68, 77.73, 77.23, 75.52, 76.53, 75.86, 79.45, 78.25),
    "on": (74.85, 75.48, 72.67, 76.63, 75.72, 74.41, 76.88, 77.22, 59.19, 68.46),
}
"""Tables 12 to 14, MB/s. An MB is of 2^20 bytes: figure 35 tells 78.63 a second for 1 GiB in
13.023 s."""
MB = 2**20 * 8 / 1e6
"""Mbit of such an MB."""
assert tuple(DOWNLOADS_MB) == DOWNLOADS


@dataclass(frozen=True)
class Figures:
    """Those that the certificate shows as well, Mbit/s.

    Attributes:
        stateful: table 11, by policies and NAT.
        tunnels: table 15, by the label of the encryption.
        remote: table 16, by the way in.
    """

    stateful: dict[tuple[int, str], float]
    tunnels: dict[str, float]
    remote: dict[str, float]


def figures(path: Path) -> Figures:
    """Read them from the published results.

    Raises:
        InputError: the file is wrong.
    """
    own = [one for one in load_published(path).references if one.source == _SOURCE]

    def of(promise: str) -> list[Reference]:
        return [one for one in own if one.promise == promise]

    return Figures(
        {
            (one.conditions["policies"], one.conditions["nat"]): one.value
            for one in of("stateful_throughput")
        },
        {one.conditions["what"]["label"]: one.value for one in of("ipsec_throughput")},
        {
            str(say(one.conditions["what"]["what"])): one.value
            for one in of("remote_access_throughput")
        },
    )
