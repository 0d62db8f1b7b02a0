"""One run's hold on the gateway: what was before, what is changed, and the way back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from gatepass.base import namespace
from gatepass.base.paths import results_of, run_name
from gatepass.base.sealed import MAC, sealed
from gatepass.base.stop_signals import held_back
from gatepass.endpoint.visits import Visits, left_there
from gatepass.gateway import lock, transport
from gatepass.gateway.changes import Changes
from gatepass.gateway.config_objects import marks_in, objects_named
from gatepass.gateway.configuration import AS_IT_CAME, comparable
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.identity import Identity
from gatepass.gateway.journal import NAME, HostChanges, Journal, pending
from gatepass.gateway.lock_object import InUse, Lock, others_in
from gatepass.gateway.saved import SAVED, forget_key, keep, write_private
from gatepass.gateway.troubles import end_left
from gatepass.gateway.undo import undo
from gatepass.inputs.testbed import Testbed
from gatepass.inputs.testbed_values import LEAST_PASSPHRASE
from gatepass.results.record import Restoration

WHOLE = "gateway-before.conf.enc"
"""The whole configuration from before, encrypted, where the testbed names a passphrase."""


def new_mark() -> str:
    """What the name of everything that a run makes begins with, so that it is known again.

    A run that is recorded bears the mark that its recording tells, and a replay the same one.
    """
    return transport.current.mark or f"gp{os.urandom(3).hex()}"


CleanEndpoints = Callable[[Testbed, str, HostChanges, Visits | None], list[str]]
"""Removes what a run of this mark left on a testbed's endpoints, and undoes what its journal tells
that it changed there; why it could not, in sentences."""


def connect(testbed: Testbed, vdom: str = "") -> FortiGate:
    """A client of the testbed's gateway; the token is read now.

    Args:
        testbed: that names it.
        vdom: the virtual domain, where it is not the testbed's.

    Raises:
        InputError: the token is missing.
    """
    return FortiGate(
        url=testbed.gateway.url,
        token="" if transport.current.replayed else testbed.gateway.token.read(),
        ca_file=testbed.gateway.ca_file,
        vdom=vdom or testbed.gateway.vdom,
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
        """Undo what killed runs left, save the configuration, start the journal, take the lock.

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
        notices, damaged = [], []
        known = pending(results_of(folder))
        marks = {left.head["mark"] for left in known if not (left.strange or left.damaged)}
        holder = lock.look(gateway)
        if holder and holder.mark not in marks and not any(left.damaged for left in known):
            holder.must_be_over()
        for left in known:
            if left.strange:
                notices.append(_strange(left))
            elif left.damaged:
                damaged.append(left)
            elif left.head.get("serial") != identity.serial:
                continue
            elif left.head.get("vdom", gateway.vdom) != gateway.vdom:
                notices.append(_of_another_vdom(left))
            else:
                notices += _undo_killed(gateway, left, testbed, clean_endpoints)
        notices += _clear_endpoints(testbed, results_of(folder), clean_endpoints)
        backup = gateway.backup()
        if not damaged and (holder := others_in(backup, marks)):
            holder.must_be_over()
        whole = backup.encode(errors=AS_IT_CAME)
        notices += _of_other_runs(comparable(backup), damaged)
        keep(folder, backup)
        if testbed.gateway.backup_passphrase:
            passphrase = testbed.gateway.backup_passphrase.read(LEAST_PASSPHRASE)
            encrypted, digest = sealed(whole, passphrase)
            write_private(folder / WHOLE, encrypted)
            write_private(folder / f"{WHOLE}{MAC}", f"{digest}\n".encode())
        head = {
            "mark": mark,
            "serial": identity.serial,
            "url": testbed.gateway.url,
            "vdom": gateway.vdom,
            "testbed": str(testbed.path.resolve()),
            "namespace": testbed.network_namespace or "",
            "namespace_inode": namespace.inode(testbed.network_namespace),
            "backup_sha256": sha256(whole).hexdigest(),
        }
        journal, unlocked = _begun(gateway, folder, head)
        notices += filter(None, [unlocked])
        return cls(gateway, Changes(gateway, journal, mark), folder, notices)

    def restore(self) -> Restoration:
        """Undo all changes and compare; may be called again after a failure."""
        if not self.changes.journal.closed:
            self._restoration = undo(self.gateway, self.changes.journal, self.folder / SAVED)
        return self._restoration


