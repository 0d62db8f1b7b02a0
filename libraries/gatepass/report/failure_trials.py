"""The trials of a check that did not pass: a table with the odd ones marked, and their course."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from gatepass.endpoint.iperf_intervals import Interval, counted
from gatepass.results.record import figure
from gatepass.verdict.scatter import odd_trials

_MOST = 24
"""Trials in the picture, the latest: more would be too narrow to be read."""
_WIDTH, _LEFT, _RIGHT = 720.0, 76.0, 8.0
_PANELS = (("rate", 130.0), ("retransmissions", 60.0), ("busy", 60.0))
_GAP, _TOP, _FOOT = 18.0, 12.0, 18.0
_ENDS = ("client", "server")
_BETWEEN = 0.15
"""Of a trial's width, between two of them."""


@dataclass(frozen=True)
class TriedRow:
    """A trial as the page tells it.

    Attributes:
        number: of the run's trials; its files are called by it.
        beside: whether it went past the gateway.
        mbps: its figure, Mbit/s; None of what was no rate.
        told: the figure in words, also of what was no rate.
        aside: why it was set aside; empty where it counts.
        odd: whether it stands out among those on the same path that count.
        busy: per cent of its processors that each host was busy.
        received, sent: the intervals after the slow start, as either end told them.
    """

    number: int
    beside: bool
    mbps: float | None
    told: str
    aside: str
    odd: bool
    busy: Mapping[str, float]
    received: Sequence[Interval] = field(default=(), repr=False)
    sent: Sequence[Interval] = field(default=(), repr=False)

    @property
    def retransmissions(self) -> Sequence[tuple[float, int]]:
        """Moments, and segments that were sent again around them."""
        return [(at.middle_s, at.retransmits) for at in self.sent if at.retransmits is not None]

    @property
    def rates(self) -> Sequence[tuple[float, float]]:
        """Moments, and the rate around them, Mbit/s."""
        return [(at.middle_s, at.mbps) for at in self.received]

    @property
    def sent_again(self) -> int | None:
        """Segments that were sent again in all; None where nothing tells."""
        counts = [count for _, count in self.retransmissions]
        return sum(counts) if counts else None

    @property
    def seconds(self) -> float:
        """How long its course is."""
        return max((at.ended_s for at in (*self.received, *self.sent)), default=0)


def rows(
    tried: Sequence[Mapping[str, Any]], folder: Path, beside: Collection[str]
) -> list[TriedRow]:
    """The trials of a check.

    Args:
        tried: what was noted of each (see `gatepass.verdict.disturbance.trial_facts`).
        folder: that holds the run's trials.
        beside: addresses that are reached without the gateway.
    """
    numbered = [one for one in tried if one.get("number")]
    odd = _odd(numbered, beside)
    return [
        TriedRow(
            number=one["number"],
            beside=one.get("to") in beside,
            mbps=one.get("mbps") if _is_rate(one) else None,
            told=_told(one),
            aside=str(one.get("set_aside") or ""),
            odd=one["number"] in odd,
            busy={
                name: host["busy_percent"]
                for name, host in (one.get("hosts") or {}).items()
                if "busy_percent" in host
            },
            received=received,
            sent=sent,
        )
        for one in numbered
        for received, sent in (_course(folder, one["number"]),)
    ]


def _odd(tried: Sequence[Mapping[str, Any]], beside: Collection[str]) -> set[int]:
    found: set[int] = set()
    for past in (False, True):
        same = [
            one
            for one in tried
            if _is_rate(one) and not one.get("set_aside") and (one.get("to") in beside) == past
        ]
        found |= {same[place]["number"] for place in odd_trials([one["mbps"] for one in same])}
    return found


def _is_rate(one: Mapping[str, Any]) -> bool:
    return isinstance(one.get("mbps"), int | float) and not _delays(one)


def _delays(one: Mapping[str, Any]) -> dict[str, Mapping[str, float]]:
    """Percentiles of delays by what they are of."""
    return {
        name.removesuffix("_us").replace("_", " "): value
        for name, value in one.items()
        if name.endswith("_us") and isinstance(value, Mapping)
    }


def _told(one: Mapping[str, Any]) -> str:
    delays = _delays(one)
    if delays:
        return "; ".join(
            f"{name}: median {value['p50'] / 1000:.3g} ms, 99th percentile "
            f"{value['p99'] / 1000:.3g} ms"
            for name, value in delays.items()
            if "p50" in value and "p99" in value
        )
    return f"{figure(one['mbps'])} Mbit/s" if _is_rate(one) else ""


