"""What checks say in sentences, in another language: what is known, and what stays English."""

from __future__ import annotations

import pytest

from gatepass.report.sentences import Piece, Sentences

TABLE = {
    "The server sees {1}; it should see {2}, the gateway's address.": "Näkyy {1}, pitäisi {2}.",
    "NAT is on in the policy and was not applied.": "NAT ei vaikuttanut.",
    "the {1} lost {2} of {3} packets.": "Paketteja hukkui: {2}/{3} ({1}).",
    "client": "asiakaspää",
    "no session could be left open: {1}": "Istuntoa ei saatu auki: {1}",
    "{1} and {2}": "{1} ja {2}",
    "It is served.": "Se toimii.",
    "It is not served.": "Se ei toimi.",
}


@pytest.fixture
def sentences() -> Sentences:
    return Sentences(TABLE, lambda text: text.replace(".", ","))


def known(text: str) -> tuple[Piece, ...]:
    return (Piece(text, True),)


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("NAT is on in the policy and was not applied.", "NAT ei vaikuttanut."),
        (
            "The server sees 198.18.1.10; it should see 198.18.2.1, the gateway's address. "
            "NAT is on in the policy and was not applied.",
            "Näkyy 198.18.1.10, pitäisi 198.18.2.1. NAT ei vaikuttanut.",
        ),
        ("The client lost 3 of 9.5 packets.", "Paketteja hukkui: 3/9,5 (asiakaspää)."),
        (
            "no session could be left open: The client lost 1 of 2 packets. It is served.",
            "Istuntoa ei saatu auki: Paketteja hukkui: 1/2 (asiakaspää). Se toimii.",
        ),
        ("It is not served.", "Se ei toimi."),
        ("client and port2", "asiakaspää ja port2"),
        ("  It is\n served. ", "Se toimii."),
    ],
)
def test_what_the_table_knows(sentences: Sentences, english: str, told: str) -> None:
    assert sentences.of(english) == known(told)


def test_a_sentence_that_it_does_not_know_stays_and_is_told_apart(sentences: Sentences) -> None:
    assert sentences.of("It is served. Nobody knows why. Or does one? It is not served.") == (
        Piece("Se toimii. ", True),
        Piece("Nobody knows why. Or does one? ", False),
        Piece("Se ei toimi.", True),
    )


def test_so_does_a_part_of_one(sentences: Sentences) -> None:
    assert sentences.of("no session could be left open: the door is shut.") == (
        Piece("Istuntoa ei saatu auki: ", True),
        Piece("the door is shut.", False),
    )


def test_a_sentence_may_stand_deep_in_others(sentences: Sentences) -> None:
    deep = "no session could be left open: " * 8 + "It is served."
    assert sentences.of(deep) == known("Istuntoa ei saatu auki: " * 8 + "Se toimii.")


def test_a_list_is_known_where_its_parts_are(sentences: Sentences) -> None:
    assert sentences.of("the door and client") == (Piece("the door and client", False),)


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("246.1, 250.3", "246,1, 250,3"),
        ("1\u202f234.5 ± 0.3 Mbit/s", "1\u202f234,5 ± 0,3 Mbit/s"),
        ("-12.5 ms", "-12,5 ms"),
        ("22, 25, 1,024.5", "22, 25, 1,024,5"),
        ("7.6.4", "7.6.4"),
        ("198.18.1.10:5001", "198.18.1.10:5001"),
    ],
)
def test_figures_are_written_the_languages_way(
    sentences: Sentences, english: str, told: str
) -> None:
    assert sentences.of(english) == known(told)


@pytest.mark.parametrize("same", ["198.18.1.10", "12:30", "", "±"])
def test_what_has_no_words_is_the_same_everywhere(sentences: Sentences, same: str) -> None:
    assert "".join(piece.text for piece in sentences.of(same)) == same
