"""What the gateway's logs say was stopped, wherever it writes them."""

from __future__ import annotations

import pytest

from gatepass.gateway.fortigate import Refused
from gatepass.gateway.security_log import stopped

ENTRY = {"action": "blocked", "policyid": 7, "virus": "EICAR_TEST_FILE"}


class Device:
    """Has these rows in its logs; `None` where it refuses one."""

    def __init__(self, **logs: list[dict] | None) -> None:
        self._logs = logs

    def log(self, path: str, **_query: object) -> list[dict]:
        rows = self._logs[path.split("/")[0]]
        if rows is None:
            raise Refused(f"no log on {path}", 403)
        return rows


@pytest.mark.parametrize(
    "device",
    [
        Device(disk=[ENTRY], memory=[]),
        Device(disk=[], memory=[ENTRY]),
        Device(disk=[ENTRY], memory=None),
        Device(disk=None, memory=[ENTRY]),
    ],
    ids=["disk", "memory", "disk alone", "memory alone"],
)
def test_it_is_found_on_whichever_it_is_written_to(device: Device) -> None:
    assert stopped(device, "virus", "198.18.1.10", 7) == [ENTRY]


def test_only_what_was_acted_on_counts() -> None:
    rows = [
        ENTRY | {"action": "passthrough"},
        ENTRY | {"policyid": 8},
        ENTRY | {"action": "drop_session"},
    ]
    assert stopped(Device(disk=rows, memory=[]), "ips", "198.18.1.10", 7) == rows[2:]


def test_a_refusal_by_both_is_one() -> None:
    with pytest.raises(Refused, match="no log on disk/virus"):
        stopped(Device(disk=None, memory=None), "virus", "198.18.1.10", 7)
