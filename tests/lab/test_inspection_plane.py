"""Inspection as a part of the data plane: addresses, counters, shapers, failure, faults."""

from __future__ import annotations

import os
import socket

import pytest
from dataplane_config import config, policy, refs, shaper, shaping_policy
from dataplane_rig import CLIENT, GATEWAY, SERVER, SERVER6
from inspection_rig import EICAR, InspectionRig, antivirus, av_config, inspected, with_profiles

from lab.gateway.dataplane.nft import nft
from lab.inspector.marks import CLIENT_LEG

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

BIG = 8 << 20
FUNCTIONS = {"av_profile": "av", "webfilter_profile": "web"}


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    rig = InspectionRig(tmp_path_factory.mktemp("plane"))
    try:
        rig.put("eicar.com", EICAR)
        rig.put("page", b"hello")
        yield rig
    finally:
        rig.close()


@pytest.fixture(scope="module")
def big(rig):
    return rig.put("big", os.urandom(BIG))


def both(*more: dict, **attributes: object) -> dict:
    """A configuration with antivirus, and a web filter that blocks blocked.lab."""
    entry = {"id": 1, "url": "blocked.lab", "type": "simple", "action": "block"}
    return with_profiles(
        inspected(**{**FUNCTIONS, **attributes}),
        *more,
        tables={
            "antivirus/profile": [antivirus()],
            "webfilter/profile": [{"name": "web", "web": {"urlfilter-table": 1}}],
            "webfilter/urlfilter": [{"id": 1, "name": "l", "entries": [entry]}],
        },
    )


def seen_by_server(rig, port: int = 80) -> set[str]:
    """From where the server has connections; asked while one is open."""
    peers = set()
    for line in rig.server(_connections):
        local, remote = line.split()[1:3]
        if local.endswith(f":{port:04X}") and not remote.startswith("0" * 32):
            number = bytes.fromhex(remote[24:32])[::-1]
            peers.add(".".join(map(str, number)))
    return peers


def _connections() -> list[str]:
    with open("/proc/thread-self/net/tcp6") as lines:
        return lines.read().splitlines()[1:]


@pytest.mark.parametrize(("nat", "address"), [("disable", CLIENT), ("enable", GATEWAY)])
def test_the_server_sees_the_address_that_it_sees_without_inspection(rig, nat, address):
    rig.apply(both(nat=nat))
    sock = rig.client.socket(2, 1)
    sock.connect((SERVER, 80))
    sock.sendall(b"GET /page HTTP/1.1\r\nHost: allowed.lab\r\n\r\n")
    assert b"hello" in sock.recv(4096)
    assert address in seen_by_server(rig)
    sock.close()


def test_the_policy_counts_what_is_inspected_as_what_is_not(rig, big):
    counted = []
    for rows in (config(policy(1)), both()):
        rig.apply(rows)
        rig.gateway(rig.plane.clear_counters)
        assert rig.get("big").body == big
        counter = rig.counters()[1]
        assert counter.hit_count == 1
        counted.append(counter.bytes)
    assert all(BIG < octets < BIG * 1.1 for octets in counted), counted


def test_the_lookup_knows_the_policy(rig):
    rig.apply(both())
    assert rig.gateway(rig.plane.lookup, "port2", CLIENT, 6, SERVER, 80) == (1, "accept")


def test_sessions_that_no_profile_concerns_take_the_plain_path(rig):
    rig.apply(both(policy(2)))
    assert rig.tcp(port=8080) == CLIENT
    rig.apply(both(utm_status="disable"))
    assert rig.get("eicar.com").body == EICAR


def page_from(rig, port: int, family: int, dest: str) -> bytes:
    """Fetch a page from a port of the client; the server is the first to close."""
    answer = b""
    with rig.client.socket(family, socket.SOCK_STREAM) as sock:
        sock.bind(("", port))
        sock.connect((dest, 80))
        sock.sendall(b"GET /page HTTP/1.0\r\n\r\n")
        while piece := sock.recv(4096):
            answer += piece
    return answer


@pytest.mark.parametrize(("family", "dest"), [(socket.AF_INET, SERVER), (socket.AF_INET6, SERVER6)])
def test_a_clients_port_serves_again_after_inspection_has_ended(rig, family, dest):
    """The inspector's half of the last session still waits for its time to end."""
    rig.apply(both())
    assert page_from(rig, 2345, family, dest).endswith(b"hello")
    rig.apply(config(inspected(utm_status="disable")))
    assert page_from(rig, 2345, family, dest).endswith(b"hello")


EXPECTED = "ftp_data4"
"""Of data connections, by the ports that servers choose anew within seconds."""


@pytest.mark.parametrize("options", [(), ("--ftp-port", CLIENT)])
@pytest.mark.parametrize("name", ["page", "not-there"])
def test_no_data_connection_is_expected_any_more(rig, name, options):
    rig.apply(both())
    rig.ftp(name, *options)
    told = rig.output("nft", "list", "map", "inet", "gatepass", EXPECTED)
    assert EXPECTED in told and "elements" not in told


def test_what_was_expected_under_a_policy_that_inspects_no_more_passes(rig):
    other = inspected(policyid=2, service=refs("HTTP"), **FUNCTIONS)
    rig.apply(both(other, utm_status="disable"))
    key = f"{CLIENT} . {SERVER} . 8080 : {CLIENT_LEG | 0x999:#x}"
    rig.output("nft", "add", "element", "inet", "gatepass", EXPECTED, f"{{ {key} }}")
    assert rig.tcp(port=8080) == CLIENT


