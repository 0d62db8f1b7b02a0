"""The one way to nftables: each word is of a kind that the text names, or is refused."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.endpoint.ruleset import Ruleset, ruleset


def test_words_of_each_kind() -> None:
    text = ruleset(
        'iifname "{port:name}" ip saddr {{ {all:networks} }} ip daddr {one:address} '
        "tcp dport {number:number} {rest}",
        port="eth0.100",
        all=["198.18.0.0/24", "198.19.1.0-198.19.2.255", ip_network("10.0.0.0/8")],
        one=IPv4Address("198.18.1.1"),
        number=443,
        rest=ruleset("accept"),
    )
    assert isinstance(text, Ruleset)
    assert text == (
        'iifname "eth0.100" ip saddr { 198.18.0.0/24, 198.19.1.0-198.19.2.255, 10.0.0.0/8 } '
        "ip daddr 198.18.1.1 tcp dport 443 accept"
    )


def test_several_texts_stand_on_lines_of_their_own() -> None:
    assert ruleset("{rules}", rules=[ruleset("accept"), ruleset("drop")]) == "accept\ndrop"


@pytest.mark.parametrize("kind", ["{word:address}", "{word:networks}", "{word:name}", "{word}"])
@given(st.text(max_size=20).map(lambda text: f"198.18.1.1 {text}"))
def test_nothing_else_is_taken(kind: str, word: str) -> None:
    with pytest.raises(ValueError):
        ruleset(kind, word=word)


@pytest.mark.parametrize("word", ['eth0" accept', "a b", "a;", "a{", "", "a\n", "-x", 'a"', "a$b"])
def test_a_name_has_its_alphabet(word: str) -> None:
    with pytest.raises(ValueError, match="no name for nftables"):
        ruleset("{word:name}", word=word)


@pytest.mark.parametrize("word", ["4 accept", "", "x", None, "0x10"])
def test_a_number_is_one(word: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        ruleset("{word:number}", word=word)


def test_a_kind_that_is_none() -> None:
    with pytest.raises(KeyError):
        ruleset("{word:text}", word="x")
