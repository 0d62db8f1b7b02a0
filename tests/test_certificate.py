"""What the certificate says of an outcome."""

import dataclasses

import pytest

from certificate_examples import (
    DIGEST,
    RUN,
    approved,
    not_proven,
    nothing_known,
    rejected,
    throughput,
)
from certificate_reader import body, parsed, reasons, rows, text
from gatepass.outcome import Check
from gatepass.record import FAIL, NOT_APPLICABLE, Measurement


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
    assert headings[:2] == ["Acceptance certificate", verdict]
    assert meaning in text(page.find(".//section[@aria-labelledby='decision']"))
    assert verdict in text(page.find("head/title"))


def test_what_was_ordered():
    page = body(approved())
    for told in ("Embedded lab", "SGW-200", "Gold", "security services", "burst of 5 % allowed"):
        assert told in page
    for promised in ("300 Mbit/s", "120 Mbit/s", "20 tunnels", "50 users", "75 users"):
        assert promised in page


def test_each_promise_stands_beside_what_was_measured():
    table = rows(approved(), "promises")
    layer = "Mbit/s, TCP goodput"
    assert table["1 policy, NAT off"] == [
        "at least 300", "309.2", "± 0.7", "+3.1 %", "3", layer, "pass"
    ]  # fmt: skip
    assert table["1000 policies, NAT on"][1:4] == ["307.5", "± 1.2", "+2.5 %"]
    assert table["twice the rate offered, burst allowance 5 %"] == [
        "at most 315", "308.4", "± 0.6", "+2.1 %", "3", layer, "pass"
    ]  # fmt: skip
    for name, promised in (("IPsec tunnels", "20 tunnels"), ("VPN users", "50 users")):
        assert table[name] == [promised, "No check of this run measured it.", "not tested"]


def test_an_approval_says_what_it_does_not_cover():
    decision = text(parsed(approved()).find(".//section[@aria-labelledby='decision']"))
    assert "does not cover" in decision
    assert "IPsec tunnels" in decision


def test_figures_below_each_other_have_the_same_decimals():
    outcome = approved()
    outcome.checks = [throughput(1, False, 309.0, 4.0), throughput(100, False, 309.25, 0.04)]
    table = rows(outcome, "promises")
    assert table["1 policy, NAT off"][1:3] == ["309.00", "± 4.00"]
    assert table["100 policies, NAT off"][1:3] == ["309.25", "± 0.04"]


def test_one_trial_has_no_spread():
    outcome = approved()
    check = throughput(1, False, 309.0, 4.0)
    measurement = dataclasses.replace(check.measurements[0], half_width=None, trials=(309.0,))
    outcome.checks = [dataclasses.replace(check, measurements=[measurement])]
    assert rows(outcome, "promises")["1 policy, NAT off"][2:5] == ["–", "+3.0 %", "1"]


def test_reasons_of_a_rejection_with_the_figures():
    outcome = rejected()
    wrong, slow = reasons(outcome)
    assert wrong.startswith("fail Stateful Firewall, 100 Policies, With NAT")
    assert "saw 198.18.1.10, the client's own address" in wrong
    assert "287 ± 4 Mbit/s" in slow
    table = rows(outcome, "promises")
    assert table["1000 policies, NAT off"][3] == "−4.2 %"
    assert [table[name][-1] for name in ("1 policy, NAT on", "1000 policies, NAT off")] == [
        "pass",
        "fail",
    ]
    assert rows(outcome, "evidence")["100 policies, NAT on"] == ["saw 198.18.1.10", "no"]


def test_reasons_that_checks_share_stand_once():
    told = reasons(not_proven())
    assert len(told) == 3
    assert "no longer answers over SSH" in told[0]
    assert "Stateful Firewall (4); Policy Enforcement (5)" in told[1]
    assert "did not answer while its configuration was restored" in told[2]


def test_checks_of_a_promise_that_did_not_run_stand_with_it():
    table = rows(not_proven(), "promises")
    assert table["1 policy, NAT off"][-1] == "pass"
    assert "no longer answers over SSH" in table["1 Policy, With NAT"][1]
    assert table["1000 Policies, With NAT"][-1] == "not proven"


