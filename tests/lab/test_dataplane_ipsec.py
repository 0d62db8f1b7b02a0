"""Site-to-site tunnels: real keys and real packets between the lab's gateway and another office."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from dataplane_config import policy, refs
from dataplane_rig import CLIENT
from ipsec_rig import PEER, SECRET, OfficeRig, behind, site_to_site

from lab.gateway.dataplane.ipsec import part

_COUNTERS = """table inet seen {
  counter clear_text { }
  counter encrypted { }
  chain arriving {
    type filter hook prerouting priority -300
    iifname "data" ip daddr 198.19.100.0/22 counter name clear_text
    iifname "data" udp dport { 500, 4500 } counter name encrypted
  }
}"""

OUT = policy(1, srcintf=refs("port2"), dstintf=refs("t1"))
BACK = policy(2, srcintf=refs("t1"), dstintf=refs("port2"))


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[OfficeRig]:
    made = OfficeRig(tmp_path)
    yield made
    made.close()


def carried(rig: OfficeRig, name: str = "t1") -> tuple[int, int]:
    """Bytes that a phase 2 received and sent."""
    found = rig.gateway(rig.plane.ipsec).carried.get((name, name))
    return (found.received, found.sent) if found else (0, 0)


def connections(rig: OfficeRig) -> dict[str, int]:
    """charon's number of each tunnel's connection."""
    return {sa.tunnel: sa.id for sa in rig.gateway(rig.plane.ipsec).sas if sa.established}


def crossings(rig: OfficeRig) -> dict[str, int]:
    """Packets that reached the other office, by what they are; counted from the first call on."""
    shown = rig.office.node.spawn("nft", "-j", "list", "counters").communicate(timeout=60)[0]
    if "counter" not in shown:
        said = rig.office.node.spawn("nft", _COUNTERS).communicate(timeout=60)[0]
        assert not said, said
        return {"clear_text": 0, "encrypted": 0}
    counters = [item["counter"] for item in json.loads(shown)["nftables"] if "counter" in item]
    return {counter["name"]: counter["packets"] for counter in counters}


def test_a_tunnel_comes_up_and_carries_both_ways(rig):
    rig.office.start(1)
    crossings(rig)
    rig.apply(site_to_site())
    assert rig.is_up("t1")
    assert rig.ping(behind(1))
    assert rig.ping(CLIENT, rig.office.node)
    received, sent = carried(rig)
    assert received == sent == 56
    assert rig.counters()[1].packets == rig.counters()[2].packets == 2
    seen = crossings(rig)
    assert seen["clear_text"] == 0
    assert seen["encrypted"] >= 4  # two of IKE, two echoes
    assert SECRET not in "".join(
        path.read_text(errors="replace") for path in rig.plane.folder.rglob("*") if path.is_file()
    )


def test_nothing_goes_in_clear_while_a_tunnel_is_down(rig):
    rig.office.start(1)
    rig.office.stop()
    crossings(rig)
    rig.apply(site_to_site())
    assert not rig.ping(behind(1))
    assert crossings(rig)["clear_text"] == 0
    assert "t1" not in {route["interface"] for route in rig.gateway(rig.plane.routes)}
    assert not rig.gateway(rig.plane.interfaces)["t1"]["link"]
    rig.office.start(1)
    assert rig.is_up("t1")
    assert rig.ping(behind(1))
    assert "t1" in {route["interface"] for route in rig.gateway(rig.plane.routes)}


def test_a_policy_for_one_tunnel_permits_nothing_of_another(rig):
    rig.office.start(2)
    rig.apply(site_to_site(OUT, BACK, count=2))
    assert rig.is_up("t1", "t2")
    assert rig.ping(behind(1))
    assert not rig.ping(behind(2))
    rig.office.node(_answer_from, behind(2))
    assert not rig.ping(CLIENT, rig.office.node)


def test_a_packet_from_outside_the_selectors_does_not_come_out(rig):
    rig.office.start(2)
    rig.apply(site_to_site(count=2))
    assert rig.is_up("t1", "t2")
    rig.office.node(_answer_from, PEER)
    assert not rig.ping(CLIENT, rig.office.node)


def test_a_change_of_one_tunnel_leaves_the_others_alone(rig):
    rig.office.start(2)
    both = site_to_site(count=2)
    rig.apply(both)
    assert rig.is_up("t1", "t2")
    before = connections(rig)
    both["vpn.ipsec/phase2-interface"][1]["keylifeseconds"] = 300
    rig.apply(both)
    assert rig.eventually(lambda: connections(rig).get("t2", before["t2"]) != before["t2"])
    assert connections(rig)["t1"] == before["t1"]
    only = site_to_site()
    rig.apply(only)
    assert rig.ping(behind(1))
    assert rig.eventually(lambda: rig.up() == {"t1"})
    assert '"t2"' not in rig.output("ip", "-br", "link")


def test_keys_that_are_deleted_come_back_only_where_they_are_to(rig):
    rig.office.start(2)
    made = site_to_site(count=2)
    made["vpn.ipsec/phase2-interface"][1]["auto-negotiate"] = "disable"
    rig.apply(made)
    assert rig.is_up("t1")
    rig.gateway(rig.plane.tunnel_up, "t2", "t2")
    assert rig.is_up("t2")
    rig.gateway(rig.plane.tunnel_down, "t1", "t1")
    rig.gateway(rig.plane.tunnel_down, "t2", "t2")
    assert rig.eventually(lambda: not rig.up(), 2)
    assert rig.is_up("t1")
    assert not rig.is_up("t2", seconds=4)  # longer than it is before one asks again
    rig.ping(behind(2))  # traffic is what brings it up, whether or not this packet waits for it
    assert rig.is_up("t2")


def test_a_tunnel_comes_back_after_the_other_end_was_lost(rig):
    rig.office.start(1)
    rig.apply(site_to_site())
    assert rig.is_up("t1")
    rig.office.stop()
    rig.office.start(1)
    assert rig.eventually(lambda: rig.ping(behind(1)), 40)


def test_charon_runs_while_there_is_a_tunnel_and_anew_if_it_dies(rig):
    rig.office.start(1)
    rig.apply(site_to_site())
    assert rig.is_up("t1")
    rig.plane._ike._charon.stop()
    assert rig.eventually(lambda: rig.ping(behind(1)), 20)
    empty = site_to_site(count=0)
    rig.apply(empty)
    assert not rig.plane._ike._charon.running
    assert "ipsec0" not in rig.output("ip", "-br", "link")


def test_bytes_add_up_over_new_keys_until_they_are_reset(rig):
    rig.office.start(1)
    rig.apply(site_to_site())
    assert rig.is_up("t1")
    assert rig.ping(behind(1))
    # what keys carried after the last look at them goes with them
    assert carried(rig) == (28, 28)
    session = rig.plane._ike._session
    with rig.plane._ike._lock:
        session.rekey({"child": "t1"})
    assert rig.eventually(lambda: [key.id for key in _keys(rig) if key.up] == [2])
    # the old keys are used until the other end has heard of the new ones
    assert rig.eventually(lambda: [len(sa.children) for sa in rig.office.sas()] == [1])
    assert rig.ping(behind(1))
    assert carried(rig) == (56, 56)
    rig.gateway(rig.plane.reset_ipsec_counters, "t1")
    assert carried(rig) == (0, 0)


def test_fault_other_cipher(rig):
    wide = ["aes256-sha256-modp2048", "aes128-sha256-modp2048"]
    rig.office.start(1, child={"esp_proposals": wide})
    rig.apply(site_to_site(), {"ipsec-other-cipher": {}})
    assert rig.is_up("t1")
    assert _cipher(rig) == "128"
    rig.apply(site_to_site())
    assert rig.eventually(lambda: rig.up() == {"t1"} and _cipher(rig) == "256")


def test_fault_clear_beside(rig):
    rig.office.start(1)
    crossings(rig)
    rig.apply(site_to_site(), {"ipsec-clear-beside": {}})
    assert rig.is_up("t1")
    assert rig.ping(behind(1))
    assert crossings(rig)["clear_text"] == 1
    assert carried(rig)[1] == 0


def test_fault_never_rekeys(rig):
    rig.office.start(1)
    rig.apply(site_to_site(two={"keylifeseconds": 3}), {"ipsec-never-rekeys": {}})
    assert rig.is_up("t1")
    assert rig.eventually(lambda: not rig.up())
    time.sleep(4)
    assert not rig.up()


def test_fault_stays_down_also_if_it_went_before_the_keeper_looked(rig, monkeypatch):
    monkeypatch.setattr(part, "_TOGETHER_S", 1.0)
    monkeypatch.setattr(part, "_AGAIN_S", 1.5)
    rig.office.start(1)
    rig.apply(site_to_site(), {"ipsec-stays-down": {}})
    # one that is only half there cannot be ended
    assert rig.eventually(lambda: any(sa.established for sa in rig.office.sas()))
    rig.office.end("t1")
    assert not rig.eventually(rig.office.sas, seconds=5)


def test_keys_are_renewed_before_they_expire(rig):
    rig.office.start(1)
    rig.apply(site_to_site(two={"keylifeseconds": 4}))
    assert rig.is_up("t1")
    # user space carries it, which waits for a processor where others are busy
    assert all(rig.ping(behind(1), patience_s=3) or time.sleep(0) for _ in _for_seconds(6))
    assert max(key.id for key in _keys(rig)) > 1


def test_fault_slow(rig):
    rig.office.start(1)
    rig.apply(site_to_site())
    assert rig.is_up("t1")
    fast = _mbps(rig)
    rig.apply(site_to_site(), {"ipsec-slow": {"mbps": 5}})
    assert _mbps(rig) < 6 < fast
    rig.apply(site_to_site())
    assert _mbps(rig) > 6


def _answer_from(address: str) -> None:
    """Have what goes to the client go through the tunnel from this address."""
    from pyroute2 import IPRoute

    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname="ipsec0")[0]
        ipr.route("replace", dst="198.18.1.0/24", oif=index, scope=253, prefsrc=address)
        ipr.flush_routes(table=220)


def _keys(rig: OfficeRig) -> list:
    return [key for sa in rig.gateway(rig.plane.ipsec).sas for key in sa.children]


def _cipher(rig: OfficeRig) -> str:
    """Length of the cipher's key, by what charon on the gateway says."""
    with rig.plane._ike._lock:
        sas = [sa for event in rig.plane._ike._session.list_sas() for sa in event.values()]
    return "".join(key["encr-keysize"].decode() for sa in sas for key in sa["child-sas"].values())


def _for_seconds(seconds: float) -> Iterator[None]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield


def _mbps(rig: OfficeRig) -> float:
    """TCP from the client to the other office."""
    server = rig.office.node.iperf3_server()
    try:
        text = rig.client.spawn("iperf3", "-c", behind(1), "-J", "-t", "2").communicate(timeout=60)
        return json.loads(text[0])["end"]["sum_received"]["bits_per_second"] / 1e6
    finally:
        server.kill()
        server.communicate()
