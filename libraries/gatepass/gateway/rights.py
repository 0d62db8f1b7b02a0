"""Which rights on the gateway a test takes, and which of them its API user has.

An access profile of FortiOS gives a rank (none, read, read-write) by group, of some groups by part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gatepass.base.chapters import CHAPTERS
from gatepass.base.finding import Finding
from gatepass.base.own_yaml import own_yaml
from gatepass.gateway.answers import Malformed, Unanswered
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.own_state import Administrator, OwnState
from gatepass.gateway.shown import missing
from gatepass.inputs.scope import Scope

NONE, READ, WRITE = "none", "read", "read-write"
_RANKS = (NONE, READ, WRITE)
_BY_PARTS = "custom"
_PROFILE = "./run.sh doctor --print-setup prints an access profile that has it."


@dataclass(frozen=True)
class Needed:
    """A part of a group that a test needs.

    Attributes:
        part: `fwgrp.policy`, or a group without parts.
        readers, writers: the chapters that read what belongs to it, and those that write.
    """

    part: str
    readers: tuple[str, ...]
    writers: tuple[str, ...]

    @property
    def rank(self) -> str:
        """That has to be given."""
        return WRITE if self.writers else READ

    @property
    def chapters(self) -> tuple[str, ...]:
        """All that need it."""
        return tuple(name for name in CHAPTERS if name in {*self.readers, *self.writers})

    def kept_by(self, rank: str) -> tuple[str, ...]:
        """The chapters whose checks are kept from being proven by no more than a rank."""
        if rank == NONE:
            return self.chapters
        return self.writers if rank == READ else ()


def needed(scope: Scope) -> list[Needed]:
    """The parts that an order needs on a testbed, sorted."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for chapter, path, writes in _uses(scope):
        for part in parts_of(path):
            found.setdefault(part, (set(), set()))[writes].add(chapter)
    return [
        Needed(part, *(tuple(name for name in CHAPTERS if name in names) for names in both))
        for part, both in sorted(found.items())
        if part
    ]


def calls_of(scope: Scope) -> dict[str, dict[str, bool]]:
    """For each chapter what it asks for, by path, and whether it writes that, too."""
    found: dict[str, dict[str, bool]] = {chapter: {} for chapter in scope.chapters}
    for chapter, path, writes in _uses(scope):
        found[chapter][path] = writes or found[chapter].get(path, False)
    return found


def parts_of(path: str) -> tuple[str, ...]:
    """The parts that something belongs to, of which all are needed; "" for what anybody may."""
    return all_parts()[path]


def held(administrator: Administrator, part: str) -> str:
    """The rank that an access profile gives.

    Args:
        administrator: whose it is.
        part: see `Needed`.
    """
    if administrator.super_admin:
        return WRITE
    group, _, name = part.partition(".")
    rank = administrator.profile.get(group)
    if rank == _BY_PARTS:
        parts = administrator.profile.get(f"{group}-permission")
        rank = parts.get(name) if isinstance(parts, Mapping) else NONE
    return rank if rank in _RANKS else NONE


def look(gateway: FortiGate, scope: Scope, state: OwnState | None) -> list[Finding]:
    """Which rights the API user lacks. What can be read is asked for, nothing is changed.

    Args:
        gateway: the device.
        scope: what is to be tested.
        state: what the device tells of the API user; None where it does not.

    Raises:
        GatewayLost: the device does not answer.
    """
    wanted = needed(scope)
    user = state.admin if state and (state.admin.super_admin or state.admin.profile) else None
    found = list(_lacking(user, wanted)) if user else [_UNTOLD]
    unread = {one.part for one in wanted if user and held(user, one.part) == NONE}
    found += _refused(gateway, scope, unread)
    if user and not user.super_admin:
        found.append(Finding("gateway", _READABLE.format(name=user.name), _SAVE_IT_WHOLE))
    if user and not any(one.keeps for one in found):
        what = f"the API user “{user.name}” has the rights to all that is needed"
        found.append(Finding("gateway", f"{what} ({len(wanted)} parts of its access profile)"))
    return found


_READABLE = (
    "the backup that the API user “{name}” gets holds what its access profile may read, without "
    "the accounts of super_admin, so the gateway is compared as far as that"
)
_SAVE_IT_WHOLE = (
    "Have a super_admin save the whole configuration before the test: the run's own backup, "
    "restored as a whole, would take the super_admin accounts away."
)
_UNTOLD = Finding(
    "gateway",
    "the gateway does not report its API user's access profile (monitor/web-ui/state), so "
    "whether the user may write cannot be known without changing something",
    "Compare the profile with the one that ./run.sh doctor --print-setup prints.",
)


