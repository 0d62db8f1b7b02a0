"""Flows: what an order may say of them, what came of them, and drafts of them."""

from __future__ import annotations

import pytest
import yaml
from pydantic import ValidationError

from gatepass.base.errors import NotProven
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.routing import RoutingTable
from gatepass.inputs.flows import Flow
from gatepass.scenarios.flows.conduct import Arrival, Tried
from gatepass.scenarios.flows.draft import Delivered, as_yaml, draft
from gatepass.scenarios.flows.findings import FlowFindings
from gatepass.scenarios.flows.places import Place, Placed, Places
from gatepass.scenarios.leaks.ways import Link, Side


def _flow(source: str = "10.20.1.10", target: str = "203.0.113.80", service: str = "tcp/443",
          expect: str = "pass", **more: str) -> Flow:
    keys = {"from": source, "to": target, "service": service, "expect": expect}
    return Flow.model_validate(keys | more)


def _side(name: str, port: str, network: int) -> Side:
    address, own = f"198.18.{network}.10", f"198.18.{network}.1"
    link = Link("eth1", "02:00:00:00:00:01", own, "02:00:00:00:00:02", (f"{address}/24",))
    return Side(name, port, {4: address}, {4: link}, {4: own})


CLIENT, SERVER, PEER = (
    _side(*one) for one in (("client", "port2", 1), ("server", "port1", 2), ("peer", "port3", 4))
)
ROUTES = (
    {"ip_mask": "198.18.1.0/24", "gateway": "0.0.0.0", "interface": "port2"},
    {"ip_mask": "198.18.2.0/24", "gateway": "0.0.0.0", "interface": "port1"},
    {"ip_mask": "198.18.4.0/24", "gateway": "0.0.0.0", "interface": "port3"},
    {"ip_mask": "10.20.0.0/16", "gateway": "198.18.1.254", "interface": "port2"},
    {"ip_mask": "0.0.0.0/0", "gateway": "198.18.2.254", "interface": "port1"},
    {"ip_mask": "192.168.7.0/24", "gateway": "0.0.0.0", "interface": "port7"},
    {"ip_mask": "172.16.0.0/12", "gateway": "198.18.1.253", "interface": "port2"},
    {"ip_mask": "172.16.0.0/12", "gateway": "198.18.4.253", "interface": "port3"},
    {"ip_mask": "2001:db8:1::/48", "gateway": "::", "interface": "port2"},
    {"ip_mask": "::/0", "gateway": "fe80::1", "interface": "port1"},
)


def test_a_flow_says_who_speaks_to_whom_and_how_it_is_seen() -> None:
    flow = _flow(seen_from="198.18.2.1-198.18.2.4", seen_at="10.1.0.80:8443", name="shop")
    assert (flow.version, flow.protocol, flow.port) == (4, "tcp", 443)
    assert (str(flow.at[0]), flow.at[1]) == ("10.1.0.80", 8443)
    assert flow.may_come_from("198.18.2.3") and not flow.may_come_from("198.18.2.5")
    assert str(flow) == "“shop”, 10.20.1.10 to 203.0.113.80 by tcp/443"
    six = _flow("2001:db8::1", "2001:db8:1::2", "icmp", seen_at="2001:db8:2::2")
    assert (six.version, six.protocol, six.port, str(six.at[0])) == (6, "icmp", 0, "2001:db8:2::2")
    port = _flow("2001:db8::1", "2001:db8:1::2", seen_at="[2001:db8:2::2]:8443")
    assert port.at[1] == 8443
    assert _flow(service="ip/47").protocol == "47"
    assert _flow().may_come_from("192.0.2.1"), "what was not agreed is not held against it"


