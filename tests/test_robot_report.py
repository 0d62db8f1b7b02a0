"""Robot's own report and log, finished so that they tell the order's verdict, on a phone too."""

from __future__ import annotations

import contextlib
import io
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from robot import rebot, rebot_cli

from certificate_examples import approved, not_proven, rejected
from certificate_results import write_output
from gatepass.report.robot_report import OPTIONS, finish, gravest_first
from gatepass.results.outcome import Outcome, read
from test_certificate_rendered import CHROMIUM, looked_at

PAGES = {"approved": approved, "rejected": rejected, "not-proven": not_proven}


def pages_of(outcome: Outcome, folder: Path) -> Path:
    """Robot's pages of a run, with a topic that has checks and one that has none."""
    folder.mkdir()
    output = write_output(outcome, folder / "output.xml")
    topics = ["statefulORthroughput:Throughput of the tier", "study:Published methods"]
    more = {"tagstatexclude": "*", "tagstatcombine": topics, "outputdir": str(folder)}
    rebot(str(output), log="log.html", console="none", stdout=None, **more)
    return folder


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_what_a_browser_shows(tmp_path: Path) -> None:
    for name, made in PAGES.items():
        folder = pages_of(made(), tmp_path / name)
        outcome = read(folder / "output.xml")
        finish(folder, outcome.verdict, gravest_first(outcome))
    folder = pages_of(rejected(), tmp_path / "turned-round")
    gravest = gravest_first(read(folder / "output.xml"))
    finish(folder, "rejected", gravest[::-1])
    finish(hostile_pages(tmp_path / "hostile"), "rejected")
    done = looked_at(tmp_path, "report.robot", LAST=_name(folder, gravest[-1]))
    assert done.returncode == 0, done.stdout + done.stderr


def hostile_pages(folder: Path) -> Path:
    """Pages of an output in which somebody else's markup stands as Robot's and as HTML."""
    pages_of(rejected(), folder)
    output = folder / "output.xml"
    ran = "document.title='ran'"
    markup = f"[javascript:{ran}|A script] [https://stranger.example/x.png|x]"
    html = f'<a href="javascript:{ran}">Another script</a><script>{ran}</script>'
    text = output.read_text()
    text = text.replace('<msg time', f'<msg time="2026-11-21T07:22:32.000000" level="INFO" '
                        f'html="true">{escape(html)}</msg><msg time')  # fmt: skip
    text = text.replace("</suite>\n</robot>", f'<meta name="Order">{escape(markup)}</meta>'
                        "</suite></robot>")  # fmt: skip
    output.write_text(text)
    words = ["--outputdir", str(folder), *OPTIONS, str(output)]
    with contextlib.redirect_stdout(io.StringIO()):
        rebot_cli(words, exit=False)
    return folder


def test_each_script_of_a_page_has_its_digest(tmp_path: Path) -> None:
    folder = pages_of(rejected(), tmp_path / "one")
    finish(folder, "rejected")
    for name in ("report.html", "log.html"):
        page = (folder / name).read_text()
        scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
        policy = re.search(r'Security-Policy" content="([^"]*)"', page)[1]
        assert len(scripts) > 5
        assert page.index("Security-Policy") < page.index("<script")
        for script in scripts:
            digest = b64encode(sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
        assert "'sha256-" not in policy.partition("script-src-elem")[0]


def _name(folder: Path, place: str) -> str:
    return next(one.name for one in read(folder / "output.xml").checks if one.place == place)


def test_who_decides_comes_in_the_order_of_the_reasons(tmp_path: Path) -> None:
    folder = pages_of(rejected(), tmp_path / "one")
    outcome = read(folder / "output.xml")
    failed = [one.place for one in outcome.checks if one.verdict == "fail"]
    assert failed and gravest_first(outcome)[: len(failed)] == failed
    assert not any(one.place in gravest_first(outcome) for one in outcome.checks
                   if one.verdict == "pass")  # fmt: skip


@pytest.mark.parametrize("page", ["report.html", "log.html"])
def test_once_is_enough(tmp_path: Path, page: str) -> None:
    folder = pages_of(rejected(), tmp_path / "one")
    finish(folder, "rejected")
    once = (folder / page).read_text()
    finish(folder, "rejected")
    assert (folder / page).read_text() == once


def test_what_is_no_report_stays(tmp_path: Path) -> None:
    other = tmp_path / "report.html"
    finish(tmp_path, "approved")
    assert not other.exists()
    other.write_text("<title>Report</title>")
    finish(tmp_path, "approved")
    assert other.read_text() == "<title>Report</title>"
