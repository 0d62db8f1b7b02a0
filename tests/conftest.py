"""Of all tests: what measures runs alone, and one plain line closes the run."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from turns import turn

_home = tempfile.TemporaryDirectory()
set_hypothesis_home_dir(_home.name)
settings.register_profile("gatepass", max_examples=60, deadline=None, database=None)
settings.load_profile("gatepass")

HERE = Path(__file__).parent
RETRIED = (
    HERE / "faults",
    HERE / "lab" / "test_dataplane_limits.py",
    HERE / "lab" / "test_dataplane_ipsec.py",
    HERE / "lab" / "test_dataplane_dialup.py",
    HERE / "lab" / "test_sslvpn_server.py",
)
ALONE = (
    HERE / "lab" / "test_dataplane_limits.py",
    HERE / "lab" / "test_inspection_plane.py",
    HERE / "runs" / "test_history_run.py",
)
"""What measures: others at work at the same time would be measured as well."""
MEASURED = re.compile("shaper|loss|slow|mss|cpu|empty")
"""Faults that show in a rate."""
FIRST = (HERE / "faults", HERE / "runs")
"""The longest files; a worker that began one of them last would be waited for by the others."""
LONG = (HERE / "faults" / "test_site_faults.py", HERE / "faults" / "test_remote_faults.py")
"""Left out of a test run unless asked for (``-m long``): each waits for tunnels and their keys."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Second tries, what is left out, and the longest files first.

    What measures may meet a slow moment of the machine: a second try, told as "rerun".
    """
    for item in items:
        if any(item.path.is_relative_to(place) for place in RETRIED):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.path in LONG:
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.path.parent not in FIRST)


def _looks_at_the_whole_run(item: pytest.Item) -> bool:
    return "whole_run" in getattr(item, "fixturenames", ())


def _must_be_alone(item: pytest.Item) -> bool:
    fault = item.path.parent == HERE / "faults" and MEASURED.search(item.name)
    return item.path in ALONE or bool(fault) or _looks_at_the_whole_run(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Tests of several workers take turns with those that have to be alone."""
    with turn(alone=_must_be_alone(item)):
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Keep the counts for the closing line."""
    counts = {
        name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")
    }
    terminalreporter.config.closing_line = (
        f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed"
    )


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Print it after everything else."""
    if line := getattr(config, "closing_line", ""):
        print(f"\n{line}", flush=True)
