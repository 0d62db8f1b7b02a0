"""The certificate in each language: complete, and nothing English in it but what is marked so."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from certificate_examples import in_finnish, not_proven, rejected, whole
from certificate_reader import body, parsed, reasons, rows, text
from gatepass.base import phrase
from gatepass.report import wording
from gatepass.results.promises import PROMISES

LIBRARIES = Path(__file__).resolve().parent.parent / "libraries"
LANGUAGES = ("en", "fi")
TEXTS = {
    language: {
        # English lacks of `said` what the log says in the same words
        group: texts for group, texts in wording.wording(language).texts.items() if group != "said"
    }
    for language in LANGUAGES
}
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


# Finnish


def test_a_finnish_page():
    page = in_finnish(whole())
    assert parsed(page).get("lang") == "fi"
    told = body(page)
    for expected in ("Vastaanottotodistus", "Hyväksytty", "21. marraskuuta 2026 klo 7.22", "307,5"):
        assert expected in told
    table = rows(page, "promises")
    assert table["Tilallinen läpäisykyky"] == [
        "300 Mbit/s", "307,5", "± 1,2", "+2,5 %", "3", "Mbit/s, TCP-hyötyläpäisy", "hyväksytty"
    ]  # fmt: skip
    assert table["IPsec-tunnelit"][:2] == ["100 tunnelia", "100"]
    assert "1000 sääntöä, ei NATia" in rows(page, "conditions")
    shown = rows(page, "evidence")["Tietoturvapalvelut"][0]
    assert "Pysäytettiin: virustestitiedosto (HTTP, FTP), estetty sivusto (HTTPS)" in shown


def english(page) -> list[str]:
    return [text(one) for one in parsed(page).iterfind(".//body//*[@lang='en']")]


def test_what_stays_english_is_marked():
    marked = english(in_finnish(rejected()))
    assert any("Address translation is not in force" in one for one in marked)
    assert "1000 Policies, Without NAT" in marked
    assert english(whole()) == []
    # after "Palomuurin asetukset eivät ole entisellään: "
    parts = [one for one in english(in_finnish(not_proven())) if "did not answer while" in one]
    assert parts and all(one.startswith("The gateway did not answer") for one in parts)


def test_reasons_have_their_figures_in_finnish():
    wrong, slow = reasons(in_finnish(rejected()))
    assert "1000 sääntöä, ei NATia: mitattu 287,4 ± 3,9, luvattu vähintään 300 Mbit/s." in slow
    assert "Todennäköinen syy: nopeusrajoitus." in slow
    assert "Puuttuva näyttö: Palvelin näki oikean osoitteen" in wrong
    assert "mitattu" not in wrong  # its figure was good


def test_a_reason_that_is_known_is_told_in_finnish_only():
    told = reasons(in_finnish(not_proven()))
    assert "Se on testin suunnitelmassa, mutta sitä ei ajettu." in told[1]
    assert "did not run" not in told[1]
    assert "Tilallinen palomuuri (4); Sääntöjen noudattaminen (5)" in told[1]