@pytest.mark.parametrize(
    "values",
    [
        {"service": "443"},
        {"service": "tcp/0"},
        {"service": "tcp/70000"},
        {"service": "ip/6"},
        {"service": "ip/256"},
        {"source": "10.20.1.0/24"},
        {"source": "127.0.0.1"},
        {"source": "224.0.0.5"},
        {"source": "2001:db8::1"},
        {"target": "10.20.1.10"},
        {"seen_from": "2001:db8::/64"},
        {"seen_from": "198.18.2.4-198.18.2.1"},
        {"seen_at": "10.1.0.80:0"},
        {"seen_at": "shop.example:80"},
        {"seen_at": "10.20.1.10"},
        {"service": "icmp", "seen_at": "10.1.0.80:80"},
        {"expect": "allow"},
    ],
)
def test_what_is_no_flow(values: dict) -> None:
    with pytest.raises(ValidationError):
        _flow(**values)


# -- where the ends are ------------------------------------------------------------------------


def _places() -> Places:
    return Places((CLIENT, SERVER, PEER), RoutingTable(ROUTES), frozenset({"198.18.2.1"}))


def test_the_ends_of_a_flow_are_where_the_gateway_routes_to() -> None:
    placed = _places().of(3, _flow())
    assert (placed.source.side, placed.source.router) == (CLIENT, "198.18.1.254")
    assert (placed.target.side, placed.target.router) == (SERVER, "198.18.2.254")
    near = _places().of(0, _flow("198.18.4.77", "198.18.1.77"))
    assert (near.source.router, near.target.router) == ("", "")
    published = _places().of(0, _flow("203.0.113.9", "198.18.2.9", seen_at="10.20.1.80"))
    assert (published.source.side, published.target.side) == (SERVER, CLIENT)


@pytest.mark.parametrize(
    ("flow", "words"),
    [
        (_flow("192.168.7.7"), "by its port port7, behind which the testbed names no endpoint"),
        (_flow("198.18.1.10"), "198.18.1.10 is the client's own address"),
        (_flow(target="198.18.2.1"), "198.18.2.1 is the gateway's own address"),
        (_flow(target="198.18.1.80"), "are both behind the gateway's port port2"),
        (_flow("172.16.0.9"), "several routes to 172.16.0.9, by port2 and port3"),
        (_flow("2001:db8:1::1", "2001:db8:2::1"), "names no IPv6 address of the client"),
    ],
)
def test_why_nobody_can_stand_in(flow: Flow, words: str) -> None:
    with pytest.raises(NotProven) as told:
        _places().of(0, flow)
    assert words in str(told.value)


def test_without_a_route_nothing_can_be_told() -> None:
    with pytest.raises(NotProven, match=r"no route to 10\.9\.9\.9"):
        RoutingTable(ROUTES[:3]).lookup("10.9.9.9")


# -- what came of them ---------------------------------------------------------------------------


def _policy(policyid: int, source: str, target: str, service: str, **values: object) -> dict:
    lists = {
        key: [{"name": name} for name in str(values.pop(key, default)).split()]
        for key, default in (("srcintf", "port2"), ("dstintf", "port1"))
    }
    return {
        "policyid": policyid,
        "name": f"p{policyid}",
        "status": "enable",
        "srcaddr6": [],
        "dstaddr6": [],
        "srcaddr": [{"name": source}],
        "dstaddr": [{"name": target}],
        "service": [{"name": service}],
        "action": "accept",
        "schedule": "always",
        **lists,
        **values,
    }


