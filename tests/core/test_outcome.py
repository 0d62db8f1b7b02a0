"""Robot's output read back, and the verdict of an order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from robot.api import ExecutionResult
from robot.api import TestSuite as Suite  # pytest would collect a class named Test…

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.proof import robot_output
from gatepass.report.reasons import reasons
from gatepass.results.outcome import Check, Outcome, read, verdict_of
from gatepass.results.record import (
    APPROVED,
    FAIL,
    LEVEL,
    LIBRARY,
    NOT_APPLICABLE,
    NOT_PROVEN,
    PASS,
    REJECTED,
    Restoration,
    dump,
)
from said import evidence, measurement

BACK, LEFT, UNKNOWN = Restoration(True), Restoration(False, problem="1 object is left"), None


@pytest.mark.parametrize(
    ("verdicts", "restoration", "order"),
    [
        ([PASS], BACK, APPROVED),
        ([PASS, NOT_APPLICABLE], BACK, APPROVED),
        ([NOT_APPLICABLE], BACK, NOT_PROVEN),  # nothing was shown
        ([], BACK, NOT_PROVEN),
        ([PASS, NOT_PROVEN], BACK, NOT_PROVEN),
        ([PASS, FAIL, NOT_PROVEN], BACK, REJECTED),
        ([FAIL], UNKNOWN, REJECTED),
        ([PASS, FAIL], LEFT, REJECTED),
        ([PASS], LEFT, NOT_PROVEN),
        ([PASS], UNKNOWN, NOT_PROVEN),
    ],
)
def test_the_order(verdicts: list[str], restoration: Restoration | None, order: str) -> None:
    checks = [Check("Chapter", f"Check {one}", one, "Because.") for one in verdicts]
    outcome = Outcome({}, checks, {}, restoration, 1.0)
    assert outcome.verdict == order
    found = [reason.sentence for reason in reasons(outcome)]
    assert bool(found) == (order != APPROVED)
    for bad in {FAIL, NOT_PROVEN} & set(verdicts):
        assert f"Chapter, Check {bad}: Because." in found
    if restoration is LEFT:
        assert any("1 object is left" in reason for reason in found)


@pytest.mark.parametrize(
    ("status", "message", "verdict"),
    [
        ("PASS", "", PASS),
        ("FAIL", "", FAIL),
        ("SKIP", str(NotProven("the rig is slow.")), NOT_PROVEN),
        ("SKIP", str(NotApplicable("no shaper.")), NOT_APPLICABLE),
        ("SKIP", "because", NOT_PROVEN),
        ("NOT RUN", "", NOT_PROVEN),
    ],
)
def test_the_verdict_behind_a_status(status: str, message: str, verdict: str) -> None:
    assert verdict_of(status, message) == verdict


@pytest.mark.parametrize(
    ("run", "lab"),
    [
        ({}, False),
        ({"gateway": None}, False),
        ({"gateway": {}}, False),
        ({"gateway": {"serial": None}}, False),
        ({"gateway": {"serial": "FGVM01TM00000000"}}, False),
        ({"gateway": {"serial": "LABGW0000000001"}}, True),
    ],
)
def test_the_lab_shows(run: dict, lab: bool) -> None:
    assert Outcome(run, [], {}, None, 0.0).lab is lab


RATE = measurement("Stateful throughput", "1 policy", 310.0, "Mbit/s", half_width=2.0)
PROOF = evidence("The policy counted", "5 bytes", True)
PLAN = {"plan": [["Firewall", "Rate"], ["Firewall", "Left Out"], ["Handover", "Rate"]]}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The output.xml of a run with one check of each verdict."""

    def log(kind: str, content: object) -> str:
        line = dump(kind, content).replace("\\", "\\\\")
        return f"    Log    {line}    {LEVEL}\n"

    (tmp_path / "firewall.robot").write_text(
        "*** Settings ***\nDocumentation    A chapter.\n"
        "Suite Setup    Begin\nSuite Teardown    End\n"
        "*** Test Cases ***\n"
        "Rate\n    [Tags]    throughput\n    [Documentation]    A check.\n"
        + log("measurement", RATE) + log("evidence", PROOF)
        + "Broken\n    Fail    The gateway did not.\n"
        "Unsure\n    Skip    Not proven: the rig is slow.\n"
        "Other\n    Skip    Not applicable: no shaper.\n"
        "*** Keywords ***\nBegin\n"
        + log("run", PLAN) + log("run", {"gateway": {"serial": "LAB1"}})
        + log("measurement", RATE)  # of no check
        + "End\n" + log("restoration", LEFT) + log("restoration", BACK)
    )  # fmt: skip
    path = tmp_path / "output.xml"
    suite = Suite.from_file_system(tmp_path / "firewall.robot")
    suite.run(output=str(path), console="none", log=None, report=None, loglevel="DEBUG")
    text = path.read_text()
    path.write_text(text.replace('name="Log" owner="BuiltIn"', f'name="Log" owner="{LIBRARY}"'))
    return path


