"""Which fault fails which check: from the suites and the cases of the tests; printed as a page."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from cases import (
    ADDED_DELAYS,
    AFTER,
    BEFORE,
    CLEAN,
    CLOCKS,
    FAIL,
    GATEWAY_READY,
    KNOWN,
    NOT_PROVEN,
    READY,
    Case,
)

from gatepass.inputs.studies import STUDIES
from gatepass.results.planned import planned
from lab.base.faults import DATA_PLANE, FAULTS, LICENCE, MANAGEMENT

HERE = Path(__file__).parent
SUITES = HERE.parents[1] / "suites"
ABOUT_THE_RIG = (GATEWAY_READY, KNOWN, READY, CLOCKS, BEFORE, AFTER, CLEAN, ADDED_DELAYS)
"""Checks of the rig itself: whatever they find, it is not the gateway's fault."""

_PAGE = """\
# Checks and faults

Each check is proven able to fail: the lab is made faulty on purpose, the checks run, and those
below must fail, each with a sentence that names what is wrong, while all others that ran pass.
This page is made by `docs/make-faults.sh` from the suites and from the cases in `tests/faults`; a
test fails where a check has no fault, or the page is out of date. `./run.sh test` proves cases of
every chapter. With `-m long` it proves the rest: studies, rows in the middle of a table, some of
the figures of classes of service and of the management page, small objects, and cases whose checks
another fault fails as well.

## Checks of the gateway

| Chapter | Check | Fails with |
|---|---|---|
{checks}

## Checks of the rig itself

What they find is never the gateway's fault: at worst the order is not proven.

| Check | Not proven with |
|---|---|
{rig_checks}

## Faults of the gateway

Where the fault lies *below the API*, configuration and status show that all is well.

| Fault | What a customer would notice | Lies | Fails |
|---|---|---|---|
{faults}

## Faults of the rig

| Fault | What it is | Where | Leaves not proven |
|---|---|---|---|
{rig_faults}
"""


def all_cases() -> list[Case]:
    """The cases of all modules that have any."""
    modules = (import_module(path.stem) for path in sorted(HERE.glob("test_*.py")))
    return [case for module in modules for case in getattr(module, "CASES", ())]


def faults_of(check: str, cases: Iterable[Case], verdict: str) -> list[str]:
    """The names of the faults with which a check ends so."""
    found = (case.name for case in cases if case.caught.get(check, ("",))[0] == verdict)
    return list(dict.fromkeys(found))


def checks_of(fault: str, cases: Iterable[Case], verdict: str) -> list[str]:
    """The checks that end so with a fault."""
    own = (case for case in cases if case.name == fault)
    found = (name for case in own for name, (told, *_) in case.caught.items() if told == verdict)
    return list(dict.fromkeys(found))


def without_a_fault(cases: Iterable[Case]) -> list[str]:
    """The checks that nothing fails, or for those of the rig: leaves not proven."""
    return [
        check
        for _, check in planned(SUITES, tuple(STUDIES))
        if not faults_of(check, cases, NOT_PROVEN if check in ABOUT_THE_RIG else FAIL)
    ]


def page() -> str:
    """The table as a page of the documentation."""
    cases = all_cases()
    plan = planned(SUITES, tuple(STUDIES))
    by_rig = [one.name for one in FAULTS.values() if one.side != "gateway"]
    return _PAGE.format(
        checks=_rows(
            (chapter, check, _codes(faults_of(check, cases, FAIL)))
            for chapter, check in plan
            if check not in ABOUT_THE_RIG
        ),
        rig_checks=_rows(
            (check, _codes(faults_of(check, cases, NOT_PROVEN)))
            for _, check in plan
            if check in ABOUT_THE_RIG
        ),
        faults=_rows(
            (f"`{name}`", one.notice, _lies(name), _lines(checks_of(name, cases, FAIL)))
            for name, one in FAULTS.items()
            if name not in by_rig
        ),
        rig_faults=_rows(
            (
                f"`{name}`",
                FAULTS[name].notice.removeprefix("No fault of the gateway: "),
                FAULTS[name].side,
                _lines(checks_of(name, cases, NOT_PROVEN)),
            )
            for name in by_rig
        ),
    )


def _lies(fault: str) -> str:
    places = {
        DATA_PLANE: "below the API",
        LICENCE: "in what it is licensed for",
        MANAGEMENT: "in the management",
    }
    return places[FAULTS[fault].place]


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cell or '–' for cell in cells)} |" for cells in rows)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _lines(names: Iterable[str]) -> str:
    return "<br>".join(names)


if __name__ == "__main__":
    sys.stdout.write(page())
