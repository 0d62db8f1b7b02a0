"""What the eye cannot tell is named, and no text is cut off without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from input_files import ORDER, TESTBED, VARIABLES, refusal

from gatepass.base.errors import InputError
from gatepass.inputs.yaml_file import read_yaml

SPACES = "\u00a0\u1680\u2000\u2003\u2007\u2009\u200a\u202f\u205f\u3000"
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e"
    "\u2060\u2062\u2066\u2069\u206a\u2800\u3164\ufe0f\ufeff\uffa0\U000e0041\U000e0101"
)
PLACES = {
    "in a value": "customer: Exam{}ple Oy\n",
    "behind a value": "tier: SGW-10{}\n",
    "before a value": "tier: {}SGW-10\n",
    "in a key": "cust{}omer: A\n",
    "behind a key": "customer{}: A\n",
    "instead of a space": "customer:{}A\n",
    "as indentation": "options:\n{}security_services: true\n",
    "in quotes": "customer: 'Exam{}ple'\n",
    "in quotes, behind a #": "customer: 'Store #1{}'\n",
    "in a list": "studies: [rfc2544,{}rfc6349]\n",
    "in a text of several lines": "notes: |\n  some{}thing\n",
    "on a line of its own": "order: A\n{}\ntier: B\n",
}


def mistake(tmp_path: Path, text: str) -> str:
    path = tmp_path / "order.yaml"
    path.write_bytes(text.encode("utf-8"))
    with pytest.raises(InputError) as raised:
        read_yaml(path)
    (line,) = str(raised.value).splitlines()
    return line


@pytest.mark.parametrize("one", SPACES + UNSEEN, ids=lambda one: f"U+{ord(one):04X}")
def test_what_is_not_seen_is_named_wherever_it_stands(tmp_path: Path, one: str) -> None:
    for place, text in PLACES.items():
        sentence = mistake(tmp_path, text.format(one))
        assert f"U+{ord(one):04X} (" in sentence, (place, sentence)
        assert "line " in sentence and one not in sentence
        assert ("Put a plain space there." in sentence) == (one in SPACES)


def test_its_place_in_the_line_is_told(tmp_path: Path) -> None:
    sentence = mistake(tmp_path, "order: A\ntier: SGW-10\u00a0\n")
    assert "line 2: " in sentence and "character 13 is U+00A0 (no-break space)" in sentence


@pytest.mark.parametrize("escape", ["\\u00a0", "\\_", "\\u200b", "\\N", "\\L", "\\u202e"])
def test_an_escape_brings_it_in_no_other_way(tmp_path: Path, escape: str) -> None:
    sentence = mistake(tmp_path, f'customer: "Example{escape}Oy"\n')
    assert "found U+" in sentence or "a control character" in sentence


def test_a_comment_and_a_mark_at_the_beginning_may_hold_any_space(tmp_path: Path) -> None:
    path = tmp_path / "order.yaml"
    path.write_bytes("\ufefforder: A  # of\u00a0today\n# and\u2009this\ntier: B\n".encode())
    assert read_yaml(path).data == {"order": "A", "tier": "B"}


LOST = [
    *("customer: Acme #1 Ltd", "customer: Store #42", "customer: Acme # 1 Ltd", "customer: #42"),
    *("customer: Acme  #1", "customer: Store #", "customer: C #sharp", "customer: 'Acme' #1 Ltd"),
    *('customer: "Acme" #1 Ltd', "customer: Acme\n  and Sons #2", "names:\n  - Store #42"),
    *("names: [Store #42, Store 43]", "names: {a: Store #42, b: c}", "customer: Ääkköset #5"),
]


@pytest.mark.parametrize("text", LOST)
def test_a_text_is_not_cut_off_at_a_number_sign(tmp_path: Path, text: str) -> None:
    assert "in quotes" in mistake(tmp_path, f"order: A\n{text}\ntier: B\n")


WHOLE = {
    "customer: 'Acme #1 Ltd'": "Acme #1 Ltd", 'customer: "Store #42"': "Store #42",
    "customer: C# Ltd": "C# Ltd", "customer: Acme#1": "Acme#1", "customer: '#1'": "#1",
    "customer: Acme # the branch": "Acme", "customer: Acme      # 100 Mbit/s": "Acme",
    "customer: 'Acme' # the branch": "Acme", "customer: |\n  Acme #1": "Acme #1\n",
    "customer: >-\n  Acme #1": "Acme #1", "customer: 7 # a number": 7, "customer: true #x": True,
}  # fmt: skip


@pytest.mark.parametrize("text", WHOLE)
def test_a_comment_is_one_and_what_is_in_quotes_is_whole(tmp_path: Path, text: str) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(f"order: A\n{text}\ntier: B\n", encoding="utf-8")
    assert read_yaml(path).data == {"order": "A", "customer": WHOLE[text], "tier": "B"}


IMITATIONS = {
    "min: １２": "U+FF11 (fullwidth digit one)", "min: ٣": "U+0663 (arabic-indic digit three)",
    "min: −5": "U+2212 (minus sign)", "min: –5": "U+2013 (en dash)",
    "min: 1０": "U+FF10 (fullwidth digit zero)", "customer: “Acme”": "U+201C (left double",
    "customer: ”Acme Oy”": "U+201D (right double", "customer: ‘Acme’": "U+2018 (left single",
    "customer: «Acme»": "U+00AB (left-pointing", "customer：Acme": "U+FF1A (fullwidth colon)",
    "a: b\ncustomer：Acme": "U+FF1A (fullwidth colon)",
    "a: ｛b: c｝: d": "U+FF5B (fullwidth left curly bracket)",
}  # fmt: skip


@pytest.mark.parametrize("text", IMITATIONS)
def test_what_looks_like_a_sign_of_yaml_is_named(tmp_path: Path, text: str) -> None:
    assert IMITATIONS[text] in mistake(tmp_path, f"{text}\n")


@pytest.mark.parametrize(
    "name",
    ["Åbo Ängsgård", "Żółć d'Été", "“Acme” and Sons", "株式会社ＡＢＣ", "Acme™", "Ёлка", "50 m²"],
)
def test_a_name_is_a_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(f"customer: {name}\n", encoding="utf-8")
    assert read_yaml(path).data == {"customer": name}


@pytest.mark.parametrize(
    ("kind", "old", "new", "telling"),
    [
        ("order", "customer:", "cust\u043emer:", "U+043E (cyrillic small letter o) stands in it."),
        ("order", "SGW-200", "\u0405GW-200", "Did you mean 'SGW-200'? U+0405 (cyrillic capital"),
        ("order", "SGW-200", "SGW\u2011200", "U+2011 (non-breaking hyphen) stands in it."),
        ("testbed", "port2", "p\u03bfrt2", "U+03BF (greek small letter omicron) stands in it."),
    ],
)
def test_a_letter_that_looks_like_another_is_named(
    folder: Path, kind: str, old: str, new: str, telling: str
) -> None:
    path = folder / f"{kind}.yaml"
    text = {"order": ORDER, "testbed": TESTBED}[kind]
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert telling in refusal(kind, path)


@pytest.mark.parametrize("path", sorted(VARIABLES.rglob("*.yaml")), ids=lambda path: path.name)
def test_what_comes_with_gatepass_is_read(path: Path) -> None:
    read_yaml(path)
