"""Forged records: each is named, also where whoever forged it makes all else anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from careful_forger import remade
from forgeries import FORGERIES
from sealed_run import wrong

from gatepass import cli
from gatepass.base.phrase import NOTHING
from gatepass.proof import means
from gatepass.proof.folder import SUMS
from gatepass.proof.verify import Trust, verify
from gatepass.report import verify as certificate_verify
from gatepass.results import record
from gatepass.results.measurements import estimated
from gatepass.results.outcome import Check
from gatepass.stats.intervals import interval

UNDONE = ("results.json", "the page")
"""Forgeries that whoever makes all else anew undoes himself."""


def test_the_untouched_run(sealed: Path) -> None:
    found = verify(sealed, Trust())
    assert found.wrong == []
    assert any(one.startswith("It is not signed") for one in found.open)
    assert re.search(r"made again from their trials: [1-9]", " ".join(found.seen))


def test_what_is_made_again_of_the_untouched_run_is_the_same(sealed: Path) -> None:
    """But for the pages: a later Gatepass may write them otherwise, and tell more."""
    before = {path: path.read_bytes() for path in sealed.rglob("*") if path.is_file()}
    remade(sealed)
    changed = {path.name for path, content in before.items() if path.read_bytes() != content}
    pages = {"certificate.html", "log.html", "report.html", "output.xml"}
    assert changed <= {*pages, "results.json", "trials.csv", "xunit.xml", SUMS}
    assert wrong(sealed) == []


def test_what_this_copy_of_gatepass_made_has_nothing_wrong(
    sealed: Path, made_here: None
) -> None:
    found = verify(sealed, Trust())
    assert found.wrong == [] and not found.program


def test_a_page_that_a_later_gatepass_writes_otherwise_accuses_nobody(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate_verify, "render", lambda outcome, digest: "<html/>")
    assert wrong(sealed) == []
    (told,) = [one for one in verify(sealed, Trust()).open if one.startswith("certificate.html")]
    assert "its words were not compared" in told


def test_a_page_that_the_same_gatepass_writes_otherwise_was_changed(
    sealed: Path, made_here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate_verify, "render", lambda outcome, digest: "<html/>")
    assert any(found.startswith("certificate.html was ") for found in wrong(sealed))


def test_a_run_of_before(sealed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sealed / SUMS).unlink()
    assert cli.main(["verify", str(sealed)]) == 64
    assert f"./run.sh verify {sealed / 'certificate.html'}" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["nonsense", "\xff"])
def test_a_list_that_is_none(sealed: Path, content: str) -> None:
    (sealed / SUMS).write_bytes(content.encode("latin-1"))
    assert cli.main(["verify", str(sealed)]) == 64


def test_a_file_without_end_is_not_read(sealed: Path) -> None:
    with (sealed / "log.html").open("r+b") as log:
        log.truncate(2**40)
    assert "log.html was changed after the run was sealed." in wrong(sealed)


def test_a_file_that_waits_for_somebody_is_none(sealed: Path) -> None:
    (sealed / "log.html").unlink()
    os.mkfifo(sealed / "log.html")
    assert "log.html is missing." in wrong(sealed)


@pytest.mark.parametrize("name", UNDONE)
def test_what_is_made_anew_as_it_was_is_no_forgery_any_more(sealed: Path, name: str) -> None:
    FORGERIES[name].forge(sealed)
    remade(sealed)
    assert wrong(sealed) == []


@pytest.mark.parametrize("level", [0.025, 0.005, 0.0005])
def test_an_interval_of_two_trials_is_made_again_from_what_was_noted(level: float) -> None:
    """Its half is some hundred times their spread, and so is what rounding does to it."""
    for step in range(200):
        trials = [0.118541637 + step * 1.37e-7, 0.118541637 - step * 2.11e-5]
        exact = interval(trials, 0.95, level)
        one = estimated("provisioning", NOTHING, trials, exact, 0.95)
        noted = record.parse(record.dump("measurement", one))[1]
        check = Check("Provisioning of tenants", "Every Tenant", record.PASS, measurements=[noted])
        assert list(means.made_again(check, noted, noted.trials)) == []
