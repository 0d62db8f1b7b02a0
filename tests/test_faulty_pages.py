"""Pages of gateways with two or three faults at once, read in three languages by a stranger.

The records are those of `test_faulty_records`, which holds their causes.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

import records
from certificate_examples import in_language, whole
from certificate_reader import parsed, reasons, rows, text
from gatepass.base.chromium import chromium
from gatepass.base.languages import LANGUAGES
from gatepass.base.phrase import say
from gatepass.report.certificate import render
from gatepass.report.wording import wording
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_PROVEN, Evidence
from gatepass.verdict.causes import DRIFT, ENDPOINT_CPU
from paper import printed
from test_faulty_records import RECORDS
from test_reasons import UNDECIDED_WORDS

COUNTED_AS_MANY = re.compile(
    r"(?<!\w)\{(?:count|failed|not_applicable|fewest)\} (?!of\b|av\b|in all\b)\w"
)
NEVER_ONE = {
    "untested_checks", "repeated_value", "repeats", "tcp_connections", "tier_median", "worst_of",
    "stands", "more", "more_untested", "counts", "counts_not_run", "more_in_report",
}  # fmt: skip
"""Texts that are made of two or more, or that say the same of one."""


@pytest.fixture(scope="module", params=product(RECORDS, LANGUAGES), ids="-".join)
def run(request: pytest.FixtureRequest, tmp_path_factory) -> tuple[Outcome, str]:
    """A record whose order asks for a language."""
    name, language = request.param
    return in_language(language, records.faulty(name, tmp_path_factory.mktemp(name))), language


def test_all_of_it_is_in_the_language(run: tuple[Outcome, str]) -> None:
    outcome, _ = run
    page = parsed(outcome)
    assert [text(one) for one in page.iterfind(".//body//*[@lang]")] == []


def test_what_failed_has_no_word_of_what_could_not_be_decided(run: tuple[Outcome, str]) -> None:
    outcome, language = run
    fail = wording(language)["check_verdicts"]["fail"]
    undecided = re.compile(UNDECIDED_WORDS[language], re.IGNORECASE)
    failed = [line for line in reasons(outcome) if line.startswith(fail)]
    assert failed and [line for line in failed if undecided.search(line)] == []


def test_sentences_begin_as_sentences_do(run: tuple[Outcome, str]) -> None:
    outcome, _ = run
    assert [line for line in reasons(outcome) if re.search(r"[.?!] [a-zåäö]", line)] == []


def test_what_is_left_to_the_report_begins_with_a_sentence(run: tuple[Outcome, str]) -> None:
    outcome, language = run
    rest = " ".join(wording(language)["rest_in_report"].split())
    cut = [line.split(rest)[0] for line in reasons(outcome) if rest in line]
    assert [line for line in cut if not line.endswith(". ")] == []


def test_the_counts_agree(run: tuple[Outcome, str]) -> None:
    outcome, language = run
    page, words = parsed(outcome), wording(language)
    told = text(page.find(".//p[@class='counts']"))
    planned, passed, failed, undecided, *_ = map(int, re.findall(r"\d+", told))
    not_applicable = sum(check.verdict == "not applicable" for check in outcome.checks)
    assert planned == len(outcome.checks) == passed + failed + undecided + not_applicable
    lines = [text(one) for one in page.iterfind(".//section[@aria-labelledby='reasons']//li")]
    for verdict, count in ((FAIL, failed), (NOT_PROVEN, undecided)):
        name = words["check_verdicts"][verdict.replace(" ", "_")]
        counted = [int(re.search(r"\d+", line)[0]) for line in lines if line.startswith(name)]
        assert max(counted) <= count <= sum(counted)  # a check may have two causes


def test_no_fault_of_a_test_machine_is_the_cause_of_a_fail(run: tuple[Outcome, str]) -> None:
    outcome, language = run
    of_rig = [wording(language)["causes"][name] for name in (ENDPOINT_CPU, DRIFT)]
    fail = wording(language)["check_verdicts"]["fail"]
    failed = [line for line in reasons(outcome) if line.startswith(fail)]
    assert [line for line in failed if any(cause in line for cause in of_rig)] == []


def test_a_promise_without_a_figure_has_no_verdict_of_another_check(
    run: tuple[Outcome, str],
) -> None:
    """That a proxy serves whom it should not says nothing of how many it can serve."""
    outcome, language = run
    words, page = wording(language), rows(outcome, "promises")
    for promise in ("vpn_users", "proxy_users"):  # no check of these ran
        assert page[words["said"][promise]][-1] == words["check_verdicts"]["not_tested"]


def test_the_documentation_of_a_check_says_something(run: tuple[Outcome, str]) -> None:
    """Not just what a row gave to its template, such as "(disable, client)"."""
    outcome, _ = run
    ran = [check for check in outcome.checks if check.place]
    assert [one.name for one in ran if not re.match(r"[A-Z]\S* \S+ \S+", one.documentation)] == []


OF_PACKETS = {
    "en": "Of a delay the bar is of the packets of all trials together.",
    "fi": "Viiveen palkki koskee kaikkien mittausten paketteja yhdessä.",
    "sv": "Stapeln för en fördröjning avser paketen i alla mätningar tillsammans.",
}


def test_what_a_bar_is_of_is_told(run: tuple[Outcome, str]) -> None:
    """A trial's own percentile may lie outside the bar of all packets."""
    outcome, language = run
    caption = parsed(outcome).find(".//table[@class='promises']/caption")
    assert OF_PACKETS[language] in text(caption)


