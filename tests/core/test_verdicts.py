"""Which verdict a check gets from how Robot says that it ended."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from robot.api import TestSuite

from gatepass.base.errors import NotProven
from gatepass.results.outcome import Check
from listeners.Verdicts import Verdicts, headline
from support.guard import keyword
from support.keyword_library import Context, KeywordLibrary
from support.run_context import RunContext

SUITE = """\
*** Settings ***
Library    {library}
Test Teardown    Tidy Up    {tidy}
*** Test Cases ***
One
    {keyword}    {text}
"""


class Asserts(KeywordLibrary):
    """Keywords that end as they are told."""

    @property
    def context(self) -> Context:
        """What the listener listens to."""
        return self._context

    @keyword()
    def misses(self, sentence: str, times: int = 1) -> None:
        """The gateway misses what it promised."""
        raise AssertionError(" ".join([sentence] * times))

    @keyword()
    def tidy_up(self, works: str) -> None:
        """Put things back."""
        if works == "nobody knows":
            raise NotProven("The peer does not answer \x1b[31m.")
        if works != "well":
            raise AssertionError("The policy is still there.")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a keyword that fails leaves what it saw."""
    monkeypatch.chdir(tmp_path)


def ended(step: str, *words: str, tidy: str = "well") -> object:
    """The only check of a suite, as it ended."""
    library = f"{__name__}.Asserts"
    text = SUITE.format(library=library, keyword=step, text="    ".join(words), tidy=tidy)
    suite = TestSuite.from_string(text)
    done = suite.run(listener=Verdicts(), output=None, stdout=StringIO(), stderr=StringIO())
    (test,) = done.suite.tests
    return test


@pytest.mark.parametrize("times", [1, 40, 100])
def test_a_miss_is_one_however_much_it_says(times: int) -> None:
    """Robot cuts a message of more than 3,120 characters, a reader gets 2,000 at most."""
    sentence = "Delay of a class, voice, to the server: 46.6 ms; promised is at most 18 ms."
    test = ended("Misses", sentence, str(times))
    assert (test.status, test.metadata["Verdict"]) == ("FAIL", "fail"), test.message
    assert test.message.startswith(sentence)
    assert len(test.message) <= 2000


def test_a_miss_is_one_whatever_a_device_says_in_it() -> None:
    test = ended("Misses", "It answers \\x1b[31m in red.")
    assert test.metadata["Verdict"] == "fail"
    assert "\x1b" not in test.message


@pytest.mark.parametrize("tidy", ["badly", "nobody knows"])
def test_a_miss_stays_one_where_tidying_up_fails_as_well(tidy: str) -> None:
    test = ended("Misses", "It lost 5 %.", tidy=tidy)
    assert (test.status, test.metadata["Verdict"]) == ("FAIL", "fail")
    assert test.message.startswith("It lost 5 %.")
    assert "\x1b" not in test.message


def test_what_tidying_up_could_not_tell_is_not_proven() -> None:
    test = ended("Log", "It lost nothing.", tidy="nobody knows")
    assert (test.status, test.metadata["Verdict"]) == ("SKIP", "not proven")
    assert "The peer does not answer" in test.message


def test_what_no_keyword_of_ours_asserted_is_not_the_gateways() -> None:
    test = ended("Fail", "It lost 5 %.")
    assert (test.status, test.metadata["Verdict"]) == ("SKIP", "not proven")
    assert test.message == "Not proven: It lost 5 %."


SENTENCES = """\
*** Test Cases ***
Rows
    [Template]    The Tier Is Reached
    disable    client
Steps
    Given The Gateway Is Ready
    When The Tier Is Reached    enable    gateway
*** Keywords ***
The Tier Is Reached
    [Documentation]    TCP reaches the tier's rate,
    ...    and the path is known.
    [Arguments]    ${nat}    ${seen}
    No Operation
The Gateway Is Ready
    No Operation
"""


def test_a_check_is_described_in_sentences_not_in_arguments() -> None:
    suite = TestSuite.from_string(SENTENCES)
    done = suite.run(listener=Verdicts(), output=None, stdout=StringIO(), stderr=StringIO())
    rows, steps = (test.doc for test in done.suite.tests)
    told = "The Tier Is Reached: TCP reaches the tier's rate, and the path is known."
    assert rows == told
    assert steps == f"Given The Gateway Is Ready\n\nWhen {told}"


def failed(name: str, **more: object) -> Check:
    return Check("Security services", name, "fail", f"{name} failed.", **more)


def test_the_report_begins_with_the_reasons_and_leads_to_what_was_seen() -> None:
    seen = failed("A Virus", seen="failures/a/index.html")
    told = headline([seen, failed("An Attack")], RunContext())
    first, second, *_ = (line for line in told.splitlines() if line.startswith("- "))
    assert "A Virus failed." in first and "[failures/a/index.html|What was seen]" in first
    assert "An Attack failed." in second and "|" not in second
    long = headline([failed("It " * 1000, seen="failures/a/index.html")], RunContext())
    assert len(long) < 5000 and "…" in long and "[failures/a/index.html|What was seen]" in long


def test_causes_and_evidence_reach_the_reasons() -> None:
    """What groups and ranks reasons needs more of a check than its message."""
    listener, suite = Verdicts(), TestSuite.from_string(SUITE.format(
        library=f"{__name__}.Asserts", keyword="Misses", text="It lost 5 %.", tidy="well"))
    suite.run(listener=listener, output=None, stdout=StringIO(), stderr=StringIO())
    (check,) = listener.ended
    assert (check.verdict, check.message, check.place) == ("fail", "It lost 5 %.", "s1-t1")