def _table(*policies: dict) -> PolicyTable:
    return PolicyTable(
        {
            "firewall/policy": policies,
            "firewall/address": [
                {"name": "lan", "subnet": "10.20.0.0 255.255.0.0"},
                {"name": "boss", "subnet": "10.20.0.77 255.255.255.255"},
                {"name": "named", "type": "fqdn", "fqdn": "example.com"},
            ],
            "firewall/vip": [
                {"name": "shop", "extip": "198.18.2.9", "mappedip": [{"range": "10.20.1.80"}]},
                {"name": "mail", "extip": "198.18.2.7", "mappedip": [{"range": "10.20.1.81"}],
                 "portforward": "enable", "protocol": "tcp", "extport": "25", "mappedport": "2525"},
            ],
            "firewall.service/custom": [
                {"name": "HTTPS", "protocol": "TCP/UDP/SCTP", "tcp-portrange": "443"},
                {"name": "DNS", "protocol": "TCP/UDP/SCTP", "udp-portrange": "53"},
                {"name": "PING", "protocol": "ICMP", "icmptype": 8},
                {"name": "GRE", "protocol": "IP", "protocol-number": 47},
            ],
        }
    )


def _tried(flow: Flow, outcome: str, *arrived: Arrival) -> Tried:
    placed = Placed(0, flow, Place(CLIENT, flow.source, ""), Place(SERVER, flow.target, ""))
    return Tried(0, flow, "", placed, arrived, outcome, "no answer" if outcome == "silent" else "")


def _arrival(source: str = "10.20.1.10", target: str = "203.0.113.80", port: int = 443) -> Arrival:
    return Arrival(SERVER, "frame", source, target, port)


def test_what_came_of_a_flow_that_is_to_pass() -> None:
    findings = FlowFindings([], _table(_policy(7, "lan", "all", "HTTPS")))
    flow = _flow()
    assert findings.wrong(_tried(flow, "answered", _arrival())) == ""
    lost = findings.wrong(_tried(flow, "silent"))
    assert lost == (
        "10.20.1.10 to 203.0.113.80 by tcp/443 is to pass and did not arrive behind port1. "
        "By the rule set policy 7 “p7” accepts it."
    )
    assert "its answer did not come back (no answer)" in findings.wrong(
        _tried(flow, "silent", _arrival())
    )
    assert "although the gateway took the connection" in findings.wrong(_tried(flow, "opened"))
    one_way = _flow(service="ip/47")
    assert findings.wrong(_tried(one_way, "sent", _arrival(port=0))) == ""


def test_what_came_of_a_flow_that_is_to_be_blocked() -> None:
    findings = FlowFindings([], _table(_policy(7, "lan", "all", "HTTPS")))
    flow = _flow(service="tcp/23", expect="block")
    assert findings.wrong(_tried(flow, "silent")) == ""
    told = findings.wrong(_tried(flow, "silent", _arrival(port=23)))
    assert "is to be blocked and arrived at 203.0.113.80 port 23 behind port1, from 10.20" in told
    assert told.endswith("By the rule set the implicit deny denies it.")


def test_how_a_flow_was_translated() -> None:
    findings = FlowFindings([], _table())
    flow = _flow(seen_from="198.18.2.1", seen_at="10.1.0.80:8443")
    assert findings.wrongly_translated(
        _tried(flow, "answered", _arrival("198.18.2.1", "10.1.0.80", 8443))
    ) == ""
    assert "was seen from 10.20.1.10, agreed is 198.18.2.1" in findings.wrongly_translated(
        _tried(flow, "answered", _arrival())
    )
    assert "arrived at 10.1.0.80 port 443, agreed is 10.1.0.80:8443" in (
        findings.wrongly_translated(_tried(flow, "answered", _arrival("198.18.2.1", "10.1.0.80")))
    )


def test_policies_that_no_flow_touches_are_listed() -> None:
    table = _table(
        _policy(1, "lan", "all", "HTTPS"),
        _policy(2, "lan", "all", "DNS"),
        _policy(3, "lan", "all", "PING", status="disable"),
        _policy(4, "named", "all", "ALL"),
    )
    tried = [_tried(_flow(), "answered", _arrival())]
    assert FlowFindings(tried, table).untouched == ["policy 2 “p2”", "policy 4 “p4”"]
    unsure = [_tried(_flow(service="tcp/22", expect="block"), "silent")]
    assert "policy 4 “p4”" not in FlowFindings(unsure, table).untouched, "it may have decided"


