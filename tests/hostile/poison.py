"""Metacharacters put into every string of an answer, and taken out again."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

TAG, END = "qz_9x", "x9_zq"
"""Around what was put in, so that it is known wherever it comes up."""
PIECES = (
    *("; id >/run/x;", "$(id)", "`id`", "| id", "& id", "&& id", "\n id\n", "' id '", '" id "'),
    *("\\", "> /run/x", "*", "?", "~", "{a,b}", "!!", "#", "$HOME", "${IFS}", " -rf /", "\t"),
    *("}; flush ruleset;", '" ; drop', ": {a: b}", "\n- x: y", "!!python/object:x", "&a *a"),
    *("%TAG", "*bold*", "_it_", "[javascript:x|y]", "| a | b |", "https://x.invalid/p.png"),
    *("${VAR}", "@{L}", "<b>", "</td><script>x()</script>", "&lt;", "]]>", "<!--", "=1+1"),
    *("@SUM(1)", "+1", "-1", ",", ";", "\x1b[2J", "\x1b]0;x\x07", "\r", "\x9b", "\u202e"),
    *("{{7*7}}", "%s%n", "\\x41", "$$", "'\"'\"'"),
)
"""Of shell, nftables, YAML, Robot, HTML, CSV and terminals."""
_WORDS = 60
_PUT_IN = re.compile(f"{TAG}.*?(?:{END}|$)", re.DOTALL)


class Poison:
    """Which strings are altered, and with what: alike for alike places of one example.

    Args:
        seed: of the example.
        share: of all places that are altered, 0 to 1.
        places: that are altered in any case.
    """

    def __init__(self, seed: int, share: float, places: Sequence[str] = ()) -> None:
        self._seed, self._share, self._places = seed, share, frozenset(places)
        self._values: dict[str, set[str]] = defaultdict(set)

    def suffix(self, place: str) -> str:
        """What is put behind each string of a place; empty where it is left as it is."""
        drawn = random.Random(f"{self._seed} {place}")
        if drawn.random() >= self._share and place not in self._places:
            return ""
        return TAG + "".join(drawn.sample(PIECES, drawn.randint(1, 4))) + END

    def into(self, data: Any, place: str) -> Any:
        """A copy of nested lists and dictionaries with their strings altered.

        Args:
            data: of JSON.
            place: where it stands; rows of a list count as one.
        """
        if isinstance(data, str):
            self._values[place].add(data)
            return data + self.suffix(place)
        if isinstance(data, list):
            return [self.into(one, place) for one in data]
        if isinstance(data, dict):
            return {key: self.into(one, f"{place}/{key}") for key, one in data.items()}
        return data

    def into_text(self, text: str, place: str) -> str:
        """A report with its strings altered: of JSON, or the words of plain text."""
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        if isinstance(data, dict | list):
            return json.dumps(self.into(data, place))
        words = re.split(r"(\s+)", text, maxsplit=_WORDS)
        for at in range(0, len(words), 2):
            words[at] = self.into(words[at], f"{place}/{at}") if words[at] else ""
        return "".join(words)

    def reaching(self, texts: str) -> list[str]:
        """The places of which some value is a word of these texts; numbers do not count."""
        words = {one for one in re.findall(r"[\w.:-]{4,}", texts) if not one.isdigit()}
        return sorted(place for place, values in self._values.items() if values & words)


def cleaned(data: Any) -> Any:
    """The same as it was before."""
    if isinstance(data, str):
        return _PUT_IN.sub("", data)
    if isinstance(data, list):
        return [cleaned(one) for one in data]
    if isinstance(data, dict):
        return {key: cleaned(one) for key, one in data.items()}
    return data


def clean(data: Any) -> None:
    """Have nested lists and dictionaries as they were before."""
    if isinstance(data, list):
        data[:] = cleaned(data)
    elif isinstance(data, dict):
        data.update(cleaned(data))
