"""Whether all that a run has left was made within the time in which it says that it ran."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from gatepass.base.files import contents
from gatepass.proof.robot_output import RobotOutput
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome

_WHOLE_SECONDS = timedelta(seconds=1)
_FOLDER = re.compile(r"\d{8}-\d{6}")
"""What the name of a run's folder begins with: when it was made."""
_SOON = timedelta(minutes=10)
"""Within which a run begins after its folder was made, as by a fleet that waits for its turn."""
_ZONES = timedelta(hours=15)
"""By which clocks that tell no zone may differ from others that do."""
_WRONG_CLOCK = timedelta(days=1)
"""An endpoint whose clock is wrong by less is not called a contradiction."""


def contradictions(
    outcome: Outcome, output: RobotOutput, folder: Path
) -> Iterator[str]:
    """Moments that lie outside of the run, each in a sentence.

    Args:
        outcome: what the run's ``output.xml`` tells.
        output: what Robot wrote into it.
        folder: of the run.
    """
    began, ended = output.span
    started = _moment(outcome.run.get("started"))
    if started and not began - _WHOLE_SECONDS <= started.replace(tzinfo=None) <= ended:
        yield (
            f"the record says that the run was begun at {started:%Y-%m-%d %H:%M:%S}; by Robot's "
            f"own log it ran from {began:%Y-%m-%d %H:%M:%S} to {ended:%Y-%m-%d %H:%M:%S}."
        )
    yield from _named(str(outcome.run.get("run_id", "")), began)
    yield from _tests(output)
    if started:
        yield from _of_iperf(started, ended - began, folder)


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _named(run_id: str, began: datetime) -> Iterator[str]:
    name = _FOLDER.match(Path(run_id).name)
    if name is None:
        return
    made = datetime.strptime(name[0], "%Y%m%d-%H%M%S")
    if not -_ZONES <= began - made <= _ZONES + _SOON:
        yield f"the run is called {run_id}, and by Robot's own log it began at {began:%Y-%m-%d}."


def _tests(output: RobotOutput) -> Iterator[str]:
    last = output.span[0]
    for test in output.tests:
        if not last <= test.span[0] <= test.span[1] <= output.span[1] + timedelta(seconds=1):
            yield (
                f"{test.name} ran at {test.span[0]:%Y-%m-%d %H:%M:%S}, which does not lie between "
                "the check before it and the end of the run."
            )
        last = test.span[0]


def _of_iperf(started: datetime, lasted: timedelta, folder: Path) -> Iterator[str]:
    """iperf3 writes the time of its own host into each report."""
    first, last = started - _WRONG_CLOCK, started + lasted + _WRONG_CLOCK
    for path in sorted(folder.glob("trials/*.json")):
        try:
            report = json.loads(contents(path))
        except (OSError, ValueError):
            continue  # its digest in the record tells of a file that was changed
        seconds = group(report, "start", "timestamp").get("timesecs")
        if not isinstance(seconds, int):
            continue
        there = datetime.fromtimestamp(seconds, started.tzinfo)
        if not first <= there <= last:
            yield (
                f"trials/{path.name} was written at {there:%Y-%m-%d %H:%M} by iperf3's own clock, "
                f"and the run began at {started:%Y-%m-%d %H:%M}."
            )
