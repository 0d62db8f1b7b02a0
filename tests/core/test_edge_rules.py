"""What is tried at the edge, what is put on the gateway for it, and what is said of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from types import SimpleNamespace

import pytest
from gateway_client import GatewayUnderTest
from played import NotWritten

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.flight_recorder import recorder
from gatepass.base.phrase import say
from gatepass.gateway.changes import Changes
from gatepass.gateway.declared import Declared
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.rules import POLICY, RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED, keep
from gatepass.gateway.undo import undo
from gatepass.results.exchanges import ConnectionTry
from gatepass.scenarios.edge.rules import conduct
from gatepass.scenarios.edge.rules.addresses import (
    POOL,
    VIP,
    candidates,
    forwards,
    neighbours,
    used,
)
from gatepass.scenarios.edge.rules.attempts import (
    AFTER,
    BEFORE,
    MOMENTS,
    WITH,
    Arrival,
    Attempt,
    Seen,
    told,
    wrong,
)
from gatepass.scenarios.edge.rules.findings import EdgeFindings
from gatepass.scenarios.edge.rules.stories import (
    CONTROL,
    EXTERNAL,
    HAIRPIN,
    IDLE,
    LOCAL_IN,
    OWN_ADDRESS,
    POOLS,
    PORT,
    PUBLISHED_ADDRESS,
    PUBLISHED_PORT,
    Cast,
    several_interfaces,
    stories,
)

MARK = "gp0a1b2c"
CAST = Cast(
    "port2",
    "port1",
    "198.18.1.1",
    "198.18.2.1",
    *(f"198.18.1.{last}" for last in (253, 252, 251, 250, 249, 248)),
    "198.18.2.230",
    *(f"198.18.2.{last}" for last in (251, 250, 249)),
    ("198.18.2.252", "198.18.2.253"),
)
PUBLISHED = Attempt(
    "tcp", "tcp", "198.18.2.230", "198.18.2.1", 443, frozenset({WITH}), ("198.18.1.253", 8443),
    frozenset({"198.18.2.230"}),
)
KEPT = replace(PUBLISHED, protocol="udp", late_s=3)
THERE = Arrival("198.18.2.230", "198.18.1.253", 8443)


# -- addresses -----------------------------------------------------------------------------------


def test_addresses_that_have_no_use_yet_the_highest_first() -> None:
    taken = [(IPv4Address("198.18.2.252"), IPv4Address("198.18.2.253"))]
    network = IPv4Network("198.18.2.0/24")
    assert candidates(network, taken, 3) == ["198.18.2.254", "198.18.2.251", "198.18.2.250"]
    assert candidates(IPv4Network("198.18.2.8/30"), [], 9) == ["198.18.2.10", "198.18.2.9"]
    assert candidates(IPv4Network("198.18.2.8/32"), [], 9) == []


def test_two_addresses_that_follow_each_other() -> None:
    assert neighbours(["10.0.0.9", "10.0.0.3", "10.0.0.4"]) == ("10.0.0.3", "10.0.0.4")
    with pytest.raises(NotProven, match="follow each other"):
        neighbours(["10.0.0.9", "10.0.0.7"])


@pytest.mark.parametrize(
    ("row", "does"),
    [
        ({"extip": "198.18.2.1", "portforward": "enable", "extport": "443"}, False),
        ({"extip": "198.18.2.1", "portforward": "enable", "extport": "39000-39501"}, True),
        ({"extip": "198.18.2.1", "portforward": "disable"}, True),
        ({"extip": "198.18.2.0-198.18.2.7", "portforward": "disable"}, True),
        ({"extip": "0.0.0.0", "portforward": "enable", "extport": "39501"}, True),
        ({"extip": "198.18.2.9", "portforward": "disable"}, False),
        ({"extip": "", "portforward": "disable"}, False),
    ],
)
def test_whether_a_virtual_address_has_a_port_already(row: Mapping, does: bool) -> None:
    assert forwards(row, "198.18.2.1", range(39501, 39503)) is does


def test_what_the_configuration_has_a_use_for(gateway: FortiGate, device: GatewayUnderTest) -> None:
    gateway.create(POOL, {"name": "p", "startip": "198.18.2.20", "endip": "198.18.2.29"})
    found = used(gateway, gateway.rows("system/interface"))
    texts = {(str(low), str(high)) for low, high in found}
    assert {("198.18.2.20", "198.18.2.29"), ("198.18.1.1", "198.18.1.1")} <= texts
    assert ("198.18.1.254", "198.18.1.254") in texts, "a next hop"


# -- what became of an attempt --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "moment", "seen", "words"),
    [
        (PUBLISHED, WITH, Seen((THERE,), "answered", ""), ""),
        (PUBLISHED, BEFORE, Seen((), "silent", ""), ""),
        (PUBLISHED, WITH, Seen((), "silent", "no answer"), "arrived nowhere with the rules in fo"),
        (PUBLISHED, WITH, Seen((THERE,), "silent", ""), "its answer did not come back"),
        (
            PUBLISHED,
            WITH,
            Seen((Arrival("198.18.2.230", "198.18.1.253", 8444),), "refused", ""),
            "arrived at 198.18.1.253 port 8444, and not at 198.18.1.253 port 8443.",
        ),
        (
            PUBLISHED,
            WITH,
            Seen((Arrival("198.18.1.1", "198.18.1.253", 8443),), "answered", ""),
            "was seen from 198.18.1.1, and not from 198.18.2.230.",
        ),
        (
            replace(PUBLISHED, seen_from=frozenset()),
            WITH,
            Seen((Arrival("198.18.1.1", "198.18.1.253", 8443),), "answered", ""),
            "",
        ),
        (PUBLISHED, AFTER, Seen((THERE,), "silent", ""), "after the rules were removed."),
        (PUBLISHED, AFTER, Seen((), "opened", ""), "was answered after the rules were removed."),
        (KEPT, WITH, Seen((THERE,), "late", "and again after 3 s"), ""),
        (
            KEPT,
            WITH,
            Seen((THERE,), "answered", "and not again after 3 s"),
            "was answered and not again after 3 s without a packet between.",
        ),
        (
            replace(KEPT, outlives=False),
            WITH,
            Seen((THERE,), "late", "and again after 3 s"),
            "was answered and again after 3 s without a packet between.",
        ),
        (
            Attempt("ping", "icmp", "198.18.1.9", "198.18.1.1", passes=frozenset({BEFORE})),
            BEFORE,
            Seen((), "silent", "no answer"),
            "An echo request from 198.18.1.9 to 198.18.1.1 got no answer before the rules were th",
        ),
    ],
)
def test_what_is_wrong_with_an_attempt(
    attempt: Attempt, moment: str, seen: Seen, words: str
) -> None:
    found = wrong(attempt, moment, seen)
    assert bool(found) == bool(words) and words in found


def test_what_is_told_of_an_attempt_that_came_out_right() -> None:
    assert told(PUBLISHED, WITH, Seen((THERE,), "answered", "")) == (
        "TCP from 198.18.2.230 to 198.18.2.1 port 443 arrived at 198.18.1.253 port 8443, from "
        "198.18.2.230."
    )
    assert "did not get through before" in told(PUBLISHED, BEFORE, Seen((), "silent", ""))


def test_only_what_has_to_become_other_than_before_may_come_late() -> None:
    assert [PUBLISHED.changes(moment) for moment in MOMENTS] == [False, True, True]
    always = Attempt("", "tcp", "", "", passes=frozenset(MOMENTS))
    assert [always.changes(moment) for moment in MOMENTS] == [True, False, False]


# -- stories ---------------------------------------------------------------------------------------


def _named(what: str) -> str:
    return f"{MARK}-{what}"


def test_a_local_in_policy_is_about_one_host_and_ping_alone() -> None:
    for lists, intf in ((False, "port2"), (True, [{"name": "port2"}])):
        ((path, row),) = stories(CAST, _named, lists)[OWN_ADDRESS].rows
        assert path == LOCAL_IN
        assert row["intf"] == intf
        assert row["srcaddr"] == [{"name": f"{MARK}-closed"}]
        assert row["service"] == [{"name": "PING"}]


@pytest.mark.parametrize(
    ("told", "several"),
    [({"category": "table"}, True), ({"category": "unitary"}, False), ({}, True)],
)
def test_whether_it_has_a_list_of_interfaces_is_asked_of_the_device(
    told: dict, several: bool
) -> None:
    declared = Declared(LOCAL_IN, {"children": {"intf": told}})
    assert several_interfaces(SimpleNamespace(declared=lambda path: declared)) is several


# -- conduct -----------------------------------------------------------------------------------


class Company:
    """Hosts to which everything happens as it should, but for what a test says.

    Args:
        mute: names of attempts that are never answered.
    """

    def __init__(self, mute: Sequence[str] = ()) -> None:
        self.mute, self.tables = mute, []
        self.rounds: list[tuple[str, list[str]]] = []
        self._seen: dict[str, dict[Attempt, Seen]] = {moment: {} for moment in MOMENTS}
        self.gateway: FortiGate

    def cast(self) -> Cast:
        return CAST

    def try_all(
        self, attempts: Iterable[Attempt], moment: str, ask: Sequence[str]
    ) -> frozenset[str]:
        attempts = list(attempts)
        self.rounds.append((moment, [one.name for one in attempts]))
        self.tables.append(
            {path: len(self.gateway.rows(path)) for path in (POLICY, VIP, POOL, LOCAL_IN)}
        )
        for one in attempts:
            passes = moment in one.passes and one.name not in self.mute
            source = min(one.seen_from or {one.source})
            arrived = (Arrival(source, *one.at),) if passes and one.at else ()
            answered = "late" if one.late_s and one.outlives else "answered"
            self._seen[moment][one] = Seen(arrived, answered if passes else "silent", "")
        return frozenset(ask)

    def seen(self) -> dict[str, dict[Attempt, Seen]]:
        return self._seen


@pytest.fixture
def rules(gateway: FortiGate, tmp_path: Path) -> Iterator[RuleSet]:
    """The test policies of a run; after the test all of it can be undone."""
    saved = tmp_path / SAVED
    keep(saved.parent, gateway.backup())
    journal = Journal.start(tmp_path / NAME, {"mark": MARK})
    flow = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")
    yield RuleSet(gateway, Changes(gateway, journal, MARK), flow)
    assert undo(gateway, journal, saved).differences == ()


def _run(rules: RuleSet, company: Company) -> EdgeFindings:
    company.gateway = rules.gateway
    edge = conduct._Edge(rules.gateway, rules, company)
    edge.run()
    return EdgeFindings(edge.tried)


def _held(findings: EdgeFindings, *of: object) -> tuple[bool, str]:
    """What a check decides by what it has kept."""
    _, kept = NotWritten(Path()).keep("A", "B", findings.held(say("hairpin"), *of))
    seen = kept.evidence()
    return seen.holds, seen.observed


def _taken_in(findings: EdgeFindings, story: str) -> bool:
    _, kept = NotWritten(Path()).keep("A", "B", findings.answered_for(say("pool_addresses"), story))
    return kept.evidence().holds


def test_everything_is_tried_before_with_and_after(rules: RuleSet) -> None:
    company = Company()
    findings = _run(rules, company)
    assert [moment for moment, _ in company.rounds] == list(MOMENTS)
    assert company.tables == [
        {POLICY: 3, VIP: 0, POOL: 0, LOCAL_IN: 0},
        {POLICY: 10, VIP: 4, POOL: 2, LOCAL_IN: 1},
        {POLICY: 3, VIP: 0, POOL: 0, LOCAL_IN: 0},
    ]
    assert [row["name"] for row in rules.gateway.rows(POLICY)] == ["customer-web"]
    assert all(not rules.gateway.rows(path) for path in (VIP, POOL, LOCAL_IN))
    began = time.time()
    held, seen = _held(findings, PUBLISHED_PORT, ("tcp", "udp"), (WITH,))
    tried = [one for _, one in recorder.since(began, ConnectionTry)]  # for its failure page
    assert [one.target.split()[0] for one in tried] == ["TCP", "UDP"]
    assert all(f"at 198.18.1.253 port {PORT}" in one.seen for one in tried)
    assert held and f"port {EXTERNAL} arrived at 198.18.1.253 port {PORT}" in seen
    assert _held(findings, HAIRPIN, ("hairpin",), MOMENTS)[0]
    assert _held(findings, OWN_ADDRESS, ("closed", "other", "through"), MOMENTS)[0]
    assert _held(findings, IDLE, ("idle", "kept"), (WITH,))[0]
    assert _taken_in(findings, POOLS) and _taken_in(findings, PUBLISHED_ADDRESS)


class Clock:
    """A clock that only pauses move, however busy the machine is."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds


