"""A certificate and its results: whether they belong together, and what was changed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from certificate_examples import in_finnish, not_proven, rejected, whole
from certificate_results import write_output
from gatepass import __version__, cli
from gatepass.base.chromium import BROWSERS
from gatepass.base.errors import InputError
from gatepass.report import verify as certificate_verify
from gatepass.report.certificate import write, write_pdf
from gatepass.report.verify import changed_word, verify
from test_certificate_rendered import CHROMIUM

EXAMPLES = {"whole": whole, "rejected": rejected, "not-proven": not_proven}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run's folder with its results and its certificate."""
    write(write_output(whole(), tmp_path / "output.xml"), tmp_path / "certificate.html")
    return tmp_path


def changed(path: Path, pattern: str, by: str) -> Path:
    """A file with the first match replaced by as many letters."""
    text = path.read_text(encoding="utf-8")
    new = re.sub(pattern, by, text, count=1)
    assert new != text and len(new) == len(text)
    path.write_text(new, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("pattern", "by"),
    [('"holds": true', '"holds": yess'), ('"kind": "evidence"', '"kind": "evidencf"')],
    ids=["no JSON", "an unknown kind"],
)
def test_a_record_that_is_damaged_is_a_change(folder: Path, pattern: str, by: str) -> None:
    changed(folder / "output.xml", pattern, by)
    finding = verify(folder / "certificate.html", folder / "output.xml")
    assert not finding.unchanged and "as it was changed" in finding.sentence
    for words in (["results"], ["certificate"], ["history", "--add"]):
        assert cli.main([*words, str(folder / "output.xml")]) == 64


def test_another_suites_results_are_no_results_of_a_run(folder: Path) -> None:
    foreign = folder / "foreign.xml"
    foreign.write_text('<robot generator="Robot 7.5" schemaversion="6"><suite name="S"/></robot>')
    assert "holds no results of a run" in verify(folder / "certificate.html", foreign).sentence
    assert cli.main(["certificate", str(foreign), "--to", str(folder / "c.html")]) == 64
    assert not (folder / "c.html").exists()


def test_results_are_not_written_over(folder: Path) -> None:
    before = (folder / "output.xml").read_bytes()
    words = ["certificate", str(folder / "output.xml"), "--to", str(folder / "output.xml")]
    assert cli.main(words) == 64
    assert (folder / "output.xml").read_bytes() == before


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_what_nobody_touched_is_unchanged(tmp_path, example):
    output = write_output(example(), tmp_path / "output.xml")
    outcome = write(output, tmp_path / "certificate.html")
    finding = verify(tmp_path / "certificate.html", output)
    assert finding.unchanged
    assert outcome.verdict in finding.sentence


@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        ("307.5 ± 1.2</td>", "317.5 ± 1.2</td>"),  # a figure
        ("Approved</h2>", "Rejected</h2>"),
        ("309.2 ± 0.7 Mbit/s. ", "309.3 ± 0.7 Mbit/s. "),  # in an alternative text
        ("stroke-width: 2;", "stroke-width: 0;"),  # how it looks
        ("<!DOCTYPE html>", "<!doctype html>"),
    ],
)
def test_a_changed_certificate(folder, pattern, by):
    finding = verify(changed(folder / "certificate.html", pattern, by), folder / "output.xml")
    assert not finding.unchanged
    assert re.match(r"certificate\.html was changed: line \d+ reads “", finding.sentence)


def test_a_certificate_with_another_check_sum(folder):
    page = folder / "certificate.html"
    digit = re.search(r"output.xml: ([0-9a-f])", page.read_text(encoding="utf-8"))[1]
    other = "1" if digit == "0" else "0"
    finding = verify(
        changed(page, "output.xml: [0-9a-f]", f"output.xml: {other}"), folder / "output.xml"
    )
    assert not finding.unchanged
    assert finding.sentence.startswith("certificate.html was changed: its check sum")


