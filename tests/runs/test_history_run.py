"""Two runs with the gateway's shaper lowered between them, and the record of both."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from faults.faulty_lab import FaultyLab, gateway_of, must_be_measured
from gatepass.report.results_json import document, text
from gatepass.results.outcome import read, read_digested
from runs.killing import Runs

SHAPERS, SHAPER = "firewall.shaper/traffic-shaper", "sgw-200"
LOWERED_KBPS = 268_000
CHECKS = ("--test", "*.One Policy, Without NAT")


@pytest.fixture(scope="module")
def both(lab: FaultyLab, tmp_path_factory: pytest.TempPathFactory) -> tuple[Runs, list]:
    """The runs, in order: each with its folder and what it said."""
    runs = Runs(lab.testbed, tmp_path_factory.mktemp("history"))
    ended = []

    def one() -> None:
        running = runs.start(*CHECKS)
        _, said = running.ended()
        must_be_measured(read(running.folder / "output.xml"))
        ended.append((running.folder, said))

    with gateway_of(lab.testbed) as gateway:
        before = gateway.row(SHAPERS, SHAPER)["maximum-bandwidth"]
        one()
        gateway.change(SHAPERS, SHAPER, {"maximum-bandwidth": LOWERED_KBPS})
        try:
            one()
        finally:
            gateway.change(SHAPERS, SHAPER, {"maximum-bandwidth": before})
    return runs, ended


def test_the_change_is_pointed_out_and_named(both) -> None:
    runs, ((first, first_said), (second, second_said)) = both
    assert "History" not in first_said
    assert "changed since the run before: ./run.sh history --gateway LABGW" in second_said
    code, page = runs.call("history")
    assert code == 0, page
    since = f"Changed since run {second.name} (the run before it: {first.name}):"
    assert since in page
    (figure,) = [line for line in page.splitlines() if "NAT off: " in line and "→" in line]
    assert figure.strip().startswith("Stateful throughput, 1 policy, NAT off: 31")
    assert "→ 25" in figure and "Mbit/s (−1" in figure
    assert 'The gateway\'s shaper "sgw-200" was 326 and is 268 Mbit/s.' in page


def test_what_the_run_left_is_made_of_its_output_alone(both) -> None:
    _, ((first, _), _) = both
    told = document(*read_digested(first / "output.xml"))
    assert (first / "results.json").read_text(encoding="utf-8") == text(told)
    (shaper,) = told["gateway_settings"]["shapers"]
    assert (shaper["name"], shaper["mbps"]) == (SHAPER, 326)
    measured = [one for check in told["checks"] for one in check["measurements"]]
    with (first / "trials.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["value"]) for row in rows] == [
        trial for one in measured for trial in one["trials"]
    ]


def test_a_record_made_again_says_the_same(both, tmp_path: Path) -> None:
    runs, ended = both
    outputs = [str(folder / "output.xml") for folder, _ in ended]
    again = ("--file", str(tmp_path / "again.sqlite3"))
    assert runs.call("history", *again, "--add", *outputs, *outputs)[0] == 0
    assert json.loads(runs.call("history", *again, "--json")[1]) == json.loads(
        runs.call("history", "--json")[1]
    )


def test_a_damaged_record_does_not_change_the_verdict(lab: FaultyLab, tmp_path: Path) -> None:
    record = tmp_path / "history.sqlite3"
    record.write_text("no record\n" * 100)
    runs = Runs(lab.testbed, tmp_path)
    code, said = runs.start("--test", "*.The Licence Is Valid").ended()
    assert code == 2 and "the run is not in the record. " in said and "Traceback" not in said
    assert record.read_text() == "no record\n" * 100
