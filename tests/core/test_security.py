"""The run's security profiles on the lab's own gateway process, and what its log says."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from gateway_client import GatewayUnderTest

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.endpoint.specimens import BLOCKED_HOST, exploit
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.licences import FUNCTIONS, licences, must_be_licensed
from gatepass.gateway.rules import RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED
from gatepass.gateway.security_log import described, stopped
from gatepass.gateway.undo import undo
from gatepass.scenarios.security.geography import OwnCountry
from gatepass.scenarios.security.profiles import (
    FLOW,
    PROXY,
    Inspection,
    SecurityProfiles,
)

MARK = "gp0a1b2c"
CLIENT = "198.18.1.10"


@pytest.fixture
def inspection(gateway: FortiGate, changes: Changes) -> Inspection:
    rules = RuleSet(gateway, changes, TrafficFlow(CLIENT, "198.18.2.10", "port2", "port1"))
    profiles = {
        mode: SecurityProfiles(gateway, changes, ["exe", "bat"], mode) for mode in (FLOW, PROXY)
    }
    made = Inspection(rules, profiles, FLOW)
    made.begin()
    return made


def policy(gateway: FortiGate, inspection: Inspection) -> dict:
    return gateway.row("firewall/policy", inspection.policyid)


def test_on_and_off_and_gone(
    gateway: FortiGate, changes: Changes, inspection: Inspection, tmp_path: Path
) -> None:
    assert policy(gateway, inspection)["utm-status"] == "disable"
    for mode in (FLOW, PROXY):
        inspection.switch(True, mode)
        row = policy(gateway, inspection)
        for attribute, value in inspection.profiles[mode].attributes().items():
            assert row[attribute] == value
        assert (row["nat"], row["inspection-mode"]) == ("enable", mode)
        limits = gateway.row("firewall/profile-protocol-options", row["profile-protocol-options"])
        assert limits["http"]["oversize-limit"] == limits["ftp"]["oversize-limit"] == 11
        tls = gateway.row("firewall/ssl-ssh-profile", row["ssl-ssh-profile"])
        assert tls["https"]["status"] == "certificate-inspection"
        assert tls["https"]["sni-server-cert-check"] == "disable"
        assert tls["smtps"]["status"] == tls["ssh"]["status"] == "disable"
    inspection.switch(False)
    row = policy(gateway, inspection)
    assert row["utm-status"] == "disable" and row["av-profile"] == ""
    inspection.switch(True)
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical


def test_what_is_inspected_of_a_file_is_as_much_as_the_memory_allows(
    gateway: FortiGate, inspection: Inspection
) -> None:
    """The device's own figure, a tenth of its memory, is asked for."""
    limits = gateway.declared("firewall/profile-protocol-options")
    most = limits.most("http", "oversize-limit")
    assert most == 1638
    assert limits.most("http", "no-such") is None
    assert gateway.declared("firewall/no-such").most("http") is None
    inspection.profiles[FLOW].largest_mib = 2000
    with pytest.raises(NotProven, match=r"files of up to 1,638 MiB.* of 1,638 or less"):
        inspection.must_inspect(2000)
    inspection.must_inspect(1638)
    inspection.switch(True)
    limits = gateway.row(
        "firewall/profile-protocol-options", policy(gateway, inspection)["profile-protocol-options"]
    )
    assert limits["http"]["oversize-limit"] == most


class NoProxy(SecurityProfiles):
    """Profiles of a device that has no proxy inspection."""

    def attributes(self) -> dict[str, object]:
        raise Refused("The gateway says no.")


def test_a_mode_that_the_device_does_not_offer(
    gateway: FortiGate, changes: Changes, inspection: Inspection
) -> None:
    inspection.profiles = {PROXY: NoProxy(gateway, changes, ["exe"], PROXY)}
    with pytest.raises(NotApplicable, match="does not offer inspection by proxy"):
        inspection.switch(True, PROXY)
    inspection.ordered = PROXY
    with pytest.raises(Refused):
        inspection.switch(True)


def test_a_country_of_ones_own(
    gateway: FortiGate, changes: Changes, inspection: Inspection, tmp_path: Path
) -> None:
    country = OwnCountry(gateway, changes, inspection.rules)
    for _ in range(2):
        country.deny(above=inspection.policyid)
        first, second = gateway.rows("firewall/policy")[:2]
        assert (first["policyid"], second["policyid"]) == (country.policyid, inspection.policyid)
        assert first["action"] == "deny"
        country.permit()
    (override,) = gateway.rows("system/geoip-override")
    assert [row["start-ip"] for row in override["ip-range"]] == ["198.18.2.10"]
    place = gateway.row("firewall/address", first["dstaddr"][0]["name"])
    assert (place["type"], place["country"]) == ("geography", override["country-id"])
    country.move_away()
    (override,) = gateway.rows("system/geoip-override")
    assert [row["start-ip"] for row in override["ip-range"]] == ["198.18.2.11"]
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical


