"""What checks say in English sentences, in another language: by a table of sentences.

A check raises its reason where it finds it, in English, as the log has it. A language's table
(``templates/sentences.fi.yaml``) holds those sentences with what varies as {1}, {2} and so on, each
with its own words beside it, as catalogues of gettext do. A text of several sentences is taken
apart so that most of its letters are known; what stands in a place is looked up in the same way.
What the table does not know stays English, and is known as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

_PLACE = re.compile(r"\{(\d+)\}")
_END = re.compile(r"[.!?][”’\"')]*\s+")
"""The end of a sentence that another follows."""
_WORD = re.compile("[a-z]{2}")
_NUMBER = re.compile(r"(?<![\d.:,])[-−+]?\d+([,\u202f]\d{3})*(\.\d+)?(?![.:,]?\d)")
"""With a point and commas as English has them; an address, a version or a time has more of them."""
_UNIT = re.compile(r"(?<=\d )(ms|us|[KMG]iB|[KMG]B|[KMG]?bit/s)\b")
"""What stands behind a figure and is the same in every language."""
_BLANK = re.compile(r"[ \t\r\n]+")
"""But for the narrow space between thousands."""
_FEW_LETTERS = 12
"""An entry with fewer of its own, as of a list, fits nearly everything: its parts must be known."""


@dataclass(frozen=True)
class Piece:
    """A part of a text.

    Attributes:
        text: in the language, or in English.
        known: whether it is in the language, or the same in every language.
    """

    text: str
    known: bool


@dataclass(frozen=True)
class _Told:
    """A text as far as it is known, and by how many letters of the table."""

    pieces: tuple[Piece, ...]
    letters: int

    @property
    def whole(self) -> bool:
        return all(piece.known for piece in self.pieces)


@dataclass
class _Entry:
    english: str
    told: str
    literals: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.literals = _PLACE.split(self.english)[::2]
        self.letters = sum(sign.isalpha() for part in self.literals for sign in part)
        self.longest = max((part.lower() for part in self.literals), key=len)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Of the English sentence, whose first letter may be a capital one."""
        return re.compile("(.*?)".join(map(re.escape, self.literals)), re.IGNORECASE)

    @cached_property
    def order(self) -> list[int]:
        """The numbers of its parts, as they come in English."""
        return [int(number) for number in _PLACE.findall(self.english)]


class Sentences:
    """The table of a language.

    Args:
        table: the language's sentence by the English one, each with its parts as {1}, {2}, ….
        figure: writes a figure, such as "1,012.5", as the language does.
    """

    def __init__(
        self, table: Mapping[str, str], figure: Callable[[str], str] = lambda text: text
    ) -> None:
        self._figure = figure
        entries = [_Entry(english, told) for english, told in table.items()]
        self._entries = sorted(entries, key=lambda entry: -entry.letters)
        self._known: dict[str, _Told] = {}

    def of(self, text: str) -> tuple[Piece, ...]:
        """A text in pieces, those that the table knows in its language.

        Args:
            text: one or more English sentences.
        """
        return _merged(self._told(_BLANK.sub(" ", text).strip(" ")).pieces)

    def _told(self, text: str) -> _Told:
        if text not in self._known:
            self._known[text] = self._look_up(text)
        return self._known[text]

    def _look_up(self, text: str) -> _Told:
        if not _WORD.search(_UNIT.sub("", text)):
            figures = _NUMBER.sub(lambda found: self._figure(found[0]), text)
            return _Told((Piece(figures, True),), 0)
        cuts = [0, *(found.end() for found in _END.finditer(text)), len(text)]
        best: list[_Told] = [_Told((), 0)] * len(cuts)
        for begin in range(len(cuts) - 2, -1, -1):
            rest = best[begin + 1]
            one = text[cuts[begin] : cuts[begin + 1]].strip()
            best[begin] = _Told((Piece(one, False), *_after(rest)), rest.letters)
            for end in range(begin + 1, len(cuts)):
                found = self._entry(text[cuts[begin] : cuts[end]].strip())
                if found and found.letters + best[end].letters > best[begin].letters:
                    pieces = (*found.pieces, *_after(best[end]))
                    best[begin] = _Told(pieces, found.letters + best[end].letters)
        return best[0]

    def _entry(self, text: str) -> _Told | None:
        """The entry that knows most of a text, and what its parts stand for."""
        best, low = None, text.lower()
        for entry in self._entries:
            if entry.longest not in low or (found := entry.pattern.fullmatch(text)) is None:
                continue
            parts = [self._part(part) for part in found.groups()]
            if entry.letters < _FEW_LETTERS and not all(part.whole for part in parts):
                continue
            letters = entry.letters + sum(part.letters for part in parts)
            if best is None or letters > best.letters:
                best = _Told(_filled(entry, parts), letters)
        return best

    def _part(self, part: str) -> _Told:
        """What a part stands for; a name is the same in every language, unless the table has it."""
        told = self._told(part.strip())
        if not told.whole and all(" " not in name for name in part.strip().split(", ")):
            return _Told((Piece(part, True),), 0)
        return _Told(_spaced(part, told.pieces), told.letters)


def _after(rest: _Told) -> tuple[Piece, ...]:
    """What follows a sentence."""
    return (Piece(" ", True), *rest.pieces) if rest.pieces else ()


def _filled(entry: _Entry, parts: list[_Told]) -> tuple[Piece, ...]:
    by_number = dict(zip(entry.order, parts, strict=True))
    pieces: list[Piece] = []
    for place, text in enumerate(_PLACE.split(entry.told)):
        pieces += by_number[int(text)].pieces if place % 2 else (Piece(text, True),)
    return tuple(pieces)


def _spaced(part: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces with the spaces that stood around them."""
    before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
    blank = [Piece(space, True) for space in (before, after)]
    return (blank[0], *pieces, blank[1]) if part.strip() else (Piece(part, True),)


def _merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """As few pieces as there can be; a space belongs to what stands on both sides of it."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and (piece.known == merged[-1].known or not piece.text.strip()):
            merged[-1] = Piece(merged[-1].text + piece.text, merged[-1].known)
        elif piece.text:
            merged.append(piece)
    return tuple(merged)
