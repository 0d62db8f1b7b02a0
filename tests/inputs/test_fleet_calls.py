"""A call for several orders: which are paired, pooled and sharded, and how mistakes are told."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from input_files import ORDER, ROOT, TESTBED

from gatepass.base.errors import InputError
from gatepass.fleet import call, entries
from gatepass.fleet.call import is_fleet, read
from gatepass.run.at_work import hold

TIERS = {"a": "SGW-10", "b": "SGW-200", "c": "SGW-500"}


@pytest.fixture
def files(folder: Path) -> Path:
    """Three orders in `orders`, three testbeds beside them."""
    (folder / "orders").mkdir()
    for number, (name, tier) in enumerate(TIERS.items(), start=1):
        order = ORDER.replace("A-1", name).replace("SGW-200", tier)
        (folder / "orders" / f"{name}.yaml").write_text(order)
        testbed = TESTBED.replace("lab-default", f"bed-{name}").replace("4711", str(number))
        (folder / f"{name}.yaml").write_text(testbed)
    return folder


def _options(option: str, folder: Path, names: str) -> list[str]:
    return [word for name in names for word in (option, str(folder / f"{name}.yaml"))]


def _pairs(files: Path, orders: str, testbeds: str) -> list[str]:
    return [
        *_options("--order", files / "orders", orders),
        *_options("--testbed", files, testbeds),
    ]


def _beds(read_call: call.FleetCall) -> list[tuple[str, str]]:
    return [(one.name, Path(one.testbed).stem) for one in read_call.entries]


@pytest.mark.parametrize(
    ("words", "fleet"),
    [
        ("--order x --testbed y", False),
        ("--order x --order y --testbed z", True),
        ("--order=x --order=y", True),
        ("--orders x", True),
        ("--lab-gateways 4", True),
        ("--lab-gateways=4", True),
        ("--order x --testbed y --turns h:1", True),
        ("--resume x", True),
        ("--testbed x -- --testbeds y", False),
    ],
)
def test_what_is_about_more_than_one(words: str, fleet: bool) -> None:
    assert is_fleet(words.split()) == fleet


def test_paired_by_position(files: Path) -> None:
    told = read(_pairs(files, "abc", "bca"))
    assert _beds(told) == [("a", "b"), ("b", "c"), ("c", "a")]
    assert [(one.slot, one.slots) for one in told.entries] == [(0, 3), (1, 3), (2, 3)]
    assert told.at_once == 3


def test_a_folder_of_orders_is_paired_as_its_names_sort(files: Path) -> None:
    words = ["--orders", str(files / "orders"), *_options("--testbed", files, "cba")]
    assert _beds(read(words)) == [("a", "c"), ("b", "b"), ("c", "a")]


def test_a_pool_gives_each_order_what_fits(files: Path) -> None:
    bed = files / "b.yaml"
    bed.write_text("tiers: [SGW-10, SGW-200]\n" + bed.read_text())
    words = ["--orders", str(files / "orders"), "--testbeds", str(files)]
    told = read(words)
    assert [[Path(path).stem for path in one.pool] for one in told.entries] == [
        ["a", "b", "c"], ["a", "b", "c"], ["a", "c"],
    ]  # fmt: skip
    assert [one.testbed for one in told.entries] == [None] * 3
    assert told.at_once == 3
    assert read([*words, "--processes", "2"]).at_once == 2


def test_a_pool_that_is_smaller_than_the_orders(files: Path) -> None:
    (files / "c.yaml").unlink()
    told = read(["--orders", str(files / "orders"), "--testbeds", str(files)])
    assert told.at_once == 2


def test_a_tier_that_no_testbed_is_for(files: Path) -> None:
    for bed in files.glob("?.yaml"):
        bed.write_text("tiers: [SGW-10, SGW-200]\n" + bed.read_text())
    words = ["--orders", str(files / "orders"), "--testbeds", str(files)]
    with pytest.raises(InputError, match=r"c\.yaml, key 'tier': .* for SGW-500.*'tiers'"):
        read(words)


def test_a_tier_that_there_is_not(files: Path) -> None:
    bed = files / "b.yaml"
    bed.write_text("tiers: [SGW-20O]\n" + bed.read_text())
    with pytest.raises(InputError, match=r"b\.yaml, key 'tiers': found 'SGW-20O'.*SGW-200"):
        read(["--orders", str(files / "orders"), "--testbeds", str(files)])


@pytest.mark.parametrize("count", [2, 3])
def test_each_order_is_in_one_shard(files: Path, count: int) -> None:
    words = [*_pairs(files, "abc", "abc"), "--turns", str(files / "turns.sock"), "--shard"]
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(words[-2])
        shards = [
            read([*words, f"{index}/{count}"]).entries
            for index in range(1, count + 1)
        ]
    assert [one.name for shard in shards for one in shard] == list("abc")
    assert [one.slot for shard in shards for one in shard] == [0, 1, 2]
    assert {one.shard for one in shards[0]} == {f"1/{count}"}
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_labs_are_for_the_orders_of_one_shard() -> None:
    told = read(["--lab-gateways", "4", "--shard", "2/2"])
    assert call.tiers_of_labs(told) == ["SGW-30", "SGW-200"]


def test_labs_are_built_again_for_the_orders_that_are_left(tmp_path: Path) -> None:
    folder = tmp_path / "fleet-20260101-120000"
    folder.mkdir()
    told = read(["--lab-gateways", "2"])
    entries.save([replace(one, testbed="/gone/testbed.yaml") for one in told.entries], folder)
    again = read(["--resume", str(folder)])
    assert call.tiers_of_labs(again) == ["SGW-10", "SGW-20"]
    assert again.folder == folder
    assert [one.testbed for one in again.entries] == [None, None]


def test_no_lab_is_built_where_there_are_testbeds(files: Path) -> None:
    assert call.tiers_of_labs(read(_pairs(files, "ab", "ab"))) == []


def _mistakes(files: Path) -> list[tuple[list[str], str]]:
    two = _pairs(files, "ab", "ab")
    return [
        (_pairs(files, "abc", "ab"), "3 orders and 2 testbeds"),
        (_pairs(files, "ab", "aa"), "one order at a time"),
        (_pairs(files, "aa", "ab"), "'a' also stands in"),
        (["--orders", str(files / "nowhere")], "--orders .*nowhere: there is no such folder"),
        (["--orders", str(files / "a.yaml")], "there is no such folder"),
        ([*two, "--lab-gateways", "2"], "Leave --testbed"),
        ([*_options("--order", files / "orders", "abc"), "--lab-gateways", "2"], "3 orders"),
        ([*two, "--shard", "1/2"], "--turns SOCKET is missing.* share"),
        (["--orders", str(files / "orders"), "--testbeds", str(files), "--shard", "1/2"], "a pool"),
        ([*two, "--orders", str(files)], "--order and --orders"),
        ([*two, "--testbeds", str(files)], "--testbed and --testbeds"),
        ([*two, "--shard", "3/2"], "3/2"),
        ([*two, "--shard", "1/3"], "2 orders, so at most"),
        ([*two, "--turns", "here"], "'here' is no socket of a lock server"),
        ([*two, "--processes", "0"], "whole number"),
        ([*two, "--profile", "fast"], "fast.*quick"),
        ([*two, "--", "--nosuchoption"], "--nosuchoption"),
        ([*two, "--", "--variable", "X:1"], "--variable"),
        ([*two, "--fly"], "--fly"),
        (_options("--testbed", files, "ab"), "no orders"),
        (["--lab-gateways", "7"], "6 orders"),
        (["--lab-gateways", "none"], "none"),
        (["--lab-gateways", "2", *_options("--testbed", files, "a")], "Leave"),
        (["--resume", "fleet-nowhere"], "fleet-nowhere"),
        (["--resume", str(files)], "no fleet's run"),
        (["--resume", "x", "--profile", "quick"], "Leave --profile out"),
    ]


@pytest.mark.parametrize("number", range(26))
def test_a_mistake_is_one_sentence(files: Path, number: int) -> None:
    words, telling = _mistakes(files)[number]
    with pytest.raises(InputError) as mistake:
        read(words)
    sentence = str(mistake.value)
    assert re.search(telling, sentence), sentence
    assert "\n" not in sentence and sentence.endswith(".")


def test_there_is_a_mistake_for_each_number(files: Path) -> None:
    assert len(_mistakes(files)) == 26


def test_two_testbeds_of_a_pool_have_two_names(files: Path) -> None:
    bed = files / "b.yaml"
    bed.write_text(bed.read_text().replace("bed-b", "bed-a"))
    with pytest.raises(InputError, match=r"b\.yaml, key 'testbed': 'bed-a' also .*a\.yaml"):
        read(["--orders", str(files / "orders"), "--testbeds", str(files)])


def test_what_is_at_work_is_not_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "fleet-20260101-120000"
    folder.mkdir()
    planned = read(["--lab-gateways", "2"]).entries
    entries.save(planned, folder)
    for one in (folder, planned[0].folder(folder)):
        one.mkdir(parents=True, exist_ok=True)
        with hold(one, ""), pytest.raises(InputError, match="still at work"):
            read(["--resume", str(folder)])
    assert len(read(["--resume", str(folder)]).entries) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        *({"testbed": 5}, {"order": 5}, {"profile": 5}, {"robot": [5]}, {"tier": 5}),
        *({"slot": "x"}, {"slot": 9}, {"name": "x" * 300}, {"shard": "3/2"}),
    ],
    ids=str,
)
def test_a_plan_that_is_none_is_told(tmp_path: Path, wrong: dict) -> None:
    folder = tmp_path / "fleet-20260101-120000"
    folder.mkdir()
    entries.save(read(["--lab-gateways", "2"]).entries, folder)
    rows = json.loads((folder / "fleet.json").read_text())
    (folder / "fleet.json").write_text(json.dumps([rows[0] | wrong, rows[1]]))
    with pytest.raises(InputError, match="it is no plan of a fleet"):
        read(["--resume", str(folder)])


def test_a_token_that_is_not_there_is_told_before_anything_starts(files: Path) -> None:
    (files / "api-token").unlink()
    with pytest.raises(InputError, match=r"a\.yaml, key .gateway.token.: .* does not exist"):
        read(_pairs(files, "ab", "ab"))


def test_the_labs_orders_are_of_a_tier_each() -> None:
    told = read(["--lab-gateways", "6"])
    tiers = [one.tier for one in told.entries]
    assert len(set(tiers)) == 6
    assert {Path(one.order).parent for one in told.entries} == {
        ROOT / "variables" / "orders" / "lab-fleet"
    }
