"""What the page of a fleet says in short: its title, its margins, and causes over all gateways."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import records
from certificate_examples import approved, not_proven, rejected
from fleet_examples import plan, ran
from gatepass.fleet.closing import closing_box
from gatepass.fleet.outcome import FleetOutcome, read_fleet
from gatepass.fleet.page import render
from gatepass.results.outcome import Outcome

Made = Callable[[], Outcome]


def _fleet(folder: Path, *orders: Made) -> FleetOutcome:
    """A fleet of these orders."""
    names = [f"order-{number:02}" for number in range(len(orders))]
    plan(folder, names)
    for name, made in zip(names, orders, strict=True):
        ran(folder, name, made())
    return read_fleet(folder)


def _title(page: str) -> str:
    return re.search("<title>(.*)</title>", page)[1]


def _heading(page: str) -> str:
    inner = re.search('<h2 id="decision">(.*?)</h2>', page, re.DOTALL)[1]
    return " ".join(re.sub("<[^>]+>", "", inner).split())


@pytest.mark.parametrize(
    ("orders", "heading", "meaning", "code"),
    [
        ([approved] * 3, "All 3 approved", "All 3 gateways may be handed over.", 0),
        ([rejected] * 2, "All 2 rejected", "All 2 gateways must not be handed over.", 1),
        ([approved], "Approved", "The gateway may be handed over.", 0),
        (
            [approved] * 3 + [rejected] * 2 + [not_proven],
            "3 of 6 approved, 2 rejected, 1 not proven",
            "3 gateways may be handed over; 2 must not be; 1 could not be decided.",
            1,
        ),
        (
            [approved, not_proven],
            "1 of 2 approved, 1 not proven",
            "1 gateway may be handed over; 1 could not be decided.",
            2,
        ),
        (
            [rejected, not_proven],
            "0 of 2 approved, 1 rejected, 1 not proven",
            "1 gateway must not be handed over; 1 could not be decided.",
            1,
        ),
    ],
)
def test_the_title_counts_and_does_not_judge_all_by_the_worst(
    tmp_path: Path, orders: list[Made], heading: str, meaning: str, code: int
) -> None:
    fleet = _fleet(tmp_path, *orders)
    page = render(tmp_path, fleet)
    assert _heading(page) == heading
    assert _title(page) == f"Acceptance of a fleet: {heading[0].lower()}{heading[1:]}"
    assert meaning in page
    box = closing_box(fleet, tmp_path)
    assert heading in box and "REJECTED" not in box
    assert fleet.exit_code == code


def _margin(folder: Path, *orders: Made) -> str:
    """The cell of the first order."""
    page = render(folder, _fleet(folder, *orders))
    cell = re.search('<td class="margin"[^>]*>(.*?)</td>', page, re.DOTALL)[1]
    return " ".join(re.sub("<[^>]+>", " ", cell).split())


def _rejected_by_evidence() -> Outcome:
    """Each figure is on the good side, and the addresses were not translated."""
    outcome = rejected()
    slow = next(check for check in outcome.checks if "1000 Policies, Without" in check.name)
    (measured,) = slow.measurements
    fast = replace(measured, value=311.7, trials=(311.2, 311.7, 312.2), half_width=1.0)
    slow.verdict, slow.measurements = "pass", [fast]
    return outcome


def _lossy() -> Outcome:
    """Much of what was sent is lost, and one rate is a little too low."""
    outcome = rejected()
    check = next(check for check in outcome.checks if "1000 Policies, Without" in check.name)
    (measured,) = check.measurements
    lost = replace(
        measured, promise="class_loss", value=14.0, unit="%", layer="", trials=(13.9, 14.0, 14.1),
        half_width=0.3, threshold=0.05, relation="at most",
    )  # fmt: skip
    check.measurements = [measured, lost]
    return outcome


def test_a_rejection_without_a_missed_figure_shows_no_good_margin(tmp_path: Path) -> None:
    told = _margin(tmp_path, _rejected_by_evidence)
    assert told.startswith("no figure missed")
    assert re.search(r"least margin \+\d\.\d %", told)


def test_the_margin_of_a_share_is_a_difference(tmp_path: Path) -> None:
    told = _margin(tmp_path, _lossy)
    assert told.startswith("−14 points Frame loss of a class")
    assert "at most 0.05" in told


def test_a_figure_that_is_not_decided_says_so(tmp_path: Path) -> None:
    def undecided() -> Outcome:
        outcome = rejected()
        check = next(check for check in outcome.checks if "1000 Policies, Without" in check.name)
        check.measurements = [replace(check.measurements[0], value=301.0, half_width=9.0)]
        return outcome

    assert _margin(tmp_path, undecided).startswith("not decided")


def _causes(page: str) -> list[list[str]]:
    """The cells of each cause."""
    table = re.search('<table class="causes cards">.*?</table>', page, re.DOTALL)[0]
    rows = re.findall("<tr><td>.*?</tr>", table, re.DOTALL)
    return [
        [" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in re.findall("<td.*?</td>", row)]
        for row in rows
    ]


def test_a_cause_that_several_gateways_have_stands_once(tmp_path: Path) -> None:
    fleet = _fleet(tmp_path, approved, rejected, rejected, rejected, not_proven)
    told = _causes(render(tmp_path, fleet))
    translated = [cells for cells in told if "address" in cells[2]]
    assert [cells[:2] for cells in translated] == [
        ["fail", "3 gateways : order-01 , order-02 , order-03"]
    ]
    slow = next(cells for cells in told if cells[2].startswith("Stateful throughput"))
    assert slow[1].startswith("3 gateways") and "The figure is that of order-01." in slow[2]


def test_the_gravest_cause_comes_first(tmp_path: Path) -> None:
    """What got through, before what is slow, before what could not be decided."""
    plan(tmp_path, names := ["busy", "slow", "viruses"])
    for name, record in zip(
        names, ("not-proven-busy", "rejected-rate-finnish", "rejected-inspection"), strict=True
    ):
        folder = tmp_path / "orders" / name
        folder.mkdir(parents=True)
        (folder / "output.xml").write_bytes(records.xml(record))
    told = _causes(render(tmp_path, read_fleet(tmp_path)))
    assert "virus" in told[0][2] and "viruses" in told[0][1]
    verdicts = [cells[0] for cells in told]
    assert verdicts == sorted(verdicts, key=["fail", "not proven"].index)
    left_out = [cells for cells in told if cells[1].startswith("2 gateways")]
    assert [cells[1] for cells in left_out] == ["2 gateways : viruses , busy"]


def test_a_fleet_in_which_all_is_well_has_no_causes(tmp_path: Path) -> None:
    assert 'id="causes"' not in render(tmp_path, _fleet(tmp_path, approved, approved))


def test_each_gateway_has_its_margin_of_each_promise(tmp_path: Path) -> None:
    page = render(tmp_path, _fleet(tmp_path, approved, _lossy))
    table = re.search('<table class="margins">.*?</table>', page, re.DOTALL)[0]
    rows = re.findall("<tr>.*?</tr>", table, re.DOTALL)
    cells = [re.findall("<t[hd].*?</t[hd]>", row) for row in rows]
    told = [[" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row] for row in cells]
    heading, lossy, good = told
    assert heading[:2] == ["Order", "Stateful throughput"] and "Frame loss of a class" in heading
    loss = heading.index("Frame loss of a class")
    assert (lossy[0], lossy[1], lossy[loss]) == ("order-01", "−4.2 % , fail", "−14 points , fail")
    assert (good[0], good[loss]) == ("order-00", "–") and good[1].endswith("% , pass")


def test_one_gateway_alone_has_no_table_of_margins(tmp_path: Path) -> None:
    assert 'id="margins"' not in render(tmp_path, _fleet(tmp_path, approved))
