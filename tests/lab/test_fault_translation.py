"""What faults of address translation make of an intent: that much and no more."""

from __future__ import annotations

from dataclasses import replace

from dataplane_config import config, policy, refs

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.faults.translation import published, still_published
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.model import Intent, Vip


def vip(name: str, **values: str) -> dict:
    row = {
        "name": name,
        "extip": "198.18.2.120",
        "extintf": "port1",
        "mappedip": [{"range": "198.18.1.10"}],
        "portforward": "enable",
        "protocol": "tcp",
        "extport": "8000",
        "mappedport": "80",
    }
    return row | values


def intent(*vips: dict) -> Intent:
    names = [row["name"] for row in vips]
    rows = [policy(1), policy(2, srcintf=refs("port1"), dstaddr=refs(*names))] if vips else [
        policy(1)
    ]
    return compile_config(config(*rows, vip=vips))


def faulty(name: str, *vips: dict) -> list[Vip]:
    found = with_faults(intent(*vips), {name: {}})
    assert tuple(found.vips) == found.policies[1].vips, "policies are about the same ones"
    return list(found.vips)


def test_another_port_of_the_host() -> None:
    (one,) = faulty("vip-wrong-port", vip("v"))
    assert (one.external_ports, one.mapped_port) == ((8000, 8000), 81)
    whole = vip("v", portforward="disable")
    assert faulty("vip-wrong-port", whole) == list(intent(whole).vips)


def test_every_other_port_as_well() -> None:
    sound, more = faulty("vip-every-port", vip("v"))
    assert [sound] == list(intent(vip("v")).vips)
    assert (more.protocol, more.external_ports) == (6, None)


def test_from_outside_alone() -> None:
    one, two = faulty("vip-not-from-inside", vip("v", extintf="any"), vip("w", extintf="port2"))
    assert (one.interface, two.interface) == ("port1", "port2")


def test_hosts_do_not_leave_by_it() -> None:
    whole = vip("v", portforward="disable")
    assert intent(whole).vips[0].hides_hosts
    assert not faulty("vip-one-way", whole)[0].hides_hosts


def test_what_was_published_stays_so() -> None:
    with_both, with_one, without = intent(vip("v"), vip("w")), intent(vip("v")), intent()
    former = published(with_both)
    assert still_published(with_both, former) == with_both
    found = still_published(without, former)
    assert [one.id for one in found.policies] == [2, 1] and not found.policies[0].configured
    assert [one.name for one in found.vips] == ["v", "w"]
    assert still_published(with_one, former) == with_one, "its policy is there still"
    assert still_published(without, {}) == replace(without, policies=[*without.policies])
