"""An order is approved only where each promise of its tier and of itself was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import records
from gatepass.base.phrase import say
from gatepass.report.reasons import reasons
from gatepass.results.called_for import called_for, not_shown
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import APPROVED, NOT_PROVEN, PASS, Measurement
from support.run_context import RunContext

WHOLE = ("approved", "approved-7.6.4", "approved-finnish")
FIGURES = (
    *("stateful_throughput", "services_throughput", "ipsec_tunnels", "vpn_users", "proxy_users"),
    *("ceiling", "ipsec_throughput", "remote_access_throughput", "gui_time", "provisioning"),
    "class_committed",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A run that was approved, with every check of its plan."""
    return records.outcome("approved", tmp_path_factory.mktemp("record"))


def _without(outcome: Outcome, left_out: set[int]) -> Outcome:
    """The same run, had it been planned without some of its checks."""
    checks = [check for at, check in enumerate(outcome.checks) if at not in left_out]
    plan = [[check.chapter, check.name] for check in checks]
    return replace(outcome, run=outcome.run | {"plan": plan}, checks=checks)


@pytest.mark.parametrize("name", WHOLE)
def test_what_was_whole_stays_approved(name: str, tmp_path: Path) -> None:
    assert records.outcome(name, tmp_path).verdict == APPROVED


@pytest.mark.parametrize("promise", FIGURES)
def test_a_plan_without_a_promise_is_not_approved(whole: Outcome, promise: str) -> None:
    about = {
        at
        for at, check in enumerate(whole.checks)
        if any(one.promise == promise for one in check.measurements)
    }
    cut = _without(whole, about)
    assert about and cut.verdict == NOT_PROVEN
    (reason,) = cut.reasons_of_order()
    assert reason.name == "not_tested" and str(say(promise)) in str(reason)


@pytest.mark.parametrize(
    ("claim", "what"),
    [
        ("stopped", "virus"),
        ("stopped", "exploit"),
        ("stopped", "controlled"),
        ("stopped", "filtered"),
        ("stopped", "blocked_host"),
        ("country", ""),
        ("flows_pass", ""),
    ],
)
def test_a_plan_without_what_has_no_figure(whole: Outcome, claim: str, what: str) -> None:
    part = {"what": say(what)} if what else {}
    names = {"flows_pass", "flows_block", "flows_translated"} if "flows" in claim else {claim}
    about = {
        at
        for at, check in enumerate(whole.checks)
        if any(e.claim.name in names and e.claim.has(e.claim.name, **part) for e in check.evidence)
    }
    cut = _without(whole, about)
    assert about and cut.verdict == NOT_PROVEN
    assert [reason.name for reason in cut.reasons_of_order()] == ["not_tested"]


def test_each_class_and_limit_is_called_for_both_ways(whole: Outcome) -> None:
    order = whole.run["order"] | {"classes": {"voice": ["class_committed", "class_loss"]}}
    run = whole.run | {"order": order}
    assert not not_shown(run, whole.checks)
    one_way = [
        replace(
            check,
            measurements=[
                one
                for one in check.measurements
                if not one.conditions.has("class_way", label="voice", way=say("to_client"))
            ],
        )
        for check in whole.checks
    ]
    assert len(not_shown(run, one_way)) == 2


@pytest.mark.parametrize("option", ["snmp_reporting", "flow_reporting", "security_reporting"])
def test_an_option_without_a_figure_needs_a_check_of_its_name(whole: Outcome, option: str) -> None:
    options = whole.run["order"]["options"] | {option: True}
    run = whole.run | {"order": whole.run["order"] | {"options": options}}
    ordered = replace(whole, run=run)
    assert ordered.verdict == NOT_PROVEN
    assert str(say(option)) in reasons(ordered)[0].text
    tagged = Check("Reports", "It Reports", PASS, tags=(option.replace("_", " ").title(),))
    assert replace(ordered, checks=[*ordered.checks, tagged]).verdict == APPROVED


def test_a_figure_has_to_reach_the_tiers_own(whole: Outcome) -> None:
    """A check that passed with another threshold, or with bounds on both sides, shows nothing."""
    for change in ({"half_width": 1e3}, {"value": 120.0, "threshold": 100.0, "half_width": 1.0}):
        checks = [
            replace(
                check,
                measurements=[
                    replace(one, **change) if one.promise == "stateful_throughput" else one
                    for one in check.measurements
                ],
            )
            for check in whole.checks
        ]
        made = replace(whole, checks=checks)
        assert made.verdict == NOT_PROVEN
        assert made.reasons_of_order()[0].name == "not_shown"


def test_nothing_is_called_for_by_facts_that_are_missing() -> None:
    assert not list(called_for({}))
    assert not list(called_for({"tier": {"proxy_users": None}, "order": {"gui": {}}}))


def test_robots_headline_tells_what_was_cut(whole: Outcome) -> None:
    """As the listener makes it, of what the checks of this run noted."""
    from listeners.Verdicts import headline

    run = RunContext()
    run.recorded, run.restoration = whole.run, whole.restoration
    stateful = Measurement("stateful_throughput", say("one_policy", policies=1, nat="off"), 310.0,
                           "Mbit/s", half_width=1.0, threshold=300.0)  # fmt: skip
    told = headline([Check("Firewall", "One", PASS, measurements=[stateful])], run)
    assert told.startswith("*The order is not proven.*")
    assert "Not tested, although the order calls for it: Throughput with security services" in told
    assert "Stateful throughput" not in told


def test_a_class_is_named_once_however_much_it_is_promised(whole: Outcome) -> None:
    promised = {one: ["class_committed", "class_loss", "class_delay"] for one in ("a", "b")}
    order = whole.run["order"] | {"classes": promised}
    ordered = replace(whole, run=whole.run | {"order": order})
    named = [str(name) for name in ordered.not_tested]
    assert named == ["class of service a", "class of service b"]
