"""How well a text stands out from what is behind it (WCAG 2.2, success criterion 1.4.3)."""

from __future__ import annotations

import re

PAPER, MARK = (255, 255, 255), (0xE9, 0xEC, 0xEF)
LEAST = 4.5


def contrast_should_suffice(colours: list[str]) -> None:
    """Each colour of a text against the paper and against the mark across it.

    Args:
        colours: as a browser computes them: "rgb(27, 33, 40)".
    """
    assert colours, "no text was found"
    for colour in colours:
        front = _parts(colour)
        for back in (PAPER, MARK):
            ratio = contrast(front, back)
            assert ratio >= LEAST, f"{colour} on {back}: {ratio:.2f}"


def texts_should_stand_out_in_colour_and_grey(pairs: list[str]) -> None:
    """Each colour of a text against what is behind it and the mark, and the grey made of both.

    Args:
        pairs: of colours: "rgb(27, 33, 40) on rgb(255, 255, 255)".
    """
    assert pairs, "no text was found"
    for pair in pairs:
        front, paper = (_parts(colour) for colour in pair.split(" on "))
        for back in (paper, MARK):
            for seen in ((front, back), (_grey(front), _grey(back))):
                ratio = contrast(*seen)
                assert ratio >= LEAST, f"{seen[0]} on {seen[1]} ({pair}): {ratio:.2f}"


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


def _grey(colour: tuple[int, ...]) -> tuple[int, ...]:
    """As CSS's grayscale(1) and printers make it, of the values as they stand."""
    red, green, blue = colour
    return (round(0.2126 * red + 0.7152 * green + 0.0722 * blue),) * 3


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The ratio of two colours, 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: tuple[int, ...]) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
