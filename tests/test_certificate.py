"""What the certificate says of an outcome."""

import dataclasses

import pytest

from certificate_checks import throughput
from certificate_examples import (
    DIGEST,
    RUN,
    approved,
    cut,
    everything_wrong,
    in_language,
    not_proven,
    nothing_known,
    rejected,
    whole,
)
from certificate_reader import body, parsed, reasons, rows, text
from gatepass import __version__
from gatepass.base.phrase import say
from gatepass.report.reason_lines import MOST_LINES
from gatepass.report.reasons import reasons as reasons_of
from gatepass.results.outcome import Check
from gatepass.results.record import FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS
from said import evidence, measurement, words


@pytest.mark.parametrize(
    ("outcome", "verdict", "meaning"),
    [
        (approved, "Approved", "may be handed over to the customer"),
        (rejected, "Rejected", "must not be handed over"),
        (not_proven, "Not proven", "cannot be decided"),
        (nothing_known, "Not proven", "cannot be decided"),
    ],
)
def test_the_verdict_of_the_order_comes_first(outcome, verdict, meaning):
    page = parsed(outcome())
    headings = [text(heading) for heading in page.iter() if heading.tag in ("h1", "h2")]
    title = "Acceptance certificate" if verdict == "Approved" else "Test record"
    assert headings[:2] == [title, verdict]
    assert meaning in text(page.find(".//section[@aria-labelledby='decision']"))
    assert verdict in text(page.find("head/title"))


def test_what_was_ordered():
    page = body(cut())
    for told in ("Embedded lab", "SGW-200", "Gold", "security services", "burst of 5 % allowed"):
        assert told in page
    for promised in ("300 Mbit/s", "120 Mbit/s", "20 tunnels", "50 users", "75 users"):
        assert promised in page


def test_each_promise_stands_beside_what_was_measured():
    table = rows(cut(), "promises")
    layer = "Mbit/s, application data over TCP"
    assert table["Stateful throughput"] == [
        "300 Mbit/s", "at least 306", "", "307.5 ± 1.2", "3", layer, "pass"
    ]  # fmt: skip
    assert "least favourable of 6: 1000 policies, NAT on" in body(approved())
    assert table["Highest rate let through"] == [
        "at most 315 Mbit/s", "at most 309.0", "", "308.4 ± 0.6", "3", layer, "pass"
    ]  # fmt: skip
    for name, promised in (("IPsec tunnels", "20 tunnels"), ("VPN users", "50 users")):
        assert table[name] == [promised, "It was not measured in this run.", "not tested"]


def test_every_promise_of_a_whole_run():
    table = rows(whole(), "promises")
    assert {name: row[1:4] + row[-1:] for name, row in table.items() if row} == {
        "Stateful throughput": ["at least 306", "", "307.5 ± 1.2", "pass"],
        "Throughput with security services": ["at least 172", "", "189 ± 17", "pass"],
        "IPsec tunnels": ["100", "", "100", "pass"],
        "VPN users": ["200", "", "200", "pass"],
        "Proxy users": ["300", "", "300", "pass"],
        "Highest rate let through": ["at most 309.0", "", "308.4 ± 0.6", "pass"],
        "IPsec throughput": ["at least 87", "", "94 ± 6", "pass"],
        "Remote access throughput": ["at least 279", "", "282 ± 3", "pass"],
    }


def test_each_condition_with_what_was_published_by_the_same_method():
    table = rows(whole(), "conditions")
    assert table["1 policy, NAT off"] == ["309.2 ± 0.7", "+3.1 %", "1 900", "pass"]
    assert table["1000 policies, NAT on"] == ["307.5 ± 1.2", "+2.5 %", "1 890", "pass"]
    assert table["AES256, SHA256, DH 14"] == ["343 ± 6", "+328.2 %", "pass"]
    assert table["AES256-GCM, DH 14"] == ["361 ± 6", "+351.5 %", "pass"]
    assert table["SSL VPN, to the client"] == ["302 ± 3", "+50.8 %", "pass"]
    assert table["without a tunnel, to the client"][-1] == "for comparison"
    assert "It is given for comparison and is no threshold." in body(whole())


def test_a_run_that_wrote_no_published_figures_down():
    outcome = whole()
    outcome.run["published"] = {}
    assert rows(outcome, "conditions")["1 policy, NAT off"] == ["309.2 ± 0.7", "+3.1 %", "pass"]
    assert "for comparison and is no threshold" not in body(outcome)


