"""``./run.sh history``: what a reader is shown of a gateway and of a fleet."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from certificate_checks import baseline
from gatepass import __version__
from gatepass.cli import main
from history_examples import SERIAL, added, outcome

OTHER = "FGVM02TM24005678"
Shown = Callable[..., str]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


@pytest.fixture
def shown(record: Path, capsys) -> Shown:
    """What the command prints."""

    def show(*words: str) -> str:
        assert main(["history", "--file", str(record), *words]) == 0
        return capsys.readouterr().out

    return show


def _told(shown: Shown, *words: str) -> list[dict]:
    return json.loads(shown("--json", *words))


def test_a_lowered_shaper_is_named(record: Path, shown: Shown) -> None:
    added(record, outcome(0, mbps=(306.0, 305.2)))
    added(record, outcome(1, mbps=(250.0, 249.8), shaper=261.0))
    page = shown()
    assert "Stateful throughput, 1 policy, NAT off: 306 → 250 Mbit/s (−18 %)" in page
    assert "Stateful throughput, 10 policies, NAT off: 305 → 250 Mbit/s (−18 %)" in page
    assert 'The gateway\'s shaper "sgw-200" was 320 and is 261 Mbit/s.' in page
    assert "Changed since run 20260303-080000-1234 (the run before it: 20260302-" in page
    assert page.count("Changed since") == 1
    ((told,),) = [one["changes"] for one in _told(shown)]
    assert told["differences"] == ['the gateway\'s shaper "sgw-200" was 320 and is 261 Mbit/s']
    assert [figure["after"] for figure in told["figures"]] == [250.0, 249.8]


def test_ten_runs_without_a_change(record: Path, shown: Shown) -> None:
    added(record, *(outcome(day, mbps=(306 + day % 3 * 0.4,)) for day in range(10)))
    page = shown()
    assert "No figure changed by more than the runs differ by anyway." in page
    assert "latest 5 runs" in page
    (told,) = _told(shown)
    assert told["changes"] == [] and len(told["runs"]) == 10


DIFFERENCES = [
    (outcome(1, version="v7.6.4"), "FortiOS was v7.4.8 and is v7.6.4"),
    (outcome(1, build=2829), "the build of FortiOS v7.4.8 was 2795 and is 2829"),
    (outcome(1, vcpus=4), "the number of the gateway's vCPUs was 2 and is 4"),
    (outcome(1, licence="expired"), "the gateway's licence was valid until 2027-11-20 and is exp"),
    (outcome(1, memory_mb=2048), "the gateway's memory in MiB was 4096 and is 2048"),
    (outcome(1, shaper=0.0), 'shaper "sgw-200" was 320 Mbit/s and is without a limit'),
    (outcome(1, run={"gateway_settings": {"shapers": []}}), "(320 Mbit/s) is no longer in use"),
    (outcome(1, run={"gatepass": "9.9"}), f"Gatepass was {__version__} and is 9.9"),
    (outcome(1, run={"testbed": {"name": "rack-8"}}), "the testbed was lab-default and is rack-8"),
    (
        outcome(1, run={"profile": {"name": "standard", "trial_s": 30}}),
        "the profile was quick and is standard",
    ),
    (
        outcome(1, run={"endpoints": {"client": {"iperf3": "3.16"}}}),
        "the client's iperf3 was 3.12 and is 3.16",
    ),
]


@pytest.mark.parametrize(("after", "telling"), DIFFERENCES, ids=lambda value: str(value)[:40])
def test_what_else_was_different(record: Path, shown: Shown, after, telling: str) -> None:
    after.checks[-1].measurements[0] = outcome(1, mbps=(250.0,)).checks[-1].measurements[0]
    added(record, outcome(0), after)
    ((told,),) = [one["changes"] for one in _told(shown)]
    (difference,) = [text for text in told["differences"] if telling in text]
    assert len(told["differences"]) == (2 if "profile" in difference else 1)


def test_what_is_not_known_is_no_difference(record: Path, shown: Shown) -> None:
    before = outcome(0, run={"gateway_settings": {}, "endpoints": {}, "profile": {}})
    added(record, before, outcome(1, mbps=(250.0,)))
    assert "Of what the record knows, nothing differs between the two runs." in shown()


RIG = (18_420.0, 11_000.0)


def _with_baselines(before: dict, after: dict) -> list:
    runs = [outcome(0, **before), outcome(1, **after)]
    for run, mbps in zip(runs, RIG, strict=True):
        run.checks.append(baseline("before", mbps))
    return runs


def test_what_changed_with_the_rig_says_nothing_of_the_gateway(record: Path, shown: Shown) -> None:
    added(record, *_with_baselines({}, {"mbps": (190.0,)}))
    page = shown()
    assert "No figure changed by itself by more than the runs differ by anyway." in page
    assert "Changed together with the rig since run 20260303-080000-1234" in page
    assert "309 → 190 Mbit/s (−39 %)" in page
    assert "The path without the gateway (before) carried 18\u202f420 and carries 11\u202f0" in page
    (told,) = _told(shown)
    assert told["changes"] == [] and len(told["disturbed"][0]["figures"]) == 1


def test_a_lowered_shaper_is_no_fault_of_the_rig(record: Path, shown: Shown) -> None:
    added(record, *_with_baselines({}, {"mbps": (250.0,), "shaper": 261.0}))
    (told,) = _told(shown)
    assert told["disturbed"] == []
    shaper, rig = told["changes"][0]["differences"]
    assert "261" in shaper and "without the gateway" in rig


def test_a_faster_rig_is_no_reason_for_a_slower_gateway(record: Path, shown: Shown) -> None:
    runs = _with_baselines({"mbps": (190.0,)}, {"mbps": (309.0,)})
    added(record, *runs)
    (told,) = _told(shown)
    assert told["disturbed"] == [] and len(told["changes"]) == 1
    assert told["changes"][0]["differences"] == []


def test_before_and_after_an_upgrade(record: Path, shown: Shown) -> None:
    added(record, *(outcome(day, mbps=(306.0, 303.0)) for day in range(3)))
    added(record, outcome(3, mbps=(305.6, 262.0), version="v7.6.4"))
    page = shown()
    _, upgrade = page.split("Before and after the upgrade, since run 20260305-080000-1234")
    slower, others = upgrade.splitlines()[2:4]
    assert "303 (3 runs)" in slower and "262" in slower and slower.endswith("−14 %")
    assert others == "1 other figure differs by no more than the runs do anyway."
    assert "FortiOS was v7.4.8 and is v7.6.4." in page


def test_a_fleet_and_its_odd_one(record: Path, shown: Shown) -> None:
    for number in range(5):
        added(record, outcome(number, mbps=(306.0 + number * 0.3,), serial=f"FGVM0{number}"))
    added(record, outcome(5, mbps=(270.0,), serial="FGVM05"))
    added(record, outcome(6, mbps=(100.0,), serial="FGVM06", version="v7.6.4"))
    page = shown("--tier", "SGW-200")
    assert "FGVM05 is out of line: Stateful throughput, 1 policy, NAT off: 270 Mbit/s; " in page
    assert "the fleet's median is 306." in page and page.count("out of line") == 1
    assert "Gateways of SGW-200 with FortiOS v7.6.4" in page
    assert "Fewer than 4 gateways: none can be called the odd one." in page
    (old,) = _told(shown, "--tier", "sgw-200", "--version", "7.4")
    assert old["figures"][0]["odd"] == ["FGVM05"] and len(old["gateways"]) == 6


def test_each_gateway_has_its_margin_of_each_promise(record: Path, shown: Shown) -> None:
    added(record, outcome(0, mbps=(309.0, 330.0), serial="FGVM00"))
    added(record, outcome(1, mbps=(309.0, 270.0), serial="FGVM01"))
    page = shown("--tier", "SGW-200")
    _, _, margins = page.partition("Margin of each promise, under the least favourable conditions")
    heading, good, bad = margins.splitlines()[1:4]
    assert heading.split() == ["Gateway", "Stateful", "throughput"]
    assert good.split() == ["FGVM00", "+3.0", "%"]
    assert bad.split() == ["FGVM01", "−10", "%", "!"]


def test_of_many_figures_the_furthest_is_shown(record: Path, shown: Shown) -> None:
    for number in range(4):
        figures = [306.0 + number * 0.2] * 5
        figures[3] -= number * 4
        added(record, outcome(number, mbps=figures, serial=f"FGVM0{number}"))
    _, _, page = shown("--tier", "SGW-200").partition("Each gateway's latest figures")
    rows = [line for line in page.splitlines() if line.startswith("FGVM0")]
    assert len(rows) == 4
    assert "Stateful throughput, 1000 policies, NAT off: 295 (−1.9 %)" in rows[3]


def test_several_gateways_are_an_overview(record: Path, shown: Shown) -> None:
    added(record, outcome(0), outcome(1, mbps=(250.0,)), outcome(2, serial=OTHER))
    first, second = shown().splitlines()[2:4]
    assert first.split()[:4] == [SERIAL, "SGW-200", "v7.4.8", "2"] and first.split()[-1] == "1"
    assert second.split()[0] == OTHER and second.split()[-1] == "0"
    assert f"Runs of {OTHER}" in shown("--gateway", OTHER)


def test_the_selection(record: Path, shown: Shown) -> None:
    added(record, outcome(0), outcome(1, mbps=(309.0, 308.0)), outcome(2, version="v7.6.4"))
    (told,) = _told(shown, "--since", "2026-03-03", "--version", "v7.4")
    assert [run["run"] for run in told["runs"]] == ["20260303-080000-1234"]
    (told,) = _told(shown, "--promise", "10 POLICIES")
    assert [figure["conditions"] for figure in told["figures"]] == ["10 policies, NAT off"]


def test_a_gateway_that_was_never_reached_is_listed(record: Path, shown: Shown) -> None:
    lost = outcome(1)
    lost.run["gateway"] = {}
    added(record, outcome(0), lost)
    assert "not reached" in shown()


class Terminal(io.StringIO):
    """A terminal as far as a program can tell."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_is_a_table(record: Path, shown: Shown, monkeypatch) -> None:
    added(record, outcome(0), outcome(1, mbps=(250.0,), shaper=261.0))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "100")
    shown()
    drawn = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert "╭" in drawn and "250 !" in drawn
    assert max(map(len, drawn.splitlines())) <= 100


