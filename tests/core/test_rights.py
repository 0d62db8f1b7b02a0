"""The table of rights: the API user that is printed from it suffices, one with less does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import ScriptedApi, told
from doctor_world import World
from gateway_client import GatewayUnderTest
from robot.api import TestSuite

from gatepass.base.chapters import CHAPTERS, title
from gatepass.doctor import setup
from gatepass.gateway import rights
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.own_state import own_state
from gatepass.gateway.rights import READ, WRITE, Needed, needed, parts_of
from gatepass.inputs.scope import Scope
from gatepass.results.chapters import chapter_of
from lab.gateway.monitors import MONITORS
from lab.gateway.schema import ALL
from typed_in import type_in

ROOT = Path(__file__).parents[2]
HERE = "127.0.0.1"


@pytest.fixture
def scope(device: GatewayUnderTest, tmp_path: Path) -> Scope:
    """Of an order that takes everything."""
    return World(device, tmp_path).scope()


@pytest.fixture
def user(
    device: GatewayUnderTest, gateway: FortiGate, scope: Scope
) -> Iterator[FortiGate]:
    """A client of the gateway with the token of the API user that was printed."""
    token = type_in(gateway, setup.block(scope, HERE))
    one = FortiGate(device.url, token, device.folder / "tls" / "ca.pem", timeout_s=5)
    yield one
    one.close()


def lacking(user: FortiGate, scope: Scope) -> list[str]:
    """What `doctor` says that the API user lacks."""
    found = rights.look(user, scope, own_state(user))
    return [str(finding) for finding in found if finding.keeps]


def test_the_printed_api_user_lacks_nothing(user: FortiGate, scope: Scope) -> None:
    assert lacking(user, scope) == []
    assert own_state(user).admin.name == "gatepass-lab"


def test_the_backup_of_the_printed_user_holds_what_it_may_read(
    user: FortiGate, gateway: FortiGate
) -> None:
    whole, shown = gateway.backup(), user.backup()
    account = 'set accprofile "super_admin"'
    assert account in whole and account not in shown
    assert "config firewall policy" in whole and "config firewall policy" in shown


def test_each_right_that_is_taken_away_is_named(
    device: GatewayUnderTest, user: FortiGate, scope: Scope
) -> None:
    name = setup.name_of(scope)
    profile = device.get(f"cmdb/system/accprofile/{name}")[0]

    def give(one: Needed, rank: str) -> None:
        group, _, part = one.part.partition(".")
        key = f"{group}-permission"
        body = {key: {**profile[key], part: rank}} if part else {group: rank}
        device.put(f"cmdb/system/accprofile/{name}", body)

    wanted = needed(scope)
    assert len(wanted) >= 15
    for one in wanted:
        for less in [READ, "none"] if one.rank == WRITE else ["none"]:
            give(one, less)
            assert one.kept_by(less)
            (told,) = [text for text in lacking(user, scope) if one.part in text]
            assert f"gives {less}" in told and f"It needs {one.rank}" in told
        give(one, one.rank)
    assert lacking(user, scope) == []


def test_without_the_device_s_word_for_it_reading_is_tried(
    device: GatewayUnderTest, user: FortiGate, scope: Scope
) -> None:
    assert [finding.keeps for finding in rights.look(user, scope, None)] == [()]
    profile = f"cmdb/system/accprofile/{setup.name_of(scope)}"
    parts = device.get(profile)[0]["fwgrp-permission"]
    device.put(profile, {"fwgrp-permission": parts | {"policy": "none"}})
    untold, *refused = rights.look(user, scope, None)
    assert "whether the user may write cannot be known" in str(untold)
    paths = {finding.what.rsplit(maxsplit=1)[-1] for finding in refused}
    assert {"firewall/policy", "firewall/shaping-policy"} <= paths


@pytest.mark.parametrize(
    "answer",
    [
        told(403),
        told(404),
        told(results={"admin": {"name": "me", "profile": "read"}}),
        told(results={"ha_mode": "a-p of two"}),
    ],
    ids=["forbidden", "missing", "another profile", "another word"],
)
def test_what_a_device_tells_in_another_way_is_not_known(
    api: ScriptedApi, client: FortiGate, answer: object
) -> None:
    api.script.append(answer)
    assert own_state(client) is None


def test_an_order_that_takes_less_gets_less(device: GatewayUnderTest, tmp_path: Path) -> None:
    world = World(device, tmp_path)
    whole = {one.part: one.rank for one in needed(world.scope())}
    options = world.order.options.model_copy(update={"security_services": False})
    less = {"options": options, "provisioning": None, "flows": []}
    world.order = world.order.model_copy(update=less)
    small = {one.part: one.rank for one in needed(world.scope())}
    assert set(small) < set(whole)
    assert not [part for part in small if part.startswith(("utmgrp", "loggrp"))]


def test_where_there_are_vdoms_the_profile_is_global(
    device: GatewayUnderTest, tmp_path: Path
) -> None:
    world = World(device, tmp_path)
    world.gateway["vdom"] = "customer"
    first, *lines, last = setup.block(world.scope(), "2001:db8::7")
    assert (first, last) == ("config global", "end")
    told = [line.strip() for line in lines]
    assert "set scope global" in told and 'set vdom "customer"' in told
    assert "set ipv6-trusthost 2001:db8::7/128" in told


def test_the_chapters_are_those_of_the_suites() -> None:
    suite = TestSuite.from_file_system(ROOT / "suites")
    names = dict.fromkeys(chapter_of(test).name for test in suite.all_tests)
    assert [title(chapter) for chapter in CHAPTERS] == list(names)


def test_the_lab_counts_each_table_and_monitor_to_the_same_part() -> None:
    """Whatever the lab has; it is held against the documents of FortiOS by other tests."""
    paths = [path for path in rights.all_parts() if path != "transaction"]
    tables = {table.path: table.access for table in ALL}
    told = {f"monitor/{path}": monitor.group for path, monitor in MONITORS.items()} | tables
    known = [path for path in paths if path in told]
    assert len(known) > 60
    assert {path: set(parts_of(path)) for path in known} == {
        path: set(told[path].split() or [""]) for path in known
    }