def test_what_has_to_change_is_tried_again_until_it_may_take_no_longer(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conduct, "_APPLY_S", 0.3)
    monkeypatch.setattr(conduct, "time", Clock())
    company = Company(mute=("named",))
    findings = _run(rules, company)
    with_rules = [names for moment, names in company.rounds if moment == WITH]
    assert len(with_rules) > 1 and all("control in" in names for names in with_rules)
    assert with_rules[-1] == ["control in", "control out", "named"]
    held, seen = _held(findings, PUBLISHED_ADDRESS, ("named",), (WITH,))
    assert not held and "arrived nowhere with the rules in force" in seen


def test_beside_what_does_not_pass_either_silence_says_nothing(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conduct, "_APPLY_S", 0)
    findings = _run(rules, Company(mute=("control in", "tcp")))
    for moments in ((BEFORE,), (WITH,)):
        with pytest.raises(NotProven, match="did not pass at the same time: TCP from"):
            _held(findings, PUBLISHED_PORT, ("tcp",), moments)
    assert _held(findings, HAIRPIN, ("hairpin",), MOMENTS)[0]


def test_what_answers_nobody_is_not_closed_to_somebody(rules: RuleSet) -> None:
    company = Company(mute=("closed", "other"))
    findings = _run(rules, company)
    assert len(company.rounds) == len(MOMENTS), "nothing waits for it"
    assert all(tables[LOCAL_IN] == 0 for tables in company.tables)
    with pytest.raises(NotProven, match=r"Have the gateway's port port2 answer ping"):
        _held(findings, OWN_ADDRESS, ("closed",), (WITH,))


