"""What of a word from outside stands in a shell script as anything else than a word."""

from __future__ import annotations

import json
import shlex
from itertools import pairwise
from pathlib import PurePosixPath

from hostile.poison import TAG


def unquoted(script: str) -> list[str]:
    """Each place where a word that was put in stands outside quotes.

    A script that is an argument of ``sh -c`` is looked at as well, as that shell would read it.
    """
    found = [
        f"outside quotes in “{script[max(0, at - 60) : at + 40]!r}”"
        for at in _places(script)
        if _quote_at(script, at) != "'"
    ]
    if found or TAG not in script:
        return found
    words = shlex.split(script)
    for before, word in pairwise(words):
        if before == "-c" and TAG in word:
            found += unquoted(word)
    return found


def files_unquoted(text: str, path: str) -> list[str]:
    """The same of a file that is written: a job as JSON may hold it as a value, an undo script as
    a word, and nothing else at all."""
    if TAG not in text:
        return []
    if PurePosixPath(path).suffix == ".undo":
        return unquoted(text)
    try:
        json.loads(text)
        return []
    except ValueError:
        at = text.index(TAG)
        return [f"in the file {PurePosixPath(path).name}: {text[max(0, at - 60) : at + 40]!r}"]


def _places(text: str) -> list[int]:
    """Where the tag begins."""
    found, at = [], text.find(TAG)
    while at >= 0:
        found.append(at)
        at = text.find(TAG, at + 1)
    return found


def _quote_at(text: str, end: int) -> str:
    """Which quote is open at a place of a script (POSIX, XCU 2.2); empty where none is."""
    quote, escaped = "", False
    for letter in text[:end]:
        if escaped:
            escaped = False
        elif letter == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
    return quote