def test_the_file_of_all_flows() -> None:
    table = _table(_policy(1, "lan", "all", "HTTPS"))
    trouble = Tried(1, _flow("192.168.7.7"), "no endpoint stands there")
    lines = FlowFindings([_tried(_flow(), "answered", _arrival()), trouble], table).as_csv()
    assert lines.splitlines()[1:] == [
        ",10.20.1.10,203.0.113.80,tcp/443,pass,arrived,10.20.1.10,203.0.113.80:443,1,",
        ",192.168.7.7,203.0.113.80,tcp/443,pass,,,,,no endpoint stands there",
    ]


# -- drafts ---------------------------------------------------------------------------------------


def _delivered(*policies: dict, **more: object) -> Delivered:
    table = _table(*policies)
    values = {
        "table": table,
        "routes": RoutingTable(ROUTES),
        "addresses": {"port1": {4: ["198.18.2.1"], 6: []}, "port2": {4: ["198.18.1.1"], 6: []}},
        "rows": {
            "firewall/vip": table._tables["firewall/vip"],
            "firewall/ippool": [
                {"name": "out", "startip": "198.18.2.20", "endip": "198.18.2.29"}
            ],
        },
        "ports": ("port2", "port1"),
        "taken": frozenset({"198.18.1.10", "198.18.2.10"}),
    }
    return Delivered(**(values | more))


def _drafted(*policies: dict, **more: object) -> dict[str, Flow | None]:
    return {one.about: one.flow for one in draft(_delivered(*policies, **more))}


def test_each_policy_gets_a_flow_that_it_decides_about() -> None:
    policies = (
        _policy(1, "boss", "all", "HTTPS", action="deny"),
        _policy(2, "lan", "all", "HTTPS", nat="enable"),
        _policy(3, "lan", "all", "DNS", nat="enable", ippool="enable", poolname=[{"name": "out"}]),
        _policy(4, "lan", "all", "PING"),
        _policy(5, "lan", "all", "GRE"),
    )
    drafted = _drafted(*policies)
    first = drafted["policy 1 “p1”"]
    assert (first.source, first.expect, first.seen_from) == ("10.20.0.77", "block", None)
    second = drafted["policy 2 “p2”"]
    assert second.source != "10.20.0.77" and second.source.startswith("10.20.")
    assert (second.service, second.expect, second.seen_from) == ("tcp/443", "pass", "198.18.2.1")
    assert drafted["policy 3 “p3”"].seen_from == "198.18.2.20-198.18.2.29"
    fourth = drafted["policy 4 “p4”"]
    assert (fourth.service, fourth.seen_from) == ("icmp", fourth.source)
    assert drafted["policy 5 “p5”"].service == "ip/47"
    assert drafted["what nothing permits from port1 to port2"].expect == "block"
    table = _table(*policies)
    tried = [
        Tried(0, flow, "", Placed(0, flow, Place(CLIENT, flow.source, ""),
                                  Place(SERVER, flow.target, "")))
        for about, flow in drafted.items() if about.startswith("policy")
    ]
    assert FlowFindings(tried, table).untouched == []


def test_a_published_server_is_drafted_with_the_place_where_it_arrives() -> None:
    drafted = _drafted(
        _policy(1, "all", "shop", "HTTPS", srcintf="port1", dstintf="port2"),
        _policy(2, "all", "mail", "ALL", srcintf="port1", dstintf="port2"),
    )
    shop, mail = drafted["policy 1 “p1”"], drafted["policy 2 “p2”"]
    assert (shop.target, shop.service, shop.seen_at) == ("198.18.2.9", "tcp/443", "10.20.1.80")
    assert (mail.target, mail.service, mail.seen_at) == ("198.18.2.7", "tcp/25", "10.20.1.81:2525")


