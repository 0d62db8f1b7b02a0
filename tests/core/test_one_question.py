"""A device that has no answer to one question, and answers all others."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from api_server import ScriptedApi, refused, text, told
from doctor_world import World
from gateway_client import GatewayUnderTest
from played import Played

import Gateway
from gatepass.base.errors import NotProven
from gatepass.gateway.answers import GatewayLost, Refused, Unanswered
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import UNKNOWN, identify
from gatepass.gateway.own_state import own_state
from gatepass.gateway.routing import RoutingTable
from gatepass.gateway.security_log import stopped, unread

SERIAL = "FGT50G0000000001"
NO_REASON = told(500, serial=SERIAL, vdom="root")
FINE = told(results=[], serial=SERIAL)
ROUTE = {"ip_mask": "10.0.0.0/8", "interface": "port1", "gateway": "0.0.0.0"}


def without(api: ScriptedApi, *lost: str, answer=NO_REASON, **told_else: object) -> None:
    """Have the device give no answer to some paths; the others get what is told, or nothing."""

    def choose(handler) -> None:
        path = handler.path.partition("?")[0].removeprefix("/api/v2/")
        if any(path.endswith(one) for one in lost):
            answer(handler)
        else:
            told(results=told_else.get(path.rpartition("/")[2], []), serial=SERIAL)(handler)

    api.otherwise = choose


@pytest.mark.parametrize(
    "answer",
    [NO_REASON, told(503), text(500, "<html>Internal Server Error</html>"), text(502, "")],
    ids=["500", "503", "a page", "a proxy"],
)
def test_it_is_a_refusal_of_that_question_alone(
    api: ScriptedApi, client: FortiGate, answer
) -> None:
    without(api, "router/ipv6", answer=answer)
    with pytest.raises(Unanswered, match="monitor/router/ipv6 with HTTP 50") as caught:
        client.monitor("router/ipv6")
    assert caught.value.path == "monitor/router/ipv6"
    assert client.monitor("router/ipv4")["results"] == [] and not client.lost
    before = len(api.calls)
    with pytest.raises(Unanswered):  # without the patience of the first time
        client.monitor("router/ipv6")
    assert len(api.calls) == before + 2


def test_a_device_that_answers_nothing_is_lost(api: ScriptedApi, client: FortiGate) -> None:
    api.otherwise = NO_REASON
    with pytest.raises(GatewayLost, match="router/ipv6"):
        client.monitor("router/ipv6")
    assert client.lost


def test_whether_a_change_was_made_is_not_known(api: ScriptedApi, client: FortiGate) -> None:
    without(api, "firewall/address")
    with pytest.raises(GatewayLost):
        client.create("firewall/address", {"name": "a"})


def test_one_that_has_something_to_show_later_is_asked_again(
    api: ScriptedApi, client: FortiGate
) -> None:
    without(api, "router/ipv6")
    with pytest.raises(Unanswered):
        client.monitor("router/ipv6")
    api.otherwise = FINE
    assert client.monitor("router/ipv6")["results"] == []
    api.script = [NO_REASON]
    assert client.monitor("router/ipv6")["results"] == []  # with patience


def test_routes_of_one_kind_cost_the_other_nothing(api: ScriptedApi, client: FortiGate) -> None:
    without(api, "router/ipv6", ipv4=[ROUTE])
    table = RoutingTable.read(client)
    assert table.lookup("10.1.1.1").interface == "port1"
    assert table.tells(4) and not table.tells(6)
    why = r"routes are not known: The gateway answers GET monitor/router/ipv6 with HTTP 500"
    for ask in (lambda: table.lookup("2001:db8::1"), lambda: table.through("port1", 6),
                lambda: table.routers(6)):  # fmt: skip
        with pytest.raises(NotProven, match=why):
            ask()


def test_a_log_that_is_not_there_leaves_the_other(api: ScriptedApi, client: FortiGate) -> None:
    entry = {"action": "blocked", "policyid": 7}
    without(api, "disk/virus", virus=[entry])
    assert stopped(client, "virus", "198.18.1.10", 7) == [entry]
    assert "log/disk/virus" in str(unread(client, "virus"))
    without(api, "disk/virus", "memory/virus")
    with pytest.raises(Refused, match="log/disk/virus"):
        stopped(client, "virus", "198.18.1.10", 7)
    without(api)
    assert unread(client, "virus") is None


def test_a_device_without_its_own_state_is_looked_at_all_the_same(
    api: ScriptedApi, client: FortiGate
) -> None:
    without(api, "web-ui/state")
    assert own_state(client) is None


def test_a_licence_that_is_not_told_is_not_proven(api: ScriptedApi, client: FortiGate) -> None:
    status = told(results={}, serial=SERIAL, version="v7.4.9", build=2829)
    api.script = [status, *[NO_REASON] * 6, status]
    identity = identify(client, "fw.example")
    assert (identity.licence, identity.memory_mb) == (UNKNOWN, None)
    order = SimpleNamespace(gateway=SimpleNamespace(evaluation=False))
    with pytest.raises(NotProven, match="does not report a licence"):
        Gateway.Gateway(Played(order=order, identity=identity)).the_licence_should_be_valid()


@pytest.mark.parametrize(
    ("path", "keeps"),
    [
        ("monitor/router/ipv6", {"customer_rules", "edge"}),
        ("monitor/vpn/ipsec", {"site_to_site_vpn", "remote_access", "studies"}),
        ("monitor/vpn/ssl", {"remote_access"}),
        ("monitor/user/banned", {"policy_enforcement"}),
        ("log/disk/virus", set()),
    ],
)
def test_doctor_looks_at_all_the_rest(
    device: GatewayUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, keeps: set
) -> None:
    world = World(device, tmp_path)
    world.play(monkeypatch)
    device.control("PUT", "/faults/api-500", {"path": path})
    made = world.examine()
    kept = [one for one in made.findings if one.keeps]
    assert {name for one in kept for name in one.keeps} <= keeps
    assert all(path in one.what and "HTTP 500" in one.what for one in kept)
    assert bool(kept) == bool(keeps)
    assert [one for one in made.findings if "has the rights to all" in one.what] or keeps


def test_a_refusal_of_the_command_line_is_final(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [refused(-651, "no")]
    with pytest.raises(Refused) as caught:
        client.monitor("router/ipv6")
    assert not isinstance(caught.value, Unanswered)