@held_back  # a lock that nobody has a journal of would never go
def _begun(gateway: FortiGate, folder: Path, head: dict) -> tuple[Journal, str]:
    """The journal of a run that has the gateway now; what a reader should know, in sentences.

    Raises:
        InUse: another run was quicker.
        GatewayLost, Refused: see `lock.take`.
    """
    journal = Journal.start(folder / NAME, head)
    try:
        return journal, lock.take(gateway, Lock.own(head["mark"], run_name(folder)))
    except (InUse, Refused):  # nothing was changed
        journal.close()
        forget_key(folder)
        raise


def _strange(left: Journal) -> str:
    """What a reader should know of a journal that somebody else may have written."""
    return (
        f"{left.path} was not followed, as {left.strange}. If that run changed this gateway, it "
        "still is changed: call ./run.sh restore to read what to do."
    )


def _of_another_vdom(left: Journal) -> str:
    """What a reader should know of a killed run in another virtual domain, which is left alone.

    Raises:
        InUse: it lives; what it changes would be taken for somebody else's.
    """
    run, vdom = run_name(left.path.parent), left.head["vdom"]
    if not left.adopt():
        raise InUse(
            f"the run {run} is still running on the VDOM {vdom} of the same gateway "
            f"({left.head['serial']}). Wait until it has ended."
        )
    left.release()
    return (
        f"The killed run {run} left the VDOM {vdom} of this gateway changed. It is left alone; "
        f"call ./run.sh restore {run}."
    )


def _undo_killed(
    gateway: FortiGate, left: Journal, testbed: Testbed, clean_endpoints: CleanEndpoints
) -> list[str]:
    """Undo a killed run before anything else; what a reader should know of it."""
    run = run_name(left.path.parent)
    if not left.adopt():
        raise InUse(
            f"the run {run} is still running on the same gateway ({left.head['serial']}). Wait "
            "until it has ended."
        )
    # before the journal may be closed: whoever is killed here leaves it to the next one
    notices = end_left(testbed, left)
    notices += clear(left.path.parent, testbed, left.head["mark"], clean_endpoints)
    restoration = undo(gateway, left, left.path.with_name(SAVED))
    left.release()
    if not left.closed:
        raise NotRestored(
            f"the run {run} left changes on the gateway that could not be undone: "
            f"{restoration.problem}. Fix that, then call ./run.sh restore."
        )
    if restoration.identical:
        return notices
    return [
        *notices,
        f"The killed run {run} was undone, but the gateway is not as it was before it: "
        f"{'; '.join(restoration.others[:3]) or restoration.problem}. Somebody has changed the "
        "gateway since; this run starts from its present state.",
    ]


def _clear_endpoints(
    testbed: Testbed, results: Path, clean_endpoints: CleanEndpoints
) -> list[str]:
    """Take away what earlier runs on this testbed left on its endpoints; why not, in sentences."""
    notices = []
    for visits in left_there(results):
        if visits.strange or visits.damaged:
            continue  # `restore` names it
        if visits.head.get("testbed") == str(testbed.path.resolve()) and not visits.gone:
            folder, mark = visits.path.parent, visits.head["mark"]
            notices += clear(folder, testbed, mark, clean_endpoints)
    return notices


def clear(
    folder: Path, testbed: Testbed, mark: str, clean_endpoints: CleanEndpoints
) -> list[str]:
    """Take away what the run of a folder left on the endpoints; nothing while that run lives.

    Args:
        folder: of the run.
        testbed: where it was at work.
        mark: of it.
        clean_endpoints: how that is done.

    Returns:
        Why not all of it is gone, in sentences.
    """
    visits, journal = Visits.of(folder), folder / NAME
    if visits and visits.damaged:
        visits = None
    if visits and not visits.adopt():
        return []
    try:
        changes = Journal.read(journal).host_changes if journal.is_file() else {}
        return clean_endpoints(testbed, mark, changes, visits)
    finally:
        if visits:
            visits.release()


def _of_other_runs(configuration: str, damaged: list[Journal]) -> list[str]:
    """What else bears the mark of a run, in a sentence.

    Raises:
        NotRestored: it may be of a run whose journal was damaged, and not the customer's.
    """
    marks = sorted(marks_in(configuration))
    objects = [" ".join(one) for mark in marks for one in objects_named(configuration, mark)]
    if not objects:
        return []
    there = f"{len(objects)} objects on the gateway have names as runs give them ({objects[0]})"
    if damaged:
        raise NotRestored(
            f"{there}, and the journal of the run {run_name(damaged[0].path.parent)} is damaged, "
            "so they may be its own. Remove them and that journal, or the journal alone if they "
            "are the customer's."
        )
    return [f"{there}, and no journal here tells of them. They are left alone."]


class NotRestored(Exception):
    """A killed run's changes are still on the gateway."""
