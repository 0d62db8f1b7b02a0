"""The clock of a Python program, bent: no root needed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.faults import bent_clock

_TELL = """
import json, time
readings = time.time_ns(), time.time() * 1e9, time.clock_gettime(time.CLOCK_REALTIME) * 1e9
readings += (time.clock_gettime_ns(time.CLOCK_REALTIME),)
print(json.dumps([readings, time.monotonic_ns(), time.clock_gettime(time.CLOCK_MONOTONIC) * 1e9]))
"""
HOUR_NS = 3_600 * 10**9


def read(folder: Path, **bend: float) -> tuple[list[int], list[int]]:
    """What a program reads, each in nanoseconds beside the right one: bent clocks, and others."""
    shutil.copyfile(bent_clock.__file__, folder / "sitecustomize.py")
    (folder / "bent_clock.json").write_text(json.dumps(bend))
    told = subprocess.run(
        [sys.executable, "-c", _TELL],
        env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    bent, *others = json.loads(told)
    real, steady = time.time_ns(), time.monotonic_ns()
    return [int(one - real) for one in bent], [int(one - steady) for one in others]


def near(values: list[int], expected: int) -> bool:
    return all(abs(one - expected) < 60e9 for one in values)  # a program takes its time


@pytest.mark.parametrize(
    ("bend", "ahead"),
    [
        ({"fast": 0.5, "step_ns": 0, "every_ns": 0}, HOUR_NS // 2),
        ({"fast": 0.0, "step_ns": 9 * HOUR_NS, "every_ns": HOUR_NS // 2 - 10**9}, 0),
        ({"fast": 0.0, "step_ns": 9 * HOUR_NS, "every_ns": 2 * HOUR_NS // 3}, 9 * HOUR_NS),
        ({"fast": 0.5, "step_ns": HOUR_NS, "every_ns": 2 * HOUR_NS // 3}, HOUR_NS * 3 // 2),
    ],
)
def test_programs_see_the_bent_clock(tmp_path, bend, ahead):
    bent, others = read(tmp_path, began_ns=time.time_ns() - HOUR_NS, **bend)
    assert near(bent, ahead)
    assert near(others, 0)
