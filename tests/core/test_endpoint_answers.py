"""Answers of endpoints: values of their types, or refused."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from gatepass.endpoint import answers
from gatepass.endpoint.answers import Malformed, of_json
from gatepass.endpoint.completed import Completed


@dataclass(frozen=True)
class Told:
    interface: answers.Interface
    mac: answers.Mac | answers.Nothing
    networks: tuple[answers.OwnAddress, ...]
    seconds: float = 0.0


GOOD = {"interface": "eth0.100", "mac": "02:00:00:00:00:0A", "networks": ["198.18.1.10/24"]}


def test_a_record() -> None:
    told = of_json(Told, json.dumps(GOOD | {"seconds": 1, "more": "is left out"}))
    assert told == Told("eth0.100", "02:00:00:00:00:0a", ("198.18.1.10/24",), 1.0)
    assert of_json(Told, json.dumps(GOOD | {"mac": ""})).mac == ""


@pytest.mark.parametrize(
    "change",
    [
        {"interface": "eth0;id"}, {"interface": "-x"}, {"interface": "a b"}, {"interface": ""},
        {"interface": "eth0\n"}, {"interface": "a" * 16}, {"interface": None}, {"interface": 3},
        {"mac": "02:00"}, {"mac": "02:00:00:00:00:0a;id"}, {"mac": "$(id)"},
        {"networks": ["198.18.1.10;id/24"]}, {"networks": ["198.18.1.10/33"]},
        {"networks": "198.18.1.10/24"}, {"networks": [None]},
        {"seconds": "1"}, {"seconds": True}, {"seconds": float("nan")}, {"seconds": float("inf")},
    ],
)  # fmt: skip
def test_what_is_of_another_kind_is_refused(change: dict) -> None:
    with pytest.raises(Malformed):
        of_json(Told, json.dumps(GOOD | change))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", '"x"', "[" * 100_000, "9" * 5000, "1e999", "NaN", "{} {}"],
)
def test_what_is_no_such_record_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        of_json(Told, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (answers.Address, "198.18.1.1;id"),
        (answers.Address4, "::1"),
        (answers.Network, "198.18.1.1/24"),
        (answers.Digest, "0" * 63 + "g"),
        (answers.Count, -1),
        (answers.Port, 65_536),
    ],
)
def test_each_kind_has_its_border(kind: object, text: object) -> None:
    with pytest.raises(Malformed):
        of_json(kind, json.dumps(text))


def test_words_are_for_people() -> None:
    told = of_json(answers.Words, json.dumps("one\n\x1b[31mtwo\u202e " + "x" * 900))
    assert told.startswith("one [31mtwo x")
    assert len(of_json(answers.Words, json.dumps("x" * 900))) <= 300


@pytest.mark.parametrize("text", ["", "x", "1 2", "nan", "inf", "-inf", "1e999", "0x1"])
def test_no_number(text: str) -> None:
    with pytest.raises(Malformed):
        answers.number(text)


def test_a_number() -> None:
    assert answers.number(" 1700000000.5\n") == 1700000000.5


@pytest.mark.parametrize(
    ("output", "errors", "words"),
    [
        ("", "", "it wrote nothing"),
        ("half an answer\n", "", "half an answer"),
        ("{}", "first\nno such \x1b[1mdevice\n", "no such [1mdevice"),
        ("\n\n", " \n", "it wrote nothing"),
    ],
)
def test_the_last_line_tells(output: str, errors: str, words: str) -> None:
    assert answers.words_of(Completed(1, output, errors)) == words
