"""Brings gateways back that a killed run left changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatepass.base import namespace
from gatepass.base.errors import InputError
from gatepass.base.paths import run_folder, run_name
from gatepass.gateway.changes import SAVED, undo
from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.journal import Journal, pending
from gatepass.gateway.workspace import CleanEndpoints, connect
from gatepass.inputs import load_testbed


@dataclass(frozen=True)
class Restored:
    """What became of one run's gateway.

    Attributes:
        run: the run's name.
        done: whether the gateway is as it was, or gone for good.
        sentence: what was found and done, or what to do.
        details: further lines, such as what differs.
    """

    run: str
    done: bool
    sentence: str
    details: tuple[str, ...] = ()


def restore_all(
    results: Path, clean_endpoints: CleanEndpoints, runs: list[str] | None = None
) -> list[Restored]:
    """Undo what is pending below a results folder.

    Args:
        results: the folder of the runs.
        clean_endpoints: how a killed run's programs and files are taken off the endpoints.
        runs: names or folders of the runs to restore, of a fleet for all of its runs; None for all.

    Raises:
        InputError: there is no run of such a name.
    """
    wanted = [_folder(results, run) for run in runs or []]
    chosen = [one for one in pending(results) if not runs or _inside(one.path, wanted)]
    return [_restore(journal, clean_endpoints) for journal in chosen]


def _folder(results: Path, run: str) -> Path:
    folder = run_folder(results, run).resolve()
    if not folder.is_dir() or results.resolve() not in folder.parents:
        raise InputError(f"{results} has no run '{run}'. Look at the names with `ls {results}`.")
    return folder


def _inside(path: Path, folders: list[Path]) -> bool:
    return any(folder in path.resolve().parents for folder in folders)


def _restore(journal: Journal, clean_endpoints: CleanEndpoints) -> Restored:
    run = run_name(journal.path.parent)
    if journal.damaged:
        return Restored(
            run,
            False,
            f"not restored: {journal.path} is damaged, so nobody can tell what the run changed. "
            f"Compare the gateway with {SAVED} beside it, then remove both.",
        )
    if not journal.adopt():
        return Restored(run, False, "this run is still at work; wait for its end.")
    try:
        if _gone(journal):
            journal.close()
            return Restored(run, True, "its lab is gone and the gateway with it; nothing is left.")
        return _undo(run, journal, clean_endpoints)
    except (InputError, GatewayLost, Refused) as error:
        return Restored(run, False, f"not restored: {error}")
    finally:
        journal.release()


def _undo(run: str, journal: Journal, clean_endpoints: CleanEndpoints) -> Restored:
    testbed = load_testbed(journal.head["testbed"])
    with namespace.inside(testbed.network_namespace, testbed.path):
        gateway = connect(testbed)
        try:
            serial = gateway.monitor("system/status").get("serial")
            if serial != journal.head["serial"]:
                return Restored(
                    run,
                    False,
                    f"not restored: {testbed.gateway.url} is now {serial}, and this run changed "
                    f"{journal.head['serial']}. Point {testbed.path} at that gateway again.",
                )
            # before the journal may be closed: whoever is killed here leaves it to the next one
            left = tuple(clean_endpoints(testbed, journal.head["mark"]))
            restoration = undo(gateway, journal, journal.path.with_name(SAVED))
        finally:
            gateway.close()
    if restoration.identical:
        equal = f"{serial} is back as it was; its configuration compares equal."
        return Restored(run, True, equal, left)
    if not journal.closed:
        return Restored(run, False, f"{serial} is not back as it was: {restoration.problem}.", left)
    return Restored(
        run,
        False,
        f"nothing of the run is left on {serial}, but its configuration is not as it was before "
        "the run. Somebody has changed it since; look whether that was meant:",
        (*restoration.differences, *left),
    )


def _gone(journal: Journal) -> bool:
    """Whether the gateway lived in a network namespace that has ended, as the lab's do."""
    path = journal.head.get("namespace")
    if not path or not isinstance(path, str):
        return False
    return namespace.inode(path) != journal.head.get("namespace_inode")