@pytest.mark.parametrize("digit", [r'"value": 308\.1', r'elapsed="15', "07:22:32"])
def test_changed_results(folder, digit):
    output = folder / "output.xml"
    last = re.search(digit, output.read_text(encoding="utf-8"))[0]
    finding = verify(folder / "certificate.html", changed(output, digit, last[:-2] + last[-1] * 2))
    assert not finding.unchanged
    assert finding.sentence.startswith("output.xml was changed after the certificate was made")


def test_results_of_another_run(folder, tmp_path_factory):
    other = whole()
    other.run["run_id"] = "20271121-072231-0000"
    output = write_output(other, tmp_path_factory.mktemp("other") / "output.xml")
    finding = verify(folder / "certificate.html", output)
    assert not finding.unchanged
    assert "output.xml is of another run (20271121-072231-0000)" in finding.sentence


def test_results_that_can_no_longer_be_read(folder):
    output = folder / "output.xml"
    output.write_text(output.read_text(encoding="utf-8").replace("</robot>", "</robbt>"))
    finding = verify(folder / "certificate.html", output)
    assert not finding.unchanged
    assert "output.xml holds no results of a run, or no longer" in finding.sentence


def test_another_version_of_gatepass_cannot_tell(folder, monkeypatch):
    changed(folder / "certificate.html", "307.5 ± 1.2</td>", "317.5 ± 1.2</td>")
    monkeypatch.setattr(certificate_verify.gatepass, "__version__", "9.9")
    finding = verify(folder / "certificate.html", folder / "output.xml")
    assert not finding.unchanged
    assert f"was made by Gatepass {__version__}, and this is 9.9" in finding.sentence


def test_no_certificate(folder):
    with pytest.raises(InputError, match="no certificate of Gatepass"):
        verify(folder / "output.xml", folder / "output.xml")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        verify(folder / "certificate.html", folder / "nothing.xml")


@pytest.mark.parametrize(
    ("name", "code"), [("certificate.html", 3), ("changed.html", 1), ("nothing.html", 64)]
)
def test_the_command_line(folder, name, code, capsys):
    shutil.copy(folder / "certificate.html", folder / "changed.html")
    changed(folder / "changed.html", "307.5 ± 1.2</td>", "317.5 ± 1.2</td>")
    assert cli.main(["verify", str(folder / name)]) == code
    said = capsys.readouterr()
    assert (said.out + said.err).count("\n") == (2 if code == 3 else 1)


def test_the_html_page_does_not_go_where_its_pdf_would(folder, capsys):
    words = ["certificate", str(folder / "output.xml"), "--to", str(folder / "page.pdf")]
    assert cli.main(words) == 64
    assert "name an .html file" in capsys.readouterr().err
    assert not (folder / "page.pdf").exists()


# PDF


PAGE = (
    "<html><head><style></style></head><body><p>The customer’s stand-in carried +12.5 Mbit/s in "
    "10 s, −4 %.</p></body></html>"
)


@pytest.mark.parametrize("printed", ["stand-in", "standin", "stand in"])
@pytest.mark.parametrize("unit", ["10 s", "10s"])
def test_a_reader_of_pdf_may_join_at_a_hyphen_and_a_figure_to_its_unit(printed, unit):
    text = f"The customer’s {printed} carried +12.5 Mbit/s in {unit}, −4 %."
    assert changed_word(text, PAGE) == ""


@pytest.mark.parametrize(
    ("was", "now"),
    [("customer’s", "customers"), ("12.5", "125"), ("+12.5", "12.5"), ("−4", "4"),
     ("carried +", "carried"), ("The customer", "Thecustomer")],
)
def test_what_is_joined_anywhere_else_is_another_word(was, now):
    text = "The customer’s stand-in carried +12.5 Mbit/s in 10 s, −4 %."
    assert changed_word(text.replace(was, now), PAGE)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with its certificate in both forms."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    folder = tmp_path_factory.mktemp("printed")
    outcome = write(
        write_output(in_finnish(whole()), folder / "output.xml"), folder / "certificate.html"
    )
    assert write_pdf(outcome, folder / "certificate.html") == str(folder / "certificate.pdf")
    return folder


