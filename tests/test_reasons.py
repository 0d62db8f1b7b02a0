"""Why an order is not approved: by cause, gravest first, none hidden, and said as what happened."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from certificate_checks import throughput
from certificate_examples import approved, in_language
from certificate_reader import parsed, reasons, text
from gatepass.base.languages import LANGUAGES
from gatepass.base.phrase import say
from gatepass.report import reasons as causes
from gatepass.report.evidence import let_through
from gatepass.report.reason_lines import MOST_LINES
from gatepass.report.wording import wording
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_PROVEN, Cause, Evidence

SHAPER = Cause("shaper", 'the gateway\'s shaper "sgw-200" is set to 260 Mbit/s.', 1.0)
UNDECIDED_WORDS = {
    "en": r"not proven|missing proof|\bproof\b|undecided",
    "fi": r"todennet|todistet|ratkaisemat",
    "sv": r"styrk|avgjor|avgöra|bevis",
}
"""Stems of what only an order or a check that could not be decided is called."""


def failed(chapter: str, name: str, claim: str, **parts: str) -> Check:
    """A check whose claim does not hold."""
    seen = Evidence(say(claim, **parts), "answer 200, 68 bytes.", False)
    return Check(chapter, name, FAIL, f"{seen.claim}: not the case.", evidence=[seen])


def slow(policies: int, value: float) -> Check:
    """A check whose rate misses its promise for the shaper."""
    check = throughput(policies, False, value, 1.0, verdict=FAIL)
    return replace(check, causes=[SHAPER])


def broken(*checks: Check) -> Outcome:
    """A run with these checks besides those that passed."""
    outcome = approved()
    outcome.checks = [*checks, *outcome.checks]
    return outcome


def virus(by: str) -> Check:
    return failed(
        "Security services", f"A Virus Over {by}", "stopped", what=say("virus"), by=by
    )


def test_what_got_through_comes_before_what_is_slow_however_late_it_ran() -> None:
    outcome = broken(
        *(slow(policies, 250.0 + policies / 1000) for policies in (1, 10, 100, 1000)),
        failed("Explicit proxy", "Everybody Is Served", "proxy_serves"),
        virus("HTTP"),
        virus("FTP"),
    )
    found = causes.reasons(outcome)
    assert [(one.kind, one.name, len(one.checks)) for one in found] == [
        ("claim", "stopped", 2),
        ("claim", "proxy_serves", 1),
        ("figure", "shaper", 4),
    ]
    first, second, third = reasons(outcome)[:3]
    assert first.startswith("fail 2 checks: Got through although the security services were on")
    assert "the virus test file (HTTP, FTP)" in first
    assert second.startswith("fail 1 check: The web proxy did not serve every promised user.")
    assert third.startswith("fail 4 checks: Stateful throughput, 1 policy, NAT off")


def test_within_what_got_through_the_list_of_claims_says_what_is_graver() -> None:
    outcome = broken(
        failed("Management page", "Cookies", "gui_cookies"),
        failed("Site-to-site VPN", "In Clear", "no_clear"),
        failed("Policy enforcement", "TCP", "no_leak", what=say("leak_tcp_ports")),
    )
    assert [one.name for one in causes.reasons(outcome)] == ["no_leak", "no_clear", "gui_cookies"]


def test_a_cause_that_could_not_be_decided_comes_last() -> None:
    lost = Check("Stateful firewall", "Lost", NOT_PROVEN, "the client does not answer.")
    found = causes.reasons(broken(lost, slow(1, 250.0)))
    assert [one.verdict for one in found] == [FAIL, NOT_PROVEN]


def test_the_same_cause_has_one_identity_in_every_run() -> None:
    one, other = (causes.reasons(broken(slow(1, value)))[0] for value in (250.0, 190.0))
    assert one.identity == other.identity == (FAIL, "figure", "shaper")


def test_the_worst_figure_stands_for_its_cause() -> None:
    (found,) = causes.reasons(broken(slow(1, 280.0), slow(1000, 200.0)))
    assert "1000 policies" in causes.in_words(found, wording("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_likely_cause_is_told_in_every_language(language: str) -> None:
    outcome = in_language(language, broken(*(slow(1, 250.0 - n) for n in range(5)), virus("FTP")))
    line = reasons(outcome)[1]
    assert "260 Mbit/s" in line and "sgw-200" in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_claim_says_what_happened_where_it_does_not_hold(language: str) -> None:
    texts = wording(language).texts
    assert texts["broken"].keys() == texts["shown"].keys()
    assert len(set(texts["broken"].values())) == len(texts["broken"])
    for name, sentence in texts["broken"].items():
        assert sentence != texts["shown"][name]
        assert not re.search(UNDECIDED_WORDS[language], sentence, re.IGNORECASE), sentence


def test_every_claim_that_keeps_something_out_is_one() -> None:
    kept_out = let_through()
    assert set(kept_out) <= set(wording("en")["shown"])
    assert len(set(kept_out)) == len(kept_out)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failed_check_never_has_the_words_of_one_that_could_not_be_decided(
    language: str,
) -> None:
    line = reasons(in_language(language, broken(virus("HTTP"))))[0]
    assert not re.search(UNDECIDED_WORDS[language], line, re.IGNORECASE), line


def test_no_cause_is_hidden_however_many_there_are() -> None:
    claims = list(wording("en")["broken"])
    about = {"what": say("virus"), "by": "HTTP"}
    outcome = broken(*(failed("Edge", f"Check {name}", name, **about) for name in claims))
    page = text(parsed(outcome).find("body"))
    assert len(reasons(outcome)) > MOST_LINES
    assert [name for name in claims if f"Check {name}" not in page] == []


def test_a_claim_is_made_of_checks_that_passed_alone() -> None:
    outcome = approved()
    good, bad = (throughput(1, nat, 308.0, 1.0) for nat in (False, True))
    bad = replace(bad, verdict=FAIL, evidence=[replace(bad.evidence[1], holds=False)])
    outcome.checks = [good, bad]
    row = parsed(outcome).find(".//table[@class='evidence']/tbody/tr")
    told = text(row)
    assert "The server saw another address than the policy should give" in told
    assert "In the checks that passed: The gateway's own counter" in told
    outcome.checks = [replace(bad, verdict=NOT_PROVEN, evidence=good.evidence)]
    assert "No observation was recorded." in text(
        parsed(outcome).find(".//table[@class='evidence']/tbody/tr")
    )
