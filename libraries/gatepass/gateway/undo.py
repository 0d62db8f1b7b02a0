"""The way back: a journal is undone, newest first, and the configuration held against before.

What bears the run's mark is looked for on the device as well: a line of the journal may be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from gatepass.base.paths import run_name
from gatepass.gateway import lock
from gatepass.gateway.answers import Malformed
from gatepass.gateway.changes import object_of, remove_marked, settable
from gatepass.gateway.config_objects import ObjectChange, object_changes, objects_named
from gatepass.gateway.configuration import comparable, differences
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.journal import Journal
from gatepass.gateway.saved import forget_key, key_beside
from gatepass.results.record import Restoration

_NAMED = 3
"""How many objects a sentence names; all of them are in the record."""


def undo(gateway: FortiGate, journal: Journal, saved: Path, by_mark: bool = False) -> Restoration:
    """Take back everything in the journal and compare with the configuration saved before.

    Args:
        gateway: the device that the journal is about.
        journal: open for writing (own or adopted); closed where nothing of the run is left, also
            where the configuration differs by what somebody else has changed since.
        saved: the comparable configuration from before the first change.
        by_mark: whether what bears the mark goes although the journal does not tell of it.

    Returns:
        What was left or differs; never raises for a fault of the gateway.
    """
    mark = journal.head["mark"]
    gateway.other = gateway.forbidden = ""  # the right one may be back, or its user's rights
    taken = _take_back(gateway, journal.entries, mark)
    if taken.lost:
        return Restoration(False, left=tuple(taken.left), problem=taken.lost)
    try:
        key = key_beside(saved)
        before = comparable(saved.read_text(encoding="utf-8"), key)
    except OSError as error:
        problem = f"{saved}, the configuration from before, cannot be read ({error.strerror})"
        return Restoration(False, left=tuple(taken.left), problem=problem)
    try:
        after = comparable(gateway.backup(), key)
        # what the run has changed and looks like somebody else's is looked at once more
        if changes := _changes_of(journal.entries, object_changes(before, after)):
            again = _take_back(gateway, changes, mark)
            taken = replace(taken, changes=again.changes, problems=taken.problems + again.problems)
            after = comparable(gateway.backup(), key)
        unknown = _unknown(after, mark, taken.left)
        # what was announced may come late, of a script that was at work when its run was killed
        if unknown and (by_mark or _announced(journal.entries).issuperset(unknown)):
            again = _take_back(gateway, _entries_of(objects_named(after, mark)), mark)
            taken = replace(taken, objects=again.objects, problems=taken.problems + again.problems)
            after = comparable(gateway.backup(), key)
            unknown = _unknown(after, mark, taken.left)
        told = _announced(journal.entries)
        taken.objects.extend(" ".join(one) for one in unknown if one in told)
        unknown = [one for one in unknown if one not in told]
    except (GatewayLost, Refused) as error:
        return Restoration(False, left=tuple(taken.left), problem=str(error))
    return _restoration(gateway, journal, saved, (before, after), taken, unknown)


def _restoration(
    gateway: FortiGate,
    journal: Journal,
    saved: Path,
    configurations: tuple[str, str],
    taken: _Taken,
    unknown: Sequence[tuple[str, str]],
) -> Restoration:
    """What to say of an undoing; where nothing of the run is left, its journal is closed.

    Args:
        gateway, journal, saved: see `undo`.
        configurations: before the run and now, comparable.
        taken: what was not taken back.
        unknown: objects with the run's mark that its journal does not tell of.
    """
    mark, (before, after) = journal.head["mark"], configurations
    left, problems = taken.left, list(dict.fromkeys(taken.problems))
    changed = differences(before, after)
    ours = objects_named(after, mark)
    others = [
        one
        for one in object_changes(before, after)
        if (one.path, one.key) not in ours and one.name not in left
    ]
    if unknown:
        path, key = unknown[0]
        problems.append(
            f"{len(unknown)} objects bear the run's mark and stand in no line of its journal that "
            f"can be read ({path} {key} is the first). To remove them as well, call ./run.sh "
            f"restore {run_name(journal.path.parent)} --by-mark"
        )
        left += [f"{path} {key}" for path, key in unknown]
    elif not left and mark in after:
        problems.append(f"the configuration still holds the run's mark, {mark}")
    elif left:
        problems.append(
            f"{len(left)} objects of the run could not be removed ({left[0]} is the first)"
        )
    elif others and (journal.lost_lines or journal.cut_off):
        problems.append(
            "lines of the run's journal are lost, so it may have made these changes itself: "
            f"{_named(others)}. Undo that yourself and call restore again, or remove "
            f"{journal.path} if the changes were intended"
        )
        others = []
    else:
        problems = []  # whatever was refused, it is done
    for trouble in journal.troubles:
        problems.append(
            f"the testbed's command caused the disturbance “{trouble}”, and it was not ended "
            f"(gateway.troubles.{trouble}.end)"
        )
    if not problems and (locked := lock.give_up(gateway, mark)):
        problems.append(locked)
    if not problems:
        journal.close()  # there is nothing more that it could undo
        forget_key(saved.parent)
    if others:
        problems.append(_of_somebody(others, saved))
    elif changed and not problems:
        problems.append(f"{len(changed)} lines differ, the first is “{changed[0]}”")
    if not problems:
        return Restoration(True)
    told = tuple(one.sentence for one in others)
    return Restoration(False, changed, tuple(left), "; ".join(problems), told)


def _of_somebody(others: Sequence[ObjectChange], saved: Path) -> str:
    """What somebody else has changed, and between when."""
    since = datetime.fromtimestamp(saved.stat().st_mtime)
    times = f"between {since:%H:%M:%S} on {since:%Y-%m-%d} and {datetime.now():%H:%M:%S}"
    return f"somebody changed the gateway while the test ran ({times}): {_named(others)}"


def _named(others: Sequence[ObjectChange]) -> str:
    """The first of them, each with before and after."""
    more = f"; and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    return "; ".join(one.sentence for one in others[:_NAMED]) + more


def _unknown(text: str, mark: str, left: Sequence[str]) -> list[tuple[str, str]]:
    """Objects of a run that are there and are not among those that would not go."""
    return [one for one in objects_named(text, mark) if " ".join(one) not in left]


def _changes_of(entries: Sequence[dict], differing: Sequence[ObjectChange]) -> list[dict]:
    """The changes of a run to objects that are not as they were."""
    names = {one.name for one in differing}
    return [
        entry for entry in entries if entry["do"] == "change" and _name(entry) in names
    ]


def _name(entry: dict) -> str:
    """Table and key of what was changed."""
    return f"{entry['path']} {entry['mkey'] or ''}".rstrip()


def _announced(entries: Sequence[dict]) -> set[tuple[str, str]]:
    """The objects that a journal tells of."""
    return {
        (entry["path"], str(mkey))
        for entry in entries
        if entry["do"] == "create"
        for mkey in entry["mkeys"]
    }


def _entries_of(objects: Sequence[tuple[str, str]]) -> list[dict]:
    """Entries as a journal has them, for objects that were found on the device."""
    return [
        {"do": "create", "path": path, "mkeys": [int(key) if key.isdecimal() else key]}
        for path, key in objects
    ]


@dataclass(frozen=True)
class _Taken:
    """What was not taken back.

    Attributes:
        objects, changes: by table and key.
        problems: what the device said.
        lost: why it was given up before its end; empty where it was not.
    """

    objects: list[str]
    changes: list[str]
    problems: list[str]
    lost: str = ""

    @property
    def left(self) -> list[str]:
        """All of it."""
        return self.objects + self.changes


def _take_back(gateway: FortiGate, entries: Sequence[dict], mark: str) -> _Taken:
    """Undo entries, newest first, and again what was refused, as long as that gets further.

    A policy may have been given a profile that was made after it, and holds on to that one. An
    answer that cannot be understood holds up its own entry alone.
    """
    todo, before = list(_newest_first(entries)), None
    while True:
        taken, refused = _Taken([], [], []), []
        for entry in todo:
            try:
                stuck = _take_one_back(gateway, entry, mark)
            except (Refused, Malformed) as error:
                if gateway.other:
                    return replace(taken, lost=str(error))
                taken.problems.append(str(error))
                refused.append(entry)
                if entry["do"] == "change":
                    taken.changes.append(_name(entry))
            except GatewayLost as error:
                return replace(taken, lost=str(error))
            else:
                if stuck:
                    taken.objects.extend(f"{entry['path']} {mkey}" for mkey in stuck)
                    taken.problems.extend([said for said in stuck.values() if said][:1])
                    refused.append({**entry, "mkeys": list(stuck)})
        if not refused or (len(taken.left), len(refused)) == before:
            return taken
        todo, before = refused, (len(taken.left), len(refused))


def _take_one_back(gateway: FortiGate, entry: dict, mark: str) -> dict[str | int, str]:
    """Undo an entry; the keys of objects that would not go, each with the refusal."""
    if entry["do"] == "create":
        return remove_marked(gateway, entry["path"], entry["mkeys"], mark)
    if stays := _change_back(gateway, entry):
        raise Refused(stays)
    return {}


def _newest_first(entries: Sequence[dict]) -> Iterable[dict]:
    """Entries in reverse, neighbours of one table joined so that a table is read once."""
    joined: list[dict] = []
    for entry in reversed(entries):
        last = joined[-1] if joined else None
        if last and entry["do"] == last["do"] == "create" and entry["path"] == last["path"]:
            last["mkeys"] += entry["mkeys"]
        else:
            joined.append(
                {**entry, "mkeys": list(entry["mkeys"])} if entry["do"] == "create" else entry
            )
    return joined


def _change_back(gateway: FortiGate, entry: dict) -> str:
    """Set attributes to what they were, but those that somebody else has set to something since.

    Returns:
        Why one stays as the run has set it, in a sentence; empty where none does.
    """
    path, mkey, before = entry["path"], entry["mkey"], entry["before"]
    if "now" not in entry:  # killed in the middle: nobody saw what came of it
        gateway.change(path, mkey, before)
        return ""
    ours = _as_changed(gateway, entry)
    if ours:
        gateway.change(path, mkey, {name: before[name] for name in ours})
        ours = _as_changed(gateway, entry)
    if not ours:
        return ""
    return (
        f"The gateway confirmed that it set {ours[0]} of {path} back and still has "
        f"{entry['now'][ours[0]]}"
    )


def _as_changed(gateway: FortiGate, entry: dict) -> list[str]:
    """The attributes that are still as a run has set them."""
    row = object_of(gateway, entry["path"], entry["mkey"]) or {}
    before, now = entry["before"], entry["now"]
    if lacking := [name for name in before if now.get(name) is not None and name not in row]:
        raise Malformed(f"the gateway shows {entry['path']} without its {lacking[0]}.")
    return [name for name in before if settable(row.get(name)) == now.get(name) != before[name]]
