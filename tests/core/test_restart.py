"""A restart of the gateway: what is asked of it, and what is made of what arrived."""

from __future__ import annotations

import json

import pytest

from gatepass.base.errors import NotProven
from gatepass.endpoint.stream import Arrivals
from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.restart import Restart
from gatepass.scenarios.leaks.ways import Link
from gatepass.scenarios.trouble.forbidden import Forbidden
from gatepass.scenarios.trouble.restart import Restarted

LINK = Link("data", "02:00:00:00:00:01", "198.18.1.1", "02:00:00:00:00:02", ("198.18.1.10/24",))


class Device:
    """Answers, is away for some calls, and answers again.

    Args:
        away: for how many calls after the restart; none where it goes on.
        refuses: the restart.
    """

    patience_s = 15.0

    def __init__(self, away: int = 3, refuses: bool = False) -> None:
        self._away, self._refuses, self._asked = away, refuses, False

    def monitor(self, path: str, **_more: object) -> dict:
        if path == "system/os/reboot":
            if self._refuses:
                raise Refused("no right", 403)
            self._asked = True
            raise GatewayLost("it went down with its answer")
        if self._asked and self._away:
            self._away -= 1
            raise GatewayLost("it is away")
        return {"results": {}}


def test_it_is_away_and_comes_back() -> None:
    device = Device()
    restart = Restart(device)
    restart.begin()
    assert restart.await_back() < 5
    assert device.patience_s == 0, "to be lost is what it is for"


def test_a_refusal_is_told_with_what_to_do() -> None:
    with pytest.raises(NotProven, match=r"no right.*system group"):
        Restart(Device(refuses=True)).begin()


def test_a_gateway_that_goes_on_did_not_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatepass.gateway.restart._GONE_S", 0.2)
    with pytest.raises(NotProven, match="went on answering"):
        Restart(Device(away=0)).begin()


def test_one_that_stays_away_is_the_gateways_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatepass.gateway.restart.BACK_S", 0.2)
    restart = Restart(Device(away=10_000))
    restart.begin()
    with pytest.raises(AssertionError, match="did not answer again"):
        restart.await_back()


def _restarted(*stretches: tuple[float, float], sent_to: float = 120.0) -> Restarted:
    """Asked for at 100, back at 105, by the sender's clock."""
    return Restarted(100.0, 105.0, 2.0, Arrivals(10, 10, stretches, (), ((90.0, sent_to),)), ())


def test_what_was_sent_when_the_gateway_was_back_counts() -> None:
    assert _restarted((90.0, 100.4), (103.1, 110.0)).passes_again()
    assert _restarted((90.0, 110.0)).passes_again(), "it was never away"
    assert not _restarted((90.0, 100.4)).passes_again()
    assert not _restarted((90.0, 99.9), (100.2, 102.5)).passes_again(), "before it went down"
    assert not _restarted((103.0, 110.0)).passed_before


def test_what_was_not_sent_cannot_have_passed() -> None:
    with pytest.raises(NotProven, match="the client stood still"):
        _restarted((90.0, 100.4), sent_to=104.0).passes_again()


def test_how_long_nothing_arrived_is_told_by_when_it_arrived() -> None:
    came = ((90.0, 91.0), (91.5, 100.4), (103.1, 110.0))
    assert Arrivals(10, 10, (), came).longest_gap_s == pytest.approx(2.7)
    assert Arrivals(10, 10, (), came[:1]).longest_gap_s == 0


def test_the_permitted_port_is_left_out_of_what_is_forbidden() -> None:
    packets = Forbidden(("198.18.1.10", "198.18.2.10"), LINK, 5301)
    plan = json.loads(packets.as_json())
    assert [part["ports"] for part in plan["parts"]] == [[[1, 5300], [5302, 60_000]]] * 3
    told: dict[str, list] = {mark: [] for mark in packets.looked_for}
    told[f"{packets.marks['udp']:08x}"] = [[7, 9]]
    assert packets.arrived(told) == {"tcp": 0, "udp": 3, "icmp": 0}
