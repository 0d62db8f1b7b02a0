"""The runs below a results folder, whatever became of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gatepass.base.files import contents
from gatepass.base.paths import ORDERS
from gatepass.base.result_folders import OUTPUT, PLAN
from gatepass.report.results_json import NAME as RESULTS_JSON
from gatepass.results.facts import group
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED
from gatepass.run.at_work import at_work
from gatepass.run.how_far import HowFar, how_far
from gatepass.run.progress import NAME as PROGRESS
from gatepass.serve.shape import ResultsShape

VERDICTS = (APPROVED, REJECTED, NOT_PROVEN)
UNDER_WAY, BROKEN_OFF = "under way", "broken off"
"""What a run is that has no verdict: its processes live, or they do not."""
_KEPT = 4096
"""Runs whose documents stay read."""


@dataclass(frozen=True)
class Reason:
    """Why an order is not approved.

    Attributes:
        text: what happened, with the likely cause of a figure.
        checks: how many checks it spoils; 0 where it is none of a check.
        identity: the same for the same cause of another run; empty where the run does not tell.
        page: that shows what was seen of its first check, from the run's folder on; may be empty.
    """

    text: str
    checks: int = 0
    identity: tuple[str, ...] = ()
    page: str = ""

    @property
    def verdict(self) -> str:
        """Of its checks; empty where the run does not tell."""
        return self.identity[0] if self.identity else ""

    @classmethod
    def of(cls, cause: dict[str, Any]) -> Reason:
        """As ``results.json`` tells a cause."""
        text = " ".join(cause[key] for key in ("text", "likely") if cause[key])
        identity = (cause["verdict"], cause["kind"], cause["name"])
        pages = (str(check.get("page") or "") for check in cause["checks"])
        return cls(text, len(cause["checks"]), identity, next(filter(None, pages), ""))


@dataclass(frozen=True)
class Run:
    """One run, as its folder tells.

    Attributes:
        name: its folder's path from the results on; in a fleet without `ORDERS`.
        folder: of it.
        state: the order's verdict, `UNDER_WAY` or `BROKEN_OFF`.
        document: of ``results.json``, without the checks; empty before the run has ended.
        far: how far it came; None where it has ended.
    """

    name: str
    folder: Path
    state: str
    document: dict[str, Any]
    far: HowFar | None = None

    @property
    def customer(self) -> str:
        """Who ordered; empty where it is not known, as the others."""
        return self._of("order", "customer")

    @property
    def order(self) -> str:
        """The order's name."""
        return self._of("order", "order")

    @property
    def tier(self) -> str:
        """What was ordered."""
        return self._of("order", "tier")

    @property
    def gateway(self) -> str:
        """Its serial number."""
        return str(group(self.document, "gateway").get("serial") or "")

    @property
    def started(self) -> str:
        """When it began, in ISO 8601."""
        return str(group(self.document, "run").get("started") or "")

    @property
    def month(self) -> str:
        """When it began: "2026-11"."""
        return self.started[:7]

    @property
    def reasons(self) -> list[Reason]:
        """Why its order is not approved, gravest first; empty where it is, and before the end.

        A run of before tells no causes, but a sentence for each check.
        """
        if causes := self.document.get("causes"):
            return [Reason.of(cause) for cause in causes]
        return [Reason(str(text)) for text in self.document.get("reasons") or ()]

    @property
    def lab(self) -> bool:
        """Whether the gateway was the lab's stand-in; told by those that have ended."""
        return bool(self.document.get("lab"))

    def _of(self, name: str, key: str) -> str:
        found = group(self.document, name).get(key) or (self.far and self.far.plan.get(key))
        return str(found or "")


@dataclass(frozen=True)
class Asked:
    """What a reader wants to see of all runs; an empty field asks for nothing.

    Attributes:
        customer, tier, verdict, gateway, month: of the run.
        text: to be found in its name, its order, its gateway or its reasons, in any case.
    """

    customer: str = ""
    tier: str = ""
    verdict: str = ""
    gateway: str = ""
    month: str = ""
    text: str = ""

    def fits(self, run: Run) -> bool:
        """Whether it is a run that was asked for."""
        pairs = (
            (self.customer, run.customer),
            (self.tier, run.tier),
            (self.verdict, run.state),
            (self.gateway, run.gateway),
            (self.month, run.month),
        )
        return all(wanted in ("", found) for wanted, found in pairs) and self._told_of(run)

    def _told_of(self, run: Run) -> bool:
        reasons = (reason.text for reason in run.reasons)
        texts = (run.name, run.order, run.customer, run.tier, run.gateway, *reasons)
        wanted = self.text.casefold().strip()
        return any(wanted in text.casefold() for text in texts)


def runs(results: Path) -> list[Run]:
    """All runs below a results folder, the newest first."""
    found = [run for name, folder in _folders(results) if (run := _run(name, folder))]
    return sorted(found, key=lambda run: _age(run.folder), reverse=True)


def run_called(results: Path, name: str) -> Run | None:
    """The run of that name; None where there is none."""
    folder = dict(_folders(results)).get(name)
    return _run(name, folder) if folder else None


def checks_of(run: Run) -> list[dict[str, Any]]:
    """The checks of a run that has ended; of so many runs nobody keeps them all in mind.

    Raises:
        OSError, ValueError: they cannot be read any more.
    """
    return _parsed(run.folder / RESULTS_JSON).get("checks", [])


def changes(run: Run) -> tuple:
    """What differs as soon as there is something new to be told of a run."""
    return run.name, run.state, run.far and (run.far.done, run.far.at, run.far.chapter)


def _folders(results: Path) -> Iterator[tuple[str, Path]]:
    """Names and folders of what may be a run."""
    for folder in results.glob("*/"):
        if (folder / PLAN).exists():
            for one in (folder / ORDERS).glob("*/"):
                yield f"{folder.name}/{one.name}", one
        else:
            yield folder.name, folder


def _run(name: str, folder: Path) -> Run | None:
    if at_work(folder):
        return Run(name, folder, UNDER_WAY, {}, how_far(folder))
    if document := _document(folder / RESULTS_JSON):
        return Run(name, folder, document["verdict"], document)
    if (folder / PROGRESS).exists() or (folder / OUTPUT).exists():
        return Run(name, folder, BROKEN_OFF, {}, how_far(folder))
    return None


def _document(path: Path) -> dict[str, Any]:
    """What ``results.json`` says; empty where there is none that can be read."""
    try:
        status = path.stat()
        return _read(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, RecursionError):
        return {}


@lru_cache(maxsize=_KEPT)
def _read(path: Path, changed_ns: int, size: int) -> dict[str, Any]:
    """The same, read once for as long as the file is what it was."""
    return {key: value for key, value in _parsed(path).items() if key != "checks"}


def _parsed(path: Path) -> dict[str, Any]:
    """What a file says.

    Raises:
        OSError, ValueError: it cannot be read, or is no result of a run.
    """
    document = json.loads(contents(path))
    ResultsShape.model_validate(document)
    return document


def _age(folder: Path) -> tuple[str, str]:
    """When a run began, as folders are named after it; a fleet's runs by their fleet's."""
    own = folder.parents[1].name if folder.parent.name == ORDERS else folder.name
    return own.removeprefix("fleet-"), folder.name
