"""Of all tests: what measures runs alone, and one plain line closes the run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from turns import must_be_alone, turn

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
FIRST = (HERE / "faults", HERE / "runs")
"""The longest files; a worker that began one of them last would be waited for by the others."""
LONG = (HERE / "faults" / "test_site_faults.py", HERE / "faults" / "test_remote_faults.py")
"""Left out of a test run unless asked for (``-m long``): each waits for tunnels and their keys."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Second tries, what is left out, the longest files first and what must be alone last.

    What measures may meet a slow moment of the machine: a second try, told as "rerun".
    """
    for item in items:
        if any(item.path.is_relative_to(place) for place in RETRIED):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.path in LONG:
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: (must_be_alone(item.nodeid), item.path.parent not in FIRST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One worker a file, and one for all that must be alone (``-n``)."""
    from alone_last import AloneLast  # the plugin may be off

    return AloneLast(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Tests of several workers take turns with those that have to be alone."""
    with turn(alone=must_be_alone(item.nodeid)):
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
