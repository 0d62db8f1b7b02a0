"""Closes a test run with one plain line, which a pipeline can read without knowing pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
MEASURING = (HERE / "faults", HERE / "lab" / "test_dataplane_limits.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What measures may meet a slow moment of the machine: a second try, told as "rerun"."""
    for item in items:
        if any(item.path.is_relative_to(place) for place in MEASURING):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
