"""What a fleet leaves for all its orders: the page, xUnit, Robot's reports."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote

import pytest
from robot.api import ExecutionResult

import records
from certificate_examples import approved, not_proven, rejected
from certificate_reader import text
from fleet_examples import mixed, plan, ran
from gatepass.base.errors import InputError
from gatepass.fleet.closing import closing_box
from gatepass.fleet.outcome import read_fleet
from gatepass.fleet.page import render, write
from gatepass.results.outcome import read


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fleet with every kind of end, and its pages."""
    folder = mixed(tmp_path_factory.mktemp("fleets") / "fleet-20261121-072231")
    write(folder, read_fleet(folder))
    return folder


def _page(folder: Path) -> ET.Element:
    return ET.fromstring((folder / "fleet.html").read_text(encoding="utf-8"))


def _lines(folder: Path) -> dict[str, list[str]]:
    """The cells of each order's row, by its name."""
    found = _page(folder).iterfind(".//table[@class='orders cards']/tbody/tr")
    return {text(row[0].find("strong")): [text(cell) for cell in row] for row in found}


def test_the_verdict_comes_first(fleet: Path) -> None:
    decision = _page(fleet).find(".//section")
    assert decision.get("class") == "decision mixed"
    told = text(decision)
    assert told.startswith("1 of 5 approved, 1 rejected, 3 not proven")
    assert "1 gateway may be handed over; 1 must not be; 3 could not be decided." in told


def test_an_order_a_row_the_worst_first(fleet: Path) -> None:
    lines = _lines(fleet)
    assert list(lines) == ["4711-02", "4711-03", "4711-04", "4711-05", "4711-01"]
    assert [cells[1].split(" ")[0] for cells in lines.values()] == [
        "rejected", "not", "not", "not", "approved"
    ]  # fmt: skip
    rejected_one = lines["4711-02"]
    assert rejected_one[0] == "4711-02 SGW-200 Gold, Example Oy FGVM02TM24001234, v7.4.8, rack-7, "\
        "2 min 34 s"  # fmt: skip
    assert rejected_one[2] == (
        "−4.2 % Stateful throughput, 1000 policies, NAT off: 287 ± 4 Mbit/s, at least 300"
    )
    assert "expected is 198.18.2.1" not in rejected_one[3]  # the certificate tells the rest
    assert "The server saw another address than the policy should give" in rejected_one[3]
    assert "1 check And 1 more cause." in rejected_one[3]
    assert "It had come to chapter “Stateful firewall”" in lines["4711-04"][3]
    assert "It did not run." in lines["4711-05"][3]
    assert lines["4711-01"][3].startswith("The approval does not cover what was not tested:")


def test_only_the_labs_gateways_bear_its_mark(fleet: Path) -> None:
    marked = {name for name, cells in _lines(fleet).items() if "LAB" in cells[0].split()}
    assert marked == {"4711-03"}


def test_every_link_leads_somewhere(fleet: Path) -> None:
    links = [link.get("href") for link in _page(fleet).iter("a")]
    assert "orders/4711-01/certificate.html" in links
    assert "report.html" in links
    ids = {one.get("id") for one in _page(fleet).iter() if one.get("id")}
    inside = [link for link in links if link.startswith("#")]
    assert {unquote(link[1:]) for link in inside} <= ids
    outside = [link for link in links if link not in inside]
    for link in outside:
        assert (fleet / unquote(link)).is_file(), link
    assert not any("4711-04" in link or "4711-05" in link for link in outside)


def test_who_hears_a_link_alone_knows_whose_it_is(fleet: Path) -> None:
    links = [link for link in _page(fleet).iter("a") if not link.get("href").startswith("#")]
    said = [link.get("aria-label") for link in links]
    assert len(said) == len(set(said))
    assert "Certificate of 4711-02" in said


def test_made_again_it_is_the_same(fleet: Path, tmp_path: Path) -> None:
    page = (fleet / "fleet.html").read_bytes()
    xunit = (fleet / "xunit.xml").read_bytes()
    write(fleet, read_fleet(fleet))
    assert (fleet / "fleet.html").read_bytes() == page
    assert (fleet / "xunit.xml").read_bytes() == xunit


