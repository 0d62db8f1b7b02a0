"""Which custom signatures are read, and how the others are refused."""

from __future__ import annotations

import pytest

from lab.gateway.schema.fsbid import Signature, parse


def test_every_keyword() -> None:
    assert parse(
        'F-SBID( --attack_id 1842; --name "Lab.Exploit"; --protocol tcp; --service HTTP; '
        '--flow from_client; --pattern "/../etc"; --context uri; --no_case; --app_cat 25; '
        "--default_action drop;)"
    ) == Signature(
        name="Lab.Exploit",
        protocol="tcp",
        service="HTTP",
        flow="from_client",
        pattern="/../etc",
        context="uri",
        no_case=True,
        attack_id=1842,
        category=25,
        default_action="drop",
    )


def test_the_least_that_a_signature_needs() -> None:
    assert parse('F-SBID(--name "n";--pattern "p")') == Signature(
        name="n",
        protocol="tcp",
        service="",
        flow="",
        pattern="p",
        context="packet",
        no_case=False,
        attack_id=None,
        category=None,
        default_action="",
    )


def test_spacing_case_and_lines_do_not_matter() -> None:
    signature = parse(
        '  F-SBID (\n  --name   "two words" ;\n --service http;--PATTERN_ x;)'.replace(
            "--PATTERN_ x", '--pattern "a; b)"'
        )
    )
    assert (signature.name, signature.service, signature.pattern) == ("two words", "HTTP", "a; b)")


def test_quotes_in_a_text() -> None:
    assert parse(r'F-SBID( --name "n"; --pattern "say \"hi\" \\ now"; )').pattern == (
        r'say "hi" \ now'
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "F-SBID("),
        ('--name "n"; --pattern "p";', "F-SBID("),
        ('F-SBID( --name "n"; --pattern "p";', "F-SBID("),
        ('F-SBID( --name "n"; )', "--pattern"),
        ('F-SBID( --name "n"; --pattern ""; )', "--pattern"),
        ('F-SBID( --pattern "p"; )', "--name"),
        ('F-SBID( --name "n"; --pattern "p"; --pcre "/x/"; )', "--pcre"),
        ('F-SBID( --name "n"; --pattern "p"; --within 10,context; )', "--within"),
        ('F-SBID( --name "n"; --pattern "p"; --pattern "q"; )', "--pattern"),
        ('F-SBID( --name "n"; --pattern !"p"; )', "--pattern"),
        ('F-SBID( --name "n"; --pattern "open; )', "--pattern"),
        ('F-SBID( --name "n"; --pattern "|90 90|"; )', "--pattern"),
        (r'F-SBID( --name "n"; --pattern "\x90"; )', "--pattern"),
        ('F-SBID( --name "n"; --pattern "p"; --protocol udp; )', "--protocol"),
        ('F-SBID( --name "n"; --pattern "p"; --service DNS; )', "--service"),
        ('F-SBID( --name "n"; --pattern "p"; --flow bi_direction; )', "--flow"),
        ('F-SBID( --name "n"; --pattern "p"; --context file; )', "--context"),
        ('F-SBID( --name "n"; --pattern "p"; --no_case yes; )', "--no_case"),
        ('F-SBID( --name "n"; --pattern "p"; --attack_id seven; )', "--attack_id"),
        ('F-SBID( --name "n"; --pattern "p"; --attack_id 0; )', "--attack_id"),
        ('F-SBID( --name "n"; pattern "p"; )', "keyword"),
    ],
)
def test_what_is_refused_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text)
    sentence = str(caught.value)
    assert words in sentence
    assert sentence.endswith(".") and "\n" not in sentence
