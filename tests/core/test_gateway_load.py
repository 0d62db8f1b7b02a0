"""The gateway's own load while trials ran, out of its history."""

from __future__ import annotations

import time

import pytest
from api_server import ScriptedApi, refused, told

from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.load import licence_of, load_between
from gatepass.results.gateway_state import Licence

AHEAD_S = 40
"""By how much the gateway's clock is ahead."""


def usage(name: str, step_s: int, cpu: list[int], memory: int = 40) -> dict:
    """An answer of the monitor, newest reading first."""
    newest = (time.time() + AHEAD_S - 1) * 1000

    def resource(values: list[int]) -> list[dict]:
        points = [[newest - 1000 * step_s * back, value] for back, value in enumerate(values)]
        return [{"current": values[0], "historical": {name: {"values": points}}}]

    return {"cpu": resource(cpu), "mem": resource([memory] * len(cpu))}


def test_only_the_readings_of_that_time_count(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [told(results=usage("1-min", 3, [2, 3, 90, 80, 4, 5]))]
    now = time.time()
    load = load_between(client, now - 10, now - 6)
    assert load is not None
    assert (load.cpu_percent, load.cpu_mean_percent) == (90, 85)
    assert (load.memory_percent, load.readings) == (40, 2)
    assert "interval=1-min" in api.calls[0].path
    assert len(api.calls) == 1


@pytest.mark.parametrize(
    ("ago_s", "name"), [(59, "1-min"), (300, "10-min"), (7200, "12-hour"), (1e6, "24-hour")]
)
def test_the_history_reaches_back_far_enough(
    api: ScriptedApi, client: FortiGate, ago_s: float, name: str
) -> None:
    load_between(client, time.time() - ago_s, time.time())
    assert f"interval={name}" in api.calls[0].path


@pytest.mark.parametrize(
    "answer",
    [
        told(results={}),
        told(results={"cpu": []}),
        told(results={"cpu": [{"current": 3}]}),
        told(results=[]),
        refused(-1),
    ],
)
def test_what_is_not_told_is_not_known(api: ScriptedApi, client: FortiGate, answer) -> None:
    api.script = [answer]
    assert load_between(client, time.time() - 5, time.time()) is None


def test_the_licence(api: ScriptedApi, client: FortiGate) -> None:
    vm = {"valid": True, "status": "vm_valid", "cpu_used": 2, "cpu_max": 4}
    api.script = [told(results={"vm": vm}), told(404), told(results={})]
    assert licence_of(client) == Licence("vm_valid", True, 2, 4)
    assert licence_of(client) is None
    assert licence_of(client) is None
