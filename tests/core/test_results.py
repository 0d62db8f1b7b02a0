"""results.json and trials.csv: their schema, their figures, their sameness."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from test_causes import TRIAL

import records
from certificate_examples import DIGEST, approved, not_proven, nothing_known, rejected
from gatepass.report import results_json as results
from gatepass.report import trials_csv as trials_table
from gatepass.verdict.disturbance import trial_facts
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials
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


def test_each_figure_has_its_own_verdict() -> None:
    """A check that failed for another reason does not colour its figures."""
    outcome = rejected()
    told = results.document(outcome, DIGEST)
    by_check = {check["name"]: check for check in told["checks"]}
    slow, translated = by_check["1000 Policies, Without NAT"], by_check["100 Policies, With NAT"]
    assert [one["verdict"] for one in slow["measurements"]] == ["fail"]
    assert translated["verdict"] == "fail"
    assert [one["verdict"] for one in translated["measurements"]] == ["pass"]


@pytest.mark.parametrize(
    ("value", "half_width", "of_check", "verdict"),
    [
        (11.759, 74.054, "fail", "not proven"),
        (11.759, 0.5, "fail", "fail"),
        (11.759, 0.5, "not proven", "not proven"),
        (0.01, 0.002, "fail", "pass"),
        (0.01, None, "pass", "not proven"),
    ],
)
def test_a_figure_is_decided_by_its_own_bound(value, half_width, of_check, verdict) -> None:
    outcome = approved()
    check = outcome.checks[7]
    check.verdict = of_check
    check.measurements = [
        replace(
            check.measurements[0], promise="class_loss", value=value, half_width=half_width,
            unit="%", threshold=0.05, relation="at most",
        )
    ]  # fmt: skip
    (told,) = results.document(outcome, DIGEST)["checks"][7]["measurements"]
    assert told["verdict"] == verdict
    check.measurements = [replace(check.measurements[0], threshold=None)]
    (told,) = results.document(outcome, DIGEST)["checks"][7]["measurements"]
    assert told["verdict"] is None


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
        "verdict": "pass",
        "use": "judged",
        "files": "",
        "began": "",
        "lasted_s": "",
        "to": "",
        "set_aside": "",
    }
    assert float(rows[3]["value"]) == pytest.approx(304.72)


def _noted(number: int, **more: object) -> dict[str, object]:
    told = {"number": number, "to": "198.18.2.10", "mbps": 308.0 + number, "lasted_s": 3.07}
    return told | {"began": 1_795_000_000.25 + number, "set_aside": "", "hosts": {}} | more


def test_a_row_leads_to_its_files(tmp_path: Path) -> None:
    """Two trials are judged, one is a control, one was set aside."""
    ended = outcome(0)
    check = next(check for check in ended.checks if check.measurements)
    (measured,) = check.measurements
    check.measurements = [replace(measured, trials=(312.0, 314.0), numbers=(4, 6))]
    busy = "iperf3 on the client waited for a processor 95.4 % of the time"
    check.trials = [_noted(4), _noted(5, to="198.18.3.20"), _noted(6), _noted(7, set_aside=busy)]
    told = json.loads(results.text(results.document(ended, DIGEST)))
    VALID.validate(told)
    rows = [row for row in trials_table.rows(told) if row["check"] == check.name]
    assert [(row["files"], row["use"], row["value"]) for row in rows] == [
        ("trials/004-*", "judged", 312.0),
        ("trials/006-*", "judged", 314.0),
        ("trials/005-*", "other", 313.0),
        ("trials/007-*", "set aside", 315.0),
    ]
    assert rows[0]["began"] == "2026-11-18T11:06:44.250+00:00" and rows[0]["verdict"] == "pass"
    assert rows[3]["set_aside"] == busy


def test_a_figure_names_the_trials_that_it_is_made_of() -> None:
    made = [replace(TRIAL, mbps=310.0 + number, number=number) for number in (4, 6, 8)]
    trials = Trials(tuple(made), Rule(3, 3, 0.95), "TCP goodput")
    assert trials.measurement("stateful_throughput").numbers == (4, 6, 8)
    assert trial_facts(replace(TRIAL, began=1_795_000_000.25))["began"] == 1_795_000_000.25


@pytest.mark.parametrize(
    "odd", [{"number": None}, {"began": 1e300}, {"began": "x"}, {"mbps": "x"}, {"to": 7}, {}]
)
def test_a_trial_that_tells_too_little_costs_no_file(tmp_path: Path, odd: dict) -> None:
    ended = outcome(0)
    ended.checks[0].trials = [_noted(1) | odd if odd else {}]
    told = json.loads(results.text(results.document(ended, DIGEST)))
    VALID.validate(told)
    trials_table.write(told, tmp_path)


def test_a_run_that_knew_nothing_has_a_table_without_rows(tmp_path: Path) -> None:
    trials_table.write(results.document(nothing_known(), DIGEST), tmp_path)
    assert (tmp_path / "trials.csv").read_text() == ",".join(trials_table.COLUMNS) + "\n"


def test_each_cause_stands_once_with_its_checks(tmp_path: Path) -> None:
    told = json.loads(results.text(results.document(records.outcome("partly", tmp_path), DIGEST)))
    VALID.validate(told)
    (left_out,) = told["causes"]
    assert (left_out["verdict"], left_out["gravity"]) == ("not proven", "undecided")
    assert len(left_out["checks"]) == 141
    assert sum(not check["ran"] for check in told["checks"]) == 141


@pytest.mark.parametrize("name", records.NAMES)
def test_reasons_and_causes_are_one_account(name: str, tmp_path: Path) -> None:
    """A sentence for each check that did not pass, as often and in the order that causes have."""
    told = results.document(records.outcome(name, tmp_path), DIGEST)
    failed = {
        ": ".join((check["name"], check["message"])): check["verdict"]
        for check in told["checks"] if check["verdict"] in ("fail", "not proven")
    }  # fmt: skip
    of_checks = [sentence for sentence in told["reasons"] if sentence in failed]
    of_causes = [check["name"] for cause in told["causes"] for check in cause["checks"]]
    assert set(of_checks) == set(failed) and len(of_checks) == len(set(of_checks))
    assert [one.partition(": ")[0] for one in of_checks] == list(dict.fromkeys(of_causes))
    verdicts = [failed[sentence] for sentence in of_checks]
    assert verdicts == sorted(verdicts)  # what failed comes first


def test_the_gravest_cause_comes_first(tmp_path: Path) -> None:
    run = records.outcome("rejected-inspection", tmp_path)
    first, *_ = results.document(run, DIGEST)["causes"]
    assert (first["verdict"], first["kind"], first["gravity"]) == ("fail", "claim", "let through")
    assert "virus" in first["text"] and len(first["checks"]) == 11
    assert all(check["page"].startswith(("failures/", "log.html#")) for check in first["checks"])
