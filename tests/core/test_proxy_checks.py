"""Checks of the explicit proxy: what goes wrong counts beside the same users without it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from played import Played

import Proxy
from gatepass.base.errors import NotProven
from gatepass.scenarios.security.proxy_users import Users

FINE = Users(75, 75, 20_000, 0, 0, 10**8, "", 0.001, 0.002)
FAILING = Users(75, 75, 19_999, 1, 0, 10**8, "answer 503", 0.001, 0.002)
UNSERVED = Users(75, 37, 20_000, 38, 0, 10**8, "answer 403", 0.001, 0.002)
MIXING = Users(75, 75, 19_990, 0, 10, 10**8, "", 0.001, 0.002)

CHECKS = {
    "no": (FAILING, lambda proxy: proxy.hardly_any_transaction_should_fail()),
    "user": (UNSERVED, lambda proxy: proxy.every_user_should_be_served()),
    "other": (MIXING, lambda proxy: proxy.no_user_should_get_the_answer_of_another()),
}


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Proxy.Proxy:
    """The chapter's keywords after three trials without a failure; `alone` is the control."""
    server = SimpleNamespace(direct_address="198.18.9.10")
    context = Played(
        profile=SimpleNamespace(confidence=0.95),
        files=SimpleNamespace(write=lambda *_: None),
        file_server=SimpleNamespace(http_port=80),
        promised=lambda promise: 75.0,
        testbed=SimpleNamespace(endpoints=SimpleNamespace(server=server)),
    )
    monkeypatch.setattr(Proxy, "APPLY_S", 0)
    monkeypatch.setattr(Proxy, "must_be_reached", lambda *_: None)
    made = Proxy.Proxy(context)
    made._asked.trials, made._asked.seconds = [FINE] * 3, 1
    made._users = lambda count, seconds, direct=False: FINE
    return made


@pytest.mark.parametrize("check", CHECKS)
def test_what_goes_well_needs_no_control(proxy: Proxy.Proxy, check: str) -> None:
    proxy._users = None
    CHECKS[check][1](proxy)


@pytest.mark.parametrize("check", CHECKS)
def test_what_goes_wrong_needs_one(proxy: Proxy.Proxy, check: str) -> None:
    wrong, should = CHECKS[check]
    proxy._asked.trials[1] = wrong
    with pytest.raises(AssertionError, match="Without the proxy: 75 of 75 users were served"):
        should(proxy)
    proxy._users, proxy._asked.alone = lambda count, seconds, direct: wrong, None
    with pytest.raises(NotProven, match="and without the proxy as well"):
        should(proxy)
    proxy.run.testbed.endpoints.server.direct_address = None
    with pytest.raises(NotProven, match="without a direct_address"):
        should(proxy)


def test_the_control_is_as_long_as_all_trials(proxy: Proxy.Proxy) -> None:
    asked = []
    proxy._users = lambda count, seconds, direct: asked.append((count, seconds, direct)) or FINE
    proxy._asked.trials[0] = FAILING
    for _ in range(2):
        with pytest.raises(AssertionError, match="1 of 60,000 failed"):
            proxy.hardly_any_transaction_should_fail()
    assert asked == [(75, 3, True)]


def test_so_few_attempts_demonstrate_little(proxy: Proxy.Proxy) -> None:
    proxy.hardly_any_transaction_should_fail()
    (evidence,) = proxy.check.noted
    assert "0.001" not in str(evidence.claim) and evidence.holds
    assert "at most 0.005 % do (95 %)" in evidence.observed
    assert "not demonstrated" in evidence.observed


def test_only_an_answer_is_a_refusal(proxy: Proxy.Proxy) -> None:
    def ends(served: int, reason: str) -> None:
        users = Users(1, bool(served), served, 3, 0, 0, reason, None, None)
        proxy._users = lambda count, seconds: users
        proxy.the_proxy_should_refuse_the_client()

    ends(0, "answer 403")
    with pytest.raises(AssertionError, match="2 of 5 requests of the client were served"):
        ends(2, "")
    with pytest.raises(NotProven, match=r"no answer at all \(no connection"):
        ends(0, "no connection (time-out)")
