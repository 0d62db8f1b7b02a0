"""All faults that a lab can be given; ``faults.yaml`` says what each is and what it can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from lab.base.errors import LabMistake

Value = int | float | str
DATA_PLANE, MANAGEMENT, LICENCE = "data plane", "management", "licence"
"""Where a fault of the gateway acts."""
_MOST = 1e9


@dataclass(frozen=True)
class Parameter:
    """One figure of a fault.

    Args:
        default: what it is unless said otherwise; its type is that of the figure.
        meaning: what it says, with its unit.
        choices: all that it may be, where that can be listed.
        several: whether it may be several of them, with `+` between.
    """

    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class Fault:
    """One fault.

    Args:
        name: as the command line has it.
        place: where it acts: `DATA_PLANE`, `MANAGEMENT`, `LICENCE`, client, server or peer.
        notice: what a customer would notice.
        parameters: what it can be told, by key.
    """

    name: str
    place: str
    notice: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    @property
    def side(self) -> str:
        """Who carries it: gateway, client, server or peer."""
        return "gateway" if self.place in (DATA_PLANE, MANAGEMENT, LICENCE) else self.place

    @property
    def defaults(self) -> dict[str, Value]:
        """All parameters as they are unless said otherwise."""
        return {key: parameter.default for key, parameter in self.parameters.items()}

    def values(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """All parameters; a number may be given as text.

        Raises:
            LabMistake: a key that this fault does not have, or a value that is no such figure.
        """
        for key in given:
            if key not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise LabMistake(
                    f"Fault {self.name} has no parameter {key!r}; its parameters are: {known}."
                )
        return self.defaults | {key: self._value(key, value) for key, value in given.items()}

    def _value(self, key: str, given: Value) -> Value:
        parameter = self.parameters[key]
        wrong = f"Fault {self.name}: {key}={given}"
        if isinstance(parameter.default, str):
            if not isinstance(given, str):
                raise LabMistake(f"{wrong} is no text; {key} is {parameter.meaning}.")
            words = given.split("+") if parameter.several else [given]
            if parameter.choices and not set(words) <= set(parameter.choices):
                raise LabMistake(f"{wrong} is none of {', '.join(parameter.choices)}.")
            return given
        try:
            if isinstance(given, bool):
                raise ValueError
            value = type(parameter.default)(given)
        except (TypeError, ValueError):
            raise LabMistake(
                f"Fault {self.name}: {key}={given!r} is no number; {key} is {parameter.meaning}."
            ) from None
        if not 0 <= value < _MOST:
            raise LabMistake(f"{wrong} is out of range; {key} is {parameter.meaning}.")
        return value


def _read() -> dict[str, Fault]:
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return {
        name: Fault(name, place, said.pop("notice"), _parameters(said.pop("calls", {}) | said))
        for place, faults in yaml.safe_load(text).items()
        for name, said in faults.items()
    }


def _parameters(said: Mapping[str, list]) -> dict[str, Parameter]:
    return {
        key: Parameter(default, meaning, tuple(*more[:1]), "several" in more)
        for key, (default, meaning, *more) in said.items()
    }


FAULTS: Mapping[str, Fault] = _read()


def fault(name: str) -> Fault:
    """A fault by its name.

    Raises:
        LabMistake: there is none of that name.
    """
    if name not in FAULTS:
        raise LabMistake(f"There is no fault {name!r}; see: python -m lab fault --list")
    return FAULTS[name]


def parse(text: str) -> tuple[Fault, dict[str, Value]]:
    """A fault with its parameters, as `NAME` or `NAME,KEY=VALUE,…`.

    Raises:
        LabMistake: the name, a key or a value is wrong.
    """
    name, *rest = text.split(",")
    return fault(name), fault(name).values(pairs(rest))


def pairs(words: list[str]) -> dict[str, str]:
    """Words `KEY=VALUE` as a mapping.

    Raises:
        LabMistake: one is not of that form.
    """
    for word in words:
        if "=" not in word:
            raise LabMistake(f"{word!r} is no parameter; parameters are written KEY=VALUE.")
    return dict(word.split("=", 1) for word in words)
