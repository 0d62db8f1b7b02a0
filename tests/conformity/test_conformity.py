"""Nothing that the suite sends is unknown to a release; the lab declares what a device declares."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from conformity import page, suite
from conformity.drive import (
    CALLS,
    DIFFERENCES,
    a_gateway,
    hold_all,
    is_listed,
    schemas,
    sent_to,
)
from conformity.facts import DEFAULTS_OF, RELEASES, Facts
from conformity.lab import hold
from conformity.mismatch import Found
from conformity.suite import Exchange, recorded
from lab.gateway.schema import tables

FACTS = Facts()


@pytest.fixture(scope="module")
def held() -> tuple[Found, Found]:
    """What differs of the lab's and of the suite's, in all releases."""
    return hold_all(FACTS)


def test_the_suite_sends_nothing_that_a_release_does_not_know(held: tuple[Found, Found]) -> None:
    _, of_suite = held
    assert list(of_suite.lines()) == []
    assert of_suite.held > 2000


def test_the_lab_differs_in_nothing_but_what_is_listed(held: tuple[Found, Found]) -> None:
    of_lab, _ = held
    assert [
        str(one) for one in of_lab.releases if not is_listed(one.table, one.attribute, one.kind)
    ] == []
    assert of_lab.held > 10_000


def test_what_is_listed_differs(held: tuple[Found, Found]) -> None:
    of_lab, _ = held
    found = {(one.table, one.attribute, one.kind) for one in of_lab.releases}
    listed = {
        (one["table"], name, one["kind"])
        for one in DIFFERENCES
        for name in one["attributes"].split()
    }
    assert listed == found


def test_every_table_of_the_lab_has_its_facts() -> None:
    of_lab = {path for text in (*RELEASES, DEFAULTS_OF) for path in tables(_release(text))}
    assert [path for path in sorted(of_lab) if path not in FACTS] == []


def _release(text: str) -> tuple[int, int, int]:
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


def test_the_page_shows_what_is_listed() -> None:
    assert page.PAGE.read_text() == page.page(), "run python -m conformity.page"


# -- one wrong value, put in on purpose ---------------------------------------------------------


@pytest.fixture(scope="module")
def declared() -> Mapping[str, Any]:
    """What the lab's gateway of the newest release declares."""
    with a_gateway(DEFAULTS_OF) as gateway:
        return schemas(gateway, FACTS.paths)


def _add_choice(address: dict) -> None:
    address["children"]["type"]["options"].append({"name": "planet"})


def _drop_choice(address: dict) -> None:
    del address["children"]["type"]["options"][0]


def _widen(address: dict) -> None:
    address["children"]["color"]["max-value"] = 33


def _lengthen(address: dict) -> None:
    address["children"]["comment"]["size"] = 256


def _other_default(address: dict) -> None:
    address["children"]["allow-routing"]["default"] = "enable"


def _add_attribute(address: dict) -> None:
    address["children"]["planet"] = {"category": "unitary", "type": "string"}


def _retype(address: dict) -> None:
    address["children"]["country"] = {"category": "unitary", "type": "integer"}


def _rekey(address: dict) -> None:
    address["mkey"] = "uuid"


def _regroup(address: dict) -> None:
    address["access_group"] = "sysgrp"


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (_add_choice, "choices too many"),
        (_drop_choice, "choices lacking"),
        (_widen, "limit"),
        (_lengthen, "limit"),
        (_other_default, "default"),
        (_add_attribute, "attribute"),
        (_retype, "type"),
        (_rekey, "key"),
        (_regroup, "access group"),
    ],
)
def test_a_wrong_declaration_of_the_labs_is_found(
    declared: Mapping[str, Any], spoil: Callable[[dict], None], kind: str
) -> None:
    path = "firewall/address"
    assert list(hold(FACTS, DEFAULTS_OF, path, declared[path])) == []
    spoilt = copy.deepcopy(declared[path])
    spoil(spoilt)
    assert [one.kind for one in hold(FACTS, DEFAULTS_OF, path, spoilt)] == [kind]


def test_an_attribute_in_a_release_that_lacks_it_is_found(declared: Mapping[str, Any]) -> None:
    path = "firewall.service/custom"
    found = [one for one in hold(FACTS, "7.4.8", path, declared[path]) if one.kind == "release"]
    assert [one.attribute for one in found] == ["udplite-portrange"]


PATH = "cmdb/firewall/policy"
LOOK_UP = {"dest": "198.18.2.10", "protocol": 6, "srcintf": "port2"}
POLICY = {"policyid": 1, "name": "p", "action": "accept", "srcintf": [{"name": "port1"}]}


@pytest.mark.parametrize(
    ("call", "attribute", "kind"),
    [
        (("POST", PATH, {}, POLICY | {"action": "permit"}), "action", "choice"),
        (("PUT", f"{PATH}/1", {}, {"natt": "enable"}), "natt", "attribute"),
        (("PUT", f"{PATH}/1", {}, {"app-monitor": "enable"}), "app-monitor", "release"),
        (("POST", PATH, {}, POLICY | {"name": "p" * 36}), "name", "limit"),
        (("POST", PATH, {}, POLICY | {"srcintf": "port1"}), "srcintf", "type"),
        (("PUT", f"{PATH}/1", {}, {"vlan-cos-fwd": 8}), "vlan-cos-fwd", "limit"),
        (("GET", PATH, {"format": "policyid|nam"}, None), "nam", "attribute"),
        (("GET", "cmdb/firewall/policies", {}, None), "", "table"),
        (("POST", "cmdb/vpn.ssl/settings-of", {}, {}), "", "table"),
        (("GET", "monitor/firewall/policy", {"number": 1}, None), "number", "parameter"),
        (("GET", "monitor/firewall/policy-lookup", LOOK_UP, None), "sourceip", "parameter"),
        (("GET", "monitor/firewall/politics", {}, None), "", "monitor"),
        (("GET", "log/disk/bacteria", {}, None), "", "log"),
    ],
)
def test_a_wrong_call_of_the_suites_is_found(call: tuple, attribute: str, kind: str) -> None:
    (found,) = suite.hold(FACTS, "7.4.8", [Exchange(*call)])
    assert (found.attribute, found.kind) == (attribute, kind)


# -- whether all that is sent is held --------------------------------------------------------------


def _attributes(calls: list[Exchange]) -> set[tuple[str, str]]:
    """Tables and attributes that are written, by the first step of their way."""
    return {
        ("/".join(call.path.split("/")[1:3]), name)
        for call in calls
        if call.path.startswith("cmdb/") and call.body and call.query.get("action") is None
        for name in call.body
    }


def test_what_a_whole_run_wrote_is_rehearsed() -> None:
    with a_gateway("7.4.8") as gateway:
        rehearsed = _attributes(sent_to(gateway))
    wrote = {one for one in _attributes(recorded(CALLS)) if one[0].strip("/")}
    assert len({table for table, _ in wrote}) > 25
    assert sorted(wrote - rehearsed) == []
