"""Certificates of real runs, and the longest there can be, in each family of fonts: on sheets of
A4, on screens wide and narrow, in the dark and without colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import pytest

import records
from certificate_examples import DIGEST, everything_wrong, in_finnish, whole
from fonts import FAMILIES, Family
from gatepass.base.chromium import chromium
from gatepass.report.certificate import render
from gatepass.report.verify import changed_word, page_text
from gatepass.results.outcome import Outcome
from paper import FOOT, HEAD, HIGH, WIDE, Printed, printed
from test_certificate_rendered import IN_FULL, MOST_PAGES, looked_at

pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")


def far_too_much() -> Outcome:
    """More to tell than any run has had, and of somebody with a long address."""
    outcome = everything_wrong()
    outcome.run["provider"] = outcome.run["provider"] | {"contact": "quality@longexample.example"}
    return outcome


INVENTED = {"whole": whole, "far-too-much": far_too_much}
"""Outcomes with all charts there are, and with the most to tell."""
REAL = [
    *(("approved", "en"), ("approved", "fi"), ("approved", "sv")),
    *(("rejected-rate-finnish", "fi"), ("not-proven-peer", "en")),
]
"""One of each verdict, and the longest in each language."""
LONGEST = [(name, "fi") for name in INVENTED]  # its words are longer
FEWEST_ABOVE = 30
"""Words of what is signed, on the sheet with the signatures."""


def page(name: str, language: str, folder: Path) -> str:
    """The certificate of a real run, or of an invented one."""
    if name in records.NAMES:
        return records.page(name, language, folder)
    outcome = INVENTED[name]()
    return render(in_finnish(outcome) if language == "fi" else outcome, DIGEST)


def pages(which: list[tuple[str, str]], folder: Path) -> dict[str, str]:
    """Pages by a name for each."""
    return {"-".join(one): page(*one, folder) for one in which}


SET_IN = {
    name: LONGEST + REAL[number :: len(FAMILIES)] for number, name in enumerate(FAMILIES)
}
"""What is looked at in each family of fonts: the longest in all, the real ones in turn."""


@contextmanager
def nothing_but(name: str, folder: Path) -> Iterator[None]:
    """Have a family be the only one, for all that the block starts."""
    known: Family = FAMILIES[name]
    if known.missing:
        pytest.skip(f"no {known.missing[0]}: apt-get install {known.package}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FONTCONFIG_FILE", str(known.alone(folder)))
        yield


@pytest.fixture(
    scope="module",
    params=[(family, *one) for family, which in SET_IN.items() for one in which],
    ids="-".join,
)
def sheets(request: pytest.FixtureRequest, tmp_path_factory) -> Printed:
    """A page on paper."""
    family, *which = request.param
    with nothing_but(family, tmp_path_factory.mktemp(family)):
        folder = tmp_path_factory.mktemp("printed")
        return printed(page(*which, folder), folder)


def test_it_keeps_to_its_sheets(sheets: Printed) -> None:
    assert sheets.sizes == {(WIDE, HIGH)}
    in_full = 'id="causes"' in sheets.html
    assert len(sheets.sheets) <= MOST_PAGES + IN_FULL * in_full


def test_it_is_set_in_that_family(sheets: Printed, request: pytest.FixtureRequest) -> None:
    family, *_ = request.node.callspec.params["sheets"]
    # what has no name is drawn in the PDF itself, letter by letter, as a call is where no family
    # has letters of one width
    fonts = [font for font in sheets.fonts if font["/Subtype"] != "/Type3"]
    names = {str(font["/BaseFont"]).partition("+")[2] for font in fonts}
    assert names and {name for name in names if not name.startswith(family)} == set()
    for font in fonts:
        (descendant,) = font["/DescendantFonts"]
        assert "/FontFile2" in descendant.get_object()["/FontDescriptor"]  # the PDF has it with it


def test_every_word_of_the_page_is_there(sheets: Printed) -> None:
    assert changed_word(page_text(sheets.pdf), sheets.html) == ""


def test_no_word_is_at_the_edge_or_on_another(sheets: Printed) -> None:
    assert sheets.at_the_edge() == []
    assert sheets.on_another() == []


def test_the_signatures_stand_below_what_they_are_for(sheets: Printed) -> None:
    heading = re.search(r'<section class="signatures">\s*<h2>(.*?)</h2>', sheets.html)
    assert heading
    title, last = unescape(heading[1]).split(), sheets.sheets[-1]
    texts = [one.text for one in last]
    (at,) = (at for at in range(len(last)) if texts[at : at + len(title)] == title)
    above = [one for one in last if HEAD < one.top < last[at].top]
    assert len(above) >= FEWEST_ABOVE
    below = [one for one in last if last[at].bottom < one.top < FOOT]
    assert any("SHA-256" in one.text for one in below)  # the check sum of what is signed


def seen(known: dict[str, str], suite: str, folder: Path) -> tuple[int, str]:
    """How many tests of a Robot suite fail on pages, and what it says."""
    for name, html in known.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    done = looked_at(folder, suite)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_it_is_seen_whole(family: str, tmp_path: Path, tmp_path_factory) -> None:
    with nothing_but(family, tmp_path_factory.mktemp(family)):
        failed, told = seen(pages(SET_IN[family], tmp_path), "one_family.robot", tmp_path)
    assert failed == 0, told


def test_it_is_for_every_reader(tmp_path: Path) -> None:
    known = pages([*REAL, ("far-too-much", "en")], tmp_path)
    failed, told = seen(known, "every_reader.robot", tmp_path)
    assert failed == 0, told


SPOILT = {
    ' tabindex="0"': "",
    'text-anchor="end">HTTP<': 'text-anchor="end">A long word on the left<',
    'text-anchor="start">307<': 'text-anchor="start" transform="translate(0 -14)">307<',
    'fill="url(#hatch)"': 'fill="currentColor"',
    "M6.2.8h7.6l5.4 5.4v7.6l-5.4 5.4H6.2L.8 13.8V6.2z": "M.5 10a9 9 0 0 0 19 0a9 9 0 0 0-19 0",
    "M6.6 6.6l6.8 6.8m0-6.8l-6.8 6.8": "M5.4 10.4l3.2 3.2 6-7",
    "stroke-dasharray: 5 3": "stroke-dasharray: none",
    "margin: 14mm 14mm 13mm": "margin: 14mm 3mm 13mm",
    "--quiet: #4c5661": "--quiet: #9ca6b1",
    "</main>": (
        '<p style="width: 3em; white-space: nowrap">It does not fit in here.</p>'
        '<p style="width: 3em">Throughput</p>'
        '<p style="width: 3em; white-space: nowrap; overflow: hidden">It is hidden here.</p>'
        '<p style="position: absolute; left: 1200px; white-space: nowrap">It is far away.</p>'
        '<p style="position: absolute; left: 0; bottom: 0">Below</p>'
        '<p style="position: absolute; left: 0; bottom: 0">Above</p>'
        '<p><span class="verdict">perhaps</span></p></main>'
    ),
}
"""Faults of every kind, by what was there in a page without them."""


@pytest.fixture(scope="module")
def spoilt() -> str:
    """A page that has them."""
    html = page("whole", "en", Path())
    for right, wrong in SPOILT.items():
        assert right in html, right
        html = html.replace(right, wrong)
    return html


@pytest.mark.parametrize(
    ("suite", "faults"),
    [
        (
            "one_family.robot",
            [
                "“A long word on the left” leaves its chart.",
                "lies on “307”.",
                "“It does not fit in here.” sticks out of its box.",
                "“It is hidden here.” is cut.",
                "“Throughput” of “Throughput” is torn.",
                "390 px: The page is ",
                "390 px: “It is far away.” is out of reach.",
            ],
        ),
        (
            "every_reader.robot",
            [
                "scrollable-region-focusable",
                "(rgb(156, 166, 177) on rgb(255, 255, 255))",
                "“perhaps” is told without a word or a symbol.",
                "“pass” and “fail” look the same.",
                ".limit is not broken.",
                "The legend of “What security services cost” shows one kind twice.",
            ],
        ),
    ],
)
def test_what_is_wrong_is_told(spoilt: str, tmp_path: Path, suite: str, faults: list[str]) -> None:
    _, told = seen({"spoilt": spoilt}, suite, tmp_path)
    assert [fault for fault in faults if fault not in told] == []


def test_what_is_wrong_on_paper_is_told(spoilt: str, tmp_path: Path) -> None:
    found = printed(spoilt, tmp_path)
    assert "Signatures" in found.at_the_edge()
    assert ("Above", "Below") in found.on_another()