def _course(folder: Path, number: int) -> tuple[list[Interval], list[Interval]]:
    """What the receiving and the sending end of a trial told of its intervals; empty if nothing."""
    client, server = (_report(folder / f"{number:03d}-{side}.json") for side in _ENDS)
    try:
        reverse = bool(client["start"]["test_start"]["reverse"])
    except (KeyError, TypeError):
        reverse = False
    ends = (client, server) if reverse else (server, client)
    return _intervals(ends[0]), _intervals(ends[1])


def _intervals(report: Any) -> list[Interval]:
    try:
        return counted(report)
    except (KeyError, TypeError):
        return []


def _report(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def picture(told: Sequence[TriedRow], promised: float | None) -> Markup:
    """Rate, retransmissions and busy processors over time, trial beside trial.

    The rate's scale begins where its lowest figure is, so that 293 and 305 differ.

    Args:
        told: of all trials.
        promised: Mbit/s that the rate is held against; None where it is none.

    Returns:
        Empty where no trial has a course.
    """
    drawn = [one for one in told if one.rates][-_MOST:]
    if not drawn:
        return Markup()
    parts, y = [], _TOP
    for (name, height), scale in zip(_PANELS, _scales(drawn, promised), strict=True):
        parts += _panel(name, drawn, y, height, scale, promised if name == "rate" else None)
        y += height + _GAP
    parts += [
        _text(_x(place, 0.5, drawn), y - _GAP + 12, f"{one.number}{'*' * one.beside}", "middle")
        for place, one in enumerate(drawn)
    ]
    return Markup(
        f'<svg viewBox="0 0 {_WIDTH:g} {y + _FOOT - _GAP:g}" role="img"><title>'
        f"Course of {len(drawn)} trials; the table has their figures</title>{''.join(parts)}</svg>"
    )


def _scales(drawn: Sequence[TriedRow], promised: float | None) -> list[tuple[float, float]]:
    rates = [rate for one in drawn for _, rate in one.rates] + ([promised] if promised else [])
    low, high = min(rates), max(rates)
    room = (high - low or high or 1) * 0.08
    again = max((count for one in drawn for _, count in one.retransmissions), default=0)
    return [(max(low - room, 0), high + room), (0, max(again, 1)), (0, 100)]


def _panel(
    name: str,
    drawn: Sequence[TriedRow],
    top: float,
    height: float,
    scale: tuple[float, float],
    promised: float | None,
) -> list[str]:
    low, high = scale
    bottom, right = top + height, _WIDTH - _RIGHT

    def y(value: float) -> float:
        return bottom - (min(max(value, low), high) - low) / (high - low) * height

    units = {"rate": "Mbit/s", "retransmissions": "sent again", "busy": "% busy"}
    parts = [
        f'<path class="axis" d="M{_LEFT} {top:g}V{bottom:g}H{right:g}"/>',
        _text(_LEFT - 5, top + 9, figure(high) if name == "rate" else f"{high:,.0f}", "end"),
        _text(_LEFT - 5, top + height / 2 + 4, units[name], "end"),
        _text(_LEFT - 5, bottom, figure(low), "end"),
    ]
    for place, one in enumerate(drawn):
        if one.aside or one.beside:
            x, wide = _x(place, 0, drawn), _x(place, 1, drawn) - _x(place, 0, drawn)
            kind = "aside" if one.aside else "beside"
            parts.append(
                f'<rect class="{kind}" x="{x:.1f}" y="{top:g}" width="{wide:.1f}" '
                f'height="{height:g}"/>'
            )
        if name == "busy":
            for number, percent in enumerate(one.busy.values()):
                ends = (_x(place, share, drawn) for share in (0, 1))
                line = "{:.1f} {at:.1f}H{:.1f}".format(*ends, at=y(percent))
                parts.append(f'<path class="course way{number % 3}" d="M{line}"/>')
            continue
        values = one.rates if name == "rate" else one.retransmissions
        points = [
            f"{_x(place, moment / one.seconds, drawn):.1f},{y(value):.1f}"
            for moment, value in values
        ]
        odd = " odd" if one.odd and name == "rate" else ""
        parts.append(f'<polyline class="course{odd}" points="{" ".join(points)}"/>')
    if promised is not None:
        parts.append(f'<path class="promise" d="M{_LEFT} {y(promised):.1f}H{right:g}"/>')
    return parts


def _x(place: int, share: float, drawn: Sequence[TriedRow]) -> float:
    """Where a moment of a trial is, `share` of it gone by."""
    each = (_WIDTH - _LEFT - _RIGHT) / len(drawn)
    return _LEFT + each * (place + _BETWEEN / 2 + share * (1 - _BETWEEN))


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
