"""xunit.xml of one run: every check of its plan is a test case, and how it ended is told apart."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

import records
from certificate_examples import approved, not_proven, nothing_known, rejected
from certificate_results import write_output
from gatepass.base.phrase import say
from gatepass.cli import main
from gatepass.report import xunit
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import NOT_APPLICABLE, NOT_PROVEN

COUNTS = ("tests", "failures", "errors", "skipped")


def _written(outcome: Outcome, folder: Path) -> ET.Element:
    return ET.parse(xunit.write(outcome, folder)).getroot()


def _counts(part: ET.Element) -> dict[str, int]:
    return {name: int(part.get(name)) for name in COUNTS}


def _counted(part: ET.Element) -> dict[str, int]:
    """The same, counted in its test cases."""
    cases = list(part.iter("testcase"))
    kinds = ("failure", "error", "skipped")
    return dict(
        zip(COUNTS, (len(cases), *(sum(case.find(kind) is not None for case in cases)
                                   for kind in kinds)), strict=True)
    )  # fmt: skip


def test_what_was_planned_and_did_not_run_is_skipped(tmp_path: Path) -> None:
    whole = _written(records.outcome("partly", tmp_path), tmp_path)
    assert _counts(whole) == {"tests": 178, "failures": 0, "errors": 0, "skipped": 141}
    skipped = [case.find("skipped") for case in whole.iter("testcase")]
    assert {one.get("type") for one in skipped if one is not None} == {"not run"}
    assert all(one.get("message").startswith("Not run: ") for one in skipped if one is not None)


@pytest.mark.parametrize("name", records.NAMES)
def test_counts_agree_with_the_cases_and_with_the_run(tmp_path: Path, name: str) -> None:
    outcome = records.outcome(name, tmp_path)
    whole = _written(outcome, tmp_path)
    assert _counts(whole) == _counted(whole)
    for suite in whole:
        assert _counts(suite) == _counted(suite)
    assert _counts(whole)["tests"] == len(outcome.checks)
    assert _counts(whole)["failures"] == outcome.count("fail")
    assert _counts(whole)["skipped"] == outcome.count("not proven") + outcome.count(
        "not applicable"
    )


def test_a_chapter_is_a_suite(tmp_path: Path) -> None:
    outcome = rejected()
    whole = _written(outcome, tmp_path)
    chapters = list(dict.fromkeys(check.chapter for check in outcome.checks))
    assert [suite.get("name") for suite in whole] == chapters
    assert whole.get("time") == f"{outcome.elapsed_s:.3f}"
    case = whole.find("testsuite/testcase")
    assert case.get("classname") == f"4711-02.{chapters[0]}"


def test_each_way_to_be_skipped_has_its_own_type(tmp_path: Path) -> None:
    missing = say("did_not_run")
    checks = [
        Check("Handover", "Last", NOT_PROVEN, str(missing), said=missing),
        Check("Handover", "First", NOT_PROVEN, "the rig was too busy."),
        Check("Handover", "Second", NOT_APPLICABLE, "the order does not include it."),
    ]
    outcome = replace(not_proven(), checks=checks)
    skipped = list(_written(outcome, tmp_path).iter("skipped"))
    assert {one.get("type") for one in skipped} == {"not proven", "not run", "not applicable"}
    for one in skipped:
        prefix, _, reason = one.get("message").partition(": ")
        assert prefix.lower() == one.get("type") and reason


@pytest.mark.parametrize("made", [approved, rejected, not_proven])
def test_the_verdict_of_the_order_is_told(tmp_path: Path, made) -> None:
    outcome = made()
    whole = _written(outcome, tmp_path)
    for suite in whole:
        found = {one.get("name"): one.get("value") for one in suite.iter("property")}
        assert found == {"verdict": outcome.verdict}


def test_a_run_that_knew_nothing_has_a_whole_file(tmp_path: Path) -> None:
    whole = _written(nothing_known(), tmp_path)
    assert _counts(whole) == {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}


def test_what_xml_cannot_hold_costs_no_file(tmp_path: Path) -> None:
    outcome = rejected()
    wrong = next(check for check in outcome.checks if check.verdict == "fail")
    wrong.message = "It said \x00\x1b[31mred\ufffe."
    message = _written(outcome, tmp_path).find(".//failure").get("message")
    assert message == "It said [31mred."


def test_it_is_made_again_from_the_output(tmp_path: Path, capsys) -> None:
    outcome = rejected()
    (tmp_path / "again").mkdir()
    output = write_output(outcome, tmp_path / "output.xml")
    assert main(["results", str(output), "--to", str(tmp_path / "again")]) == 0
    assert "xunit.xml" in capsys.readouterr().out
    first = (tmp_path / "again" / "xunit.xml").read_bytes()
    assert main(["results", str(output)]) == 0
    assert (tmp_path / "xunit.xml").read_bytes() == first
