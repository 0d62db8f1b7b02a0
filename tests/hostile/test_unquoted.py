"""Where a word that was put in stands as anything else than a word."""

from __future__ import annotations

import shlex

import pytest

from hostile.poison import END, TAG, Poison, cleaned
from hostile.unquoted import files_unquoted, unquoted

WORD = f"eth0{TAG}; id {END}"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (f"ip link show {shlex.quote(WORD)}", 0),
        (f"ip link show {WORD}", 1),
        (f'ip link show "{WORD}"', 1),
        (f"sh -c {shlex.quote(f'ip link show {shlex.quote(WORD)}')}", 0),
        (f"sh -c {shlex.quote(f'ip link show {WORD}')}", 1),
        (f"echo 'it'\\''s' {shlex.quote(WORD)} {WORD}", 1),
    ],
)
def test_a_word_is_one_within_single_quotes(script: str, found: int) -> None:
    assert len(unquoted(script)) == found


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        (f'{{"of": "{WORD}"}}', "/tmp/x/job.json", 0),
        (f"table inet x {{ {WORD} }}", "/tmp/x/rules.nft", 1),
        (f"ip link del {shlex.quote(WORD)}\n", "/tmp/x/links.undo", 0),
        (f"ip link del {WORD}\n", "/tmp/x/links.undo", 1),
        ("ip link del eth0\n", "/tmp/x/links.undo", 0),
    ],
)
def test_a_file_may_hold_one_as_a_value(text: str, path: str, found: int) -> None:
    assert len(files_unquoted(text, path)) == found


def test_what_was_put_in_is_taken_out_again() -> None:
    data = {"rows": [{"name": "a", "of": ["b", 3]}], "port": None}
    poison = Poison(seed=1, share=1.0)
    altered = poison.into(data, "x")
    assert TAG in altered["rows"][0]["name"] and altered["port"] is None
    assert cleaned(altered) == data
    assert cleaned(poison.into_text("a b\nc", "y")) == "a b\nc"
    assert Poison(seed=1, share=0.0).into(data, "x") == data
