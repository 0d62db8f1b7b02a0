"""The page of a study, made of its output.xml; and how a study is called."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from robot.api import TestSuite

from certificate_reader import text
from certificate_results import write_output
from gatepass.base.paths import SUITES
from gatepass.cli import main
from gatepass.inputs.schema import one_of
from gatepass.inputs.studies import STUDIES, left_out
from gatepass.report.study import name_of, render, write
from gatepass.results.outcome import Check, Outcome, read
from gatepass.results.planned import planned
from gatepass.results.record import APPROVED, FAIL, NOT_PROVEN, PASS, REJECTED
from gatepass.results.study import DIFFERENCES, Column, Drawn, StudyTable
from gatepass.run.plan import selected
from gatepass.run.study import _ended as study_ended
from gatepass.run.study import alone
from study_examples import PARTS, carried_out, measured, not_carried_out


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A study, written into an output.xml and read again."""
    folder = tmp_path_factory.mktemp("study")
    return read(write_output(carried_out(measured()), folder / "output.xml"))


@pytest.fixture(scope="module")
def page(outcome: Outcome) -> ET.Element:
    """Its page."""
    return ET.fromstring(render(outcome, "rfc2544"))


def sections(page: ET.Element) -> dict[str, ET.Element]:
    """The page's sections by their headings."""
    return {text(one.find("h2")): one for one in page.iterfind(".//section")}


def rows(section: ET.Element) -> list[list[str]]:
    """Its table's rows, headings included."""
    return [[text(cell) for cell in row] for row in section.iterfind(".//table//tr")]


def test_what_is_read_again_is_what_was_recorded(outcome: Outcome) -> None:
    found = {table.name: table for check in outcome.checks for table in check.tables}
    assert found == measured()


def test_the_same_results_make_the_same_page(outcome: Outcome) -> None:
    assert render(outcome, "rfc2544") == render(outcome, "rfc2544")


def test_it_has_the_parts_of_the_rfc_and_what_differs_last(page: ET.Element) -> None:
    assert list(sections(page)) == [
        "Its parts",
        "Throughput",
        "Latency",
        "Frame loss rate",
        "Back-to-back frames",
        "Recovery from overload",
        "What differs from the source, and from its rig",
        "On what it was carried out",
    ]
    parts = rows(sections(page)["Its parts"])
    assert [row[0] for row in parts] == list(PARTS)
    assert {row[1] for row in parts} == {"pass"}


def test_published_figures_stand_beside_the_measured_ones(page: ET.Element) -> None:
    whose, heads, *frames = rows(sections(page)["Throughput"])
    assert [cell for cell in whose if cell] == ["Published", "Measured", "The test set-up alone"]
    assert heads[2:5] == ["Line of 1 Gbit/s frames/s", "DeCusatis 2014 Mbit/s", "Carried frames/s"]
    by_size = {(row[0], row[1]): row[2:] for row in frames}
    assert by_size["IPv4", "64"][:2] == ["1 488 095", "–"]  # RFC 5180, A.1
    large = by_size["IPv4", "1518"]
    assert large[:2] == ["81 274", "4 100"]
    assert float(large[4]) == pytest.approx(5.0, rel=0.05)
    assert large[-1] == "between the two"
    assert by_size["IPv6", "512"][1] == "1 500"


def test_what_the_rig_limits_is_told_as_at_least(page: ET.Element) -> None:
    frames = rows(sections(page)["Throughput"])[2:]
    small = next(row for row in frames if row[1] == "64")
    assert small[-1] == "at least: the rig's limit"
    assert small[5] == "–"


def test_each_chart_has_its_figures_as_text(page: ET.Element) -> None:
    charts = page.findall(".//svg[@role='img']")
    assert len(charts) == 4
    named = {one.get("aria-labelledby") for one in charts}
    assert len(named) == 4
    loss = next(one for one in charts if text(one.find("title")).startswith("Loss"))
    assert "1518 bytes over IPv4: " in text(loss.find("desc"))
    lines = [one for one in loss.iterfind("path") if one.get("class") == "rate"]
    assert len({one.get("stroke-dasharray") for one in lines}) == 2  # told apart without colour