@pytest.mark.parametrize(
    ("above", "drafted"),
    [
        ({"match-vip": "disable"}, True),
        ({"match-vip": "enable"}, False),
        ({}, False),
        ({"match-vip": "enable", "tos-mask": "0xfc"}, False),
        ({"match-vip": "enable", "status": "disable"}, True),
    ],
)
def test_a_published_server_is_drafted_where_no_denial_above_meets_it(
    above: dict, drafted: bool
) -> None:
    ports = {"srcintf": "port1", "dstintf": "port2"}
    found = _drafted(
        _policy(1, "all", "all", "ALL", action="deny", **ports, **above),
        _policy(2, "all", "shop", "HTTPS", **ports),
    )
    assert (found["policy 2 “p2”"] is not None) is drafted


@pytest.mark.parametrize(
    "above",
    [
        {"internet-service": "enable", "dstaddr": [], "service": []},
        {"action": "deny", "reputation-minimum": 3},
        {"quantum-check": "enable"},
        {"dstintf": [{"name": "a-zone-of-sdwan"}]},
    ],
)
def test_nothing_is_drafted_that_a_policy_above_may_decide_about(above: dict) -> None:
    found = _drafted(_policy(1, "all", "all", "ALL") | above, _policy(2, "lan", "all", "HTTPS"))
    assert found["policy 2 “p2”"] is None


def test_how_a_host_with_a_published_address_is_seen_is_not_drafted() -> None:
    boss = {"name": "boss", "extip": "198.18.2.8", "mappedip": [{"range": "10.20.0.77"}]}
    rows = {"firewall/vip": [boss], "firewall/ippool": []}
    row = _policy(1, "boss", "all", "HTTPS", nat="enable")
    assert _drafted(row)["policy 1 “p1”"].seen_from == "198.18.2.1"
    assert _drafted(row, rows=rows)["policy 1 “p1”"].seen_from is None
    boss |= {"portforward": "enable", "extport": "443", "mappedport": "443"}
    assert _drafted(row, rows=rows)["policy 1 “p1”"].seen_from == "198.18.2.1"


def test_what_cannot_be_drafted_says_why() -> None:
    found = draft(_delivered(
        _policy(1, "lan", "all", "ALL"),
        _policy(2, "boss", "all", "HTTPS"),
        _policy(3, "named", "all", "ALL"),
        _policy(4, "all", "all", "ALL", srcintf="port7"),
    ))
    reasons = [one.reason for one in found if one.flow is None]
    assert len(reasons) == 3
    assert "is never met: policy 1 before it" in reasons[0]
    assert "names" in reasons[1] and "an endpoint" in reasons[2]


def test_a_draft_is_a_part_of_an_order() -> None:
    found = draft(_delivered(_policy(1, "lan", "all", "HTTPS"), _policy(2, "named", "all", "ALL")))
    text = as_yaml(found)
    read = [Flow.model_validate(one) for one in yaml.safe_load(text)["flows"]]
    assert read == [one.flow for one in found if one.flow]
    assert "# policy 2 “p2”: no flow was drafted: it depends on names" in text


def test_a_draft_holds_nothing_that_a_policys_name_writes() -> None:
    forged = "x\n  - {name: forged, from: client, to: server, service: tcp/1, expect: pass}"
    rows = [_policy(number, who, "all", "HTTPS") for number, who in ((1, "lan"), (2, "named"))]
    text = as_yaml(draft(_delivered(*(row | {"name": f"{forged}\u2028- a"} for row in rows))))
    assert "forged" not in [one["name"] for one in yaml.safe_load(text)["flows"]]
    assert all(line.lstrip().startswith(("#", "-")) or ": " in line or line == "flows:"
               for line in text.splitlines())


def test_where_translation_is_central_a_draft_does_not_say_how_it_is_seen() -> None:
    drafted = _drafted(_policy(1, "lan", "all", "HTTPS", nat="enable"), central_nat=True)
    assert drafted["policy 1 “p1”"].seen_from is None
