"""Brings gateways back that a run left changed, and clears endpoints of what one left there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatepass.base import namespace
from gatepass.base.errors import InputError
from gatepass.base.paths import results_of, run_folder, run_name
from gatepass.endpoint.visits import Visits, left_there
from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.journal import Journal, pending
from gatepass.gateway.saved import SAVED, forget_key
from gatepass.gateway.troubles import end_left
from gatepass.gateway.undo import undo
from gatepass.gateway.workspace import CleanEndpoints, clear, connect
from gatepass.inputs import load_testbed
from gatepass.inputs.testbed import Testbed


@dataclass(frozen=True)
class Restored:
    """What became of one run's gateway.

    Attributes:
        run: the run's name.
        done: whether gateway and endpoints are as they were, or gone for good.
        sentence: what was found and done, or what to do.
        details: further lines, such as what differs.
    """

    run: str
    done: bool
    sentence: str
    details: tuple[str, ...] = ()


def restore_all(
    results: Path,
    clean_endpoints: CleanEndpoints,
    runs: list[str] | None = None,
    by_mark: bool = False,
) -> list[Restored]:
    """Undo what is pending below a results folder.

    Args:
        results: the folder of the runs.
        clean_endpoints: how a killed run's programs and files are taken off the endpoints.
        runs: names or folders of the runs to restore, of a fleet for all of its runs; None for all.
        by_mark: whether what bears a run's mark goes although its journal does not tell of it.

    Raises:
        InputError: there is no run of such a name.
    """
    wanted = [_folder(results, run) for run in runs or []]

    def chosen(path: Path) -> bool:
        return not runs or _inside(path, wanted)

    journals = [one for one in pending(results) if chosen(one.path)]
    restored = [_restore(journal, clean_endpoints, by_mark) for journal in journals]
    of_gateways = {journal.path.parent for journal in journals}
    endpoints = [
        one for one in left_there(results)
        if chosen(one.path) and one.path.parent not in of_gateways
    ]
    return restored + [_clear(visits, clean_endpoints) for visits in endpoints]


def _folder(results: Path, run: str) -> Path:
    try:
        folder = run_folder(results, run).resolve()
        known = folder.is_dir() and results.resolve() in folder.parents
    except (OSError, ValueError):  # too long a name, or none at all
        known = False
    if not known:
        raise InputError(
            f"{results} has no run '{run[:80]}'. Look at the names with `ls {results}`."
        )
    return folder


def _inside(path: Path, folders: list[Path]) -> bool:
    return any(folder in path.resolve().parents for folder in folders)


def _restore(journal: Journal, clean_endpoints: CleanEndpoints, by_mark: bool) -> Restored:
    run = run_name(journal.path.parent)
    if journal.strange:
        return _strange(run, journal)
    if journal.damaged:
        return Restored(
            run,
            False,
            f"not restored: the first line of {journal.path} is damaged, so it is not known which "
            f"gateway the run changed, or how. Compare the gateway with {SAVED} in the same "
            "folder: objects whose names begin with gp and six digits belong to the run. Then "
            "remove the journal.",
        )
    if not journal.adopt():
        return Restored(run, False, "this run is still going on; wait until it has ended.")
    try:
        if _gone(journal):
            journal.close()
            forget_key(journal.path.parent)
            _forget(Visits.of(journal.path.parent))
            return Restored(run, True, "its lab is gone and the gateway with it; nothing is left.")
        return _undo(run, journal, clean_endpoints, by_mark)
    except (InputError, GatewayLost, Refused, OSError) as error:
        return Restored(run, False, f"not restored: {error}")
    finally:
        journal.release()


def _undo(
    run: str, journal: Journal, clean_endpoints: CleanEndpoints, by_mark: bool
) -> Restored:
    testbed = _testbed_of(journal)
    with namespace.inside(testbed.network_namespace, testbed.path):
        gateway = connect(testbed, str(journal.head.get("vdom", "")))
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
            mark, folder = journal.head["mark"], journal.path.parent
            left = (*end_left(testbed, journal), *clear(folder, testbed, mark, clean_endpoints))
            restoration = undo(gateway, journal, journal.path.with_name(SAVED), by_mark)
        finally:
            gateway.close()
    if restoration.identical:
        equal = (
            f"{serial} is back as it was; its configuration compares equal, as far as its API user "
            "may read it."
        )
        return Restored(run, not left, equal, left)
    if not journal.closed:
        lost = journal.lost_lines
        damage = f" {lost} lines of its journal are damaged." * bool(lost)
        sentence = f"{serial} is not back as it was: {restoration.problem}.{damage}"
        return Restored(run, False, sentence, (*restoration.left, *left))
    return Restored(
        run,
        False,
        f"nothing of the run is left on {serial}, but its configuration is not as it was before "
        "the run. Somebody has changed it since; look whether that was meant:",
        (*(restoration.others or restoration.differences), *left),
    )


def _testbed_of(left: Journal | Visits) -> Testbed:
    """The testbed that a run was called with.

    Raises:
        InputError: it cannot be read, or lies where runs leave what they made.
    """
    path = Path(left.head["testbed"])
    if results_of(left.path.parent).resolve() in path.resolve().parents:
        raise InputError(
            f"{left.path} names the testbed {path}, which lies among the results: no run is called "
            "with such a one. Look who has written both."
        )
    return load_testbed(path)


def _strange(run: str, left: Journal | Visits) -> Restored:
    """What somebody else may have written makes nothing be done."""
    return Restored(
        run,
        False,
        f"not restored: {left.path} is not followed, as {left.strange}. Whoever may change it "
        "would decide what is called with your secrets. If it is from a run of yours, make it and "
        "its folder your own (`chown`, `chmod go-w`); otherwise remove the folder.",
    )


def _clear(visits: Visits, clean_endpoints: CleanEndpoints) -> Restored:
    """Take away what a run left on endpoints whose gateway is as it was."""
    folder = visits.path.parent
    run = run_name(folder)
    if visits.strange:
        return _strange(run, visits)
    if visits.damaged:
        return Restored(
            run,
            False,
            f"not restored: {visits.path} is damaged in its first line, so nobody can tell which "
            "endpoints the run was on. Remove the folders /tmp/gatepass.gp… there that no run "
            "uses, then that file.",
        )
    if not visits.adopt():
        return Restored(run, False, "this run is still at work; wait for its end.")
    if visits.gone:
        _forget(visits)
        return Restored(run, True, "its lab is gone and the endpoints with it; nothing is left.")
    visits.release()
    on = " and ".join(visits.left)
    try:
        testbed = _testbed_of(visits)
        with namespace.inside(testbed.network_namespace, testbed.path):
            left = clear(folder, testbed, visits.head["mark"], clean_endpoints)
    except (InputError, OSError) as error:
        return Restored(run, False, f"not restored: {error}")
    if left:
        sentence = "the gateway is as it was, and something of the run is left on an endpoint."
        return Restored(run, False, sentence, tuple(left))
    return Restored(run, True, f"what it had left on the {on} is gone.")


def _forget(visits: Visits | None) -> None:
    """Nothing is left on endpoints that are gone themselves."""
    if visits and not visits.damaged and (visits.held or visits.adopt()):
        for name in list(visits.left):
            visits.end(name)
        visits.release()


def _gone(journal: Journal) -> bool:
    """Whether the gateway lived in a network namespace that has ended, as the lab's do."""
    path = journal.head.get("namespace")
    if not path or not isinstance(path, str):
        return False
    return namespace.inode(path) != journal.head.get("namespace_inode")