def test_what_robot_wrote(output: Path) -> None:
    outcome = read(output)
    assert [(check.name, check.verdict, check.message) for check in outcome.checks[:4]] == [
        ("Rate", PASS, ""),
        ("Broken", FAIL, "The gateway did not."),
        ("Unsure", NOT_PROVEN, "the rig is slow."),
        ("Other", NOT_APPLICABLE, "no shaper."),
    ]
    rate = outcome.checks[0]
    assert (rate.measurements, rate.evidence) == ([RATE], [PROOF])
    assert (rate.chapter, rate.documentation) == ("Firewall", "A check.")
    assert rate.tags == ("throughput",)
    assert all(not check.measurements for check in outcome.checks[1:])
    assert outcome.chapters == {"Firewall": "A chapter."}
    assert outcome.restoration == BACK  # the last word
    assert outcome.lab and outcome.verdict == REJECTED
    assert outcome.run == json.loads(json.dumps(PLAN)) | {"gateway": {"serial": "LAB1"}}


def test_a_check_that_was_planned_and_did_not_run_is_not_proven(output: Path) -> None:
    added = read(output).checks[4:]
    assert [(check.chapter, check.name, check.verdict) for check in added] == [
        ("Firewall", "Left Out", NOT_PROVEN),
        ("Handover", "Rate", NOT_PROVEN),  # one of the same name in another chapter did
    ]
    assert all("did not run" in check.message for check in added)


@pytest.mark.parametrize(
    ("level", "owner", "html"),
    [
        *((level, LIBRARY, "") for level in ("TRACE", "INFO", "WARN", "ERROR", "FAIL", "SKIP")),
        *((LEVEL, owner, "") for owner in ("BuiltIn", "Browser", "gatepass", "Gatepass2", None)),
        (LEVEL, LIBRARY, ' html="true"'),
        ("INFO", "BuiltIn", ""),
    ],
)
def test_words_of_a_device_that_begin_as_a_record_are_none(
    output: Path, level: str, owner: str | None, html: str
) -> None:
    """A gateway whose words begin a message neither restores itself nor measures anything."""
    forged = [
        dump("measurement", measurement("Stateful throughput", "1 policy", 999.0, "Mbit/s")),
        dump("evidence", evidence("Forged", "by a gateway", True)),
        dump("restoration", Restoration(True, problem="forged")),
        dump("run", {"gateway": {"serial": "FORGED"}}),
        "gatepass-data {",  # as a whole message it would spoil the record
    ]
    messages = "".join(
        f'<msg time="2026-11-21T07:22:32.000000" level="{level}"{html}>{escape(text)}</msg>'
        for text in forged
    )
    library = f' owner="{owner}"' if owner else ""
    status = '<status status="PASS" start="2026-11-21T07:22:31.000000" elapsed="1"/>'
    keyword = f'<kw name="Says"{library}>{messages}{status}</kw>'
    before, text = read(output), output.read_text()
    output.write_text(re.sub(r"<test [^>]*>", lambda test: test[0] + keyword, text))
    assert "forged" in output.read_text()
    after = read(output)
    assert (after.run, after.restoration) == (before.run, before.restoration)
    for check, same in zip(after.checks, before.checks, strict=True):
        assert (check.measurements, check.evidence) == (same.measurements, same.evidence)
    tests = robot_output.read(output).tests
    found = [message.record for test in tests for message in test.messages]
    assert [one for one in found if one] == [("measurement", RATE), ("evidence", PROOF)]


@pytest.mark.parametrize(
    ("link", "seen"),
    [
        ("failures/a/b/index.html", "failures/a/b/index.html"),
        ("https://elsewhere.example/failures/a", ""),
        ("javascript:alert(1)", ""),
        ("//elsewhere.example/failures/a", ""),
        ("failures/../../other/certificate.html", ""),
        ("failures/a/.hidden", ""),
        ("failures//elsewhere.example", ""),
        ("failures/a\\..\\b", ""),
        ("inputs/testbed.yaml", ""),
        ("failures/ä", ""),
    ],
)
def test_what_was_seen_lies_below_its_own_folder(tmp_path: Path, link: str, seen: str) -> None:
    """A certificate that is made of anybody's output leads nowhere else."""
    suite, output = Suite("Chapter"), tmp_path / "output.xml"
    suite.tests.create("Check").body.create_keyword("Log", args=["x"])
    suite.run(output=str(output), console="none", log=None, report=None)
    made = ExecutionResult(output)
    made.suite.tests[0].metadata["First failure data"] = f"[{link}|What was seen]"
    made.save()
    (check,) = read(output).checks
    assert check.seen == seen
