"""Reports of the programs that send and take datagrams."""

from __future__ import annotations

import json

import pytest

from gatepass.endpoint.answers import Malformed, of_json
from gatepass.endpoint.datagram_reports import Sent, Taken

SENT = {
    "sent": 2, "unsent": 0, "seconds": 0.1, "by_tick": [[17_000_000_000, 2]], "late_us": 3,
    "path_mtu": 1500, "cpu_s": 0.01, "back": None,
}  # fmt: skip
TAKEN = {
    "received": 2, "doubled": 0, "overtaken": 0, "seconds": 0.1, "gaps": [[1, 2, 3]],
    "delays_us": [[-5, 2]], "variations_us": [], "ticks": [[17_000_000_000, 2]],
    "arrivals": [[17_000_000_000, 2]], "tick_delays": [[17_000_000_000, 10, 7]], "foreign": 0,
    "socket_lost": 0, "sources": ["::ffff:198.18.1.10"], "tos": [184], "cpu_s": 0.01,
}  # fmt: skip


def test_honest_reports() -> None:
    assert of_json(Sent, json.dumps(SENT))["by_tick"] == [(17_000_000_000, 2)]
    assert of_json(Taken, json.dumps(TAKEN))["sources"] == ["198.18.1.10"]


@pytest.mark.parametrize(
    "change",
    [
        {"ticks": [[0, 1], [10**12, 1]]},  # as many would be filled in between
        {"arrivals": [[0, 1], [10**12, 1]]},
        {"received": -1}, {"received": "2"}, {"tos": [256]}, {"sources": ["$(id)"]},
        {"gaps": [[1]]},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(change: dict) -> None:
    with pytest.raises(Malformed):
        of_json(Taken, json.dumps(TAKEN | change))
