"""The explicit proxy's settings on the lab's own gateway process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest
from played import Played

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED, keep
from gatepass.gateway.undo import undo
from gatepass.scenarios.security.explicit_proxy import EXPLICIT, INTERFACE, POLICY, ExplicitProxy
from order_examples import ORDER
from Proxy import Proxy

MARK = "gp0a1b2c"
FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")


class WithAddress(FortiGate):
    """The process alone has no interfaces to tell of."""

    def monitor(self, path: str, **more: object) -> dict:
        """One address for the client's side."""
        if path == "system/interface":
            return {"results": {"port2": {"ip": "198.18.1.1"}}}
        return super().monitor(path, **more)


@pytest.fixture
def changes(gateway: FortiGate, tmp_path: Path) -> Iterator[Changes]:
    keep(tmp_path, gateway.backup())
    journal = Journal.start(tmp_path / NAME, {"mark": MARK})
    client = WithAddress(gateway.url, gateway.token, gateway.ca_file)
    yield Changes(client, journal, MARK)
    client.close()
    journal.release()


@pytest.fixture
def proxy(changes: Changes) -> ExplicitProxy:
    rules = RuleSet(changes.gateway, changes, FLOW)
    return ExplicitProxy(changes.gateway, changes, rules)


def back(changes: Changes) -> bool:
    return undo(changes.gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical


class WithoutProxy(WithAddress):
    """A small model of 7.4.4 or later."""

    status = 404

    def rows(self, path: str, **query: object) -> list[dict]:
        """It has not the table."""
        if path == EXPLICIT:
            raise Refused(f"The gateway refuses GET {path}.", status=self.status)
        return super().rows(path, **query)


def test_a_gateway_that_has_none(changes: Changes) -> None:
    gateway = WithoutProxy(changes.gateway.url, changes.gateway.token, changes.gateway.ca_file)
    proxy = ExplicitProxy(gateway, changes, RuleSet(gateway, changes, FLOW))
    library = Proxy(Played(order=ORDER, proxy=proxy))
    with pytest.raises(AssertionError, match=r"SGW-\d+ promises .* 2 GB of memory have none"):
        library.the_explicit_proxy_is_on()
    gateway.status = 403  # says nothing of what there is
    with pytest.raises(Refused):
        proxy.is_there()
    gateway.close()
    assert back(changes)


def test_on_with_one_policy_and_off_again(
    gateway: FortiGate, changes: Changes, proxy: ExplicitProxy
) -> None:
    assert proxy.switch_on() == ("198.18.1.1", 8080)
    settings = gateway.rows(EXPLICIT)[0]
    assert (settings["status"], settings["sec-default-action"]) == ("enable", "deny")
    assert gateway.row(INTERFACE, "port2")["explicit-web-proxy"] == "enable"
    assert gateway.rows(POLICY) == []
    proxy.permit()
    proxy.permit()  # once
    (row,) = gateway.rows(POLICY)
    assert row["action"] == "accept" and row["srcaddr"][0]["name"] == f"{MARK}-client"
    proxy.forbid()
    assert gateway.rows(POLICY) == []
    proxy.permit()
    assert back(changes)


def test_a_customer_who_has_it_on_keeps_settings_and_policies(
    gateway: FortiGate, device: GatewayUnderTest, changes: Changes, proxy: ExplicitProxy
) -> None:
    theirs = {
        "policyid": 1,
        "name": "theirs",
        "proxy": "explicit-web",
        "dstintf": [{"name": "port1"}],
        "srcaddr": [{"name": "all"}],
        "dstaddr": [{"name": "all"}],
        "service": [{"name": "webproxy"}],
        "schedule": "always",
        "action": "deny",
    }
    device.put("cmdb/web-proxy/explicit", {"status": "enable", "http-incoming-port": "3128"})
    device.post("cmdb/firewall/proxy-policy", theirs)
    keep(changes.journal.path.parent, gateway.backup())
    assert proxy.switch_on() == ("198.18.1.1", 3128)
    proxy.permit()
    assert [row["policyid"] for row in gateway.rows(POLICY)] == [2, 1]
    assert back(changes)
    assert gateway.rows(EXPLICIT)[0]["status"] == "enable"
