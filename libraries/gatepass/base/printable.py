"""Words of others, such as a device's or a file's, fit to be shown."""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_COLOUR = re.compile("(\x1b\\[[0-9;]{0,20}m)")
"""Select graphic rendition, ECMA-48 8.3.117: it changes how text looks, and nothing else."""
MOST = 2000
"""So many characters are a message that somebody still reads."""


def printable(text: str) -> str:
    """A text without control characters and without marks that turn the direction of writing:
    a name with such a mark could read otherwise than it is written.
    """
    return _UNPRINTABLE.sub("", text)


def without_controls(text: str) -> str:
    """The same with its colours: what a terminal may be sent."""
    return "".join(
        part if number % 2 else printable(part) for number, part in enumerate(_COLOUR.split(text))
    )


def shown(text: str, most: int = MOST) -> str:
    """A printable text of bounded length: its beginning says what it is about, its end what to do.

    Args:
        text: of whatever length.
        most: characters.
    """
    text = printable(text)
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 3]} … {text[-end:]}"
