"""The words and number formats of one language, for what a customer reads.

All texts of a language stand in one file (``templates/certificate.en.yaml``), so a further language
is a further file: what an order may ask for goes by the files. What checks say is recorded as
phrases (`gatepass.base.phrase`), for which each language has its own texts, or as English
sentences, which a second file may have in the language (`gatepass.report.sentences`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from gatepass.base.languages import FALLBACK, LANGUAGES
from gatepass.base.own_yaml import own_yaml
from gatepass.base.phrase import Parts, Phrase
from gatepass.base.phrase import texts as english
from gatepass.base.printable import printable
from gatepass.report.sentences import Sentences
from gatepass.results import record

MINUS = "\u2212"  # a hyphen is too short to be seen beside a figure
_WORD = re.compile("[a-z]{2}")
"""What has none is a name or a figure, the same in every language."""
_GROUPED = re.compile(r"(?<![\w.:,-])\d{1,3}(,\d{3})+(?![\w:,-])")
"""A figure with thousands, as checks write them in English."""


class Wording:
    """Texts by key, and figures as the language writes them."""

    def __init__(self, texts: dict[str, Any], sentences: Mapping[str, str] | None = None) -> None:
        self.texts = texts
        self._sentences = Sentences(sentences or {}, self._figure)

    def __getitem__(self, key: str) -> Any:
        return self.texts[key]

    def say(self, said: Phrase) -> str:
        """A phrase in this language; in English where the language has no text for it."""
        return self.said(said).striptags()

    def said(self, said: Phrase) -> Markup:
        """The same for the page, where words that stay English are marked as such."""
        text = self["said"].get(said.name)
        if text is None:
            return self.as_it_stands(str(said)) if said else Markup()
        parts = {key: self._part(part) for key, part in said.parts}
        return Markup(text).format_map(Parts(parts))

    def sentence(self, said: Phrase) -> Markup:
        """The same as a sentence of its own."""
        text = self.said(said)
        return text[:1].upper() + text[1:]

    def named(self, group: str, key: object, otherwise: object = None) -> Markup:
        """A name of one of the language's groups, such as a chapter.

        Args:
            group: key of the language's file; a language may lack it.
            key: of the name in the group.
            otherwise: what is said where the group has no such key; the key itself if None.
        """
        text = self.texts.get(group, {}).get(str(key))
        if text is not None:
            return Markup(text)
        return self.as_it_stands(str(key if otherwise is None else otherwise))

    def as_it_stands(self, text: str) -> Markup:
        """A text that checks said in English: the sentences that the language has in its words.

        What it has not is marked as English; a figure is written its way.
        """
        plain = self._plain(text)
        if self["language"] == FALLBACK or not _WORD.search(plain):
            return escape(_GROUPED.sub(lambda found: self._figure(found[0]), plain))
        english = Markup('<span lang="{}">{}</span>')
        return Markup().join(
            escape(piece.text) if piece.known else english.format(FALLBACK, piece.text)
            for piece in self._sentences.of(plain)
        )

    def knows(self, text: str) -> bool:
        """Whether the language has all sentences of a text that checks said in English."""
        return all(piece.known for piece in self._sentences.of(self._plain(text)))

    def _figure(self, text: str) -> str:
        """A figure as English has it, in this language's way."""
        marks = {",": self["thousands"], ".": self["decimal_point"], "-": MINUS}
        return "".join(marks.get(sign, sign) for sign in text)

    def _part(self, part: object) -> Markup:
        if isinstance(part, Phrase):
            return self.said(part)
        if isinstance(part, float):
            return escape(self.number(part))
        text = str(part)
        return self.as_it_stands(text) if " " in text else escape(self._plain(text))

    def _plain(self, text: str) -> str:
        """Without what cannot be seen; a decimal figure as the language writes it."""
        plain = printable(text)
        decimal = re.fullmatch(r"\d+\.\d+", plain)
        return plain.replace(".", self["decimal_point"]) if decimal else plain

    def number(self, value: float, decimals: int | None = None) -> str:
        """A figure; without `decimals` as it was written down, at most six digits long."""
        text = f"{value:,.{decimals}f}" if decimals is not None else _plain(value)
        marks = {",": self["thousands"], ".": self["decimal_point"], "-": MINUS}
        return "".join(marks.get(sign, sign) for sign in text)

    def signed(self, value: float, decimals: int = 1) -> str:
        """A figure with its sign, also where it is positive."""
        rounded = round(value, decimals) + 0.0  # no minus before a zero
        return ("+" if rounded > 0 else "") + self.number(rounded, decimals)

    def unit(self, measurement: record.Measurement) -> str:
        """Its unit and layer."""
        layer = self["layers"].get(measurement.layer, measurement.layer)
        return ", ".join(part for part in (self.unit_name(measurement.unit), layer) if part)

    def unit_name(self, unit: str) -> str:
        """A unit; most are written alike everywhere."""
        return self["units"].get(unit, unit)

    def bound(self, value: float, relation: str) -> str:
        """A threshold without its unit: "at least 300"."""
        return self[relation.replace(" ", "_")].format(figure=self.number(value))

    def figure(self, measurement: record.Measurement) -> str:
        """A measurement in one phrase, with spread and unit."""
        decimals = digits(measurement)
        text = self.number(measurement.value, decimals)
        if measurement.half_width is not None:
            text += f" ± {self.number(measurement.half_width, decimals)}"
        return f"{text} {self.unit_name(measurement.unit)}"

    def date(self, iso: object) -> str:
        """An ISO 8601 time with its zone, in words; as it stands where it is none."""
        try:
            moment = datetime.fromisoformat(str(iso))
        except ValueError:
            return str(iso)
        zone = moment.strftime("%z").replace("-", MINUS)
        return self["date"].format(
            day=self.day(iso),
            hour=moment.hour,
            minute=moment.minute,
            zone=f" (UTC{zone[:3]}:{zone[3:5]})" if zone else "",
        )

    def day(self, iso: object) -> str:
        """The day alone of an ISO 8601 time; as it stands where it is none."""
        try:
            moment = datetime.fromisoformat(str(iso))
        except ValueError:
            return str(iso)
        month = self["months"][moment.month - 1]
        return self["day"].format(day=moment.day, month=month, year=moment.year)

    def duration(self, seconds: float) -> str:
        """A time span in its two largest units."""
        minutes, rest = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        unit = "hours" if hours else "minutes" if minutes else "seconds"
        return self["duration"][unit].format(hours=hours, minutes=minutes, seconds=rest)


def digits(measurement: record.Measurement) -> int:
    """How many decimals the spread of a measurement supports, as in every message of the run."""
    if measurement.tried is not None:  # a count
        return 0
    text = record.figure(measurement.value, measurement.half_width)
    return len(text.split(" ")[0].partition(".")[2])


def most_digits(measurements: Iterable[record.Measurement]) -> int:
    """The decimals for figures that stand below each other."""
    return max((digits(measurement) for measurement in measurements), default=0)


@cache
def wording(language: object) -> Wording:
    """The texts of a language; English where there are none yet.

    Args:
        language: a code as an order gives it, such as "en".
    """
    path = LANGUAGES.get(str(language), LANGUAGES[FALLBACK])
    texts = own_yaml(path)
    if path == LANGUAGES[FALLBACK]:
        log = {name: text for name, text in english().items() if name not in texts["shown"]}
        texts["said"] = log | texts["said"]
    sentences = path.with_name(f"sentences.{texts['language']}.yaml")
    return Wording(texts, own_yaml(sentences) if sentences.exists() else None)


def _plain(value: float) -> str:
    whole = float(value).is_integer()
    return f"{int(value):,}" if whole else f"{value:,.6f}".rstrip("0").rstrip(".")
