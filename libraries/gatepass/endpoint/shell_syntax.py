"""Where in a text for a POSIX shell a word would stand, and whether its quotes would hold there."""

from __future__ import annotations

QUOTES = "'\"`"
COMMENT, ARITHMETIC, COMMAND, HERE_DOCUMENT, ESCAPED, EXPANSION = "#", "((", "(", "<<", "\\", "$"
_BEFORE_A_WORD = " \t\n;&|()"


def context(text: str) -> str:
    """What is open behind a text, innermost, as a POSIX shell reads it (XCU 2.2, 2.3, 2.6).

    Args:
        text: what stands before the word.

    Returns:
        One of `QUOTES`; `COMMENT`; `ARITHMETIC`, in which quotes are none; `HERE_DOCUMENT`, from
        where on it begins to the end; `ESCAPED` or `EXPANSION` right behind a backslash or a
        dollar; the backquote too where it is open further out; empty where a quoted word is one
        word, in a command substitution as well.
    """
    opened: list[str] = []
    at = 0
    while at < len(text):
        at += _step(text, at, opened)
    if at > len(text):
        return ESCAPED
    if HERE_DOCUMENT in opened:
        return HERE_DOCUMENT
    if "`" in opened:
        return "`"
    innermost = opened[-1] if opened else ""
    if innermost in ("", COMMAND):
        return EXPANSION if text.endswith("$") else ""
    return innermost


def _step(text: str, at: int, opened: list[str]) -> int:
    """Read on from a letter; how many were read."""
    letter, innermost = text[at], opened[-1] if opened else ""
    if innermost in ("'", COMMENT):
        if letter == ("'" if innermost == "'" else "\n"):
            opened.pop()
        return 1
    if letter == "\\":
        return 2
    if text.startswith("$((", at):
        opened.append(ARITHMETIC)
        return 3
    if text.startswith("$(", at):
        opened.append(COMMAND)
        return 2
    if innermost == ARITHMETIC and text.startswith("))", at):
        opened.pop()
        return 2
    if letter in '"`':
        opened.pop() if innermost == letter else opened.append(letter)
    elif innermost not in ('"', ARITHMETIC):
        _outside(text, at, opened)
    return 1


def _outside(text: str, at: int, opened: list[str]) -> None:
    """A letter that is not within double quotes."""
    letter = text[at]
    if letter == "'":
        opened.append(letter)
    elif letter == "#" and (at == 0 or text[at - 1] in _BEFORE_A_WORD):
        opened.append(COMMENT)
    elif text.startswith("<<", at):
        opened.append(HERE_DOCUMENT)
    elif letter == "(":
        opened.append(COMMAND)
    elif letter == ")" and opened and opened[-1] == COMMAND:
        opened.pop()
