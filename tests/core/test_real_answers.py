"""Answers as real FortiGates were seen to give them, each with what is right about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from api_server import ScriptedApi, text, told
from doctor_world import World
from gateway_client import GatewayUnderTest

from gatepass.base.errors import NotProven
from gatepass.doctor import setup
from gatepass.gateway.answers import AnotherDevice, Refused
from gatepass.gateway.config_objects import object_changes
from gatepass.gateway.configuration import comparable, differences
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import identify
from gatepass.gateway.licences import lacking_licence, licences

FOLDER = Path(__file__).parents[1] / "data" / "real_answers"
STATUS = {"results": {"hostname": "fgt"}, "version": "v7.4.8", "build": 2795}
SERIAL = "FGVM01TM00000001"


def cases(kind: str) -> list:
    """The kept ones of a kind."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
    return [pytest.param(one, id=name) for name, one in found.items() if one["kind"] == kind]


def answered(fields: dict[str, Any]) -> Any:
    return text(200, json.dumps(fields))


@pytest.mark.parametrize("case", cases("answer"))
def test_any_serial_number_is_a_device_s(
    api: ScriptedApi, client: FortiGate, case: dict[str, Any]
) -> None:
    serial = case["serial"]
    api.script = [
        told(**STATUS, serial=serial),
        told(results={"vm": {"valid": True}}, serial=serial),
    ]
    assert identify(client, "fw.example").serial == serial
    api.script = [told(results=[], serial=serial)]
    assert client.rows("firewall/address") == []


@pytest.mark.parametrize("case", cases("memory"))
def test_memory_is_what_there_is(
    api: ScriptedApi, client: FortiGate, case: dict[str, Any]
) -> None:
    api.script = [told(**STATUS, serial=SERIAL), answered(case["answer"])]
    assert identify(client, "fw.example").memory_mb == case["right"]


@pytest.mark.parametrize("case", cases("licence"))
def test_a_licence_by_its_word(api: ScriptedApi, client: FortiGate, case: dict[str, Any]) -> None:
    serial = case["answer"]["serial"]
    api.script = [told(**STATUS, serial=serial), answered(case["answer"])]
    assert identify(client, "fw.example").licence == case["right"]


@pytest.mark.parametrize("case", cases("services"))
def test_what_is_no_licence_for_a_service(
    api: ScriptedApi, client: FortiGate, case: dict[str, Any]
) -> None:
    api.script = [told(results={"antivirus": {"status": case["word"]}}, serial=SERIAL)]
    try:
        said = lacking_licence(licences(client), ["antivirus"])
    except NotProven as untold:
        said = str(untold)
    assert case["right"] in said and case["word"].replace("_", " ") in said


@pytest.mark.parametrize("case", cases("compare"))
def test_what_a_device_rewrites_is_no_change_and_what_is_text_is(case: dict[str, Any]) -> None:
    before, after = comparable(case["before"]), comparable(case["after"])
    said = " ".join(one.sentence for one in object_changes(before, after))
    lines = " ".join(differences(before, after))
    assert bool(said) == bool(lines) == bool(case["right"])
    for word in case["right"]:
        assert word in said
        assert word in lines or "/" in word
    others = {"VDOM root", "VDOM guest"} - set(case["right"])
    assert not any(word in said + lines for word in others)


WHO = told(**STATUS, serial=SERIAL)
SOME = {"firewall/address": [{"name": "a"}], "firewall/addrgrp": [{"name": "g"}]}


@pytest.mark.parametrize("call", ["read", "change", "create", "monitor"])
def test_an_answer_without_a_serial_is_asked_who_it_is(
    api: ScriptedApi, client: FortiGate, call: str
) -> None:
    def do() -> object:
        match call:
            case "read":
                return client.rows("firewall/address")
            case "change":
                return client.change("firewall/addrgrp", "a", {"comment": "x"})
            case "create":
                return client.create("firewall/address", {"name": "a"})
        return client.monitor("firewall/policy")

    api.script = [WHO, told(results=[], mkey="a"), WHO]
    client.monitor("system/status")
    do()
    assert [one.path.partition("?")[0] for one in api.calls][-1].endswith("monitor/system/status")
    assert len(api.calls) == 3
    other = told(**STATUS, serial="FGVM01TM00000002")
    api.script = [told(results=[], mkey="a"), other]
    with pytest.raises(AnotherDevice, match="came from FGVM01TM00000002, and this run began with"):
        do()
    with pytest.raises(AnotherDevice):
        client.rows("firewall/address")
    assert len(api.calls) == 5


def test_a_device_that_does_not_say_who_it_is_is_another(
    api: ScriptedApi, client: FortiGate
) -> None:
    api.script = [WHO, told(results=[]), told(**STATUS)]
    client.monitor("system/status")
    with pytest.raises(AnotherDevice, match="a device that reports no serial number"):
        client.rows("firewall/address")


WHOLE_DEVICE = ["backup", "script", "restart"]


@pytest.mark.parametrize("call", WHOLE_DEVICE)
def test_a_call_of_the_whole_device_names_no_vdom(
    api: ScriptedApi, client: FortiGate, call: str
) -> None:
    match call:
        case "backup":
            api.script = [text(200, "#config-version=X\nconfig system global\nend\n")]
            client.backup()
        case "script":
            api.script = [told(results={"vdom-mode": "no-vdom"})]
            client.run_script("s", "config firewall policy\nend\n")
        case "restart":
            client.monitor("system/os/reboot", body={})
    assert "vdom=" not in api.calls[-1].path
    client.rows("firewall/policy")
    assert "vdom=root" in api.calls[-1].path


@pytest.mark.parametrize(("status", "words"), [(413, "larger than it takes"), (424, "not valid")])
def test_a_refusal_without_words_says_what_it_means(
    api: ScriptedApi, client: FortiGate, status: int, words: str
) -> None:
    api.script = [told(status)]
    with pytest.raises(Refused, match=words):
        client.rows("firewall/policy")


@pytest.mark.parametrize("super_admin", [False, True])
def test_doctor_says_what_a_backup_holds(
    device: GatewayUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, super_admin: bool
) -> None:
    world = World(device, tmp_path)
    world.play(monkeypatch)

    def as_one(state: dict) -> dict:
        return state | {"admin": state["admin"] | {"super_admin": super_admin}}

    world.changed["web-ui/state"] = as_one
    made = world.examine()
    said = [str(one) for one in made.findings if "accounts of super_admin" in one.what]
    assert [one for one in said if "Have a super_admin save" in one] == said
    assert bool(said) is not super_admin and made.is_fine
    assert "super_admin" in setup.remarks(world.scope(), "192.0.2.1")


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("system/global", {"hostname": "fgt"}),
        ("web-proxy/explicit", {"socks": "disable"}),
        ("vpn.ssl/settings", {"servercert": "x"}),
        ("firewall.ipmacbinding/setting", {"undefinedhost": "block"}),
        ("firewall/policy", {"policyid": 1, "name": "a", "status": "enable"}),
        ("firewall.service/custom", {"name": "HTTP"}),
        ("system/interface", {"name": "port1"}),
        ("firewall/addrgrp", {"name": "g"}),
    ],
)
def test_a_part_of_settings_or_rows_counts_as_not_readable(
    device: GatewayUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, part: dict
) -> None:
    world = World(device, tmp_path)
    world.play(monkeypatch)
    world.tables[path] = [part]
    kept = [one for one in world.examine().findings if one.keeps]
    assert any(one.what == f"the API user may not read {path}" for one in kept)