REACHED = {
    "en": "“{}” failed although its own figure is reached",
    "fi": "”{}” hylättiin, vaikka sen oma luku täyttyy",
    "sv": "”{}” underkändes fast dess eget värde nås",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_row_that_fails_never_says_that_its_figure_is_reached(
    language: str, tmp_path: Path
) -> None:
    outcome = in_language(language, records.faulty("proxy-rekey", tmp_path))
    (row,) = [
        text(one[0])
        for one in parsed(outcome).iterfind(".//table[@class='promises']/tbody/tr")
        if wording(language)["said"]["renewal_outage"] in text(one[0])
    ]
    name = "Keys Are Renewed Under Traffic When The Peer Asks"
    assert REACHED[language].format(wording(language).named("checks", name)) in row


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_promise_whose_check_ended_before_its_figure_says_what_happened(language: str) -> None:
    seen = Evidence(say("proxy_serves"), "3 of 75 requests were served.", False)
    failed = Check("Web proxy", "The Promised Users Are Served At Once", FAIL,
                   f"{seen.claim}: not the case. {seen.observed}", evidence=[seen],
                   tags=("proxy", "load", "users"))  # fmt: skip
    outcome = in_language(language, whole())
    outcome.checks = [
        *(check for check in outcome.checks if "proxy" not in check.tags),
        failed,
    ]
    words = wording(language)
    row = rows(outcome, "promises")[words["said"]["proxy_users"]]
    assert row[-1] == words["check_verdicts"]["fail"]
    assert row[-2].startswith(words["broken"]["proxy_serves"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_counted_may_be_one(language: str) -> None:
    """ "All 1 figures" is no English, and less so in Finnish."""

    def texts(known: dict, name: str = ""):
        for key, value in known.items():
            if isinstance(value, dict):
                yield from texts(value, str(key))
            elif isinstance(value, str) and key not in NEVER_ONE and name != "said":
                yield key, value

    found = dict(texts(wording(language).texts))
    assert [key for key, value in found.items() if COUNTED_AS_MANY.search(value)] == []


@pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_table_is_about_stands_on_its_sheet(language: str, tmp_path: Path) -> None:
    outcome = in_language(language, records.faulty("virus-shaper", tmp_path))
    caption = text(parsed(outcome).find(".//table[@class='promises']/caption")).split()
    sheets = printed(render(outcome, "0" * 64), tmp_path).sheets
    told = [" ".join(word.text for word in sheet) for sheet in sheets]
    (whole,) = [one for one in told if " ".join(caption[:6]) in one]
    assert " ".join(caption[-6:]) in whole
    assert wording(language)["tier_promises"] in whole


@pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sheet_has_the_foot_of_the_page_alone(language: str, tmp_path: Path) -> None:
    outcome = in_language(language, records.faulty("leak-nat", tmp_path))
    last = printed(render(outcome, "0" * 64), tmp_path).sheets[-1]
    told = " ".join(word.text for word in last)
    assert wording(language)["decision"]["seen"] in told and "SHA-256" in told
    assert wording(language)["sections"]["rig"] in told
