"""Lines of a FortiOS script, split into words, and values written so that they read back alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        line: where it begins, counted from 1.
        words: the words, quotes taken off.
    """

    line: int
    words: tuple[str, ...]

    def __str__(self) -> str:
        """The command for a message: a secret that it sets is left out."""
        words = self.words
        if len(words) > 2 and any(hint in words[1] for hint in ("passw", "key", "secret")):
            words = (*words[:2], "***")
        text = " ".join(words)
        return text if len(text) <= 80 else text[:77] + "..."


class UnclosedQuoteError(ValueError):
    """A quote that the text does not close.

    Args:
        line: where the quote opens.
    """

    def __init__(self, line: int) -> None:
        super().__init__(f"The quote opened in line {line} is not closed.")
        self.line = line


def commands(text: str) -> Iterator[Command]:
    """The commands of a script; empty lines and comments are passed over.

    Raises:
        UnclosedQuoteError: a quote runs to the end of the text.
    """
    words: list[str] = []
    line = start = 1
    position, end = 0, len(text)
    at_line_start = True
    while position < end:
        char = text[position]
        if char == "\n":
            if words:
                yield Command(start, tuple(words))
                words = []
            line += 1
            position += 1
            at_line_start = True
        elif char in " \t\r":
            position += 1
        elif char == "#" and at_line_start:
            position = text.find("\n", position)
            position = end if position < 0 else position
        else:
            if at_line_start:
                start, at_line_start = line, False
            word, position, line = _word(text, position, line)
            words.append(word)
    if words:
        yield Command(start, tuple(words))


def _word(text: str, position: int, line: int) -> tuple[str, int, int]:
    """One word from here on; answers it, where it ends and the line reached."""
    parts: list[str] = []
    quote, opened = "", line
    end = len(text)
    while position < end:
        char = text[position]
        if char == "\\" and quote != "'" and position + 1 < end:
            parts.append(text[position + 1])
            line += text[position + 1] == "\n"
            position += 2
            continue
        if quote:
            if char == quote:
                quote = ""
            else:
                parts.append(char)
                line += char == "\n"
        elif char in "\"'":
            quote, opened = char, line
        elif char in " \t\r\n":
            break
        else:
            parts.append(char)
        position += 1
    if quote:
        raise UnclosedQuoteError(opened)
    return "".join(parts), position, line


def quoted(value: object) -> str:
    """A value in quotes."""
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
