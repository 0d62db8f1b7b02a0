"""What the record knew of a gateway when a run began, and how the certificate shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from certificate_examples import DIGEST, approved
from gatepass.history import store
from gatepass.history.earlier import MOST, earlier
from gatepass.report.certificate import render
from gatepass.report.results_json import document
from gatepass.report.trend import earlier_of
from gatepass.report.wording import wording
from gatepass.results.outcome import Outcome
from history_examples import SERIAL, outcome

OTHERS = ("FGVM02TM24000001", "FGVM02TM24000002")


def record(folder: Path, *runs: Outcome) -> Path:
    path = folder / "history.sqlite3"
    for number, run in enumerate(runs):
        store.add(path, document(run, DIGEST), folder / f"{number}.xml")
    return path


def of_one_policy(found: list[dict]) -> dict:
    (entry,) = (one for one in found if one["conditions"].get("policies") == 1)
    return entry


def test_the_values_of_a_gateway_and_the_median_of_its_tier(tmp_path: Path) -> None:
    own = [outcome(day, (300.0 + day,)) for day in range(3)]
    others = [outcome(5, (320.0,), serial=OTHERS[0]), outcome(6, (340.0,), serial=OTHERS[1])]
    entry = of_one_policy(earlier(record(tmp_path, *own, *others), SERIAL, "SGW-200"))
    assert entry["values"] == [300.0, 301.0, 302.0]
    assert (entry["median"], entry["gateways"]) == (320.0, 3)  # of 302, 320, 340


def test_only_the_latest_are_kept(tmp_path: Path) -> None:
    runs = [outcome(day, (300.0 + day,)) for day in range(MOST + 3)]
    entry = of_one_policy(earlier(record(tmp_path, *runs), SERIAL, "SGW-200"))
    assert len(entry["values"]) == MOST and entry["values"][-1] == 300.0 + MOST + 2


def test_a_gateway_that_is_new_has_its_tier_alone(tmp_path: Path) -> None:
    path = record(tmp_path, outcome(0, (310.0,), serial=OTHERS[0]))
    entry = of_one_policy(earlier(path, SERIAL, "SGW-200"))
    assert (entry["values"], entry["median"], entry["gateways"]) == ([], 310.0, 1)


def test_as_another_tier_it_is_another_service(tmp_path: Path) -> None:
    assert earlier(record(tmp_path, outcome(0)), SERIAL, "SGW-500") == []


def test_without_a_record_nothing_is_known(tmp_path: Path) -> None:
    assert earlier(tmp_path / "none.sqlite3", SERIAL, "SGW-200") == []


def test_the_page_shows_them_beside_the_promise(tmp_path: Path) -> None:
    runs = [outcome(day, (300.0 + day,)) for day in range(3)]
    runs.append(outcome(3, (320.0,), serial=OTHERS[0]))
    now = outcome(4, (303.0,))
    now.run["earlier"] = earlier(record(tmp_path, *runs), SERIAL, "SGW-200")
    told = "Earlier runs of this gateway: 300.0; 301.0; 302.0 Mbit/s; this one: 303.0."
    for kept in (now, _written_down(now)):
        page = render(kept, DIGEST)
        assert f"<title>{told} Median of 2 gateways of the tier: 311.0.</title>" in page
        assert wording("en")["decision"]["earlier_caption"] in page


def _written_down(run: Outcome) -> Outcome:
    """As it comes back from a file."""
    run.run = json.loads(json.dumps(run.run))
    return run


@pytest.mark.parametrize("known", [[], None, [{}], [{"promise": "x"}], [{"conditions": 3}]])
def test_a_page_without_them_is_what_it_was(known: object) -> None:
    run = approved()
    without = render(run, DIGEST)
    run.run["earlier"] = known
    assert render(run, DIGEST) == without
    figures = [one for check in run.checks for one in check.measurements]
    assert {earlier_of(run, one) for one in figures} == {None}
