"""Keeps first failure data of the check that runs now, once, right where it stops passing."""

from __future__ import annotations

from html import escape

from robot.api import logger
from robot.errors import RobotError

from gatepass.endpoint.shell import EndpointLost
from gatepass.gateway.fortigate import GatewayLost
from gatepass.report import failure_data
from gatepass.report.failure_data import FailureFolder
from support.session import session


def keep(error: Exception) -> None:
    """Look at gateway and endpoints, and write down what they show; never raises.

    Nothing is looked at twice for one check, nor where the reason is that somebody does not answer.
    """
    if session.failure or not session.check or _lost(error):
        return
    try:
        _keep(str(error))
    except RobotError:
        raise  # the run is being stopped
    except Exception as trouble:  # the verdict stands, whatever this comes to
        logger.debug(f"First failure data: {type(trouble).__name__}: {trouble}")


def _keep(message: str) -> None:
    chapter, check = session.check
    folder = session.failure = FailureFolder(
        failure_data.place(session.folder, chapter, check),
        secrets=[session.gateway.token] if session.has("gateway") else [],
        room=failure_data.room_in(session.folder),
    )
    if not folder.room:
        session.failure = None
        return
    if session.has("gateway") and not session.gateway.lost:
        journal = session.workspace.changes.journal if session.has("workspace") else None
        failure_data.from_gateway(folder, session.gateway, journal)
    for shell in session.shells():
        if not shell.lost:
            failure_data.from_endpoint(folder, shell)
    trials = session.folder / "trials"
    numbers = range(session.trials, session.trials_before, -1)
    files = (trials / f"{number:03d}-{side}.json" for number in numbers for side in _SIDES)
    failure_data.from_trials(folder, (file for file in files if file.exists()))
    folder.close(f"{chapter}, {check}", message)
    logger.info(
        f'First failure data: <a href="{escape(link())}">what gateway and endpoints showed</a> '
        f"({len(folder.kept)} files).",
        html=True,
    )


_SIDES = ("client", "server")


def link() -> str:
    """Where the data of this check lies, from the run's folder; empty where there is none."""
    folder = session.failure
    if folder is None or not folder.kept:
        return ""
    return f"{folder.path.relative_to(session.folder).as_posix()}/{failure_data.INDEX}"


def discard() -> None:
    """The check passed after all: what was kept says nothing."""
    if session.failure:
        session.failure.discard()


def _lost(error: BaseException | None) -> bool:
    """Whether somebody does not answer, which is all that can be said."""
    while error is not None:
        if isinstance(error, GatewayLost | EndpointLost):
            return True
        error = error.__cause__ or error.__context__
    return False