class TestGrowing:
    """A study whose checks each tell its tables anew, as far as they go by then."""

    @staticmethod
    def table(*measured: float | None) -> StudyTable:
        columns = (
            Column("what", "What"),
            Column("published", "Rate", "Mbit/s", 0, "published"),
            Column("mbps", "Rate", "Mbit/s", 0, "measured"),
        )
        rows = tuple(
            {"what": what, "published": 7, "mbps": mbps}
            for what, mbps in zip("ab", measured, strict=True)
        )
        drawn = Drawn("bars", "Rates", "what", "published", beside="mbps")
        return StudyTable("hokkanen2016", "rates", "Rates", "", "", columns, rows, (drawn,))

    @pytest.fixture
    def grown(self, tmp_path: Path) -> ET.Element:
        checks = [
            Check(
                "Published methods",
                name,
                PASS,
                tags=("hokkanen2016",),
                tables=[self.table(*measured)],
            )
            for name, measured in (("First", (3, None)), ("Second", (3, 4)))
        ]
        left = replace(carried_out(measured()), checks=checks)
        return ET.fromstring(render(read(write_output(left, tmp_path / "o.xml")), "hokkanen2016"))

    def test_the_last_one_stands_there_alone(self, grown: ET.Element) -> None:
        assert list(sections(grown))[1:2] == ["Rates"] and len(sections(grown)) == 3
        assert rows(sections(grown)["Rates"])[2:] == [["a", "7", "3"], ["b", "7", "4"]]

    def test_what_was_published_is_drawn_beside(self, grown: ET.Element) -> None:
        (chart,) = grown.findall(".//svg[@role='img']")
        told = text(chart.find("desc"))
        assert told == (
            "Published: a: 7 Mbit/s, b: 7 Mbit/s. Measured: a: 3 Mbit/s, b: 4 Mbit/s."
        )


def test_shorter_conditions_than_the_rfcs_are_told_first(page: ET.Element) -> None:
    lead = [text(one) for one in page.iterfind(".//p[@class='lead']")]
    assert lead == [
        "Carried out with shorter and fewer trials than RFC 2544 asks for: a first answer. The "
        "profile standard has the RFC's own conditions."
    ]
    differs = rows(sections(page)["What differs from the source, and from its rig"])
    assert ["Length of a trial", "60 s at least (24)",
            "0.5 s while it is searched, 1 s where it decides"] in differs  # fmt: skip
    assert any("82 bytes" in row[-1] for row in differs)


def test_a_figure_that_there_is_not_is_a_dash(page: ET.Element) -> None:
    recovered = rows(sections(page)["Recovery from overload"])[2:]
    assert ["the rig carries no overload" in row[-1] for row in recovered].count(True) == 1
    assert all(row[-2] == "–" for row in recovered if "overload" in row[-1])


def test_the_lab_is_told(page: ET.Element) -> None:
    assert "its figures are not those of a FortiGate" in text(page.find("body"))


def test_a_page_a_study(outcome: Outcome, tmp_path: Path) -> None:
    assert write(outcome, tmp_path) == {"rfc2544": tmp_path / "study-rfc2544.html"}
    assert write(not_carried_out(), tmp_path) == {}


def test_the_verdict_is_that_of_its_own_checks(outcome: Outcome) -> None:
    assert outcome.verdict == NOT_PROVEN  # of the order, most of which was not looked at
    assert alone(outcome).verdict == APPROVED
    failed = alone(outcome)
    failed.checks[1].verdict = FAIL
    assert failed.verdict == REJECTED
    failed.checks[1].verdict = "pass"
    assert alone(not_carried_out()).verdict == NOT_PROVEN


