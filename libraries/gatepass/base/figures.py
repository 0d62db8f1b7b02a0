"""Ranges of figures that programs tell, as types: what cannot be is no figure.

A program may have a fault, or be another one than is thought. What it tells decides about a
promise, so that each figure is held against what is possible where it is read.
"""

from __future__ import annotations

import math
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gatepass.base.errors import NotProven

MOST = 2**63 - 1
"""What is more came about by counting below nothing."""
Count = Annotated[int, Field(ge=0, le=MOST)]
"""Of bytes, packets, answers."""
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
"""Of a whole."""
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A rate, a time that may be nothing, a share of several processors."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A time that something took."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A moment, or a difference of two."""

Made = TypeVar("Made")


class Figures(BaseModel):
    """Figures of an answer, by their names; what else it holds is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def as_told(value: object) -> str:
    """A figure as a program told it, for a sentence."""
    if value is None:
        return "nothing"
    if isinstance(value, float) and not math.isfinite(value):
        return "no number"
    return str(value)[:40]


def must_be_part(part: int, whole: int, what: str, name: str) -> None:
    """No more is counted than there were.

    Args:
        part: that was counted.
        whole: that there were.
        what: of which kind, in the plural.
        name: of the endpoint that counted.

    Raises:
        NotProven: more is.
    """
    if part > whole:
        raise NotProven(f"what the {name} counted cannot be: {part:,} of {whole:,} {what}.")


def impossible(of: type[Made] | TypeAdapter[Made], told: object) -> tuple[str, str] | None:
    """The first figure that cannot be, by its name and as it was told; None where all can.

    Args:
        of: what the figures have to be.
        told: as they were.

    Raises:
        KeyError: one of them is missing.
    """
    adapter = of if isinstance(of, TypeAdapter) else TypeAdapter(of)
    try:
        adapter.validate_python(told)
    except ValidationError as error:
        first = error.errors()[0]
        names = [str(part) for part in first["loc"] if isinstance(part, str)]
        if first["type"] == "missing":
            raise KeyError(names[-1]) from None
        return (names[-1] if names else ""), as_told(first["input"])
    return None
