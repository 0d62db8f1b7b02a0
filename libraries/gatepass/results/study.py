"""What a study found, as tables that its page shows: recorded in ``output.xml`` like any figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

DIFFERENCES = "differences"
"""Name of the table that tells what differs from the source and from its rig."""
IN_STUDY = "in_study"
"""Name of conditions that are a study's own, and not those of the run's profile."""
Cell = float | int | str | None
"""A figure, a word, or nothing where there is none."""


def rounded(figure: float | None, digits: int = 3) -> Cell:
    """A figure for a cell, without a minus before a zero; nothing where there is none."""
    return None if figure is None else round(figure, digits) + 0.0


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: under which a row has it.
        text: its heading.
        unit: of its figures; empty for words.
        decimals: that its figures are told with; None for as many as they have.
        of: whose figures they are. What was published stands beside what was measured, and what
            the rig carries alone beside both.
    """

    key: str
    text: str
    unit: str = ""
    decimals: int | None = 0
    of: Literal["", "measured", "published", "rig"] = ""


@dataclass(frozen=True)
class Drawn:
    """A chart of a table's figures.

    Attributes:
        kind: bars by the label in `along`, or lines over the figures in `along`.
        title: of the chart.
        along: key of the column that the figures stand over.
        value: key of the column that is drawn.
        by: key of the column that tells lines or kinds of bars apart; empty where there is one.
        beside: key of a column that is drawn beside `value`, as published beside measured.
    """

    kind: Literal["bars", "lines"]
    title: str
    along: str
    value: str
    by: str = ""
    beside: str = ""


@dataclass(frozen=True)
class StudyTable:
    """A table of a study, in the layout of its source.

    Attributes:
        study: name of the study.
        name: of the table among the study's; `DIFFERENCES` where it tells what is otherwise here.
        title: a word or two.
        caption: what it tells.
        source: the place in the source that has it.
        columns: from the left.
        rows: a cell a column, by key, and what charts tell lines apart by.
        charts: drawn of it.
        notes: what a reader has to know of it, in sentences.
    """

    study: str
    name: str
    title: str
    caption: str
    source: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]
    charts: tuple[Drawn, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        study: str,
        name: str,
        title: str,
        caption: str,
        source: str,
        columns: Iterable[Column],
        rows: Iterable[Mapping[str, Cell]],
        charts: Iterable[Drawn] = (),
        notes: Iterable[str] = (),
    ) -> StudyTable:
        """A table of whatever comes one after the other; see the attributes."""
        parts = tuple(columns), tuple(rows), tuple(charts), tuple(notes)
        return cls(study, name, title, caption, source, *parts)

    @classmethod
    def of_differences(
        cls,
        study: str,
        source: str,
        rows: Iterable[tuple[str, str, str]],
        shorter: str = "",
        called: str = "source",
    ) -> StudyTable:
        """The table that tells what differs from the source and from its rig.

        Args:
            study: name of the study.
            source: where the source tells how it was done there.
            rows: what, how it is in the source, and how it was here.
            shorter: what a reader has to know of conditions that are not the source's own; empty
                where they are.
            called: what the source is called in the head of its column.
        """
        return cls.of(
            study,
            DIFFERENCES,
            "What differs from the source, and from its rig",
            "How it was carried out here.",
            source,
            (Column("what", "What"), Column("source", f"In the {called}"), Column("here", "Here")),
            [{"what": what, "source": there, "here": here} for what, there, here in rows],
            notes=[shorter] if shorter else (),
        )

    def as_json(self) -> dict:
        """As it is recorded."""
        return asdict(self)
