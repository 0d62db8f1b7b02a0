"""What the eye cannot tell in a text: characters that are not seen, or that look like others.

A sentence names such a character by its number and its name in Unicode, as it cannot show it.
"""

from __future__ import annotations

import re
import unicodedata

_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters, marks and signs that are drawn as nothing, and so are of no telling category."""
_UNSEEN = {"Zs", "Zl", "Zp", "Cf", "Cc"}
_QUOTES = "\"'“”„‟«»‘’‚‛‹›＂＇"
_QUOTED = re.compile(f"[{_QUOTES}].*[{_QUOTES}]", re.DOTALL)
_SIGNS = re.compile("[：＃，［］｛｝＂＇“”„‟‘’‚‛]")
"""What some keyboards and word processors write for signs that YAML knows."""
_MINUS = "-+−–—‐‑－＋﹣"
_NUMBER = re.compile(rf"[{_MINUS}]?\d[\d.,．，]*")


def named(character: str) -> str:
    """A character as it can be looked up: "U+00A0 (no-break space)"."""
    name = unicodedata.name(character, "").lower()
    return f"U+{ord(character):04X}" + f" ({name})" * bool(name)


def unseen(text: str) -> int | None:
    """The place of the first character that nobody sees, or takes for a plain space."""
    for place, one in enumerate(text):
        if one not in " \n" and (unicodedata.category(one) in _UNSEEN or _BLANK.match(one)):
            return place
    return None


def remedy(character: str) -> str:
    """What to do about one that is not seen."""
    if unicodedata.category(character) == "Zs":
        return "which looks like a plain space. Put a plain space there."
    return "which cannot be seen. Remove it."


def imitation(text: str) -> str | None:
    """What a text without quotes was meant as, and is not; None where nothing is to be said.

    Such as a number of full-width digits or with a typographer's minus, and quotes of a word
    processor around a text.
    """
    if text.isascii():
        return None
    if _NUMBER.fullmatch(text):
        other = next(one for one in text if not one.isascii())
        return f"found {named(other)} in a number; allowed are the plain digits and signs"
    if _QUOTED.fullmatch(text):
        other = next(one for one in text[0] + text[-1] if not one.isascii())
        return f"found {named(other)} as a quote; allowed are \" and ' around a text"
    return None


def sign(text: str) -> str | None:
    """The first character of a text that looks like one of YAML's signs; None without one."""
    found = _SIGNS.search(text)
    return found[0] if found else None


def look_alike(text: str) -> str | None:
    """The first character of a text that is no Latin letter, and may be taken for one or a sign."""
    return next(
        (
            one
            for one in text
            if not one.isascii() and not unicodedata.name(one, "").startswith("LATIN ")
        ),
        None,
    )
