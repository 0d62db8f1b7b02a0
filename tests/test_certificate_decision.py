"""The five answers on the certificate's first page, of every kind of verdict."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from certificate_checks import ceiling, throughput
from certificate_examples import (
    LOGO,
    approved,
    everything_wrong,
    full,
    in_language,
    not_proven,
    rejected,
    whole,
)
from certificate_reader import body, parsed, text
from gatepass.base.phrase import say
from gatepass.report.rig import ABOVE_CEILING
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import (
    FAIL,
    NOT_APPLICABLE,
    NOT_PROVEN,
    PASS,
    Cause,
    Evidence,
    Restoration,
)

CALL = "./run.sh --order variables/orders/lab.yaml"
WITH_TESTBED = f"{CALL} --testbed variables/testbeds/site.yaml --profile quick"


def answers(outcome: Outcome) -> dict[str, str]:
    """What stands beside each question."""
    section = parsed(outcome).find(".//section[@aria-labelledby='decision']")
    rows = section.iterfind(".//dl[@class='answers']/div")
    return {text(row.find("dt")): text(row.find("dd")) for row in rows}


def test_an_approved_run() -> None:
    told = answers(whole())
    assert list(told) == ["Why", "How sure", "Not tested", "What next"]
    assert told["Why"].startswith("All ") and "the closest is Stateful throughput" in told["Why"]
    assert "was measured at least 3 times, 4 s each time." in told["How sure"]
    assert "all figures together (22) an approval is wrong at most once in 40" in told["How sure"]
    assert told["How sure"].endswith("more time than the test took (2 min 34 s) could not be seen.")
    assert told["What next"] == (
        "Provider and customer: Sign below. The gateway may go into service."
    )


def test_a_reason_leads_to_what_was_seen_or_to_the_log() -> None:
    outcome = rejected()
    first, second, *_ = (check for check in outcome.checks if check.verdict == FAIL)
    first.place, first.seen = "s1-s4-t1", "failures/Chapter/Check/index.html"
    second.place = "s1-s4-t2"
    page, seen = parsed(outcome), "failures/Chapter/Check/index.html"
    reasons = page.iterfind(".//section[@aria-labelledby='reasons']//a")
    assert [link.get("href") for link in reasons] == [seen, "log.html#s1-s4-t2"]
    rows = [row.get("href") for row in page.iterfind(".//table//th//a")]
    assert seen in rows  # so does the row of the figure


def test_the_closest_promise_is_the_one_with_the_least_to_spare() -> None:
    outcome = approved()
    outcome.checks = [
        throughput(1, False, 340.0, 4.0), throughput(100, False, 310.0, 4.0), ceiling()
    ]  # fmt: skip
    assert "closest is Stateful throughput: for certain it is 306 Mbit/s" in answers(outcome)["Why"]
    assert "promised was at least 300 Mbit/s" in answers(outcome)["Why"]


def test_the_verdict_is_graded_by_the_test() -> None:
    assert "Approved after a quick test" in body(approved())
    outcome = approved()
    outcome.run = outcome.run | {"profile": outcome.run["profile"] | {"name": "our-own"}}
    assert "Approved after the profile our-own" in body(outcome)


def test_a_rejected_run_tells_what_is_shown_at_most() -> None:
    told = answers(rejected())
    assert told["Why"].startswith("The server saw another address than the policy should give")
    assert told["Why"].endswith("Further causes, listed below: 1.")
    assert "Each figure by itself (7 in all) is judged wrongly at most once" in told["How sure"]
    assert told["What next"].startswith("Network engineer: Correct on the gateway")
    assert told["What next"].endswith(f"Whoever tests: Test again. {WITH_TESTBED}")


@pytest.mark.parametrize(
    ("cause", "who"),
    [("gateway CPU", "Owner of the virtual machine’s host:"), ("licence", "Provider:")],
)
def test_who_has_to_act_follows_from_the_cause(cause: str, who: str) -> None:
    outcome = rejected()
    failed = next(check for check in outcome.checks if check.verdict == FAIL)
    failed.causes = [Cause(cause, "it was seen.", 0.9)]
    assert answers(outcome)["What next"].startswith(who)


def test_a_run_that_proved_nothing() -> None:
    told = answers(not_proven())
    assert told["Why"].startswith("The client at 198.18.0.11 no longer answers over SSH.")
    assert told["Not tested"].startswith("Checks that did not run (13); ")
    network, tester = told["What next"].split("Whoever tests:")
    assert "./run.sh restore 20261121-072231-5c1e" in network
    assert f"{CALL} --profile quick" in tester and "--testbed" not in tester  # it was a lab's


def test_a_figure_that_does_not_decide_is_told_with_both_its_bounds() -> None:
    outcome = approved()
    undecided = throughput(1, False, 302.0, 8.0)
    outcome.checks = [replace(undecided, verdict=NOT_PROVEN, message="It lies on both sides.")]
    assert "the test places the figure between 294 and 310 Mbit/s" in answers(outcome)["Why"]
    assert "Correct on the test machines" in answers(outcome)["What next"]


def test_checks_that_were_left_out_are_why_nothing_is_decided() -> None:
    outcome = approved()
    did_not_run = say("did_not_run")
    outcome.checks = [
        Check("Before the test", "The Gateway Is Ready", PASS),
        Check("Handover", "All Is Back", NOT_PROVEN, str(did_not_run), said=did_not_run),
    ]
    assert answers(outcome)["Why"] == "Checks that did not run: 1 of 2."
    assert "Test again, with all checks." in answers(outcome)["What next"]


def test_a_gateway_that_is_not_as_it_was_comes_first() -> None:
    outcome = approved()
    outcome.restoration = Restoration(False, ("- set a", "+ set b"))
    assert answers(outcome)["What next"].startswith("Network engineer: The gateway is not as it")


def test_how_sure_is_told_by_the_trials_that_there_were() -> None:
    outcome = approved()
    few = throughput(1, False, 340.0, 4.0)
    (rate,) = few.measurements
    seven = replace(rate, trials=(340.0,) * 7)
    outcome.checks = [replace(few, measurements=[seven])]
    assert "measured at least 7 times" in answers(outcome)["How sure"]
    outcome.checks = [Check("Before the test", "The Gateway Is Ready", PASS)]
    told = answers(outcome)
    assert told["How sure"].startswith("No promised rate was measured often enough")
    assert told["Why"].startswith("Not tested, although the order calls for it: Stateful through")


def test_a_gateway_that_somebody_else_changed_is_tested_again_alone() -> None:
    outcome = approved()
    outcome.restoration = Restoration(False, problem="somebody changed it", others=("a",))
    told = answers(outcome)["What next"]
    assert told.startswith("Whoever tests: Test again while nobody else changes the gateway.")
    assert "restore" not in told


def test_nothing_is_left_without_a_next_step() -> None:
    outcome = approved()
    outcome.checks = [Check("Before the test", "The Gateway Is Ready", NOT_APPLICABLE)]
    assert "Test again, with all checks." in answers(outcome)["What next"]


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("fi", ["Miksi", "Kuinka varmaa", "Testaamatta", "Mitä seuraavaksi"]),
        ("sv", ["Varför", "Hur säkert", "Ej testat", "Nästa steg"]),
    ],
)
def test_every_answer_is_there_in(language: str, questions: list[str]) -> None:
    for make in (whole, rejected, not_proven, everything_wrong):
        told = answers(in_language(language, make()))
        assert list(told) == questions
        assert all(told.values())


def test_a_test_record_is_signed_as_seen_alone() -> None:
    assert "Seen by (this is no acceptance)" in body(rejected())
    assert "no acceptance" not in body(approved())


def test_who_answers_for_the_page() -> None:
    page = parsed(approved())
    assert text(page.find(".//div[@class='issuer']")) == "Example Networks Oy"
    assert page.find(".//div[@class='issuer']/img").get("src") == LOGO
    told = body(approved())
    for fact in ("quality@example.net", "Acceptance tests, team 2", "Espoo"):
        assert fact in told
    assert "no. 20261121-072231-5c1e" in told
    assert "order 9f86d081884c, catalogue 9f86d081884c, profiles 9f86d081884c" in told


def test_a_provider_that_is_not_named_is_missing() -> None:
    outcome = approved()
    outcome.run = outcome.run | {"provider": {}}
    assert "Provider not named: provider.yaml is missing" in body(outcome)


@pytest.mark.parametrize(
    "logo", ["https://example.net/x.png", "data:text/html;base64,PGI+", "javascript:x", 3]
)
def test_a_logo_that_is_no_picture_is_not_shown(logo: object) -> None:
    outcome = approved()
    outcome.run = outcome.run | {"provider": outcome.run["provider"] | {"logo": logo}}
    assert parsed(outcome).find(".//div[@class='issuer']/img") is None


def test_a_run_of_many_checks_says_what_it_leaves_to_the_report() -> None:
    page = parsed(full())
    caption = text(page.find(".//table[@class='evidence']/caption"))
    assert "(+n) means that there are n more" in caption
    assert re.search(r"\(\+\d+\)", text(page.find(".//table[@class='evidence']/tbody")))
    assert "more, listed in the report" in body(full())


def test_what_does_not_hold_is_told_however_little_room_there_is() -> None:
    outcome = full()
    check = next(one for one in outcome.checks if len(one.evidence) > 0)
    names = ("group_in", "users_apart", "logout_clean", "listed_no_more")
    check.evidence = [Evidence(say(name), "it was not so", False) for name in names]
    page = body(outcome)
    for told in ("A user of the permitted group did not", "A remote user reached another"):
        assert told in page
    assert "Logging out did not take" in page and "still listed a user after" in page


def test_no_deviation_is_left_to_a_report_that_does_not_tell_it() -> None:
    outcome = full()
    outcome.run = outcome.run | {"robot_arguments": ["--test", "One"]}
    above = [measurement for check in outcome.checks for measurement in check.measurements][:4]
    for measurement in above:
        measurement.facts[ABOVE_CEILING] = 330.0
    page = parsed(outcome)
    told = [text(one) for one in page.iterfind(".//section/ul/li")]
    (ceiling,) = [one for one in told if "more than the tier's 330 Mbit/s was measured" in one]
    assert ceiling.count(";") == 3
    assert any(one.startswith("Gatepass was started with additional options") for one in told)
    assert any(one.startswith("Trials of 4 s are shorter") for one in told)