def test_the_first_policy_that_matches_decides_over_inspection(rig):
    plain = policy(9, service=refs("HTTP"))
    rows = both()
    rows["firewall/policy"] = [plain, *rows["firewall/policy"]]
    rig.apply(rows)
    assert rig.get("eicar.com").body == EICAR
    plain["action"] = "deny"
    rig.apply(rows)
    assert rig.get("page", "-m", "1").exit == 28


@pytest.mark.parametrize("way", ["policy", "shaping policy"])
def test_shapers_hold_for_what_is_inspected(rig, big, way):
    rows = both()
    rows["firewall.shaper/traffic-shaper"] = [shaper("s", 40_000)]
    if way == "policy":
        rows["firewall/policy"][0]["traffic-shaper-reverse"] = "s"
    else:
        rows["firewall/shaping-policy"] = [shaping_policy(1, "s", "s")]
    rig.apply(rows)
    got = rig.get("big")
    assert got.body == big
    assert 5 < got.mbps < 42  # less on a busy machine


def test_a_virtual_address_is_inspected(rig):
    vip = {
        "name": "v",
        "type": "static-nat",
        "extip": "198.18.1.120",
        "extintf": "port2",
        "mappedip": [{"range": SERVER}],
        "portforward": "disable",
    }
    rig.apply(both(dstaddr=refs("v")) | {"firewall/vip": [vip]})
    assert rig.get("page", host="198.18.1.120").body == b"hello"
    assert rig.get("eicar.com", host="198.18.1.120").status == 403


def test_an_inspector_that_ends_lets_nothing_through_until_it_runs_again(rig):
    rig.apply(both())
    rig.plane._inspection._inspector._worker._process.kill()
    assert rig.get("page", "-m", "1").exit == 28
    rig.apply(both())
    assert rig.get("page").body == b"hello"


def test_a_scanner_that_ends_lets_nothing_through(rig):
    rig.apply(both())
    assert rig.get("page").body == b"hello"
    rig.plane._inspection._clamd._process.kill()
    rig.plane._inspection._clamd._process.wait()
    assert rig.get("page", "-m", "5").exit != 0
    rig.apply(both())
    assert rig.get("page").body == b"hello"


# Faults


def test_fault_services_not_applied(rig):
    rig.apply(both(), {"services-not-applied": {}})
    assert rig.get("eicar.com").body == EICAR
    assert rig.get("page", host="blocked.lab").body == b"hello"


def test_fault_signatures_empty(rig):
    rig.apply(both(), {"signatures-empty": {}})
    assert rig.get("eicar.com").body == EICAR
    assert rig.get("page", host="blocked.lab").status == 403
    rig.apply(both())
    assert rig.get("eicar.com").status == 403


def test_fault_inspector_dead(rig):
    rig.apply(both(), {"inspector-dead": {}})
    assert rig.get("page", "-m", "1").exit == 28
    rig.apply(both())
    assert rig.get("page").body == b"hello"


def test_fault_inspector_dead_open(rig):
    rig.apply(both(), {"inspector-dead-open": {}})
    assert rig.get("eicar.com").body == EICAR


def test_fault_webfilter_blocks_all(rig):
    rig.apply(both(), {"webfilter-blocks-all": {}})
    assert rig.get("page", host="allowed.lab").status == 403


def test_fault_download_altered(rig, big):
    rig.apply(both(), {"download-altered": {}})
    for got in (rig.get("big"), rig.ftp("big")):
        assert len(got.body) == BIG
        assert sum(ours != theirs for ours, theirs in zip(got.body, big, strict=True)) == 1
    rig.apply(both())
    assert rig.get("big").body == big


def test_fault_inspection_slow(rig, big):
    rig.apply(both(), {"inspection-slow": {"mbps": 40}})
    got = rig.get("big")
    assert got.body == big
    assert 5 < got.mbps < 44  # less on a busy machine


@pytest.mark.parametrize(
    ("function", "blocked"),
    [("antivirus", ["web"]), ("web_filtering", ["web", "virus"]), ("all", ["web"])],
)
def test_fault_license_missing(rig, function, blocked):
    rig.apply(both(), {"license-missing": {"function": function}})
    found = []
    if rig.get("page", host="blocked.lab").status == 403:
        found.append("web")
    if rig.get("eicar.com").status == 403:
        found.append("virus")
    assert found == blocked


def test_fault_log_lost(rig):
    rig.apply(both(), {"log-lost": {}})
    before = len(rig.events())
    assert rig.get("eicar.com").status == 403
    assert len(rig.events()) == before
    rig.apply(both())
    assert rig.get("eicar.com").status == 403
    assert len(rig.events()) == before + 1


def test_nothing_is_left_at_the_end(tmp_path):
    rig = InspectionRig(tmp_path)
    rig.apply(av_config())
    inspection = rig.plane._inspection
    processes = [inspection._inspector._worker._process, inspection._clamd._process]
    assert all(process.poll() is None for process in processes)
    rig.gateway(rig.plane.close)
    rules = rig.gateway(nft.run, ["ip", "rule"])
    rig.close()
    assert all(process.poll() is not None for process in processes)
    assert not inspection._clamd.socket.exists()
    assert "fwmark" not in rules