def test_the_profiles_name_the_specimens(gateway: FortiGate, inspection: Inspection) -> None:
    inspection.switch(True)
    made = {path: gateway.rows(path) for path in ("ips/custom", "ips/sensor", "application/list")}
    (signature,) = made["ips/custom"]
    assert exploit(MARK) in signature["signature"]
    sensor = next(row for row in made["ips/sensor"] if row["name"].startswith(MARK))
    number = sensor["entries"][0]["rule"][0]["id"]
    assert f"--attack_id {number};" in signature["signature"]
    (table,) = gateway.rows("webfilter/urlfilter")
    assert table["entries"][0]["url"] == BLOCKED_HOST


def test_numbers_of_the_customers_signatures_are_left_alone(
    gateway: FortiGate, device: GatewayUnderTest, inspection: Inspection
) -> None:
    theirs = {
        "tag": "theirs",
        "signature": 'F-SBID( --attack_id 1000; --name "t"; --protocol tcp; --service HTTP; '
        '--flow from_client; --pattern "x"; --context uri; )',
    }
    device.post("cmdb/ips/custom", theirs)
    inspection.switch(True)
    ours = gateway.row("ips/custom", f"{MARK}-ips")["signature"]
    assert "--attack_id 1001;" in ours


@pytest.mark.parametrize("function", ["antivirus", "ips", "appctrl", "web_filtering"])
def test_a_licence_that_is_missing(
    gateway: FortiGate, device: GatewayUnderTest, function: str
) -> None:
    licensed = dict.fromkeys(FUNCTIONS, "licensed")
    assert licences(gateway) == licensed
    device.control("PUT", "/faults/license-missing", {"function": function})
    assert licences(gateway) == licensed | {function: "no license"}
    with pytest.raises(AssertionError, match=r"no valid licence for .*“no license”"):
        must_be_licensed(gateway)
    must_be_licensed(gateway, FUNCTIONS.keys() - {function})


def test_a_licence_that_has_expired_is_none(
    gateway: FortiGate, device: GatewayUnderTest
) -> None:
    device.control("PUT", "/faults/licence-expired", {})
    assert licences(gateway) == dict.fromkeys(FUNCTIONS, "expired")
    with pytest.raises(AssertionError, match=r"for antivirus and web filter and .*“expired”"):
        must_be_licensed(gateway)


def test_licences_that_are_not_told_are_not_known() -> None:
    def refuse(path: str) -> dict:
        raise Refused("The gateway says 403.")

    with pytest.raises(NotProven, match=r"is not known: The gateway says 403\. Give the API user"):
        licences(SimpleNamespace(monitor=refuse))


def test_a_word_that_says_neither_is_not_known() -> None:
    told = {"antivirus": {"status": "pending"}, "ips": {"status": "no_license"}}
    device = SimpleNamespace(monitor=lambda path: {"results": told})
    with pytest.raises(NotProven, match=r"licence for antivirus is not known.*says “pending”"):
        must_be_licensed(device, ["antivirus"])
    with pytest.raises(AssertionError, match="no valid licence for intrusion prevention"):
        must_be_licensed(device, ["ips"])
    must_be_licensed(device, ["appctrl"])  # of which it does not speak


def test_the_log_tells_what_was_stopped_of_the_clients(
    gateway: FortiGate, lab_process: GatewayUnderTest
) -> None:
    event = {
        "time": 1_790_000_000.0,
        "type": "virus",
        "policyid": 7,
        "srcip": CLIENT,
        "dstip": "198.18.2.10",
        "srcport": 40000,
        "dstport": 80,
        "service": "HTTP",
        "action": "blocked",
        "virus": "Eicar-Test",
    }
    others = (
        {"srcip": "198.18.1.99"},
        {"action": "passthrough"},
        {"policyid": 8},
        {"type": "webfilter"},
    )
    with (lab_process.folder / "security.jsonl").open("a") as log:
        for change in ({}, *others):
            log.write(json.dumps(event | change) + "\n")
    (entry,) = stopped(gateway, "virus", CLIENT, 7)
    assert described(entry) == "virus Eicar-Test, action blocked"