@pytest.mark.parametrize(
    ("orders", "sentence"),
    [
        ([approved], "The gateway may be handed over."),
        ([approved, approved], "All 2 gateways may be handed over."),
        ([rejected, rejected], "All 2 gateways must not be handed over."),
        ([approved, not_proven],
         "1 gateway may be handed over; 1 could not be decided."),
    ],
)  # fmt: skip
def test_what_the_verdict_means(tmp_path: Path, orders: list, sentence: str) -> None:
    names = [f"order-{number}" for number in range(len(orders))]
    plan(tmp_path, names)
    for name, outcome in zip(names, orders, strict=True):
        ran(tmp_path, name, outcome())
    outcome = read_fleet(tmp_path)
    assert sentence in render(tmp_path, outcome)
    assert sentence.split(" may")[0] in closing_box(outcome, tmp_path)


def test_what_a_customer_is_called_does_no_harm(tmp_path: Path) -> None:
    outcome = approved()
    outcome.run["order"] = outcome.run["order"] | {"customer": "<script>alert(1)</script>\u202e"}
    ran(plan(tmp_path, ["one"]), "one", outcome)
    html = render(tmp_path, read_fleet(tmp_path))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html and "\u202e" not in html


def test_a_long_reason_ends_with_a_sentence(tmp_path: Path) -> None:
    outcome = rejected()
    wrong = next(check for check in outcome.checks if check.verdict == "fail")
    wrong.evidence, wrong.measurements = [], []
    wrong.message = "It missed the promise. " + "This is what was seen of it. " * 30
    ran(plan(tmp_path, ["one"]), "one", outcome)
    html = render(tmp_path, read_fleet(tmp_path))
    assert "This is what was seen of it. …" in html
    wrong.message = "a" * 900
    ran(tmp_path, "one", outcome)
    assert "(the rest is in the report)" in render(tmp_path, read_fleet(tmp_path))


def test_a_part_says_that_it_is_one(tmp_path: Path) -> None:
    ran(plan(tmp_path, ["one"], shard="1/2"), "one", approved())
    outcome = read_fleet(tmp_path)
    told = "This is part 1/2 of a fleet. ./run.sh fleet joins the parts."
    assert told in render(tmp_path, outcome)
    assert told in closing_box(outcome, tmp_path)


def test_the_closing_box_names_who_is_not_approved(fleet: Path) -> None:
    box = closing_box(read_fleet(fleet), fleet)
    assert "Fleet: 1 of 5 approved, 1 rejected, 3 not proven." in box
    assert "4711-04: not proven." in box
    assert "4711-01: approved" in box
    assert "fleet.html" in box


# --- xUnit ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suites(fleet: Path) -> dict[str, ET.Element]:
    """The test suites of xunit.xml by name."""
    return {suite.get("name"): suite for suite in ET.parse(fleet / "xunit.xml").getroot()}


def test_an_order_is_a_test_suite(suites: dict[str, ET.Element]) -> None:
    assert list(suites) == [f"4711-0{number}" for number in range(1, 6)]
    for suite in suites.values():
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for kind, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert suite.get(count) == str(len(suite.findall(f"testcase/{kind}")))
        assert cases[0].get("name") == "The Order Is Approved"


@pytest.mark.parametrize(
    ("order", "kind"),
    [("4711-01", None), ("4711-02", "failure"), ("4711-03", "error"), ("4711-04", "error"),
     ("4711-05", "error")],
)  # fmt: skip
def test_an_order_that_is_not_approved_is_not_green(
    suites: dict[str, ET.Element], order: str, kind: str | None
) -> None:
    case = suites[order].find("testcase")
    assert [part.tag for part in case] == ([kind] if kind else [])
    if kind:
        assert case[0].get("message").startswith(("rejected: ", "not proven: "))


def test_the_whole_is_summed_up(fleet: Path, suites: dict[str, ET.Element]) -> None:
    root = ET.parse(fleet / "xunit.xml").getroot()
    assert root.get("tests") == str(sum(int(suite.get("tests")) for suite in suites.values()))
    assert (root.get("failures"), root.get("errors")) == ("3", "3")


