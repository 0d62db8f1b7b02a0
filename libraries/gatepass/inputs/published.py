"""What published tests measured by the same method: shown beside a result, never a threshold."""

from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from gatepass.base.phrase import promises
from gatepass.inputs.schema import InputFile, Mistake, Model, did_you_mean, number, one_of, text


class Publication(Model):
    """A published test."""

    name: str = text("author and year")
    device: str = text("one line of text")
    method: str = text("one line of text")


class Reference(Model):
    """A published figure, and the measurement that it stands beside."""

    promise: str = text("the identity of a promise, such as stateful_throughput")
    conditions: dict[str, Any] = Field(description="named values of the measurement's conditions")
    value: float = number(0, 1e9, "of the unit")
    unit: str = text("a unit such as Mbit/s")
    source: str = text("a key of sources")


class Published(InputFile):
    """``variables/published_results.yaml``."""

    sources: dict[str, Publication] = Field(description="a group of published tests")
    references: list[Reference] = Field(description="a list of figures")
    studies: list[Reference] = Field(default=[], description="a list of figures")
    """They stand beside those of a study, whose page tells by which method they came about."""

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        for key in ("references", "studies"):
            for at, reference in enumerate(getattr(self, key)):
                for name, known in (("promise", promises()), ("source", self.sources)):
                    told = getattr(reference, name)
                    if told not in known:
                        raise Mistake(one_of(known), did_you_mean(told, known), [key, at, name])
        return self


def load_published(path: Path | str) -> Published:
    """Read the published results.

    Raises:
        InputError: the file is missing or wrong, in one sentence.
    """
    return Published.read(path)
