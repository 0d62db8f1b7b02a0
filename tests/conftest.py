"""Closes a test run with one plain line, which a pipeline can read without knowing pytest."""

from __future__ import annotations

import pytest


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
