"""The certificate in each language: complete, and nothing English in it but what is marked so."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from robot.api import TestSuite

from certificate_examples import (
    everything_wrong,
    full,
    in_language,
    not_proven,
    rejected,
    whole,
)
from certificate_reader import body, parsed, reasons, rows, text
from gatepass.base import phrase
from gatepass.base.chapters import CHAPTERS, title
from gatepass.base.languages import FALLBACK, LANGUAGES
from gatepass.report import wording
from gatepass.results.outcome import Outcome
from gatepass.results.promises import PROMISES
from test_other_words import ROOT, copied, printed

LIBRARIES = ROOT / "libraries"
TEXTS = {
    language: {
        # English lacks of `said` what the log says in the same words, and names of `checks`
        group: texts
        for group, texts in wording.wording(language).texts.items()
        if group not in ("said", "checks")
    }
    for language in LANGUAGES
}
"""Languages of certificates that were made before their texts were mended."""
NEVER_ON_THE_PAGE = {"as_it_stands", "first_port", "second_port", "first_port_ipv6"}
"""What stands as it was said, and where of a claim that is told once for every port."""


def leaves(texts: object, path: str = "") -> dict[str, str]:
    """Every text by the keys that lead to it."""
    if isinstance(texts, dict):
        parts = [leaves(value, f"{path}/{key}") for key, value in texts.items()]
    elif isinstance(texts, list):
        parts = [leaves(value, f"{path}/{at}") for at, value in enumerate(texts)]
    else:
        return {path: str(texts)}
    return {key: value for part in parts for key, value in part.items()}


def placeholders(pattern: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(pattern) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_keys_and_placeholders(language):
    english, other = leaves(TEXTS["en"]), leaves(TEXTS[language])
    assert other.keys() == english.keys()
    for key, pattern in english.items():
        if key not in ("/date",):  # each language writes the time of day in its own way
            assert placeholders(other[key]) == placeholders(pattern), key
        assert bool(other[key]) == bool(pattern), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_check_has_a_name(language):
    """In English its own; a new check needs one in each other language."""
    named = wording.wording(language).texts.get("checks", {})
    there = {check.name for check in TestSuite.from_file_system(ROOT / "suites").all_tests}
    assert named.keys() == (set() if language == FALLBACK else there)
    assert all(named.values()) and len(set(named.values())) == len(named)


@pytest.mark.parametrize("language", LANGUAGES)
def test_chapters_are_called_as_in_the_suites(language):
    """Robot's report, the certificate, the history and every table have one name for each."""
    called = TEXTS[language]["chapters"]
    assert called.keys() == set(CHAPTERS)
    assert len(set(called.values())) == len(called)
    if language == FALLBACK:
        suites = TestSuite.from_file_system(ROOT / "suites").suites
        assert called == {name: title(name) for name in CHAPTERS}
        assert sorted(suite.name for suite in suites) == sorted(called.values())