def test_what_was_cut_is_not_approved_and_stands_on_page_1():
    outcome = cut()
    decision = text(parsed(outcome).find(".//section[@aria-labelledby='decision']"))
    assert outcome.verdict == NOT_PROVEN and "cannot be decided" in decision
    missing = "although the order calls for it: Throughput with security services; IPsec tunnels;"
    assert missing in decision
    assert "Not tested Throughput with security services; IPsec tunnels" in decision


def test_figures_below_each_other_have_hardly_more_decimals_than_they_bear():
    outcome = approved()
    outcome.checks = [throughput(1, False, 309.0, 4.0), throughput(100, False, 309.25, 0.04)]
    table = rows(outcome, "conditions")
    assert table["1 policy, NAT off"][0] == "309.0 ± 4.0"
    assert table["100 policies, NAT off"][0] == "309.25 ± 0.04"


def test_one_trial_has_no_spread():
    outcome = approved()
    check = throughput(1, False, 309.0, 4.0)
    measurement = dataclasses.replace(check.measurements[0], half_width=None, trials=(309.0,))
    outcome.checks = [dataclasses.replace(check, measurements=[measurement])]
    assert rows(outcome, "promises")["Stateful throughput"][1:5] == ["–", "", "309", "1"]


def test_reasons_of_a_rejection_with_the_figures():
    outcome = rejected()
    wrong, slow = reasons(outcome)
    assert wrong.startswith("fail 1 check: The server saw another address than the policy")
    assert "The server saw 198.18.1.10; expected is 198.18.2.1" in wrong
    assert wrong.endswith("Stateful firewall: 100 Policies, With NAT")
    assert "292 Mbit/s at most; promised was at least 300 Mbit/s" in slow
    assert rows(outcome, "promises")["Stateful throughput"][1:] == [
        "at most 292", "", "287.4 ± 3.9", "3", "Mbit/s, application data over TCP", "fail"
    ]  # fmt: skip
    table = rows(outcome, "conditions")
    assert [table[name][-1] for name in ("1 policy, NAT on", "1000 policies, NAT off")] == [
        "pass",
        "fail",
    ]
    seen, verdict = rows(outcome, "evidence")["Stateful firewall"]
    assert seen.startswith("The server saw another address than the policy should give it")
    assert "In the checks that passed: " in seen
    assert verdict == "fail"
    assert "Stateful firewall checks passed: 4 of 6" in body(outcome)


def test_of_many_causes_the_gravest_come_first_and_none_is_hidden():
    page = parsed(everything_wrong())
    above, below = page.iterfind(".//section/ol")
    first = [text(one) for one in above]
    assert len(first) == MOST_LINES
    assert first[0].startswith("fail 6 checks: Got through although the security services were on")
    assert all(len(one) < 700 for one in first)
    named = text(above) + text(below)
    outcome = everything_wrong()
    assert all(check.name in named for check in outcome.checks)
    left_out = len(reasons_of(outcome)) - MOST_LINES
    assert f"Further causes, under “Causes in full”: {left_out}." in text(page.find("body"))


def test_reasons_that_checks_share_stand_once():
    told = reasons(not_proven())
    assert len(told) == 3
    assert "no longer answers over SSH" in told[0]
    assert "Stateful firewall (4); Policy enforcement (5)" in told[1]
    assert "did not answer while its configuration was restored" in told[2]


def test_checks_of_a_promise_that_did_not_run_stand_with_it():
    table = rows(not_proven(), "promises")
    assert table["Stateful throughput"][1:4] == ["at least 308.5", "", "309.2 ± 0.7"]
    assert table["Stateful throughput"][-1] == "not proven"
    assert "without a figure: 5" in body(not_proven())


def test_a_promise_that_could_not_be_measured_says_why():
    outcome = approved()
    lost = "The client does not answer."
    check = Check("Stateful firewall", "One", NOT_PROVEN, lost, tags=("stateful", "throughput"))
    outcome.checks = [check]
    assert rows(outcome, "promises")["Stateful throughput"] == ["300 Mbit/s", lost, "not proven"]


