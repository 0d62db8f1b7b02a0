"""A whole run: verdict and what it leaves."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.faulty_lab import PROJECT, Ended, FaultyLab, hold, must_be_measured
from gatepass.base.paths import VARIABLES
from gatepass.gateway import rights
from gatepass.inputs import load_catalogue, load_order, load_testbed
from gatepass.inputs.scope import Scope, release_of
from gatepass.proof import verify as proof
from gatepass.proof.findings import Code
from gatepass.proof.verify import Trust
from gatepass.report import certificate
from gatepass.report.verify import verify
from gatepass.results.record import APPROVED
from lab.lifecycle.device import DEFAULT_VERSION
from runs.killing import Runs
from runs.leaks import leaks, secrets_of
from runs.printed_user import asked
from shared_turns import nobody_measures
from test_certificate_rendered import CHROMIUM

ANYBODY = {path for path, parts in rights.all_parts().items() if parts == ("",)}
"""What takes no right."""


@pytest.fixture(autouse=True)
def _nobody_measures(whole_run: Ended) -> Iterator[None]:
    """What looks at the run takes processors as well."""
    with nobody_measures():
        yield


def scope_of(lab: FaultyLab) -> Scope:
    """The lab's order on its testbed."""
    catalogue = load_catalogue(VARIABLES / "service_catalogue.yaml")
    order = load_order(VARIABLES / "orders" / "lab.yaml", catalogue)
    return Scope(load_testbed(lab.testbed), order, release_of(DEFAULT_VERSION))


def test_the_order_is_approved(lab: FaultyLab, whole_run: Ended) -> None:
    assert lab.is_as_delivered()
    runs = Runs(lab.testbed, whole_run.folder.parent)
    for endpoint in ("client", "server"):
        folders = runs.on(endpoint, "find /tmp -maxdepth 1 -name 'gatepass.*'")
        at_work = set(runs.on(endpoint, "ps -eo comm="))
        assert not folders and not at_work & {"iperf3", "python3", "timeout"}
    checks = whole_run.outcome.checks
    hold((one, one.message) for one in checks if one.verdict not in ("pass", "not applicable"))
    assert whole_run.outcome.verdict == APPROVED, whole_run.output
    assert whole_run.exit_code == 0


def test_each_chapter_asks_for_what_the_table_of_rights_has(
    lab: FaultyLab, whole_run: Ended
) -> None:
    """The first chapter tries to read what all need; the last takes back what they have made."""
    seen = asked(lab, whole_run)
    table = rights.calls_of(scope_of(lab))
    for chapter in set(table) - {"preflight", "handover"}:
        written = {path for path, writes in seen.get(chapter, {}).items() if writes}
        assert set(seen.get(chapter, {})) - set(table[chapter]) <= ANYBODY, chapter
        assert written <= {path for path, writes in table[chapter].items() if writes}, chapter
    assert sum(map(len, seen.values())) > 200


def test_no_right_was_given_that_nothing_needs(lab: FaultyLab, whole_run: Ended) -> None:
    calls = [call for called in asked(lab, whole_run).values() for call in called.items()]
    written = {part for path, writes in calls if writes for part in rights.parts_of(path)}
    read = {part for path, _ in calls for part in rights.parts_of(path)}
    wanted = rights.needed(scope_of(lab))
    assert {one.part for one in wanted if one.rank == rights.WRITE} == written
    assert {one.part for one in wanted} == read - {""}


def test_what_a_run_leaves(whole_run: Ended) -> None:
    names = {path.name for path in whole_run.folder.iterdir()}
    assert {
        "certificate.html",
        *(["certificate.pdf"] if CHROMIUM else []),
        "report.html",
        "log.html",
        "xunit.xml",
        "results.json",
        "trials.csv",
        "output.xml",
        "trials",
    } <= names
    pictures = {path.stem for path in (whole_run.folder / "gui").iterdir()}
    assert pictures == {"policies-1", "policies-100", "policies-1000"}
    cases = ElementTree.parse(whole_run.folder / "xunit.xml").iter("testcase")
    assert len(list(cases)) == len(whole_run.outcome.checks)


def test_the_report_has_its_columns(whole_run: Ended) -> None:
    must_be_measured(whole_run.outcome)
    output = ElementTree.parse(whole_run.folder / "output.xml")
    test = next(one for one in output.iter("test") if one.get("name") == "1000 Policies, With NAT")
    columns = {meta.get("name"): meta.text for meta in test.findall("meta")}
    assert columns["Verdict"] == "pass"
    assert "TCP goodput" in columns["Measured"]
    assert columns["Required"] == "at least 300 Mbit/s"
    assert "The test policy counted at least the bytes received" in columns["Evidence"]


def test_the_certificate_needs_nothing_but_the_output(whole_run: Ended, tmp_path: Path) -> None:
    moved = tmp_path / "output.xml"
    moved.write_bytes((whole_run.folder / "output.xml").read_bytes())
    certificate.write(moved, tmp_path / "again.html")
    first = (whole_run.folder / "certificate.html").read_bytes()
    assert (tmp_path / "again.html").read_bytes() == first


def test_certificate_and_results_of_a_run_belong_together(whole_run: Ended) -> None:
    for name in ("certificate.html", *(["certificate.pdf"] if CHROMIUM else [])):
        finding = verify(whole_run.folder / name, whole_run.folder / "output.xml")
        assert finding.unchanged, finding.sentence
        assert ("As PDF" in whole_run.output) and name.split(".")[0] in whole_run.output


def test_all_of_it_follows_from_its_trials(whole_run: Ended) -> None:
    found = proof.verify(whole_run.folder, Trust())
    assert found.wrong == []
    assert any("signed when it ended by a key that nobody here knows" in one for one in found.open)
    assert found.code == Code.UNVOUCHED
    (made_again,) = [one for one in found.seen if "made again from their trials" in one]
    assert int(made_again.rpartition(" ")[2]) > 20


def test_the_certificate_shows_charts_and_published_figures(whole_run: Ended) -> None:
    must_be_measured(whole_run.outcome)
    page = (whole_run.folder / "certificate.html").read_text(encoding="utf-8")
    assert "Stateful throughput by size of the rule set" in page
    assert "What security services cost" in page
    assert "Hokkanen 2016" in page


def test_the_certificate_can_be_made_again_by_the_command_line(
    whole_run: Ended, tmp_path: Path
) -> None:
    made = subprocess.run(
        [
            *(sys.executable, "-m", "gatepass", "certificate"),
            *(str(whole_run.folder / "output.xml"), "--to", str(tmp_path / "again.html")),
        ],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT / "libraries")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert whole_run.outcome.verdict.upper() in made.stdout
    first = (whole_run.folder / "certificate.html").read_bytes()
    assert (tmp_path / "again.html").read_bytes() == first


def test_no_secret_is_in_the_results(lab: FaultyLab, whole_run: Ended) -> None:
    assert leaks(whole_run.folder.parent, secrets_of(lab)) == []
    assert {path.name for path in whole_run.folder.iterdir()} >= {"output.xml", "journal.jsonl"}


def test_what_is_kept_of_the_customers_configuration_is_for_the_owner_alone(
    whole_run: Ended,
) -> None:
    files = [whole_run.folder, *whole_run.folder.rglob("*")]
    assert [path for path in files if path.stat().st_mode & 0o077] == []
