"""Nothing that is kept or shown holds a secret."""

from __future__ import annotations

import pytest

from gatepass.base.masking import MASK, masked, masked_text

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
