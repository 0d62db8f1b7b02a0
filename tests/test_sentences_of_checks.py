"""Reasons and advice of checks in the languages of the certificate."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

import pytest

import records
from gatepass.base.languages import FALLBACK, LANGUAGES
from gatepass.base.own_yaml import own_yaml
from gatepass.base.paths import TEMPLATES
from gatepass.report.sentences import Sentences
from gatepass.results.broken import KINDS, Broken
from gatepass.results.gateway_state import Sessions
from gatepass.verdict.breaks import cause_of_break
from said_in_english import samples, templates

TABLES = {
    code: own_yaml(TEMPLATES / f"sentences.{code}.yaml") for code in LANGUAGES if code != FALLBACK
}
STANDS_IN = ("42", "client", "server", "", "not ", "4", "the client", "The tunnel carries 9.")
"""What may stand in the gaps of a sentence."""
SAID_BY_OTHERS = (
    "apt-get install -y iperf3",
    "timeout: failed to run command 'iperf3': No such file or directory",
)
"""Commands and the words of programs, which are the same in every language."""


@cache
def known(language: str) -> Sentences:
    return Sentences(TABLES[language])


def english_in(language: str, text: str) -> list[str]:
    """What a language has no words for."""
    return [piece.text for piece in known(language).of(text) if not piece.known]


@pytest.mark.parametrize("language", TABLES)
def test_all_have_the_same_sentences_with_the_same_gaps(language: str) -> None:
    table = TABLES[language]
    assert table.keys() == next(iter(TABLES.values())).keys()
    for english, told in table.items():
        gaps, others = (sorted(re.findall(r"\{\d+\}", text)) for text in (english, told))
        assert gaps == others, english
        assert told.strip() or not english.strip()


def test_no_sentence_asks_without_a_question_mark() -> None:
    asks = re.compile(
        r"[;:,.] (is|are|does|do|has|can|was|were) (the|it|a|an|they|there|that|sshd)\b[^?]*$"
    )
    assert [english for english in TABLES["fi"] if asks.search(english)] == []


@pytest.mark.parametrize("language", TABLES)
def test_every_sentence_that_ends_a_check_is_known(language: str) -> None:
    unknown = [
        f"{place}: {sentence}"
        for template, place in templates()
        for sentence in sentences_of(template)
        if not written_out(language, sentence)
        and all(english_in(language, sample) for sample in samples(sentence, STANDS_IN))
    ]
    assert unknown == []


def sentences_of(template: str) -> list[str]:
    """The sentences of a template that have words; one that is filled in whole has none."""
    parts = re.split(r"(?<=[.!?]) ", template)
    return [part for part in parts if re.search("[a-z]{2}", part)]


def written_out(language: str, sentence: str) -> bool:
    """Whether the table has it with what its gaps are filled in with, in the source itself."""
    parts = map(re.escape, re.split(r"\{\d+\}", sentence))
    pattern = re.compile("(.*?)".join(parts), re.IGNORECASE)
    return any(pattern.fullmatch(english) for english in TABLES[language])


BREAKS = [
    Broken(how, "client", "server", seconds, of_s, opened, 4, 1428)
    for how in KINDS
    for seconds, of_s, opened in ((2.1, 3, 4), (2.1, 0, 4), (0, 3, 1))
]
COMPOSED = (
    "Stateful throughput, 1 policy, NAT on: 246.3 ± 2.1 Mbit/s (95 %, 4 trials, TCP goodput); "
    "promised is at least 300 Mbit/s. The path without the gateway carried 315 of 315 Mbit/s in 2 "
    "trials, in turns with it.",
    "only 0 of 8 trials count, and 3 are needed. 8 trials count for nobody, as the rig could have "
    "caused their figures: iperf3 on the client waited for a processor 95.4 % of the time. Run "
    "again when it is quiet.",
    "nothing gets from the client to the peer (198.18.4.10) without a tunnel either, although a "
    "policy permits it. Check the peer's route to 198.18.1.10, its firewall at UDP port 5301, and "
    "the gateway's port3.",
    "The server sees 198.18.1.10; it should see 198.18.2.1, the gateway's address. NAT is on in "
    "the policy and was not applied.",
    *(
        f"Through the gateway {broken}, 2 of 2 times; without the gateway the same transfer ran to "
        f"its end each time. Likely cause: {cause_of_break(broken, sessions).sentence}"
        for broken in BREAKS
        for sessions in (None, Sessions(64, 0), Sessions(64, 64))
    ),
    *(f"{one}; without a tunnel {one} as well." for one in BREAKS),
    *(f"without the gateway {one}." for one in BREAKS),
)


@pytest.mark.parametrize("language", TABLES)
@pytest.mark.parametrize("message", COMPOSED)
def test_a_message_as_checks_compose_it(language: str, message: str) -> None:
    assert english_in(language, message) == []


@pytest.mark.parametrize("language", TABLES)
@pytest.mark.parametrize("name", [name for name in records.NAMES if not name.startswith("app")])
def test_no_reason_of_a_real_run_is_left_in_english(
    name: str, language: str, tmp_path: Path
) -> None:
    page = records.page(name, language, tmp_path)
    (reasons,) = re.findall(r'<section class="reasons".*?</section>', page, re.DOTALL) or [""]
    left = map(unescape, re.findall(r'<span lang="en">(.*?)</span>', reasons))
    assert reasons and [text for text in left if text not in SAID_BY_OTHERS] == []