def test_piped_it_is_plain(record: Path, shown: Shown) -> None:
    added(record, outcome(0), outcome(1, mbps=(250.0, 12.0), version="v7.6.4"))
    page = shown()
    assert not set(page) & set("╭│╰─\x1b")
    assert all(line == line.rstrip() for line in page.splitlines())


def _sample(text: str, name: str, **labels: str) -> float | None:
    """One figure of the file, as Prometheus' own reader reads it."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and labels.items() <= sample.labels.items():
                return sample.value
    return None


def test_the_last_run_for_prometheus(record: Path, shown: Shown, tmp_path: Path) -> None:
    added(record, outcome(0, mbps=(306.0, 305.2)))
    added(record, outcome(1, mbps=(330.0, 249.8)))
    target = tmp_path / "gatepass.prom"
    assert shown("--prometheus", str(target)) == f"{target}\n"
    text = target.read_text()
    first = {"gateway": SERIAL, "promise": "Stateful throughput", "conditions": "1 policy, NAT off"}
    assert _sample(text, "gatepass_figure", **first) == 330.0
    assert _sample(text, "gatepass_figure_threshold", relation="at least", **first) == 300.0
    assert _sample(text, "gatepass_figure_margin_ratio", **first) == pytest.approx(0.1)
    verdicts = [
        _sample(text, "gatepass_order_verdict", gateway=SERIAL, verdict=verdict)
        for verdict in ("approved", "rejected", "not proven")
    ]
    assert sorted(verdicts) == [0, 0, 1]
    assert _sample(text, "gatepass_run_start_seconds", gateway=SERIAL) > 1.7e9


@pytest.mark.parametrize("name", ["gatepass.txt", "none/gatepass.prom"])
def test_a_file_that_prometheus_would_not_get(record: Path, tmp_path: Path, name: str) -> None:
    added(record, outcome(0))
    words = ["history", "--file", str(record), "--prometheus", str(tmp_path / name)]
    assert main(words) == 64


def test_a_check_that_turns_to_and_fro_is_named(record: Path, shown: Shown) -> None:
    """Of three checks: one stays as it is, one turned for good, one turned back."""
    days = [
        {"Steady": "pass", "Broken": "pass", "Fickle": "pass"},
        {"Steady": "pass", "Broken": "fail", "Fickle": "fail"},
        {"Steady": "pass", "Broken": "fail", "Fickle": "not applicable"},
        {"Steady": "pass", "Broken": "fail", "Fickle": "pass"},
    ]
    for day, verdicts in enumerate(days):
        one = outcome(day)
        checks = [replace(one.checks[0], name=name, verdict=verdicts[name]) for name in verdicts]
        added(record, replace(one, checks=checks))
    page = shown()
    assert "Checks whose verdict turned" in page
    rows = [line for line in page.splitlines() if re.search("Fickle|Broken|Steady", line)]
    assert [re.split(" {2,}", row.strip())[1:] for row in rows] == [
        ["pass", "fail", "–", "pass", "2 times, unstable"],
        ["pass", "fail", "fail", "fail", "once"],
    ]
    told = {one["name"]: one for one in _told(shown)[0]["checks"]}
    assert {name: one["unstable"] for name, one in told.items()} == {
        "Steady": False, "Broken": False, "Fickle": True,
    }
    assert list(told["Fickle"]["verdicts"].values()) == ["pass", "fail", "pass"]
