"""A fleet's plan held against the results of its orders: every order has a row and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from certificate_checks import at_once, throughput
from certificate_examples import approved, not_proven, rejected
from fleet_examples import killed, mixed, plan, ran, stopped
from gatepass.base.errors import InputError
from gatepass.fleet.margins import worst
from gatepass.fleet.outcome import read_fleet
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED, Restoration


def _verdicts(folder: Path) -> dict[str, str]:
    return {row.name: row.verdict for row in read_fleet(folder).rows}


@pytest.mark.parametrize(
    ("orders", "verdict", "code"),
    [
        ([approved, approved], APPROVED, 0),
        ([approved, not_proven], NOT_PROVEN, 2),
        ([not_proven, rejected], REJECTED, 1),
        ([approved, rejected], REJECTED, 1),
        ([approved, None], NOT_PROVEN, 2),
        ([rejected, None], REJECTED, 1),
        ([None], NOT_PROVEN, 2),
    ],
)
def test_the_fleet_is_as_good_as_its_worst_order(
    tmp_path: Path, orders: list, verdict: str, code: int
) -> None:
    names = [f"order-{number}" for number in range(len(orders))]
    plan(tmp_path, names)
    for name, outcome in zip(names, orders, strict=True):
        if outcome:
            ran(tmp_path, name, outcome())
    told = read_fleet(tmp_path)
    assert (told.verdict, told.exit_code) == (verdict, code)
    assert [row.name for row in told.rows] == names


def test_every_order_of_the_plan_has_a_row(tmp_path: Path) -> None:
    fleet = mixed(tmp_path / "fleet-1")
    told = read_fleet(fleet)
    assert _verdicts(fleet) == {
        "4711-01": APPROVED,
        "4711-02": REJECTED,
        "4711-03": NOT_PROVEN,
        "4711-04": NOT_PROVEN,
        "4711-05": NOT_PROVEN,
    }
    assert [told.count(one) for one in (APPROVED, REJECTED, NOT_PROVEN)] == [1, 1, 3]
    assert [row.name for row in told.worst_first][:2] == ["4711-02", "4711-03"]
    assert [row.name for row in told.rows if not row.ended] == ["4711-04", "4711-05"]
    for row in told.rows:
        assert bool(row.reasons) == (row.verdict != APPROVED)


def test_a_killed_order_says_how_far_it_came_and_what_is_left(tmp_path: Path) -> None:
    killed(plan(tmp_path / "fleet-1", ["one"]), "one")
    (row,) = read_fleet(tmp_path / "fleet-1").rows
    assert row.problem == (
        "Its worker was killed or crashed: the results are cut off. It had come to chapter "
        "“Stateful firewall”, with 1 passed and 1 failed. Its gateway may be changed: ./run.sh "
        "restore puts it back, and so does its next run. Run it with ./run.sh --resume fleet-1."
    )


def test_a_gateway_that_was_restored_since_is_not_said_to_be_changed(tmp_path: Path) -> None:
    killed(plan(tmp_path / "fleet-1", ["one"]), "one", closed=True)
    (row,) = read_fleet(tmp_path / "fleet-1").rows
    assert "Nothing of it is left on its gateway." in row.problem
    assert "may be changed" not in row.problem


def test_whoever_watched_the_worker_has_the_word(tmp_path: Path) -> None:
    folder = plan(tmp_path, ["one"]) / "orders" / "one"
    folder.mkdir(parents=True)
    (folder / "worker.txt").write_text("Its run was ended by signal 9 (Killed).\n")
    (row,) = read_fleet(tmp_path).rows
    assert row.problem.startswith("Its run was ended by signal 9 (Killed). Run it with")


def test_an_order_that_never_ran(tmp_path: Path) -> None:
    (row,) = read_fleet(plan(tmp_path / "fleet-1", ["one"])).rows
    assert row.problem == "It did not run. Run it with ./run.sh --resume fleet-1."
    assert row.outcome is None


def test_an_order_that_was_stopped_has_no_verdict_of_its_own(tmp_path: Path) -> None:
    ran(plan(tmp_path, ["one"]), "one", stopped())
    (row,) = read_fleet(tmp_path).rows
    assert (row.verdict, row.ended) == (NOT_PROVEN, False)


def test_checks_of_the_plan_that_did_not_run_are_told(tmp_path: Path) -> None:
    outcome = approved()
    planned = [(check.chapter, check.name) for check in outcome.checks]
    outcome.run["plan"] = planned
    del outcome.checks[3]
    ran(plan(tmp_path, ["one"]), "one", outcome)
    (row,) = read_fleet(tmp_path).rows
    assert row.verdict == NOT_PROVEN
    assert row.reasons[0].sentence == (
        f"{', '.join(planned[3])}: Planned, but not run."
    )


def test_the_worst_margin_is_that_of_the_least_favourable_figure(tmp_path: Path) -> None:
    ran(plan(tmp_path, ["one"]), "one", rejected())
    (row,) = read_fleet(tmp_path).rows
    measured = worst(row.outcome).measurement
    assert (str(measured.conditions), round(measured.margin_percent, 1)) == (
        "1000 policies, NAT off",
        -4.2,
    )


@pytest.mark.parametrize(("found", "unit"), [(100, "Mbit/s"), (99, "tunnels")])
def test_a_promised_number_that_was_all_there_says_nothing_of_the_room(
    tmp_path: Path, found: int, unit: str
) -> None:
    outcome = approved()
    outcome.checks.append(at_once("IPsec tunnels", "at once", "tunnels", 100, found))
    ran(plan(tmp_path, ["one"]), "one", outcome)
    (row,) = read_fleet(tmp_path).rows
    assert worst(row.outcome).measurement.unit == unit


def test_a_figure_that_is_not_decided_is_the_worst(tmp_path: Path) -> None:
    """Its mean may lie far on the good side."""
    outcome = approved()
    outcome.checks.append(throughput(10, False, 360.0, 80.0, verdict="not proven"))
    ran(plan(tmp_path, ["one"]), "one", outcome)
    (row,) = read_fleet(tmp_path).rows
    assert (worst(row.outcome).measurement.value, worst(row.outcome).margin) == (360.0, "+20 %")


def test_where_only_numbers_were_promised_they_are_the_margin(tmp_path: Path) -> None:
    check = at_once("IPsec tunnels", "at once", "tunnels", 100, 100)
    outcome = Outcome(dict(approved().run), [check], {}, Restoration(True), 1.0)
    ran(plan(tmp_path, ["one"]), "one", outcome)
    (row,) = read_fleet(tmp_path).rows
    assert worst(row.outcome).measurement.margin_percent == 0


MORNING, EVENING = "2026-11-21T08:00:00+02:00", "2026-11-21T20:00:00+02:00"


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ((rejected, MORNING), (approved, EVENING), APPROVED),
        ((approved, EVENING), (rejected, MORNING), APPROVED),  # whichever is named first
        ((rejected, MORNING), (stopped, EVENING), REJECTED),  # a verdict before none
        ((stopped, MORNING), (None, EVENING), NOT_PROVEN),
    ],
)
def test_an_order_in_two_folders_counts_once(
    tmp_path: Path, first: tuple, second: tuple, verdict: str
) -> None:
    for name, (outcome, started) in (("a", first), ("b", second)):
        fleet = plan(tmp_path / name, ["one"])
        if outcome:
            ran(fleet, "one", outcome(), started)
    (row,) = read_fleet([tmp_path / "a", tmp_path / "b"]).rows
    assert row.verdict == verdict


def test_a_part_that_is_missing_is_not_proven_by_name(tmp_path: Path) -> None:
    for number in (1, 2):
        part = plan(tmp_path / f"part-{number}", [f"order-{number}"], shard=f"{number}/3")
        ran(part, f"order-{number}", approved())
    parts = [tmp_path / "part-1", tmp_path / "part-2"]
    told = read_fleet(parts, whole=True)
    assert told.verdict == NOT_PROVEN
    assert told.rows[-1].name == "Part 3 of 3"
    assert "part 3/3" in told.rows[-1].problem
    assert read_fleet(parts[0]).verdict == APPROVED  # of its own orders


def test_both_parts_are_a_whole(tmp_path: Path) -> None:
    for number in (1, 2):
        part = plan(tmp_path / f"part-{number}", [f"order-{number}"], shard=f"{number}/2")
        ran(part, f"order-{number}", approved())
    told = read_fleet([tmp_path / "part-1", tmp_path / "part-2"], whole=True)
    assert (told.verdict, len(told.rows)) == (APPROVED, 2)


ENTRY = (
    '[{"name": %s, "order": "o.yaml", "testbed": null, "tier": "SGW-10", "profile": "quick", '
    '"shard": %s}]'
)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read: No such file or directory. Name the folder of a fleet's run"),
        ("[", "it is no plan of a fleet"),
        ("7", "it is no plan of a fleet"),
        ("{}", "it names no order"),
        ("[]", "it names no order"),
        ("[3]", "it is no plan of a fleet"),
        ('[{"name": "one"}]', "it is no plan of a fleet"),
        (ENTRY % ('"../../etc"', "null"), "it is no plan of a fleet"),
        (ENTRY % ('".."', "null"), "it is no plan of a fleet"),
        (ENTRY % ("3", "null"), "it is no plan of a fleet"),
        (ENTRY % ('"one"', '"a/b"'), "it is no plan of a fleet"),
    ],
)
def test_a_plan_that_is_none_is_a_sentence(tmp_path: Path, content: str | None, why: str) -> None:
    if content is not None:
        (tmp_path / "fleet.json").write_text(content)
    with pytest.raises(InputError) as told:
        read_fleet(tmp_path)
    assert str(tmp_path / "fleet.json") in str(told.value)
    assert why in str(told.value)
