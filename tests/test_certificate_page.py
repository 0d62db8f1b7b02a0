"""The certificate as a page: self-contained, accessible, safe, the same when made again."""

import itertools
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from certificate_examples import (
    DIGEST,
    RUN,
    approved,
    everything_wrong,
    in_finnish,
    not_proven,
    nothing_known,
    rejected,
    whole,
)
from certificate_reader import parsed, reasons, rows, text
from gatepass.base.paths import TEMPLATES
from gatepass.base.phrase import NOTHING
from gatepass.report.certificate import render, write
from gatepass.report.phrases import LONGEST_MESSAGE
from gatepass.results.record import Restoration

LIBRARIES = Path(__file__).resolve().parent.parent / "libraries"


def finnish() -> object:
    return in_finnish(whole())


OUTCOMES = [approved, whole, rejected, not_proven, nothing_known, everything_wrong, finnish]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_no_external_reference_and_no_script(outcome):
    page = parsed(outcome())
    for element in page.iter():
        assert element.tag not in {"script", "link", "iframe", "object", "form", "base"}
        for name, value in element.attrib.items():
            assert name not in {"style", "srcset", "action"}
            assert name != "src" or value.startswith("data:image/")
            assert not name.startswith("on")
            assert "href" not in name or not re.match("[a-z]+:|/", value)  # beside the page
    style = "".join(page.find("head/style").itertext())
    assert "url(" not in style
    assert "@import" not in style
    policy = page.find("head/meta[@http-equiv='Content-Security-Policy']").get("content")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_accessible(outcome):
    page = parsed(outcome())
    assert page.get("lang") == ("fi" if outcome is finnish else "en")
    levels = [int(e.tag[1]) for e in page.iter() if re.fullmatch("h[1-6]", str(e.tag))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    for table in page.iter("table"):
        assert text(table.find("caption"))
        assert all(head.get("scope") for head in table.iter("th"))
    for verdict in page.iterfind(".//span[@class]"):
        if "verdict" in verdict.get("class").split():
            assert text(verdict)  # a word beside the symbol
            assert verdict.find("svg").get("aria-hidden") == "true"
    for picture in page.iter("svg"):
        if picture.get("role") == "img":
            named = {one.get("id"): text(one) for one in picture if one.tag in ("title", "desc")}
            assert set(picture.get("aria-labelledby").split()) == set(named)
            assert all(named.values())
        else:
            assert picture.get("aria-hidden") == "true"
    identifiers = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(identifiers) == len(set(identifiers))
    for use in page.iter("use"):
        assert use.get("href")[1:] in identifiers


def test_contrast():
    style = (TEMPLATES / "certificate.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--(\w+): #([0-9a-f]{6});", style))

    def luminance(colour: str) -> float:  # WCAG 2.2, relative luminance
        parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for front in ("ink", "quiet", "heading", "pass", "fail", "open"):
        for back in ("paper", "lab"):
            light, dark = luminance(colours[back]), luminance(colours[front])
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (front, back)


def test_hostile_text_stays_text():
    outcome = rejected()
    hostile = '<script>alert(1)</script></style>"; } body { display: none } \\ {{ 7 * 7 }} {order}'
    outcome.run["order"] = RUN["order"] | {
        "customer": hostile,
        "order": hostile,
        "notes": f"{hostile}\x00\x1b[31m\u202e\ud800",
    }
    outcome.run["run_id"] = hostile
    outcome.checks[11].message = hostile
    outcome.restoration = Restoration(False, (hostile,), (hostile,), hostile)
    html = render(outcome, DIGEST)
    assert "<script" not in html
    assert html.count("</style>") == 1
    page = parsed(outcome)
    assert hostile in "".join(page.find("body").itertext())
    style = "".join(page.find("head/style").itertext())
    assert "alert" not in re.sub(r"content: .*", "", style)
    strings = re.findall(r"content: (.*);", style)
    assert all(re.sub(r'"(\\[0-9a-f]+ |[0-9A-Za-z])*"', "", s).isascii() for s in strings)
    assert not any("{" in re.sub(r'"(\\[0-9a-f]+ |[0-9A-Za-z])*"', "", s) for s in strings)
    html.encode("utf-8")