def test_of_several_measurements_only_the_one_to_blame_fails():
    outcome = approved()
    low = measurement("Rate", "one", 250, "Mbit/s", half_width=1, threshold=300)
    high = dataclasses.replace(low, conditions=words("two"), value=320)
    outcome.checks = [Check("Rates", "Both", FAIL, "too low", measurements=[low, high])]
    table = rows(outcome, "conditions")
    assert (table["one"][-1], table["two"][-1]) == ("fail", "pass")
    assert rows(outcome, "promises")["Rate"][-1] == "fail"


def test_why_a_promise_was_not_tested():
    outcome = approved()
    tags = ("IPsec", "throughput")
    reason = "This licence has no IPsec."
    outcome.checks.append(Check("VPN", "Tunnels", NOT_APPLICABLE, reason, tags=tags))
    outcome.run["tier"] = RUN["tier"] | {"ipsec_tunnels": 20}
    table = rows(outcome, "promises")
    assert table["IPsec tunnels"][1:] == [reason, "not tested"]
    assert "does not include the option" in table["Throughput with security services"][1]
    assert body(outcome).count(reason) == 1


def test_a_promise_that_the_tier_does_not_make_is_none():
    outcome = approved()
    outcome.run["tier"] = RUN["tier"] | {"ipsec_tunnels": 20, "vpn_users": 50}
    assert "Proxy users" not in rows(outcome, "promises")
    assert "Not part of this tier: Proxy users." in body(outcome)


def test_evidence_in_words_that_a_customer_follows():
    table = rows(whole(), "evidence")
    seen, verdict = table["Security services"]
    stopped = "the virus test file (HTTP, FTP), a blocked site (HTTPS), an attack (HTTP)"
    stopped += ", an unwanted application (HTTP), an unwanted file type (HTTP)"
    assert f"Stopped: {stopped}." in seen
    assert "Harmless content arrived unaltered. The gateway's log recorded" in seen
    assert "what was stopped (entries: 6)." in seen
    assert verdict == "pass"
    assert "Security services checks passed: 13 of 13" in body(whole())
    assert "answer 403" not in body(whole())
    assert table["Stateful firewall"][0].startswith("The gateway's own counter held at least")


def test_a_claim_that_is_not_known_stands_as_it_was_made():
    outcome = approved()
    claim = "Something quite new is so"
    outcome.checks = [Check("New", "One", PASS, evidence=[evidence(claim, "as seen", True)])]
    assert rows(outcome, "evidence")["New"][0] == f"{claim}."


def test_what_slowed_the_run_is_told_where_the_rig_is():
    """Trials that other work on the hosts disturbed were measured again, and took their time."""
    assert "were set aside" not in body(approved())
    outcome = approved()
    check = Check("Firewall", "Busy", PASS)
    check.trials += [{"lasted_s": 5.0, "set_aside": "the client stood still"}] * 3
    check.trials += [{"lasted_s": 5.0, "set_aside": ""}, {"lasted_s": 5.0}]
    outcome.checks.append(check)
    page = body(outcome)
    assert "Measured again" in page
    noted = sum(len(one.trials) for one in outcome.checks)
    assert f"3 of {noted} trials (15 s) were set aside" in page


def test_what_was_left_out_and_why():
    page = body(approved())
    assert "The check “IPv6 Is Enforced As IPv4 Is” (Handover). The order does not name" in page
    assert "Whether service level “Gold” is kept. The service catalogue gives no" in page


def test_checks_of_a_chapter_that_are_left_out_for_one_reason_stand_together():
    outcome = approved()
    reason = say("services_not_ordered")
    outcome.checks += [
        Check("Security services", f"Check {n}", NOT_APPLICABLE, str(reason), said=reason)
        for n in range(5)
    ]
    page = body(outcome)
    assert "5 checks of the chapter “Security services”. The order does not include" in page


def test_deviations():
    outcome = approved()
    outcome.run["robot_arguments"] = ["--include", "preflight"]
    outcome.run["endpoints"] = {"client": {"clock_offset_s": -3.5}}
    page = body(outcome)
    assert "options, which can leave checks out or change them: --include preflight" in page
    assert "Trials of 4 s are shorter than the 60 s of RFC 2544" in page
    assert "The clock of the client was off by −3.5 s." in page


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "What else the server did was not recorded (trials: 3)."),
        ("fi", "Muuta toimintaa ei tallennettu: palvelinpää (mittauksia: 3)."),
        ("sv", "Övrig aktivitet registrerades inte: server (antal mätningar: 3)."),
    ],
)
def test_trials_in_which_an_endpoint_was_not_watched_are_a_deviation(language, words):
    outcome = in_language(language, approved())
    assert words not in body(outcome)
    outcome.run["endpoints"] = {"server": {"unwatched": 3}}
    assert words in body(outcome)


