"""Rates of downloads that `verify` makes again from the files of their trials."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import careful_forger
import pytest
from sealed_run import unpacked
from sealed_run import wrong as sealed_wrong
from test_causes import conduct
from test_downloads import CHECKS, DIRECT, World, every_second

from gatepass.proof.downloads import downloads_of, not_kept, rates_of_downloads, transfers
from gatepass.proof.set_aside import set_aside
from gatepass.results import record
from gatepass.results.downloads import ON
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import PASS, Measurement


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    return World(monkeypatch, tmp_path)


def recorded(world: World) -> Check:
    """The check that just ran, as its record tells of it."""
    noted = [
        record.parse(record.dump("measurement", one))[1]
        for one in world.noted
        if isinstance(one, Measurement)
    ]
    trials = json.loads(json.dumps(world.context.check.tried))
    return Check("Security services", "Downloads", PASS, measurements=noted, trials=trials)


def wrong(check: Check, world: World) -> list[str]:
    run = world.context.run
    trials = downloads_of(check, run.folder)
    again = rates_of_downloads(check, trials, run.rule, run.profile)
    return [*transfers(check, trials, (DIRECT,)), *again]


@pytest.mark.parametrize("name", CHECKS)
def test_what_follows_from_its_trials_is_not_accused(world: World, name: str) -> None:
    CHECKS[name](world)
    check = recorded(world)
    assert check.measurements and all(one.numbers for one in check.measurements)
    assert wrong(check, world) == []


def test_nor_are_trials_that_fell_short_or_were_set_aside(world: World) -> None:
    rates = {DIRECT: 300.0}
    world.timed = lambda address: rates.get(address, 119.0)
    looks = iter(range(100))

    def busy_once() -> None:
        world.conduct = {"client": conduct(stolen_percent=30.0 * (next(looks) == 7))}

    world.during = busy_once
    world.downloads.large_file("FTP")
    check = recorded(world)
    assert [one["number"] for one in check.trials if one.get("set_aside")] == [8]
    assert wrong(check, world) == []


def test_what_is_told_for_comparison_is_never_set_aside(world: World, tmp_path: Path) -> None:
    """No trial is repeated for it, so that none is told as one that does not count."""
    world.during = lambda: setattr(
        world, "conduct", {} if world.on else {"client": conduct(stolen_percent=30.0)}
    )
    world.downloads.large_file("FTP")
    check = recorded(world)
    assert wrong(check, world) == list(set_aside(check, {}, {}, tmp_path)) == []


def test_nor_are_downloads_that_broke(world: World) -> None:
    world.timed = every_second("198.18.2.10")
    with pytest.raises(AssertionError):
        world.downloads.large_file("FTP")
    assert wrong(recorded(world), world) == []


def larger(one: Measurement) -> Measurement:
    """All that is told of a rate three times as large."""
    return replace(
        one,
        value=3 * one.value,
        half_width=3 * (one.half_width or 0),
        fail_half_width=3 * (one.fail_half_width or 0),
        trials=tuple(3 * rate for rate in one.trials),
    )


FORGERIES: dict[str, Callable[[Measurement], Measurement]] = {
    "a rate three times as large": larger,
    "a baseline": lambda one: replace(one, baseline=900.0),
    "a level": lambda one: replace(one, half_width=0.001),
    "a trial less": lambda one: replace(one, trials=one.trials[1:], numbers=one.numbers[1:]),
    "downloads that broke": lambda one: replace(
        one, facts=one.facts | {"broken_downloads": 1, "failed": 1}
    ),
    "no number": lambda one: replace(one, numbers=()),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("name", CHECKS)
def test_a_rate_that_does_not_follow_is_named(world: World, name: str, forgery: str) -> None:
    CHECKS[name](world)
    check = recorded(world)
    check.measurements[-1] = FORGERIES[forgery](check.measurements[-1])
    found = wrong(check, world)
    assert len(found) == 1 and found[0].startswith("Downloads: Throughput with security"), found


def altered(world: World, change: Callable[[dict], dict], role: str = ON) -> None:
    """Files of a role are others, with their notes as they were."""
    for path in (world.context.run.folder / "trials").glob("*-downloads.json"):
        told = json.loads(path.read_text())
        if told["role"] == role:
            path.write_text(json.dumps(change(told)))


def faster(told: dict) -> dict:
    windows = [one | {"seconds": one["seconds"] / 3} for one in told["windows"]]
    return told | {"windows": windows}


def larger_files(told: dict) -> dict:
    return told | {"windows": [one | {"bytes": 3 * one["bytes"]} for one in told["windows"]]}


@pytest.mark.parametrize("name", CHECKS)
def test_a_file_that_was_altered_is_named(world: World, name: str) -> None:
    CHECKS[name](world)
    check = recorded(world)
    altered(world, faster)
    found = wrong(check, world)
    assert [one for one in found if "of file content; its file tells" in one]
    assert [one for one in found if "of its trials do not make (value)" in one]


def test_a_large_file_has_the_size_that_was_asked_for(world: World) -> None:
    world.downloads.large_file("FTP")
    altered(world, larger_files)
    found = wrong(recorded(world), world)
    assert any("62,914,560 bytes by its file, and a file of 20 MiB was" in one for one in found)


def test_a_trial_beside_the_gateway_is_none_through_it(world: World) -> None:
    """The faster path stands for the gateway."""
    world.downloads.large_file("FTP")
    altered(world, lambda told: told | {"role": ON}, role="beside")
    assert any("its file tells of another path" in one for one in wrong(recorded(world), world))


def test_downloads_without_files_are_named(world: World) -> None:
    world.downloads.large_file("FTP")
    for path in (world.context.run.folder / "trials").iterdir():
        path.unlink()
    found = wrong(recorded(world), world)
    assert len(found) == 2 and all("is of downloads, and no file tells" in one for one in found)


def test_a_run_of_before_has_none_and_is_not_accused(world: World) -> None:
    world.downloads.large_file("FTP")
    folder, check = world.context.run.folder, recorded(world)
    outcome = Outcome({}, [check], {}, None, 1.0)
    assert not_kept(outcome, folder) == ""
    for path in (folder / "trials").iterdir():
        path.unlink()
    assert not_kept(outcome, folder).startswith("The run kept no files of its downloads")
    assert list(transfers(check, downloads_of(check, folder), (DIRECT,))) == []


@pytest.mark.parametrize("damage", ["{", "[]", '{"windows": 3}', '{"windows": [{}]}', "null"])
def test_a_damaged_file_is_left_to_its_digest(world: World, damage: str) -> None:
    world.downloads.large_file("FTP")
    for path in (world.context.run.folder / "trials").iterdir():
        path.write_text(damage)
    assert downloads_of(recorded(world), world.context.run.folder) == {}


def test_rates_in_a_run_that_somebody_altered_are_named(tmp_path: Path) -> None:
    """Who alters the record makes all of its pages and sums anew, and leaves the trials' files."""
    folder = unpacked(tmp_path / "results", "downloads")
    careful_forger.by_this_copy(folder)
    assert sealed_wrong(folder) == []

    def faster(content: dict) -> dict:
        more = {key: content[key] * 1.3 for key in ("value", "half_width") if content[key]}
        return content | more | {"trials": [mbps * 1.3 for mbps in content["trials"]]}

    careful_forger.altered("measurement", faster)(folder)
    careful_forger.remade(folder)
    told = sealed_wrong(folder)
    named = [one for one in told if "that the downloads in the files of its trials do not" in one]
    assert len(named) == 2 and all(one.startswith("FTP Downloads: ") for one in named), told