class TestCalls:
    """The command, as far as nothing is contacted."""

    def test_a_page_is_made_again(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = write_output(carried_out(measured()), tmp_path / "output.xml")
        assert main(["study", "rfc2544", "--output", str(output)]) == 0
        assert capsys.readouterr().out.strip() == str(tmp_path / name_of("rfc2544"))
        assert (tmp_path / "study-rfc2544.html").read_text().startswith("<!DOCTYPE html>")

    def test_a_run_without_the_study_has_no_page(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        output = write_output(not_carried_out(), tmp_path / "output.xml")
        assert main(["study", "rfc2544", "--output", str(output)]) == 64
        assert "it holds no table of the study rfc2544" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["rfc2455"], f"allowed is {one_of(STUDIES)}. Did you mean 'rfc2544'?"),
            (["xyz"], "Choose one of these."),
            ([], "The following arguments are required: NAME"),
            (["rfc2544"], "--testbed FILE is missing"),
            (["rfc2544", "--testbed", "none.yaml"], "none.yaml"),
            (["rfc2544", "--testbed", "x.yaml", "--profile", "quik"], "Did you mean 'quick'?"),
            (["rfc2544", "--ordr", "x"], "--ordr"),
            (["rfc2544", "--output", "none.xml"], "nothing can be read from it"),
        ],
    )
    def test_mistakes(
        self, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["study", *words]) == 64
        said = capsys.readouterr().err
        assert said.startswith("Mistake: ") and told in said and said.count("\n") == 1

    def test_a_mistake_is_told_before_a_lab_is_built(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["labs-for", "study", "rfc2544"]) == 0
        assert main(["labs-for", "study", "rfc2545"]) == 64
        assert "Did you mean 'rfc2544'?" in capsys.readouterr().err


class TestPlan:
    """Which checks there are, with a study and without."""

    def test_each_study_has_a_suite_and_each_suite_is_one(self) -> None:
        tests = TestSuite.from_file_system(SUITES / "80__studies").all_tests
        found = {tuple(set(test.tags) & set(STUDIES)) for test in tests}
        assert found == {(name,) for name in STUDIES}
        assert all({"study", "load"} <= set(test.tags) for test in tests)

    def test_a_study_is_part_of_a_run_where_its_order_names_it(self) -> None:
        without, with_it = planned(SUITES), planned(SUITES, ["rfc2544"])
        assert [one for one in with_it if one not in without] == [
            ("Published methods", name) for name in PARTS
        ]
        assert with_it[-2][0] == "Handover"  # what a study changes is taken back as well

    def test_what_an_order_does_not_name_is_no_check_left_out(self) -> None:
        assert selected(SUITES, [])[1].whole == len(planned(SUITES))
        assert selected(SUITES, [], ["rfc2544"])[1].whole == len(planned(SUITES, ["rfc2544"]))
        others = tuple(name for name in STUDIES if name != "rfc2544")
        assert left_out(["rfc2544"]) == others and left_out([]) == tuple(STUDIES)

    def test_differences_are_told_by_each_study(self) -> None:
        assert DIFFERENCES in measured()


class TestEnded:
    """What is made of a run that has ended."""

    @pytest.fixture
    def ended(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("gatepass.run.study.HISTORY", tmp_path / "history.sqlite3")

        def end(outcome: Outcome) -> str:
            write_output(outcome, tmp_path / "output.xml")
            return study_ended(tmp_path, "rfc2544")

        return end

    @pytest.mark.parametrize(
        ("verdict", "of_order", "told"),
        [
            (PASS, APPROVED, "carried out; what the order has a figure for is reached"),
            (FAIL, REJECTED, "carried out; the gateway misses what was ordered"),
            (NOT_PROVEN, NOT_PROVEN, "Study rfc2544: not proven"),
        ],
    )
    def test_page_results_box_and_verdict(
        self,
        ended,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        verdict: str,
        of_order: str,
        told: str,
    ) -> None:
        outcome = carried_out(measured())
        tier = outcome.checks[1]
        tier.verdict, tier.message = verdict, "" if verdict == PASS else "It was otherwise."
        assert ended(outcome) == of_order
        said = capsys.readouterr().out
        assert told in said and "LAB: a stand-in" in said
        assert ("It was otherwise." in said) == (verdict != PASS)
        assert "did not run" not in said  # the rest of the order is no part of the call
        assert str(tmp_path / "study-rfc2544.html") in said
        assert (tmp_path / "study-rfc2544.html").exists() and (tmp_path / "results.json").exists()
        assert not (tmp_path / "certificate.html").exists()

    def test_without_a_table_there_is_no_page(
        self, ended, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert ended(not_carried_out()) == NOT_PROVEN
        said = capsys.readouterr().out
        assert "none: the study came to no table" in said
        assert "The testbed names no direct_address" in said