def _lacking(user: Administrator, wanted: Iterable[Needed]) -> Iterator[Finding]:
    """What the access profile does not give."""
    for one in wanted:
        rank = held(user, one.part)
        if kept := one.kept_by(rank):
            group, _, name = one.part.partition(".")
            where = f"{group}-permission, set {name}" if name else f"set {group}"
            yield Finding(
                "gateway",
                f"the API user “{user.name}” has no right to {_DOES[one.rank]} what belongs to "
                f"{one.part}: its access profile gives {rank}",
                f"It needs {one.rank} ({where} {one.rank}). {_PROFILE}",
                kept,
            )


_LOGS = ("log/disk/virus", "log/memory/virus")
"""Of which one suffices. The first stands for all logs: FortiOS documents that they belong to one
part, and takes time over each."""
_DOES = {READ: "read", WRITE: "write"}


def _refused(gateway: FortiGate, scope: Scope, unread: set[str]) -> Iterator[Finding]:
    """What may not be read although the profile gives its part, or where it is not known."""
    readers: dict[str, list[str]] = {}
    for chapter, calls in calls_of(scope).items():
        for path in calls:
            if not unread & set(parts_of(path)):
                readers.setdefault(path, []).append(chapter)
    for path, chapters in sorted(readers.items()):
        refused = _refusal(gateway, path)
        if isinstance(refused, Unanswered):
            yield Finding(
                "gateway",
                f"{_small(str(refused).rstrip('.'))}, so what needs {path} cannot be proven",
                "Ask the manufacturer's support why. Some devices answer so where there is "
                "nothing to show.",
                tuple(chapters),
            )
        elif refused and refused.status == 403:
            (part, *_) = parts_of(path)
            yield Finding(
                "gateway",
                f"the API user may not read {path}",
                f"Gatepass counts it as part of {part}; if that right has been given already, "
                f"give the whole group {part.partition('.')[0]}.",
                tuple(chapters),
            )


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _refusal(gateway: FortiGate, path: str) -> Refused | None:
    """Why the device does not let this be read; None where it does, or cannot be asked."""
    if path in _unasked() or (path.startswith("log/") and path != _LOGS[0]):
        return None
    refused = _asked(gateway, path)
    if path == _LOGS[0] and isinstance(refused, Unanswered):  # a model without a disk
        return _asked(gateway, _LOGS[1])
    return refused


def _part(path: str, rows: Sequence[Mapping[str, Any]]) -> Refused | None:
    """A refusal where a row came without what is read of it: some releases answer so to who lacks
    the right."""
    lacking = missing(path, rows)
    if not lacking:
        return None
    return Refused(f"The gateway shows {path} without {', '.join(lacking)}.", status=403)


def _asked(gateway: FortiGate, path: str) -> Refused | None:
    kind, _, rest = path.partition("/")
    try:
        if kind == "monitor":
            gateway.monitor(rest)
        elif kind == "log":
            gateway.log(rest, rows=1)
        else:
            return _part(path, gateway.rows(path, count=1))
    except Refused as refused:
        return refused
    except Malformed:  # whoever answers may be asked
        return None
    return None


def _uses(scope: Scope) -> Iterator[tuple[str, str, bool]]:
    """Chapter, path, and whether it is written."""
    table = _table()
    for chapter in scope.chapters:
        for use in table["chapters"][chapter]:
            if scope.has(use.get("when", "")):
                for block in (use, *(table["blocks"][name] for name in use.get("uses", ()))):
                    yield from ((chapter, path, False) for path in block.get("read", ()))
                    yield from ((chapter, path, True) for path in block.get("write", ()))


@cache
def _table() -> Mapping[str, Any]:
    return own_yaml(Path(__file__).with_name("rights.yaml"))


@cache
def all_parts() -> Mapping[str, tuple[str, ...]]:
    """Whatever is asked for, by path, and the parts that it belongs to."""
    found: dict[str, tuple[str, ...]] = {}
    for part, paths in _table()["parts"].items():
        for path in paths:
            found[path] = (*found.get(path, ()), part)
    return found


@cache
def _unasked() -> frozenset[str]:
    """What cannot be asked for: it does something, or takes more than its path."""
    uses = [use for uses in _table()["chapters"].values() for use in uses]
    blocks = [*uses, *_table()["blocks"].values()]
    written = {path for block in blocks for path in block.get("write", ())}
    does = {path for path in written if path == "transaction" or path.startswith("monitor/")}
    return frozenset({*does, *_table()["unasked"]})
