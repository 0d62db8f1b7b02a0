"""What a device says does not steer the terminal of who reads it."""

from __future__ import annotations

import io

import pytest

from gatepass.base.steady_output import CLEAR_LINE, PrintableOutput, SteadyOutput

HOSTILE = (
    *("\x1b]0;approved\x07", "\x1b[2J", "\x1b[1A", "\r\x1b[Kapproved"),
    *("\x9b2J", "\u202eabc", "\x08\x08"),
)


@pytest.mark.parametrize("kind", [PrintableOutput, SteadyOutput])
@pytest.mark.parametrize("word", HOSTILE)
def test_nothing_steers_the_terminal(kind: type[PrintableOutput], word: str) -> None:
    stream = io.StringIO()
    print(f"policy {word} decides", file=kind(stream))
    assert not set(stream.getvalue()) & set("\x1b\x9b\x07\x08\r\u202e")
    assert stream.getvalue().startswith("policy ") and stream.getvalue().endswith(" decides\n")


@pytest.mark.parametrize(
    "text", ["\x1b[1;31mred\x1b[0m", "two\nlines\tand a tab", "ä €", CLEAR_LINE]
)
def test_what_the_program_itself_prints_stays(text: str) -> None:
    stream = io.StringIO()
    assert PrintableOutput(stream).write(text) == len(text)
    assert stream.getvalue() == text
