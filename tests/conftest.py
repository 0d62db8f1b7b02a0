"""Of all tests: what measures takes turns, and two plain lines close the run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from left_over import end_idle_group
from shared_turns import serve, socket_of
from turns import place, turn

_home = tempfile.TemporaryDirectory()
set_hypothesis_home_dir(_home.name)
# runs sign themselves with a key in there, never with one of whoever calls the tests
os.environ["XDG_CONFIG_HOME"] = _home.name
for _name in ("GATEPASS_KEY", "GATEPASS_TIMESTAMP", "SUDO_UID"):
    os.environ.pop(_name, None)
settings.register_profile("gatepass", max_examples=40, deadline=None, database=None)
settings.load_profile("gatepass")

LEFT_OUT = "left_out"
"""Key under which a worker tells how many tests it was told to leave out."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each where its turn is."""
    items.sort(key=lambda item: place(item.path, item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """One worker a file, and two for all that measures (``-n``)."""
    from measured_last import MeasuredLast  # the plugin may be off

    config.run_of_workers = config.pluginmanager.getplugin("dsession").nodemanager.testrunuid
    config.lock_server = serve(socket_of(config.run_of_workers))  # for those whose runs take turns
    return MeasuredLast(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Tests of several workers take turns with those that measure."""
    with turn(item.nodeid, nextitem and nextitem.nodeid):
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker has left out; each of them leaves out the same."""
    node.config.left_out = getattr(node, "workeroutput", {}).get(LEFT_OUT, 0)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this worker how many tests were left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[LEFT_OUT] = getattr(session.config, "left_out", 0)


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what the call leaves out (`-m`, `-k`)."""
    config = items[0].config
    config.left_out = getattr(config, "left_out", 0) + len(items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Keep the counts for the closing lines; no test has a second try, so none is counted."""
    config, stats = terminalreporter.config, terminalreporter.stats
    passed, failed, error, skipped = (
        len(stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")
    )
    config.closing_lines = (
        f"Left out by the call: {getattr(config, 'left_out', 0)}. Tried again: 0.\n"
        f"{passed} passed, {failed + error} failed" + (f", {skipped} skipped" if skipped else "")
    )


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Print them after everything else, when no worker is there any more."""
    if run := getattr(config, "run_of_workers", ""):
        end_idle_group(run)
        config.lock_server.terminate()
        config.lock_server.wait()
        for rest in Path(tempfile.gettempdir()).glob(f"gatepass-tests-{run}.*"):
            rest.unlink()
    if lines := getattr(config, "closing_lines", ""):
        print(f"\n{lines}", flush=True)