def test_a_pdf_that_nobody_touched(printed):
    finding = verify(printed / "certificate.pdf", printed / "output.xml")
    assert finding.unchanged, finding.sentence
    assert "every word and figure" in finding.sentence


def test_a_pdf_is_the_same_when_printed_again(printed, tmp_path):
    page = tmp_path / "certificate.html"
    outcome = write(printed / "output.xml", page)
    write_pdf(outcome, page)
    again = (tmp_path / "certificate.pdf").read_bytes()
    assert again == (printed / "certificate.pdf").read_bytes()
    assert b"D:20261121052231+00'00'" in again  # the run's start


@pytest.mark.parametrize("figure", ["vähintään 306</td>", "+57,8 %</td>", "343</span>"])
def test_a_pdf_of_another_page(printed, tmp_path, figure):
    """As if it had been edited: printed from a page with one digit changed."""
    page = tmp_path / "certificate.html"
    outcome = write(printed / "output.xml", page)
    last = figure.index("<") - (3 if "%" in figure else 1)
    new = figure[:last] + ("1" if figure[last] != "1" else "2") + figure[last + 1 :]
    changed(page, re.escape(figure), new)
    write_pdf(outcome, page)
    finding = verify(tmp_path / "certificate.pdf", printed / "output.xml")
    assert not finding.unchanged
    assert "certificate.pdf was changed: it lacks “" in finding.sentence


def test_a_pdf_of_changed_results(printed, tmp_path):
    output = tmp_path / "output.xml"
    shutil.copy(printed / "output.xml", output)
    changed(output, "308.1", "308.2")
    finding = verify(printed / "certificate.pdf", output)
    assert not finding.unchanged
    assert finding.sentence.startswith("output.xml was changed after the certificate was made")


def test_without_chromium_there_is_a_sentence_and_no_pdf(folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    (folder / "certificate.pdf").write_bytes(b"an older one")
    assert all(shutil.which(name) is None for name in BROWSERS)
    told = write_pdf(whole(), folder / "certificate.html")
    assert told == "not made, as no Chromium is installed (apt-get install chromium)"
    assert not (folder / "certificate.pdf").exists()
    with pytest.raises(InputError, match="pdftotext is needed"):
        (folder / "certificate.pdf").write_bytes(b"%PDF-1.4")
        verify(folder / "certificate.pdf", folder / "output.xml")


def test_a_pdf_that_nobody_wants_is_left_out(folder, monkeypatch):
    monkeypatch.setenv("GATEPASS_PDF", "no")
    (folder / "certificate.pdf").write_bytes(b"an older one")
    told = write_pdf(whole(), folder / "certificate.html")
    assert told == "left out, as GATEPASS_PDF=no says"
    assert not (folder / "certificate.pdf").exists()


def test_a_chromium_that_fails_is_a_sentence(folder, monkeypatch):
    fake = folder / "chromium"
    fake.write_text("#!/bin/sh\necho 'no room left' >&2\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    told = write_pdf(whole(), folder / "certificate.html")
    assert told == "not made, as Chromium failed: no room left"
    assert [path.name for path in folder.iterdir() if path.name.startswith(".pdf")] == []


@pytest.mark.parametrize("kind", ["pipe", "endless", "giant", "folder"])
@pytest.mark.parametrize(
    "words", [["verify"], ["certificate"], ["results"], ["history", "--add"]], ids=" ".join
)
def test_what_has_no_end_is_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, words: list[str]
) -> None:
    path = tmp_path / "output.xml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "giant":
        with path.open("wb") as file:
            file.truncate(2**40)
    else:
        path.mkdir()
    assert cli.main([*words, str(path)]) == 64
    told = capsys.readouterr().err
    assert str(path) in told and "Traceback" not in told
