"""What is to be inspected, as the gateway tells it: plain values, made from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.inspector.signatures import Rule
from lab.inspector.urlfilter import UrlEntry


@dataclass(frozen=True, slots=True)
class WebFilter:
    """A web filter profile: entries in the order of evaluation."""

    profile: str
    log_all: bool
    entries: tuple[UrlEntry, ...]


@dataclass(frozen=True, slots=True)
class FileRule:
    """A rule of a file filter; `protocols` as service names, `direction` as the client sees it."""

    name: str
    protocols: frozenset[str]
    action: str
    direction: str
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class FileFilter:
    """A file filter profile."""

    profile: str
    log: bool
    rules: tuple[FileRule, ...]


@dataclass(frozen=True, slots=True)
class AppEntry:
    """Which applications an entry of an application list is about; none for all of them."""

    ids: frozenset[int]
    categories: frozenset[int]
    action: str
    log: bool

    def covers(self, app: int, category: int) -> bool:
        """Whether the entry is about an application."""
        if not self.ids and not self.categories:
            return True
        return app in self.ids or category in self.categories


@dataclass(frozen=True, slots=True)
class AppList:
    """An application list: known applications, and what becomes of the rest."""

    profile: str
    entries: tuple[AppEntry, ...]
    rules: tuple[Rule, ...]
    other: tuple[str, bool]
    unknown: tuple[str, bool]

    def decide(self, app: int, category: int) -> tuple[str, bool]:
        """Action (pass, block, reset) for an application, and whether it is logged."""
        for entry in self.entries:
            if entry.covers(app, category):
                return entry.action, entry.log
        return self.other


@dataclass(frozen=True, slots=True)
class Sensor:
    """An intrusion prevention sensor: the rules that are on."""

    profile: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Buffering:
    """Proxy inspection of one service: the bytes that it buffers, and what of larger content."""

    limit: int
    blocks: bool


@dataclass(frozen=True, slots=True)
class InspectionPolicy:
    """What one firewall policy has inspected.

    Attributes:
        id: policyid.
        log: whether events are logged.
        nat: whether the policy translates the source address.
        services: port -> HTTP, HTTPS or FTP.
        antivirus: service -> block or monitor.
        antivirus_profile: its name.
        buffering: service -> how a proxy buffers; none where the policy inspects by flow.
        server_name_check: of TLS: what becomes of a server whose certificate holds another name
            than the one asked for: enable (it is judged by the certificate's), strict, disable.
    """

    id: int
    log: bool = True
    nat: bool = False
    services: Mapping[int, str] = field(default_factory=dict)
    antivirus: Mapping[str, str] = field(default_factory=dict)
    antivirus_profile: str = ""
    buffering: Mapping[str, Buffering] = field(default_factory=dict)
    server_name_check: str = "disable"
    web: WebFilter | None = None
    files: FileFilter | None = None
    applications: AppList | None = None
    sensor: Sensor | None = None


@dataclass(frozen=True, slots=True)
class InspectionPlan:
    """Everything the inspector is told.

    Attributes:
        policies: by slot.
        log: False for the fault that events are lost.
        altered: True for the fault that a byte of a download is changed.
        mbps: limit of the fault that inspection is slow; 0 for none.
        object_ms: what each object takes by the fault that small ones are slow.
        block_all: True for the fault that the web filter blocks everything.
    """

    policies: Mapping[int, InspectionPolicy] = field(default_factory=dict)
    log: bool = True
    altered: bool = False
    mbps: float = 0.0
    object_ms: float = 0.0
    block_all: bool = False


def plan(found: Mapping[str, Any]) -> InspectionPlan:
    """A plan from its JSON."""
    return InspectionPlan(
        policies={int(slot): _policy(row) for slot, row in found["policies"].items()},
        log=found["log"],
        altered=found["altered"],
        mbps=found["mbps"],
        object_ms=found["object_ms"],
        block_all=found["block_all"],
    )


def _policy(row: Mapping[str, Any]) -> InspectionPolicy:
    web, files, apps, sensor = (
        row[key] for key in ("webfilter", "files", "applications", "sensor")
    )
    return InspectionPolicy(
        id=row["id"],
        log=row["log"],
        nat=row["nat"],
        services={int(port): name for port, name in row["services"].items()},
        antivirus=row["antivirus"],
        antivirus_profile=row["antivirus_profile"],
        buffering={name: Buffering(*limit) for name, limit in row["buffering"].items()},
        server_name_check=row["server_name_check"],
        web=web and WebFilter(web["profile"], web["log_all"], _entries(web["entries"])),
        files=files and FileFilter(files["profile"], files["log"], _file_rules(files["rules"])),
        applications=apps and _applications(apps),
        sensor=sensor and Sensor(sensor["profile"], tuple(map(Rule.of, sensor["rules"]))),
    )


def _entries(rows: list[Mapping[str, Any]]) -> tuple[UrlEntry, ...]:
    return tuple(UrlEntry.of(row["url"], row["type"], row["action"]) for row in rows)


def _file_rules(rows: list[Mapping[str, Any]]) -> tuple[FileRule, ...]:
    return tuple(
        FileRule(
            row["name"],
            frozenset(row["protocols"]),
            row["action"],
            row["direction"],
            frozenset(row["types"]),
        )
        for row in rows
    )


def _applications(row: Mapping[str, Any]) -> AppList:
    return AppList(
        row["profile"],
        tuple(
            AppEntry(frozenset(e["ids"]), frozenset(e["categories"]), e["action"], e["log"])
            for e in row["entries"]
        ),
        tuple(map(Rule.of, row["rules"])),
        tuple(row["other"]),
        tuple(row["unknown"]),
    )
