"""``./run.sh fleet``, and how the record, the dashboard and a certificate take a fleet's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from certificate_examples import approved, rejected
from fleet_examples import mixed, plan, ran
from gatepass.base.paths import run_name
from gatepass.base.result_folders import outputs
from gatepass.cli import main
from gatepass.fleet.outcome import read_fleet
from gatepass.fleet.page import write
from gatepass.report import dashboard


def _part(folder: Path, number: int, outcome=approved) -> Path:
    part = plan(folder / f"part-{number}" / "fleet-1", [f"order-{number}"], shard=f"{number}/2")
    ran(part, f"order-{number}", outcome())
    return part


def test_the_page_is_made_again_in_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = mixed(tmp_path / "fleet-1")
    assert main(["fleet", str(fleet)]) == 1
    for name in ("fleet.html", "xunit.xml", "output.xml", "report.html", "log.html"):
        assert (fleet / name).is_file()
    printed = capsys.readouterr()
    assert "Fleet: 1 of 5 approved, 1 rejected, 3 not proven." in printed.out
    assert printed.err == ""


@pytest.mark.parametrize(("second", "code"), [(approved, 0), (rejected, 1)])
def test_parts_of_several_machines_become_one_page(
    tmp_path: Path, second, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [_part(tmp_path, 1), _part(tmp_path, 2, second)]
    joined = tmp_path / "joined"
    assert main(["fleet", *map(str, parts), "--to", str(joined)]) == code
    page = (joined / "fleet.html").read_text(encoding="utf-8")
    for number in (1, 2):
        link = f"../part-{number}/fleet-1/orders/order-{number}/certificate.html"
        assert page.count(f'href="{link}"') == 1
        assert (joined / link).is_file()
    assert "This is part" not in page


def test_a_part_alone_is_not_the_fleet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = _part(tmp_path, 1)
    assert main(["fleet", str(part)]) == 2
    printed = capsys.readouterr().out
    assert "Fleet: 1 of 1 approved, 1 part missing." in printed
    assert "What became of a part of the fleet is not known." in printed
    assert "Part 2 of 2: not proven" in printed
    assert 'name="Part 2 of 2"' in (part / "xunit.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "The following arguments are required: FOLDER. See ./run.sh fleet --help."),
        (["{fleet}", "{fleet}"], "--to FOLDER is missing"),
        (["{empty}"], "empty/fleet.json: the fleet's plan cannot be read"),
        (["{fleet}", "--to", "{file}"], "the fleet's page cannot be written there"),
        (["{fleet}", "--to", "{run}"], "this is the folder of a single run"),
    ],
)
def test_mistakes_are_a_sentence(
    tmp_path: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results.json").touch()
    places = {name: tmp_path / name for name in ("empty", "file", "run")}
    fleet = _part(tmp_path, 1)
    assert main(["fleet", *(word.format(fleet=fleet, **places) for word in words)]) == 64
    printed = capsys.readouterr()
    assert printed.err.startswith("Mistake: ") and sentence in printed.err
    assert len(printed.err.splitlines()) == 1
    assert not (fleet / "fleet.html").exists()


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of results with a run on its own and a fleet of two that has its pages."""
    fleet = plan(tmp_path / "fleet-1", ["one", "two"])
    for name in ("one", "two"):
        ran(fleet, name, approved())
    write(fleet, read_fleet(fleet))
    alone = ran(plan(tmp_path / "scratch", ["alone"]), "alone", approved())
    alone.rename(tmp_path / "20261121-alone")
    (tmp_path / "scratch" / "fleet.json").unlink()
    return tmp_path


def test_a_run_is_counted_once(results: Path) -> None:
    found = [path.parent.relative_to(results).as_posix() for path in outputs(results)]
    assert found == ["20261121-alone", "fleet-1/orders/one", "fleet-1/orders/two"]


def test_the_record_leaves_the_merged_output_out(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = str(results / "history.sqlite3")
    every = [results / "fleet-1" / "output.xml", *outputs(results)]
    assert main(["history", "--file", record, "--add", *map(str, every)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Left out: ") and "several orders" in told[0]
    assert told[1:] == [
        "scratch/alone: approved",
        "fleet-1/one: approved",
        "fleet-1/two: approved",
    ]


def test_the_dashboard_takes_the_orders_and_not_their_sum(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    monkeypatch.setattr(dashboard, "RESULTS", results)
    monkeypatch.setattr(dashboard, "_made_of", lambda runs: taken.extend(runs) or "")
    assert dashboard.dashboard(["--to", str(results / "dashboard.html")]) == 0
    assert taken == outputs(results)


@pytest.mark.parametrize("command", ["certificate", "results"])
def test_no_certificate_is_made_of_several_orders(
    results: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(results / "fleet-1" / "output.xml")]) == 64
    assert "merged of the runs of several orders" in capsys.readouterr().err
    assert not (results / "fleet-1" / "certificate.html").exists()


def test_orders_of_one_name_in_two_fleets_are_two_runs() -> None:
    names = {run_name(Path(f"results/fleet-{number}/orders/4711-01")) for number in (1, 2)}
    assert names == {"fleet-1/4711-01", "fleet-2/4711-01"}
    assert run_name(Path("results/20261121-072231-lab")) == "20261121-072231-lab"
