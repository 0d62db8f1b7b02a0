"""Nothing that is kept or shown holds a secret."""

from __future__ import annotations

import pytest

from gatepass.base.masking import MASK, Secrets, masked, masked_text

KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQ\nabc=\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("set passwd ENC U0VDUkVU/+= x", "set passwd ENC *** x"),
        (f"a {KEY} b", "a PEM *** b"),
        (KEY[:40], "PEM ***"),  # cut off
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("the-token in a URL", "*** in a URL"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_texts(text: str, shown: str) -> None:
    assert masked_text(text, ["the-token", ""]) == shown


def test_what_an_api_answers() -> None:
    row = {
        "name": "to-b",
        "psksecret": "hush",
        "passwd": "",
        "private-key": KEY,
        "api-key": "k",
        "password-policy": "enable",
        "keylife": 86400,
        "peer": [{"ppk-secret": "hush", "comment": "Bearer x"}, "ENC abc"],
        "token-count": 3,
    }
    assert masked(row) == {
        "name": "to-b",
        "psksecret": MASK,
        "passwd": "",
        "private-key": MASK,
        "api-key": MASK,
        "password-policy": "enable",
        "keylife": 86400,
        "peer": [{"ppk-secret": MASK, "comment": "Bearer ***"}, "ENC ***"],
        "token-count": 3,
    }
    assert row["psksecret"] == "hush"  # what was given is left alone


def test_secrets_that_were_sent_are_known_from_then_on() -> None:
    secrets = Secrets(["the-token", ""])
    told = {"name": "u", "passwd": "word-of-u", "keys": [{"psksecret": "hush"}]}
    secrets.learn(told)
    assert secrets.taken_from({"text": "the-token, word-of-u, hush"}) == {
        "text": f"{MASK}, {MASK}, hush"  # too short to be looked for everywhere
    }
    assert secrets.taken_from(told)["keys"] == [{"psksecret": MASK}]


def test_one_secret_may_be_the_beginning_of_another() -> None:
    assert Secrets(["secret-1", "secret-1-more"]).taken_from("secret-1-more") == MASK


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('    set passwd "a b"\n    set name "c"', '    set passwd "***"\n    set name "c"'),
        ("set password-policy enable", "set password-policy enable"),
        ("set token-timeout 30", "set token-timeout 30"),
        ("set psksecret ENC abc=", 'set psksecret "***"'),
        ('{"psksecret": "hush", "name": "a"', '{"psksecret": "***", "name": "a"'),
        ('{"api-key":"cut off', '{"api-key":"***"'),
        ('{"passwd": "", "password": "disable"}', '{"passwd": "", "password": "disable"}'),
    ],
)
def test_lines_of_a_configuration_and_halves_of_an_answer(text: str, shown: str) -> None:
    assert Secrets().taken_from_text(text) == shown
