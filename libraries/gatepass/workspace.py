"""One run's hold on the gateway: what was before, what is changed, and the way back."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gatepass import namespace
from gatepass.changes import SAVED, Changes, undo
from gatepass.configuration import comparable
from gatepass.fortigate import FortiGate
from gatepass.identity import Identity
from gatepass.journal import NAME, Journal, pending
from gatepass.record import Restoration
from gatepass.testbed import Testbed


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
    """

    gateway: FortiGate
    changes: Changes
    folder: Path

    @classmethod
    def open(
        cls, testbed: Testbed, gateway: FortiGate, identity: Identity, folder: Path
    ) -> Workspace:
        """Undo what killed runs left, save the configuration, start the journal.

        Args:
            testbed: where the gateway is.
            gateway: a client of it.
            identity: of the device that answers there.
            folder: of this run, below the results folder.

        Raises:
            InUse: a run that lives is at work on this gateway.
            GatewayLost, Refused: the configuration cannot be read; nothing was changed.
            NotRestored: a killed run's changes could not be undone.
        """
        for left in pending(folder.parent):
            if left.head.get("serial") != identity.serial:
                continue
            if not left.adopt():
                raise InUse(
                    f"the run {left.path.parent.name} is at work on the same gateway "
                    f"({identity.serial}). Wait for its end."
                )
            told = undo(gateway, left, left.path.with_name(SAVED))
            left.release()
            if not told.identical:
                raise NotRestored(
                    f"the run {left.path.parent.name} left the gateway changed and it could not "
                    f"be undone: {told.problem}. Mend that, then call ./run.sh restore."
                )
        saved = folder / SAVED
        saved.touch(mode=0o600)  # a customer's configuration is nobody else's business
        saved.write_text(comparable(gateway.backup()), encoding="utf-8")
        mark = f"gp{os.urandom(3).hex()}"
        head = {
            "mark": mark,
            "serial": identity.serial,
            "url": testbed.gateway.url,
            "testbed": str(testbed.path.resolve()),
            "namespace": testbed.network_namespace or "",
            "namespace_inode": namespace.inode(testbed.network_namespace),
        }
        journal = Journal.start(folder / NAME, head)
        return cls(gateway, Changes(gateway, journal, mark), folder)

    def restore(self) -> Restoration:
        """Undo all changes and compare; may be called again after a failure."""
        journal = self.changes.journal
        if journal.closed:
            return Restoration(True)
        return undo(self.gateway, journal, self.folder / SAVED)


class NotRestored(Exception):
    """A killed run's changes are still on the gateway."""