def test_of_several_measurements_only_the_one_to_blame_fails():
    outcome = approved()
    low = Measurement("Rate", "one", 250, "Mbit/s", half_width=1, threshold=300)
    high = dataclasses.replace(low, conditions="two", value=320)
    outcome.checks = [Check("Rates", "Both", FAIL, "too low", measurements=[low, high])]
    table = rows(outcome, "promises")
    assert (table["one"][-1], table["two"][-1]) == ("fail", "pass")


def test_why_a_promise_was_not_tested():
    outcome = approved()
    tags = ("IPsec", "throughput")
    reason = "This licence has no IPsec."
    outcome.checks.append(Check("VPN", "Tunnels", NOT_APPLICABLE, reason, tags=tags))
    outcome.run["order"] = RUN["order"] | {"options": {"security_services": False}}
    table = rows(outcome, "promises")
    assert table["IPsec tunnels"][1:] == [reason, "not tested"]
    assert "does not include the option" in table["Throughput with security services"][1]
    assert body(outcome).count(reason) == 1


def test_a_promise_that_the_tier_does_not_make_is_none():
    outcome = approved()
    outcome.run["tier"] = RUN["tier"] | {"proxy_users": None}
    assert "Proxy users" not in rows(outcome, "promises")
    assert "Proxy users not part of this tier" in body(outcome)


def test_other_checks_by_chapter_with_why_they_matter():
    table = rows(approved(), "checks")
    assert (
        "Preflight Before any load, the gateway is the one that was ordered and the rig can "
        "reach it." in table
    )
    assert table["The Licence Is Valid"] == ["Licence valid until 2027-11-20.", "pass"]
    assert not any("Polic" in name and "NAT" in name for name in table)


def test_what_was_left_out_and_why():
    page = body(approved())
    assert "Handover: IPv6 Is Enforced As IPv4 Is. The order does not name IPv6." in page
    assert "Service level Gold. The service catalogue gives it no figures" in page


def test_deviations():
    outcome = approved()
    outcome.run["robot_arguments"] = ["--include", "preflight"]
    outcome.run["endpoints"] = {"client": {"clock_offset_s": -3.5}}
    page = body(outcome)
    assert "options, which can leave checks out or change them: --include preflight" in page
    assert "Trials of 4 s are shorter than the 60 s of RFC 2544" in page
    assert "The clock of the client was off by −3.5 s." in page


def test_gateway_rig_and_method():
    page = body(approved())
    for told in (
        "LABGW0000000001",
        "v7.4.8",
        "2795",
        "4 096 MB",
        "port2 (client), port1 (server)",
        "6.1.0-41-amd64",
        "3 to 5 trials, until the 95 % confidence interval lies on one side",
        "21 November 2026, 07:22 (UTC+02:00)",
        "2 min 34 s",
        "Change from before to after: −0.6 %",
        "Run 20261121-072231-5c1e",
        "Gatepass 0.1.0",
        DIGEST,
    ):
        assert told in page
    assert rows(approved(), "baseline")["before the gateway's checks"][:2] == ["18 420", "± 210"]


def test_the_configuration_after_the_run():
    assert "Back as it was." in body(approved())
    page = body(not_proven())
    assert "Left on the gateway: firewall/policy 12 (gp-5c1e-p12)" in page
    assert 'set name "gp-5c1e-p12"' in page
    assert "Not known." in body(dataclasses.replace(approved(), restoration=None))


def test_lab_is_written_across_the_page():
    lab, site = parsed(approved()), parsed(rejected())
    assert text(lab.find(".//div[@class='lab-mark']")) == "LAB"
    assert "no FortiGate's" in text(lab.find(".//section[@aria-labelledby='decision']"))
    assert site.find(".//div[@class='lab-mark']") is None
    assert "LAB" not in text(site)


@pytest.mark.parametrize("language", ["fi", "xx", None, 7])
def test_a_language_without_texts_is_english(language):
    outcome = approved()
    outcome.run["order"] = RUN["order"] | {"language": language}
    assert parsed(outcome).get("lang") == "en"


# Missing facts


def test_a_run_that_knew_nothing():
    page = body(nothing_known())
    assert "No check passed." in page
    assert "Everything. The run ended before its first check." in page
    assert "The run ended before it knew the order." in page
    assert "The run ended before the gateway had told what it is." in page


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