def names_said() -> dict[str, str]:
    """Every phrase that our code says by its name, with the file that says it."""
    found = {}
    for path in sorted(LIBRARIES.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "say" and call.args:
                name = call.args[0]
                either = [name.body, name.orelse] if isinstance(name, ast.IfExp) else [name]
                known = [one.value for one in either if isinstance(one, ast.Constant)]
                found |= dict.fromkeys(known, path.name)
    return found


def test_whatever_is_said_has_a_text():
    found = names_said()
    assert len(found) > 100
    assert {name: where for name, where in found.items() if name not in phrase.texts()} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_can_be_said_has_a_text_in_each_language(language):
    """A new promise, condition, claim or reason needs its words in each language."""
    said, shown = wording.wording(language)["said"], TEXTS[language]["shown"]
    assert phrase.texts().keys() - said.keys() - shown.keys() <= NEVER_ON_THE_PAGE
    assert (said.keys() | shown.keys()) <= phrase.texts().keys()
    assert PROMISES.keys() <= said.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_uses_parts_that_there_are(language):
    for group, more in (("said", set()), ("shown", {"items", "count"})):
        for name, text_ in wording.wording(language)[group].items():
            assert placeholders(text_) <= placeholders(phrase.texts()[name]) | more, name


# a page


@dataclass(frozen=True)
class Told:
    """What a reader of one language finds on the pages of the examples.

    Attributes:
        page: somewhere on that of the whole run.
        stateful, tunnels: promises, by what they are called, and cells of their rows.
        condition: the name of one.
        security: a chapter, and what was seen in it.
        slow: the reason with a figure.
        wrong: the reason without, whose figure was good, so has no word for "promised".
        measured: that word.
        did_not_run: why, and where.
    """

    page: tuple[str, ...]
    stateful: tuple[str, list[str]]
    tunnels: tuple[str, list[str]]
    condition: str
    security: tuple[str, str]
    slow: tuple[str, ...]
    wrong: str
    measured: str
    did_not_run: tuple[str, str]


TOLD = {
    "fi": Told(
        page=("Vastaanottotodistus", "Hyväksytty", "21. marraskuuta 2026 klo 7.22", "307,5"),
        stateful=(
            "Palomuurin läpäisykyky",
            ["300 Mbit/s", "vähintään 306", "", "307,5 ± 1,2", "3", "Mbit/s, sovellusdata (TCP)",
             "hyväksytty"],
        ),
        tunnels=("IPsec-tunnelit", ["100 tunnelia", "100"]),
        condition="1000 sääntöä, ei NATia",
        security=(
            "Tietoturvapalvelut",
            "Pysäytettiin: virustestitiedosto (HTTP, FTP), estetty sivusto (HTTPS)",
        ),
        slow=(
            ", 1000 sääntöä, ei NATia: enintään 292 Mbit/s; luvattu on vähintään 300 Mbit/s.",
            "Todennäköinen syy: nopeusrajoitus.",
        ),
        wrong="Palvelin näki muun osoitteen kuin sen, jonka säännön pitäisi antaa",
        measured="luvattu",
        did_not_run=(
            "Suunniteltu, mutta ei ajettu.",
            "Tilallinen palomuuri (4); Sääntöjen noudattaminen (5)",
        ),
    ),
    "sv": Told(
        page=("Leveransgodkännande", "Godkänd", "21 november 2026 kl. 07.22", "307,5"),
        stateful=(
            "Brandväggsgenomströmning",
            ["300 Mbit/s", "minst 306", "", "307,5 ± 1,2", "3", "Mbit/s, applikationsdata (TCP)",
             "godkänd"],
        ),
        tunnels=("IPsec-tunnlar", ["100 tunnlar", "100"]),
        condition="1000 regler, utan NAT",
        security=(
            "Säkerhetstjänster",
            "Stoppades: virustestfil (HTTP, FTP), blockerad webbplats (HTTPS)",
        ),
        slow=(
            ", 1000 regler, utan NAT: högst 292 Mbit/s; utlovat är minst 300",
            "Trolig orsak: en hastighetsbegränsning.",
        ),
        wrong="Servern såg en annan adress än den som regeln ska ge",
        measured="utlovat",
        did_not_run=(
            "Ingick i planen men kördes inte.",
            "Tillståndsbaserad filtrering (4); Efterlevnad av reglerna (5)",
        ),
    ),
}  # fmt: skip
"""By language. A further one need not stand here: tests of every language know no words of it."""
OTHERS = [language for language in LANGUAGES if language != FALLBACK]
TWO_WORDS = re.compile(r"[a-z]{2,},? [a-z]{2,}")
every_other = pytest.mark.parametrize("language", OTHERS)
each_told = pytest.mark.parametrize(("language", "told"), TOLD.items(), ids=TOLD)


@each_told
def test_a_page_in_another_language(language: str, told: Told):
    page = in_language(language, whole())
    assert parsed(page).get("lang") == language
    for expected in told.page:
        assert expected in body(page)
    table = rows(page, "promises")
    name, cells = told.stateful
    assert table[name] == cells
    name, cells = told.tunnels
    assert table[name][:2] == cells
    assert told.condition in rows(page, "conditions")
    chapter, seen = told.security
    assert seen in rows(page, "evidence")[chapter][0]


def english(page: Outcome) -> list[str]:
    return [text(one) for one in parsed(page).iterfind(".//body//*[@lang='en']")]


@every_other
def test_what_stays_english_is_marked(language: str):
    page = in_language(language, rejected())
    marked = english(page)
    assert any("limits to 290 Mbit/s" in one for one in marked)
    assert wording.wording(language)["checks"]["1000 Policies, Without NAT"] in body(page)
    assert "1000 Policies, Without NAT" not in body(page)
    assert english(whole()) == []
    # after that the gateway's configuration is not back as it was
    parts = [
        one
        for one in english(in_language(language, not_proven()))
        if "did not answer while" in one
    ]
    assert parts and all(one.startswith("The gateway did not answer") for one in parts)


@every_other
def test_no_text_was_left_in_english(language: str):
    """Nor one that none of the examples shows."""
    texts = wording.wording(language).texts
    own_names = {"checks": {name: name for name in texts["checks"]}}
    plain = leaves(wording.wording(FALLBACK).texts | own_names)
    left = {
        key
        for key, pattern in leaves(texts).items()
        if pattern == plain[key] and TWO_WORDS.search(re.sub(r"\{.*?\}", "", pattern))
    }
    assert left == set()


def pieces(element: Element) -> Iterator[str]:
    """The texts of a page, each as it stands in its element.

    Without those that are marked as English, and without calls and lines of configuration, which
    are the same in every language.
    """
    if element.get("lang") == FALLBACK or element.tag in ("code", "pre"):
        return
    yield element.text or ""
    for child in element:
        yield from pieces(child)
        yield child.tail or ""


def in_words(page: Outcome) -> set[str]:
    """The same of two words and more; one alone may be the same in two languages."""
    found = {" ".join(piece.split()) for piece in pieces(parsed(page).find("body"))}
    return {piece for piece in found if TWO_WORDS.search(piece)}


def recorded(facts: object) -> Iterator[str]:
    """What people and devices say in their own words, as a run's record has it."""
    if isinstance(facts, dict):
        for fact in facts.values():
            yield from recorded(fact)
    else:
        yield str(facts)


@every_other
@pytest.mark.parametrize("make", [whole, full, rejected, not_proven, everything_wrong])
def test_nothing_else_is_as_on_the_english_page(language: str, make: Callable[[], Outcome]):
    plain, other = make(), in_language(language, make())
    assert len(in_words(plain)) > 50
    own = {" ".join(fact.split()) for fact in recorded(plain.run)}
    assert in_words(plain) & in_words(other) - own == set()


ORDERED = """
import sys
from certificate_examples import DIGEST, in_language, whole
from gatepass.base.paths import VARIABLES
from gatepass.inputs import load_catalogue, load_order
from gatepass.report.certificate import render

order = load_order(sys.argv[1], load_catalogue(VARIABLES / "service_catalogue.yaml"))
print(render(in_language(order.language, whole()), DIGEST))
"""


def test_a_further_language_is_one_more_file(tmp_path: Path):
    libraries = copied(tmp_path)
    further = (libraries / LANGUAGES["sv"].relative_to(LIBRARIES)).with_name("certificate.xx.yaml")
    texts = LANGUAGES["sv"].read_text(encoding="utf-8")
    further.write_text(
        texts.replace("language: sv", "language: xx").replace("Godkänd", "Gxdkänd"),
        encoding="utf-8",
    )
    order = tmp_path / "order.yaml"
    lab = (ROOT / "variables" / "orders" / "lab.yaml").read_text(encoding="utf-8")
    order.write_text(lab.replace("language: en", "language: xx"), encoding="utf-8")
    page = printed(libraries, ORDERED, order)
    assert '<html lang="xx">' in page and '<h2 id="decision">Gxdkänd</h2>' in page


@each_told
def test_reasons_have_their_figures_in_another_language(language: str, told: Told):
    wrong, slow = reasons(in_language(language, rejected()))
    for expected in told.slow:
        assert expected in slow
    assert told.wrong in wrong
    assert told.measured in slow and told.measured not in wrong


@each_told
def test_a_reason_that_is_known_is_told_in_another_language_only(language: str, told: Told):
    shown = reasons(in_language(language, not_proven()))
    for expected in told.did_not_run:
        assert expected in shown[1]
    assert "not run" not in shown[1]