def test_a_table_that_the_device_does_not_have(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rules.gateway.rows

    def without(path: str, **query: object) -> list[dict]:
        if path == LOCAL_IN and query:
            raise Refused("There is no such table.", status=404)
        return rows(path, **query)

    monkeypatch.setattr(rules.gateway, "rows", without)
    findings = _run(rules, Company())
    with pytest.raises(NotApplicable, match=f"has no {LOCAL_IN}"):
        _held(findings, OWN_ADDRESS, ("closed",), (WITH,))
    assert _held(findings, PUBLISHED_PORT, ("tcp",), MOMENTS)[0]


def test_what_the_customer_has_published_is_left_alone(rules: RuleSet) -> None:
    row = {"name": "shop", "extip": "198.18.2.1", "extintf": "port1", "portforward": "enable",
           "mappedip": [{"range": "10.20.1.80"}], "extport": str(EXTERNAL), "mappedport": "80"}
    rules.gateway.create(VIP, row)
    try:
        findings = _run(rules, Company())
        with pytest.raises(NotProven, match="virtual address shop translates port"):
            _held(findings, PUBLISHED_PORT, ("tcp",), (WITH,))
        assert _held(findings, PUBLISHED_ADDRESS, ("named",), MOMENTS)[0]
        assert [one["name"] for one in rules.gateway.rows(VIP)] == ["shop"]
    finally:
        rules.gateway.delete(VIP, "shop")


def test_the_control_is_no_story_of_its_own(rules: RuleSet) -> None:
    findings = _run(rules, Company())
    assert set(findings._tried) == {CONTROL, *stories(CAST, _named, False)}
