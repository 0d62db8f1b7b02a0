"""Sentences at which readers stumbled: what stood there is gone, and what stands there now is."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

import pytest

import records
from certificate_examples import in_language, rejected, whole
from certificate_reader import body
from gatepass.base.languages import FALLBACK, LANGUAGES
from gatepass.base.paths import TEMPLATES
from gatepass.base.phrase import texts
from gatepass.report.wording import wording
from said_in_english import templates
from test_sentences_of_checks import TABLES

ABOUT_PAGES = {
    ("en", "worst of "): "least favourable of 6",
    ("en", "were promised"): "promised was at least",
    ("en", "What takes longer than the test"): "Faults that appear only after more time than",
    ("en", "The tier's rate under that limit"): "Rate reached while the limit is in force",
    ("en", "TCP goodput"): "application data over TCP",
    ("en", "and no FortiGate's"): "The figures describe the stand-in",
    ("en", "far side"): "The receiver saw the sender's own address",
    ("fi", "Palvelun luok"): "Liikenneluokat",
    ("fi", "Luokan kehyshävikki"): "Liikenneluokan kehyshävikki",
    ("fi", "yltää enintään lukemaan"): "enintään 246,2 Mbit/s",
    ("fi", "jota ei ole varmistettu"): "Todennäköinen syy: nopeusrajoitus. Nopeus pysyi",
    ("fi", "jäi näkemättä"): "ei ole voitu havaita",
    ("fi", "Mittauksista kelpaa vain 0"): "Yksikään 8 mittauksesta ei kelvannut",
    ("fi", "Mikään sen vierellä"): "Viereiset portit ja osoitteet eivät johtaneet",
    ("fi", "pidättele"): "Nopeusrajoitus ei koske VPN-tunneleita; niissä mitattiin yli",
    ("fi", "kuten syissä neuvotaan"): "Korjaa testikoneista se, mikä mainitaan kohdassa",
    ("fi", "huonoin/"): "epäedullisin 10 mittauksesta",
    ("fi", "lukua täyttävät rajansa"): "Kaikki mitatut arvot (132) ovat rajoissaan",
    ("fi", "Sen takana oleva"): "Tunnelin takana oleva kone",
    ("fi", "Vieras sivu ei voi"): "Hallintasivua ei voi upottaa muille sivustoille",
    ("sv", "Bara 0 av 8"): "Ingen av de 8 mätningarna kunde användas",
    ("sv", "räknas inte"): "Testdatorerna störde 8 mätningar",
    ("sv", "ej bekräftad"): "Trolig orsak: en hastighetsbegränsning. Hastigheten var",
    ("sv", "Högst tjänsteklassens hastighet"): "Hastighetstak",
    ("sv", "hastighet under den gränsen"): "Hastighet när taket gäller",
    ("sv", "Tillståndskänslig"): "Tillståndsbaserad filtrering",
    ("sv", "som sin egen."): "Webbadministrationen kan inte bäddas in i andra",
    ("sv", "oräknade"): "utan protokollens huvuden",
    ("sv", "Datorn bakom den"): "Datorn bakom tunneln",
    ("sv", "tyrkt"): "Kunde inte avgöras",
}
"""By language and what stood on a page: what stands on one now."""
DIALECT = (
    r"nobody\b.* can tell|\bcannot be told\b|\bnothing tells\b|\bwas told to\b|\bsaid yes\b|"
    r"\bcounts? for nobody\b|\btells? (no|nothing)\b|\bdid not tell\b|\bdoes not tell\b|"
    r"\bmade by hand\b|\bsays nothing\b|\bat work on\b|\bbrought it\b|\bWhen it is quiet\b|"
    r"\bthe rig was its own\b|^It was\.|^None of it\."
)
NOT_PROVEN = {
    "en": ("proven", "proof"),
    "fi": ("todenne", "ratkennut", "ratkaisemat"),
    "sv": ("styrk", "avgöra", "avgjord"),
}
"""Stems of the words for what could not be decided."""


@cache
def pages(language: str, folder: Path) -> str:
    """All that a reader of one language finds on the pages of records and examples."""
    shown = [
        re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", records.page(name, language, folder))
        for name in records.NAMES
    ]
    shown += [body(in_language(language, made())) for made in (whole, rejected)]
    shown += _leaves(wording(language).texts)
    return " ".join(html.unescape(" ".join(shown)).split())


def _leaves(found: object) -> list[str]:
    if isinstance(found, dict):
        return [text for one in found.values() for text in _leaves(one)]
    return [str(found)]


@pytest.mark.parametrize(("language", "former"), ABOUT_PAGES)
def test_the_former_words_are_gone(
    language: str, former: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = pages(language, tmp_path_factory.getbasetemp())
    assert ABOUT_PAGES[language, former] in page
    if language == FALLBACK:  # a record's own English stays as it was recorded
        page = " ".join(_leaves(wording(language).texts | {"layers": {}}))
    assert former not in page


def test_messages_are_in_the_language_of_the_field() -> None:
    said = [f"{place}: {text}" for text, place in templates() if re.search(DIALECT, text)]
    assert said == []
    claims = {name: text for name, text in texts().items() if re.search(DIALECT, text)}
    assert claims == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_likely_cause_has_one_strength(language: str) -> None:
    likely = wording(language)["likely_cause"].split(":")[0]
    told = {
        text.split(":")[0]
        for english, text in TABLES.get(language, {}).items()
        if english.startswith("Likely cause: ")
    }
    assert told <= {likely}
    assert ("likely", "todennäköinen", "trolig")[list(LANGUAGES).index(language)] in likely.lower()


@pytest.mark.parametrize("language", TABLES)
def test_a_fault_shares_no_word_with_what_could_not_be_decided(language: str) -> None:
    faults = {
        part
        for text, place in templates("AssertionError")
        for part in re.split(r"(?<=[.!?]) ", text)
    }
    shared = {
        english: told
        for english, told in TABLES[language].items()
        if english in faults and any(stem in told.lower() for stem in NOT_PROVEN[language])
    }
    assert shared == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_fail_and_not_proven_share_no_word(language: str) -> None:
    words = wording(language)
    verdicts, names = words["check_verdicts"], words["verdicts"]
    undecided = {verdicts["not_proven"].lower(), names["not_proven"].lower()}
    stems = NOT_PROVEN[language]
    assert all(any(stem in one for stem in stems) for one in undecided)
    of_a_fail = [verdicts["fail"], names["rejected"], words["why"]["rejected"]]
    of_a_fail += [words["decision"][key] for key in ("no_more_than", "no_less_than", "proven")]
    assert [one for one in of_a_fail if any(stem in one.lower() for stem in stems)] == []


def test_every_language_has_its_stems() -> None:
    assert NOT_PROVEN.keys() == LANGUAGES.keys()
    assert all((TEMPLATES / f"certificate.{language}.yaml").exists() for language in LANGUAGES)