def test_a_weak_cipher_that_the_order_asks_for_is_a_deviation():
    page = body(whole())
    assert "3DES, SHA1, DH 2 was measured because the order asks for it, although it is" in page
    assert "AES256-GCM, DH 14 was measured because" not in page


def test_a_rate_that_is_not_steady_is_a_deviation():
    outcome = whole()
    (objects,) = (
        measured
        for check in outcome.checks
        for measured in check.measurements
        if measured.conditions.has("objects", kilobytes=16)
    )
    objects.facts["deviation_percent"] = 4.9
    assert "RFC 9411's 5 % not met" not in body(outcome)
    objects.facts["deviation_percent"] = 9.1
    told = "so these are no figures by RFC 9411: HTTP objects of 16 KB (9.1 %)."
    assert told in body(outcome)


def test_a_tunnel_above_the_ceiling_is_a_deviation():
    outcome = whole()
    (check, *_) = [one for one in outcome.checks if "Remote access" in one.chapter]
    told = dataclasses.replace(check.measurements[-1], facts={"above_ceiling_mbps": 315.0})
    check.measurements[-1] = told
    page = body(outcome)
    assert "more than the tier's 315 Mbit/s was measured:" in page


def test_gateway_rig_and_method():
    page = body(approved())
    for told in (
        "LABGW0000000001",
        "v7.4.8 (build 2795)",
        "vCPUs 2",
        "4 096 MB",
        "port2 (client), port1 (server)",
        "6.1.0-41-amd64",
        "3 to 5 trials, until the 95 % confidence interval lies on one side",
        "21 November 2026, 07:22 (UTC+02:00)",
        "2 min 34 s",
        "18 420 ± 210 Mbit/s before, 18 310 ± 210 Mbit/s after the gateway's checks (−0.6 %)",
        "Run 20261121-072231-5c1e",
        f"Gatepass {__version__}",
        DIGEST,
    ):
        assert told in page


def test_the_configuration_after_the_run():
    assert "Restored." in body(approved())
    page = body(not_proven())
    assert "Left on the gateway: firewall/policy 12 (gp-5c1e-p12)" in page
    assert 'set name "gp-5c1e-p12"' in page
    assert "Not known." in body(dataclasses.replace(approved(), restoration=None))


def test_lab_is_written_across_the_page():
    lab, site = parsed(approved()), parsed(rejected())
    assert text(lab.find(".//div[@class='lab-mark']")) == "LAB"
    assert "not a FortiGate." in text(lab.find(".//section[@aria-labelledby='decision']"))
    assert site.find(".//div[@class='lab-mark']") is None
    assert "LAB" not in text(site)


@pytest.mark.parametrize("language", ["xx", None, 7])
def test_a_language_without_texts_is_english(language):
    outcome = approved()
    outcome.run["order"] = RUN["order"] | {"language": language}
    assert parsed(outcome).get("lang") == "en"


# Missing facts


def test_a_run_that_knew_nothing():
    page = body(nothing_known())
    assert "No check passed." in page
    assert "Everything. The run ended before its first check." in page
    assert "The run ended before the order was read." in page
    assert "The run ended before the gateway had been identified." in page


@pytest.mark.parametrize("key", RUN)
@pytest.mark.parametrize("content", ["missing", "empty"])
def test_a_group_of_facts_may_be_missing(key, content):
    outcome = approved()
    empty = {key: type(RUN[key])()} if content == "empty" else {}
    outcome.run = {name: value for name, value in outcome.run.items() if name != key} | empty
    assert "Approved" in body(outcome)


@pytest.mark.parametrize(
    ("key", "fact"),
    [(key, fact) for key, group in RUN.items() if isinstance(group, dict) for fact in group],
)
@pytest.mark.parametrize("content", ["missing", "none"])
def test_a_single_fact_may_be_missing(key, fact, content):
    outcome = approved()
    group = dict(RUN[key])
    if content == "none":
        group[fact] = None
    else:
        del group[fact]
    outcome.run[key] = group
    assert "Approved" in body(outcome)
