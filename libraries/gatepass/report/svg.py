"""Small charts as inline SVG: bars, a rate over time, and lines through points.

No library: what is well kept either needs a browser's script or is a plotting system of 100 MB, and
these have to be the same bytes each time. Nothing is told by colour; what is hatched is named
in the legend. Sizes are units of the view box; the page scales it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

WIDTH = 360
_SIZE = 11.5
"""Of a letter, at the most: the page prints them so."""
_WIDTHS = (
    *(("iIjl,.:;' ", 0.34), ("ft()/-r“”\"", 0.46)),
    *(("+−±×=", 0.75), ("mwMW%@", 0.95), ("…", 1.0)),
)
_CAPITAL, _OTHER = 0.79, 0.62
"""Of letters, in their size: the widest of them in the fonts that the page asks for, as it does."""
_BAR, _GAP, _BETWEEN_GROUPS = 11, 3, 8
_TOP = 18  # the legend
_CURVE_HEIGHT, _LEFT, _BOTTOM = 118, 44, 20
_PLOT_HEIGHT = 170
_DASHES = ("none", "6 3", "2 3", "9 3 2 3")
"""By which lines are told apart, also without colour."""


@dataclass(frozen=True)
class Bar:
    """One bar; `text` stands at its end, `half_width` is drawn as its whisker."""

    value: float
    text: str
    hatched: bool = False
    half_width: float | None = None


@dataclass(frozen=True)
class Line:
    """A limit that the figures are held against, in the same unit."""

    value: float
    label: str


@dataclass(frozen=True)
class Alternative:
    """What is read out instead of the picture; `name` is unique on the page."""

    name: str
    title: str
    text: str


def letters(text: str) -> float:
    """How wide a text is at the most, letter by letter, so that a label gets the room it needs."""
    return _SIZE * sum(map(_letter, text))


def _letter(letter: str) -> float:
    for some, width in _WIDTHS:
        if letter in some:
            return width
    return _CAPITAL if letter.isupper() else _OTHER


def bars(
    groups: Sequence[tuple[str, Sequence[Bar]]],
    line: Line | None,
    legend: tuple[str, str],
    alternative: Alternative,
) -> Markup:
    """Horizontal bars from zero.

    Args:
        groups: label and bars of each, from the top.
        line: drawn across all of them; None where there is none.
        legend: what plain and hatched bars are; an empty text leaves one out.
        alternative: for who does not see it.
    """
    every = [bar for _, group in groups for bar in group]
    left = max(letters(label) for label, _ in groups) + 8
    right = max(letters(bar.text) for bar in every) + 8
    top = max([bar.value + (bar.half_width or 0) for bar in every] + [line.value if line else 0])
    scale = (WIDTH - left - right) / (top or 1)
    parts, y = [_legend(legend)], float(_TOP)
    for label, group in groups:
        height = len(group) * (_BAR + _GAP) - _GAP
        parts.append(_text(left - 6, y + height / 2 + 3.6, label, "end"))
        for bar in group:
            parts += _bar(bar, left, y, scale)
            y += _BAR + _GAP
        y += _BETWEEN_GROUPS - _GAP
    parts.append(_path(f"M{left:.1f} {_TOP - 3}V{y - 2:.1f}", "axis"))
    if line:
        x = left + line.value * scale
        parts.append(_path(f"M{x:.1f} {_TOP - 3}V{y:.1f}", "limit"))
        parts.append(_below(x, y + 11, line.label))
    return _svg(y + (15 if line else 2), parts, alternative)


def curve(
    rates: Sequence[float],
    interval_s: float,
    line: Line | None,
    labels: tuple[str, str, str],
    alternative: Alternative,
) -> Markup:
    """A rate over time as steps, each as long as its interval.

    Args:
        rates: one an interval, at least one.
        interval_s: seconds of an interval.
        line: the promise; None where there is none.
        labels: of the highest rate on the axis (its value is the highest of `rates`), and of
            begin and end of the time axis.
        alternative: for who does not see it.
    """
    bottom, top = _CURVE_HEIGHT - _BOTTOM, 18
    highest = max([*rates, line.value if line else 0]) or 1
    right = WIDTH - 10
    step = (right - _LEFT) / len(rates)

    def height(value: float) -> float:
        return bottom - value / highest * (bottom - top)

    xs = [_LEFT + step * at for at in range(len(rates) + 1)]
    d = f"M{xs[0]:.1f} {height(rates[0]):.1f}H{xs[1]:.1f}"
    for (_, rate), end in zip(pairwise(rates), xs[2:], strict=True):
        d += f"V{height(rate):.1f}H{end:.1f}"
    most, begin, end = labels
    parts = [
        _path(f"M{_LEFT} {top - 6}V{bottom}H{right}", "axis"),
        _text(_LEFT - 5, bottom + 3, "0", "end"),
        _text(_LEFT, bottom + 13, begin, "start"),
        _text(right, bottom + 13, end, "end"),
        _path(d, "rate"),
    ]
    at = height(max(rates))
    if line:
        limit = height(line.value)
        parts.append(_path(f"M{_LEFT} {limit:.1f}H{right}", "limit"))
        free = limit + 13 if max(rates) > line.value else limit - 5
        parts.append(_text(right, free, line.label, "end"))
        parts.append(_path(f"M{_LEFT - 3} {limit:.1f}H{_LEFT}", "axis"))
    parts.append(_text(_LEFT - 5, at + 3, most, "end"))
    return _svg(_CURVE_HEIGHT, parts, alternative)


def plot(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    axes: tuple[str, str],
    number: Callable[[float], str],
    alternative: Alternative,
) -> Markup:
    """Lines through points, from zero on both axes.

    Args:
        lines: points by the line's name, from the left; at least one.
        axes: what is along the horizontal and the vertical axis; an empty text leaves one out.
        number: writes a figure.
        alternative: for who does not see it.
    """
    points = [point for line in lines.values() for point in line]
    widest, highest = (max(values) or 1 for values in zip(*points, strict=True))
    top, right = 14 * len(lines) + 12, WIDTH - 12
    bottom = top + _PLOT_HEIGHT - 42

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + x / widest * (right - _LEFT),
            bottom - y / highest * (bottom - top),
        )

    along, up = axes
    parts = [
        _path(f"M{_LEFT} {top - 6}V{bottom}H{right}", "axis"),
        _text(_LEFT - 5, bottom + 3, "0", "end"),
        _text(_LEFT - 5, top + 3, number(round(highest, 2)), "end"),
        _text(right, bottom + 13, number(round(widest)), "end"),
        _text((_LEFT + right) / 2, bottom + 13, along, "middle"),
        _text(_LEFT + 4, top - 2, up, "start"),
    ]
    for at, (name, line) in enumerate(lines.items()):
        dashes = _DASHES[at % len(_DASHES)]
        placed = [place(x, y) for x, y in line]
        d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        dots = "".join(f"M{x - 2:.1f} {y:.1f}h4" for x, y in placed)
        key = f"M0 {14 * at + 6}h24"
        parts += [_dashed(d, dashes), _path(dots, "whisker"), _dashed(key, dashes)]
        parts.append(_text(30, 14 * at + 10, name, "start"))
    return _svg(bottom + 18, parts, alternative)


def _dashed(d: str, dashes: str) -> Markup:
    return Markup('<path class="rate" stroke-dasharray="{}" d="{}"/>').format(dashes, d)


def _bar(bar: Bar, left: float, y: float, scale: float) -> list[Markup]:
    end = left + max(bar.value, 0) * scale  # less than nothing has no length
    fill = "url(#hatch)" if bar.hatched else "currentColor"
    parts = [
        Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}" fill="{}"/>').format(
            f"{left:.1f}", f"{y:.1f}", f"{max(end - left, 0.5):.1f}", _BAR, fill
        )
    ]
    whisker = (bar.half_width or 0) * scale
    if whisker >= 1:
        low, high, ends = end - whisker, end + whisker, f"{y + 2:.1f}v{_BAR - 4}"
        d = f"M{low:.1f} {y + _BAR / 2:.1f}H{high:.1f}M{low:.1f} {ends}M{high:.1f} {ends}"
        parts += [_path(d, "whisker under"), _path(d, "whisker")]
    parts.append(_text(end + max(whisker, 0) + 5, y + _BAR - 2, bar.text, "start"))
    return parts


def _below(x: float, y: float, label: str) -> Markup:
    """The label of a limit: in its middle, or as near to that as leaves it within the picture."""
    half = letters(label) / 2
    return _text(max(min(x, WIDTH - half), half), y, label, "middle")


def _legend(legend: tuple[str, str]) -> Markup:
    x, parts = 0.0, []
    for text, fill in zip(legend, ("currentColor", "url(#hatch)"), strict=True):
        if text:
            box = Markup('<rect class="bar" x="{}" y="1" width="14" height="9" fill="{}"/>')
            parts += [box.format(f"{x + 0.5:.1f}", fill), _text(x + 19, 9, text, "start")]
            x += 19 + letters(text) + 16
    return Markup("").join(parts)


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(
        f"{x:.1f}", f"{y:.1f}", anchor, escape(text)
    )


def _path(d: str, kind: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(kind, d)


def _svg(height: float, parts: Sequence[Markup], alternative: Alternative) -> Markup:
    name = alternative.name
    head = Markup(
        '<svg class="chart" role="img" viewBox="0 0 {} {}" aria-labelledby="{}-title {}-text">'
        '<title id="{}-title">{}</title><desc id="{}-text">{}</desc>'
    ).format(
        WIDTH, f"{height:.0f}", name, name, name, alternative.title, name, alternative.text
    )
    return head + Markup("").join(parts) + Markup("</svg>")