def test_a_message_without_end_is_cut():
    outcome = not_proven()
    lost = next(check for check in outcome.checks if check.verdict == "not proven")
    lost.message, lost.said = "X" * 50_000, NOTHING
    html = render(outcome, DIGEST)
    assert "X" * LONGEST_MESSAGE in html
    assert "X" * (LONGEST_MESSAGE + 1) not in html
    assert "the rest is in the report" in html


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_identical_when_made_again(outcome):
    assert render(outcome(), DIGEST) == render(outcome(), DIGEST)


# From output.xml

RECORDER = """
from robot.api import logger
from robot.api.deco import keyword
from certificate_checks import throughput
from certificate_examples import RUN
from gatepass.results import record

@keyword
def know_the_run():
    order = RUN["order"] | {"shaper": None}
    logger.debug(record.dump("run", RUN | {"order": order}))

@keyword
def measure(policies: int, value: float):
    check = throughput(policies, False, value, 0.5)
    for measurement in check.measurements:
        logger.debug(record.dump("measurement", measurement))
    for evidence in check.evidence:
        logger.debug(record.dump("evidence", evidence))
    assert value > 300, f"Stateful throughput: {value} Mbit/s; SGW-200 promises 300."

@keyword
def restore():
    logger.debug(record.dump("restoration", record.Restoration(True)))
"""
SUITE = """
*** Settings ***
Documentation     The gateway carries what was bought. And more is written here.
Library           Gatepass.py
Suite Setup       Know The Run
Suite Teardown    Restore
Test Template     Measure

*** Test Cases ***             POLICIES    VALUE
One Policy, Without NAT
    [Tags]    stateful    throughput
    1    309.25
A Hundred Policies, Without NAT
    [Tags]    stateful    throughput
    100    {value}
"""


def robot(folder: Path, value: float) -> Path:
    """Run a suite of two checks, which record as Gatepass's own do."""
    folder.mkdir()
    (folder / "Gatepass.py").write_text(RECORDER, encoding="utf-8")
    (folder / "stateful_firewall.robot").write_text(SUITE.format(value=value), encoding="utf-8")
    call = [sys.executable, "-m", "robot", "--loglevel", "DEBUG", "--log", "NONE", "--report",
            "NONE", "--output", "output.xml", "--pythonpath", str(LIBRARIES), "--pythonpath",
            str(Path(__file__).parent), "stateful_firewall.robot"]  # fmt: skip
    subprocess.run(call, cwd=folder, capture_output=True, timeout=60, check=False)
    return folder / "output.xml"


@pytest.mark.parametrize(
    ("value", "verdict", "row"),
    [(308.5, "Approved", "pass"), (287.5, "Rejected", "fail")],
)
def test_from_output_xml_alone(tmp_path, value, verdict, row):
    output = robot(tmp_path / "run", value)
    outcome = write(output, tmp_path / "certificate.html")
    html = (tmp_path / "certificate.html").read_bytes()
    assert outcome.verdict == verdict.lower()
    table = rows(outcome, "conditions")
    assert table["100 policies, NAT off"][0].startswith(str(value))
    assert table["100 policies, NAT off"][-1] == row
    assert f'<h2 id="decision">{verdict}</h2>'.encode() in html
    assert sha256(output.read_bytes()).hexdigest().encode() in html
    missed = any("promised was at least 300 Mbit/s" in one for one in reasons(outcome))
    assert missed == (value < 300)
    output.rename(tmp_path / "output.xml")  # elsewhere and later
    write(tmp_path / "output.xml", tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == html