def test_what_did_not_run_is_told_from_what_could_not_be_proven(tmp_path: Path) -> None:
    folder = plan(tmp_path, ["one"]) / "orders" / "one"
    folder.mkdir(parents=True)
    (folder / "output.xml").write_bytes(records.xml("partly"))
    write(tmp_path, read_fleet(tmp_path))
    (suite,) = ET.parse(tmp_path / "xunit.xml").getroot()
    assert (suite.get("tests"), suite.get("skipped"), suite.get("errors")) == ("179", "141", "1")
    assert {one.get("type") for one in suite.iter("skipped")} == {"not run"}


def test_what_xml_cannot_hold_costs_no_report(tmp_path: Path) -> None:
    folder = plan(tmp_path, ["one"]) / "orders" / "one"
    folder.mkdir(parents=True)
    (folder / "worker.txt").write_text("It said \x00\x1b[31mred\ufffe.")
    write(tmp_path, read_fleet(tmp_path))
    message = ET.parse(tmp_path / "xunit.xml").getroot().find(".//error").get("message")
    assert message.startswith("not proven: It said [31mred.")
    assert "It said [31mred" in _lines(tmp_path)["one"][3]
    assert ExecutionResult(tmp_path / "output.xml").suite.test_count == 1


# --- Robot's reports ------------------------------------------------------------------------------


def test_nothing_vanishes_from_the_merged_report(fleet: Path) -> None:
    whole = ExecutionResult(fleet / "output.xml").suite
    assert [suite.name for suite in whole.suites] == [f"4711-0{n}" for n in range(1, 6)]
    alone = sum(
        ExecutionResult(fleet / "orders" / f"4711-0{n}" / "output.xml").suite.test_count
        for n in (1, 2, 3)
    )
    assert whole.test_count == alone + 2
    for suite in whole.suites[3:]:
        (check,) = suite.tests
        assert check.status == "SKIP"
        assert check.message.startswith("Not proven: It")
    assert "*4711-05*: not proven" in whole.doc
    assert "1 of 5 approved, 1 rejected, 3 not proven</span>" in (fleet / "report.html").read_text()
    for name in ("report.html", "log.html"):
        assert "4711-05" in (fleet / name).read_text(encoding="utf-8")


def test_orders_side_by_side_take_no_longer_than_the_longest(fleet: Path) -> None:
    whole = ExecutionResult(fleet / "output.xml").suite
    assert whole.elapsed_time == max(suite.elapsed_time for suite in whole.suites)


def test_links_of_an_order_hold_in_the_merged_report(tmp_path: Path) -> None:
    folder = ran(plan(tmp_path, ["one"]), "one", approved())
    alone = ExecutionResult(folder / "output.xml")
    check = alone.suite.suites[0].tests[0]
    check.metadata["First failure data"] = "[failures/a/b/index.html|What was shown]"
    link = 'see <a href="failures/a/b/index.html">what was shown</a>'
    check.body[0].body.create_message(link, "INFO", html=True)
    alone.suite.metadata["Certificate"] = "[certificate.html|The page for the customer]"
    alone.suite.doc = "- A virus. [failures/a/b/index.html|What was seen]"
    alone.save()
    write(tmp_path, read_fleet(tmp_path))
    one = ExecutionResult(tmp_path / "output.xml").suite.suites[0]
    assert one.metadata["Certificate"].startswith("[orders/one/certificate.html|")
    assert one.doc == "- A virus. [orders/one/failures/a/b/index.html|What was seen]"
    check = one.suites[0].tests[0]
    assert check.metadata["First failure data"].startswith("[orders/one/failures/a/b/index.html|")
    assert 'href="orders/one/failures/a/b/index.html"' in check.body[0].body[-1].message


def test_a_merged_output_is_no_run(fleet: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"merged of the runs of several orders.*orders/\*/output"):
        read(fleet / "output.xml")
    one = ran(plan(tmp_path, ["one", "lost"]), "one", approved())
    write(tmp_path, read_fleet(tmp_path))
    with pytest.raises(InputError, match="several orders"):  # though only one of them has results
        read(tmp_path / "output.xml")
    assert read(one / "output.xml").verdict == "approved"


def test_what_rebot_merged_by_itself_is_no_run_either(fleet: Path, tmp_path: Path) -> None:
    alone = [fleet / "orders" / name / "output.xml" for name in ("4711-01", "4711-02")]
    merged = ExecutionResult(*alone)
    merged.save(tmp_path / "output.xml")
    with pytest.raises(InputError, match="several orders"):
        read(tmp_path / "output.xml")
