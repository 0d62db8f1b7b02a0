"""results.json and trials.csv: their schema, their figures, their sameness."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from certificate_examples import DIGEST, approved, not_proven, nothing_known, rejected
from gatepass.report import results_json as results
from gatepass.report import trials_csv as trials_table
from history_examples import outcome

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "results.schema.json").read_text())
VALID = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)


@pytest.mark.parametrize("made", [approved, rejected, not_proven, nothing_known])
def test_the_schema_holds(made) -> None:
    VALID.validate(json.loads(results.text(results.document(made(), DIGEST))))


def test_the_schema_holds_with_the_settings_of_a_gateway() -> None:
    told = json.loads(results.text(results.document(outcome(0), DIGEST)))
    VALID.validate(told)
    assert told["gateway_settings"]["shapers"][0]["mbps"] == 320


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"]["const"] == results.VERSION


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        (("verdict",), "good"),
        (("version",), 2),
        (("run", "duration_s"), "long"),
        (("checks", 0, "verdict"), "PASS"),
        (("checks", 7, "measurements", 0, "value"), "309"),
    ],
)
def test_the_schema_refuses(where: tuple, wrong: object) -> None:
    told = results.document(approved(), DIGEST)
    part = told
    for key in where[:-1]:
        part = part[key]
    assert part[where[-1]] != wrong
    part[where[-1]] = wrong
    assert not VALID.is_valid(told)


def test_every_key_is_documented() -> None:
    """A key that the schema does not name would be unknown to its readers."""
    told = results.document(approved(), DIGEST)
    for part, schema in (
        (told, SCHEMA),
        (told["run"], SCHEMA["properties"]["run"]),
        (told["checks"][7], SCHEMA["$defs"]["check"]),
        (told["checks"][7]["measurements"][0], SCHEMA["$defs"]["measurement"]),
    ):
        assert set(part) == set(schema["properties"]) == set(schema["required"])


def test_the_figures_are_those_of_the_run() -> None:
    told = results.document(rejected(), DIGEST)
    assert told["verdict"] == "rejected"
    assert told["order"]["order"] == "4711-02" and told["gateway"]["serial"] == "FGVM02TM24001234"
    (slow,) = [check for check in told["checks"] if check["name"] == "1000 Policies, Without NAT"]
    (measurement,) = slow["measurements"]
    assert slow["verdict"] == "fail" and "290 Mbit/s" in slow["message"]
    assert (measurement["value"], measurement["threshold"]) == (287.4, 300)
    assert measurement["margin_percent"] == pytest.approx(-4.2)
    assert len(measurement["trials"]) == 3
    assert told["counts"] == {"pass": 19, "fail": 2, "not proven": 0, "not applicable": 1}


def test_what_is_no_number_is_null() -> None:
    odd = approved()
    odd.checks[7].measurements[0].facts["rtt_ms"] = math.nan
    told = json.loads(results.text(results.document(odd, DIGEST)))
    assert told["checks"][7]["measurements"][0]["facts"]["rtt_ms"] is None


def test_each_trial_is_a_row(tmp_path: Path) -> None:
    told = results.document(outcome(0, mbps=(309.0, 305.0)), DIGEST)
    trials_table.write(told, tmp_path)
    with (tmp_path / "trials.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == trials_table.COLUMNS
    assert len(rows) == 6
    assert rows[3] | {"value": ""} == {
        "run": "20260302-080000-1234",
        "order": "lab",
        "gateway": "FGVM02TM24001234",
        "version": "v7.4.8",
        "profile": "quick",
        "chapter": "Stateful firewall",
        "check": "10 Policies, Without NAT",
        "promise": "Stateful throughput",
        "conditions": "10 policies, NAT off",
        "trial": "1",
        "value": "",
        "unit": "Mbit/s",
        "layer": "TCP goodput",
        "threshold": "300",
        "relation": "at least",
    }
    assert float(rows[3]["value"]) == pytest.approx(304.72)


def test_a_run_that_knew_nothing_has_a_table_without_rows(tmp_path: Path) -> None:
    trials_table.write(results.document(nothing_known(), DIGEST), tmp_path)
    assert (tmp_path / "trials.csv").read_text() == ",".join(trials_table.COLUMNS) + "\n"
