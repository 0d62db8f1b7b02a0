"""Local-in policies, hosts that leave by virtual addresses, idle sessions, with real traffic.

Needs root.
"""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
from dataplane_config import config, policy, refs, service
from dataplane_rig import CLIENT, GATEWAY, SERVER, Rig

from lab.gateway.dataplane import DataPlane

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

NEAR, PUBLISHED, POOL = "198.18.1.1", "198.18.2.120", "198.18.2.100"


def local_in(**values: object) -> dict:
    row = {
        "policyid": 1,
        "intf": "port2",
        "srcaddr": refs("client"),
        "dstaddr": refs("all"),
        "service": refs("PING"),
        "schedule": "always",
        "action": "deny",
        "status": "enable",
    }
    return row | {key.replace("_", "-"): value for key, value in values.items()}


def with_local_in(*rows: dict) -> dict:
    return config(policy(1)) | {"firewall/local-in-policy": rows}


def test_a_local_in_policy_closes_the_gateway_itself(rig: Rig) -> None:
    rig.apply(with_local_in())
    assert rig.ping(NEAR) and rig.ping(GATEWAY, rig.server)
    rig.apply(with_local_in(local_in()))
    assert not rig.ping(NEAR) and not rig.ping(GATEWAY)
    assert rig.ping(GATEWAY, rig.server), "it is about another port"
    assert rig.ping(SERVER) and rig.tcp() == CLIENT, "it is not about what passes"
    rig.apply(with_local_in())
    assert rig.ping(NEAR)


@pytest.mark.parametrize(
    "values",
    [
        {"status": "disable"},
        {"schedule": "none"},
        {"intf": "port1"},
        {"intf": refs("port1")},
        {"srcaddr": refs("server")},
        {"dstaddr": refs("server")},
        {"service": refs("HTTP")},
        {"srcaddr-negate": "enable"},
    ],
)
def test_what_it_does_not_name_is_answered(rig: Rig, values: dict) -> None:
    rig.apply(with_local_in(local_in(**values)))
    assert rig.ping(NEAR)


def test_they_decide_in_their_order_and_the_interface_after_them(rig: Rig) -> None:
    accept = local_in(policyid=2, action="accept")
    rig.apply(with_local_in(accept, local_in(intf="any")))
    assert rig.ping(NEAR)
    rig.apply(with_local_in(local_in(intf=refs("port1", "port2")), accept))
    assert not rig.ping(NEAR)
    rows = with_local_in(accept)
    ports = [{**row, "allowaccess": ""} for row in rows["system/interface"]]
    rig.apply(rows | {"system/interface": ports})
    assert not rig.ping(NEAR), "what a policy accepts has to be allowed on the interface as well"


def test_hosts_leave_by_the_address_that_leads_to_them(rig: Rig) -> None:
    vip = {
        "name": "v",
        "type": "static-nat",
        "extip": PUBLISHED,
        "extintf": "port1",
        "mappedip": [{"range": CLIENT}],
        "portforward": "disable",
    }
    inward = policy(2, srcintf=refs("port1"), dstintf=refs("port2"), dstaddr=refs("v"))
    pool = {"name": "p", "type": "overload", "startip": POOL, "endip": POOL}
    by_pool = policy(1, nat="enable", ippool="enable", poolname=refs("p"))

    def seen(outward: dict, *more: dict, **values: str) -> str | None:
        rig.apply(config(outward, *more, vip=[vip | values], ippool=[pool]))
        return rig.tcp()

    assert seen(policy(1, nat="enable"), inward) == PUBLISHED
    assert seen(policy(1, nat="enable")) == GATEWAY, "no policy names it"
    assert seen(policy(1), inward) == CLIENT
    assert seen(by_pool, inward) == POOL
    assert seen(by_pool, inward, **{"nat-source-vip": "enable"}) == PUBLISHED
    assert seen(policy(1, nat="enable"), inward, extintf="port2") == GATEWAY
    ports = {"portforward": "enable", "protocol": "tcp", "extport": "80", "mappedport": "80"}
    assert seen(policy(1, nat="enable"), inward, **ports) == GATEWAY


def test_a_host_reaches_its_own_port_by_an_outside_address(rig: Rig) -> None:
    vip = {
        "name": "v",
        "type": "static-nat",
        "extip": PUBLISHED,
        "extintf": "any",
        "mappedip": [{"range": CLIENT}],
        "portforward": "enable",
        "protocol": "tcp",
        "extport": "8080",
        "mappedport": "8080",
    }
    inside = policy(1, dstintf=refs("port2"), dstaddr=refs("v"), nat="enable")
    rig.apply(config(inside, vip=[vip]))
    with rig.client.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("0.0.0.0", 8080))
        listener.listen()
        assert rig.connect(listener, PUBLISHED, 8080) == NEAR


def test_an_idle_session_ends_when_its_service_says(rig: Rig) -> None:
    services = [
        service("short", **{"udp-portrange": "9001", "udp-idle-timer": 1}),
        service("long", **{"udp-portrange": "9002", "udp-idle-timer": 0}),
    ]
    groups = [{"name": "both", "member": refs("short", "long")}]
    rig.apply(config(policy(1, service=refs("both")), custom=services, group=groups))
    sockets = {}
    for port in (9001, 9002):
        far = rig.server.socket(socket.AF_INET, socket.SOCK_DGRAM)
        near = rig.client.socket(socket.AF_INET, socket.SOCK_DGRAM)
        far.bind((SERVER, port))
        near.sendto(b"?", (SERVER, port))
        sockets[port] = (far, near, far.recvfrom(10)[1])
    answered: dict[int, list[bytes]] = {port: [] for port in sockets}
    for words, pause_s in ((b"at once", 3.0), (b"late", 0.0)):
        for far, _, peer in sockets.values():
            far.sendto(words, peer)
        for port, (_, near, _) in sockets.items():
            near.settimeout(0.3)
            try:
                answered[port].append(near.recv(10))
            except TimeoutError:
                continue
        time.sleep(pause_s)
    for far, near, _ in sockets.values():
        far.close()
        near.close()
    assert answered == {9001: [b"at once"], 9002: [b"at once", b"late"]}
    rig.apply(config(policy(1, service=refs("long")), custom=services))
    assert "udp_idle" not in rig.output("nft", "list", "ruleset")


def test_another_process_takes_over_the_times_of_services(rig: Rig, tmp_path: Path) -> None:
    short = [service("short", **{"udp-portrange": "9001", "udp-idle-timer": 7})]
    rig.apply(config(policy(1, service=refs("short")), custom=short))
    assert "udp_idle_7" in rig.output("nft", "list", "ruleset")
    rig.plane = DataPlane(tmp_path)
    rig.apply(config(policy(1)))
    assert "udp_idle" not in rig.output("nft", "list", "ruleset")
