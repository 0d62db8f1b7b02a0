"""No check is without a fault that fails it, no fault without its proof, and the page says so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from cases import FAIL
from table import HERE, SUITES, all_cases, page, without_a_fault

from gatepass.inputs.studies import STUDIES
from gatepass.results.planned import planned
from lab.base.faults import FAULTS, pairs

PAGE = HERE.parents[1] / "docs" / "faults.md"


def test_every_check_has_a_fault_that_fails_it() -> None:
    assert without_a_fault(all_cases()) == []


def test_every_fault_has_its_case() -> None:
    assert {case.name for case in all_cases()} == set(FAULTS)


def test_cases_are_about_checks_that_there_are() -> None:
    checks = {check for _, check in planned(SUITES, tuple(STUDIES))}
    assert {name for case in all_cases() for name in case.caught} <= checks


def test_a_name_means_one_check() -> None:
    assert max(Counter(check for _, check in planned(SUITES, tuple(STUDIES))).values()) == 1


def test_a_fault_of_the_rig_fails_nothing() -> None:
    of_the_rig = [case for case in all_cases() if FAULTS[case.name].side != "gateway"]
    assert not [case for case in of_the_rig for verdict, *_ in case.caught.values()
                if verdict == FAIL]


def test_a_fault_that_lets_calls_pass_names_the_call_that_it_begins_with() -> None:
    """Which of all calls is the tenth depends on how quick the others are."""
    for case in all_cases():
        given = pairs(case.fault[1:])
        assert "after" not in given or given.keys() >= {"method", "path"}, case


def test_page_is_up_to_date() -> None:
    assert Path(PAGE).read_text() == page(), "run docs/make-faults.sh"
