"""One run's hold on the gateway: what was before, what is changed, and the way back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gatepass.base import namespace
from gatepass.base.paths import results_of, run_name
from gatepass.gateway.changes import SAVED, Changes, undo
from gatepass.gateway.configuration import comparable
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import Identity
from gatepass.gateway.journal import NAME, Journal, pending
from gatepass.inputs.testbed import Testbed
from gatepass.results.record import Restoration


def new_mark() -> str:
    """What the name of everything that a run makes begins with, so that it is known again."""
    return f"gp{os.urandom(3).hex()}"


CleanEndpoints = Callable[[Testbed, str], list[str]]
"""Removes what a run of this mark left on a testbed's endpoints; why it could not, in sentences."""


class InUse(Exception):
    """Another run is at work on the same gateway."""


def connect(testbed: Testbed) -> FortiGate:
    """A client of the testbed's gateway; the token is read now.

    Raises:
        InputError: the token is missing.
    """
    return FortiGate(
        url=testbed.gateway.url,
        token=testbed.gateway.token.read(),
        ca_file=testbed.gateway.ca_file,
        vdom=testbed.gateway.vdom,
        timeout_s=testbed.gateway.timeout_s,
    )


@dataclass
class Workspace:
    """The gateway while a run may change it.

    Attributes:
        gateway: the device.
        changes: the only way by which it is changed.
        folder: of the run.
        notices: what a reader should know of killed runs that were undone first, in sentences.
    """

    gateway: FortiGate
    changes: Changes
    folder: Path
    notices: list[str] = field(default_factory=list)
    _restoration: Restoration = field(default=Restoration(True), init=False)

    @classmethod
    def open(
        cls,
        testbed: Testbed,
        gateway: FortiGate,
        identity: Identity,
        folder: Path,
        mark: str,
        clean_endpoints: CleanEndpoints,
    ) -> Workspace:
        """Undo what killed runs left, save the configuration, start the journal.

        Args:
            testbed: where the gateway is.
            gateway: a client of it.
            identity: of the device that answers there.
            folder: of this run, below the results folder.
            mark: of this run; see `new_mark`.
            clean_endpoints: how what killed runs left on the endpoints is taken away.

        Raises:
            InUse: a run that lives is at work on this gateway.
            GatewayLost, Refused: the configuration cannot be read; nothing was changed.
            NotRestored: a killed run's changes could not be undone.
        """
        notices = []
        for left in pending(results_of(folder)):
            if left.head.get("serial") == identity.serial:
                notices += _undo_killed(gateway, left, lambda mark: clean_endpoints(testbed, mark))
        saved = folder / SAVED
        saved.touch(mode=0o600)  # a customer's configuration is nobody else's business
        saved.write_text(comparable(gateway.backup()), encoding="utf-8")
        head = {
            "mark": mark,
            "serial": identity.serial,
            "url": testbed.gateway.url,
            "testbed": str(testbed.path.resolve()),
            "namespace": testbed.network_namespace or "",
            "namespace_inode": namespace.inode(testbed.network_namespace),
        }
        journal = Journal.start(folder / NAME, head)
        return cls(gateway, Changes(gateway, journal, mark), folder, notices)

    def restore(self) -> Restoration:
        """Undo all changes and compare; may be called again after a failure."""
        if not self.changes.journal.closed:
            self._restoration = undo(self.gateway, self.changes.journal, self.folder / SAVED)
        return self._restoration


def _undo_killed(
    gateway: FortiGate, left: Journal, clean_endpoints: Callable[[str], list[str]]
) -> list[str]:
    """Undo a killed run before anything else; what a reader should know of it."""
    run = run_name(left.path.parent)
    if not left.adopt():
        raise InUse(
            f"the run {run} is at work on the same gateway ({left.head['serial']}). "
            "Wait for its end."
        )
    # before the journal may be closed: whoever is killed here leaves it to the next one
    notices = clean_endpoints(left.head["mark"])
    restoration = undo(gateway, left, left.path.with_name(SAVED))
    left.release()
    if not left.closed:
        raise NotRestored(
            f"the run {run} left the gateway changed and it could not be undone: "
            f"{restoration.problem}. Mend that, then call ./run.sh restore."
        )
    if restoration.identical:
        return notices
    return [
        *notices,
        f"The killed run {run} was undone, but the gateway is not as it was before it: "
        f"{restoration.problem}. Somebody has changed it since; this run takes it as it is now.",
    ]


class NotRestored(Exception):
    """A killed run's changes are still on the gateway."""
