"""Keeps first failure data of the check that runs now, once, right where it stops passing."""

from __future__ import annotations

from html import escape

from robot.api import logger
from robot.errors import RobotError

from gatepass.base.errors import NotProven
from gatepass.base.flight_recorder import recorder
from gatepass.endpoint.shell import EndpointLost
from gatepass.gateway.fortigate import GatewayLost
from gatepass.report import failure_data
from gatepass.report.failure_data import FailureFolder
from gatepass.report.failure_exchanges import exchanges, to_be_kept
from gatepass.report.failure_page import Subject, Tried
from gatepass.results.record import Measurement
from support.check_context import CheckContext


def keep(check: CheckContext, error: Exception) -> None:
    """Look at gateway and endpoints, and write down what they show; never raises.

    Nothing is looked at twice for one check, nor where the reason is that somebody does not answer.
    """
    if check.failure or not check.name or _lost(error):
        return
    try:
        _keep(check, str(error))
    except RobotError:
        raise  # the run is being stopped
    except Exception as trouble:  # the verdict stands, whatever this comes to
        logger.debug(f"First failure data: {type(trouble).__name__}: {trouble}")


def _keep(check: CheckContext, message: str) -> None:
    run = check.run
    folder = FailureFolder(
        failure_data.place(run.folder, check.chapter, check.name),
        secrets=[run.gateway.token] if run.has("gateway") else [],
        room=failure_data.room_in(run.folder),
    )
    if not folder.room:
        return
    check.failure = folder
    if run.has("gateway") and not run.gateway.lost:
        journal = run.workspace.changes.journal if run.has("workspace") else None
        failure_data.from_gateway(folder, run.gateway, journal)
    for shell in run.shells():
        if not shell.lost:
            failure_data.from_endpoint(folder, shell)
    if run.screen:
        try:
            failure_data.from_browser(folder, run.screen("failed"))
        except NotProven as lost:
            folder.missing.append(f"The gateway's web page: {lost.reason}")
    for name, meaning, rows in to_be_kept(recorder, check.began):
        folder.json(name, meaning, rows)
    trials = run.folder / "trials"
    numbers = range(run.trials, check.first_trial - 1, -1)
    files = (trials / f"{number:03d}-{side}.json" for number in numbers for side in _SIDES)
    failure_data.from_trials(folder, (file for file in files if file.exists()))
    seen = exchanges(recorder, check.began, _beside(check))
    about = Subject(check.chapter, check.name, check.place)
    folder.close(about, message, _tried(check), seen)
    logger.info(
        f'First failure data: <a href="{escape(link(check))}">what gateway and endpoints '
        f"showed</a> ({len(folder.kept)} files).",
        html=True,
    )


_SIDES = ("client", "server", "delays")


def _beside(check: CheckContext) -> list[tuple[str, str]]:
    """What it has captured or listed in the run's folder."""
    return [
        (path.relative_to(check.run.folder).as_posix(), meaning)
        for path, meaning in check.attached
        if path.exists()
    ]


def _tried(check: CheckContext) -> Tried:
    """Its trials, and the rate that they are held against."""
    run = check.run
    testbed = getattr(run, "testbed", None)  # none yet where its file is wrong
    ends = (testbed.endpoints.client, testbed.endpoints.server) if testbed else ()
    beside = {address for end in ends for address in (end.direct_address, end.direct_address6)}
    held = [one for one in check.noted if isinstance(one, Measurement) and one.unit == "Mbit/s"]
    promised = next((one.threshold for one in reversed(held) if one.threshold), None)
    return Tried(check.tried, run.folder / "trials", beside - {None}, promised)


def link(check: CheckContext) -> str:
    """Where the data of this check lies, from the run's folder; empty where there is none."""
    folder = check.failure
    if folder is None or not folder.kept:
        return ""
    return f"{folder.path.relative_to(check.run.folder).as_posix()}/{failure_data.INDEX}"


def discard(check: CheckContext) -> None:
    """The check passed after all: what was kept says nothing."""
    if check.failure:
        check.failure.discard()


def _lost(error: BaseException | None) -> bool:
    """Whether somebody does not answer, which is all that can be said."""
    while error is not None:
        if isinstance(error, GatewayLost | EndpointLost):
            return True
        error = error.__cause__ or error.__context__
    return False
