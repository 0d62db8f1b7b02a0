"""The certificate in each language: complete, and nothing English in it but what is marked so."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest
import yaml

from certificate_examples import in_finnish, not_proven, rejected, whole
from certificate_reader import body, parsed, reasons, rows, text
from gatepass.report import wording as words

LIBRARIES = Path(__file__).resolve().parent.parent / "libraries"
LANGUAGES = ("en", "fi")
TEXTS = {
    language: yaml.safe_load(
        (words.TEMPLATES / f"certificate.{language}.yaml").read_text(encoding="utf-8")
    )
    for language in LANGUAGES
}


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


@pytest.mark.parametrize(("of", "texts"), [("words", "said"), ("claims", "shown")])
def test_each_pattern_has_words_in_each_language(of, texts):
    for language in LANGUAGES:
        assert TEXTS[language][texts].keys() == words.patterns(of).keys()
    for name, pattern in words.patterns(of).items():
        known = {*pattern.groupindex, "items", "count"} if of == "claims" else pattern.groupindex
        assert placeholders(TEXTS["en"][texts][name]) <= set(known), name


def claims() -> dict[str, str]:
    """What our checks claim as evidence, as the code writes it; parts that vary stand as 1."""
    found = {}
    for path in sorted(LIBRARIES.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            one.targets[0].id: one.value
            for one in ast.walk(tree)
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
        }
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "session.evidence":
                claim = call.args[0]
                claim = constants.get(claim.id) if isinstance(claim, ast.Name) else claim
                if isinstance(claim, ast.Constant):
                    found[claim.value] = path.name
                elif isinstance(claim, ast.JoinedStr):
                    parts = (one.value if isinstance(one, ast.Constant) else "\0"
                             for one in claim.values)  # fmt: skip
                    found["".join(parts)] = path.name
    return found


def fits(claim: str) -> bool:
    """Whether a known pattern fits the parts of a claim that do not vary."""
    fixed = [part for part in claim.split("\0") if part.strip()]
    for pattern in words.patterns("claims").values():
        plain = re.sub(r"\\(.)", r"\1", pattern.pattern)
        if "\0" not in claim:
            if pattern.fullmatch(claim):
                return True
        elif all(part.strip(" ()") in plain for part in fixed):
            return True
    return False


def test_every_claim_of_our_checks_is_known():
    """A new check's claim needs a pattern in said.yaml and words in each language."""
    found = claims()
    assert len(found) > 30
    unknown = {claim: where for claim, where in found.items() if not fits(claim)}
    assert unknown == {}


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
