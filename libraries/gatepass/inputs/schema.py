"""What an input file may hold, and the one place that turns a mistake in it into a sentence.

A field's description is what the sentence says is allowed, so the two cannot part ways.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from gatepass.base.errors import InputError
from gatepass.inputs import odd_text
from gatepass.inputs.yaml_file import Location, Position, YamlFile, read_yaml

HELP = "See docs/orders-and-testbeds.md."

# What stands under such a key, or looks like this, never appears in a message.
_SECRET_KEY = re.compile(r"token|secret|passw|passphrase|psk|credential", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"@|\n|PRIVATE KEY")


class Model(BaseModel):
    """A group of keys: unknown ones refused, no value converted from another type."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        hide_input_in_errors=True,
    )


class InputFile(Model):
    """A whole input file."""

    _path: Path = PrivateAttr()

    @property
    def path(self) -> Path:
        """The file that this was read from."""
        return self._path

    @classmethod
    def read(cls, path: Path | str, **context: Any) -> Self:
        """Read and check a file.

        Args:
            path: the YAML file; relative paths inside it start at its folder.
            context: what its validators need to know beside the file, such as the catalogue.

        Raises:
            InputError: one sentence with file, line, key, what was found and what is allowed.
        """
        file = read_yaml(path)
        try:
            model = cls.model_validate(file.data, context={"folder": file.path.parent, **context})
        except ValidationError as failure:
            mistakes = failure.errors(include_url=False, include_input=False)
        else:
            model._path = file.path
            return model
        # Raised here, and not above, so that it does not carry the values that pydantic saw.
        raise InputError(_sentence(file, cls, _most_telling(file, mistakes)))


class Mistake(ValueError):
    """What a validator found wrong.

    Args:
        allowed: a noun phrase that completes "allowed is ".
        remedy: a sentence that says what to do.
        key: the keys that lead from the validated value to the wrong one.
    """

    def __init__(self, allowed: str, remedy: str = "", key: Location = ()) -> None:
        super().__init__(allowed)
        self.allowed = allowed
        self.remedy = remedy
        self.key = tuple(key)


def whole(low: int, high: int, unit: str, **more: Any) -> Any:
    """A field that takes a whole number of a unit, both ends included."""
    return Field(ge=low, le=high, description=f"a whole number {unit}, {low} to {high}", **more)


def number(low: float, high: float, unit: str, **more: Any) -> Any:
    """A field that takes a number of a unit, both ends included."""
    text = f"a number {unit}, {low:g} to {high:g}"
    return Field(ge=low, le=high, allow_inf_nan=False, description=text, **more)


def text(allowed: str, pattern: str = r"^[^\n]*\S[^\n]*$", **more: Any) -> Any:
    """A field that takes text that matches a pattern; by default one line that is not blank."""
    return Field(pattern=pattern, max_length=200, description=allowed, **more)


def interface() -> Any:
    """The name of an interface of the gateway."""
    return text("the name of an interface of the gateway", r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,14}$")


def identifier(what: str, **more: Any) -> Any:
    """A field that takes a name fit for a file or a folder."""
    allowed = f"{what} of letters, digits, '.', '_' and '-', at most 64"
    return text(allowed, r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", **more)


def one_of(words: Iterable[str]) -> str:
    """The words as what "allowed is " wants after it."""
    return "one of " + ", ".join(words)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names the known word closest to a wrong one, or nothing."""
    lowered = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), lowered, n=1)
    return f"Did you mean '{lowered[close[0]]}'?" if close else ""


def _most_telling(file: YamlFile, mistakes: list[Any]) -> Any:
    """The mistake to report: an unknown key explains the missing one, else the first by line."""
    return min(
        mistakes,
        key=lambda one: (one["type"] != "extra_forbidden", file.place(one["loc"]).line),
    )


def _sentence(file: YamlFile, model: type[Model], mistake: Mapping[str, Any]) -> str:
    """Name file, line, key, what was found, what is allowed, and what to do."""
    location = [step for step in mistake["loc"] if step != "[key]"]
    cause = mistake.get("ctx", {}).get("error")
    if isinstance(cause, Mistake):
        location += cause.key
    place = file.place(location)
    if mistake["type"] == "extra_forbidden":
        *parents, key = location
        known = _keys(_group(_expected(model, parents)[0]))
        found, allowed = "an unknown key", one_of(known)
        remedy = did_you_mean(str(key), known) or "Remove it."
        remedy += _look_alike(str(key))
        if _SECRET_KEY.search(_dotted(parents)):
            location = parents  # `token: {abc}` would make a secret of the key itself
    elif isinstance(cause, Mistake):
        found, allowed, remedy = _found(place, location), cause.allowed, cause.remedy
    else:
        found, allowed = _found(place, location), _expected(model, location)[1]
        remedy = _remedy(mistake["type"], place)
    if mistake["type"] != "extra_forbidden" and found.startswith("'"):
        remedy = f"{remedy or HELP}{_look_alike(place.text or '')}"
    where = f"{file.path}, line {place.line}, key '{_dotted(location)}'"
    return f"{where}: found {found}; allowed is {allowed}. {remedy or HELP}"


def _found(place: Position, location: Location) -> str:
    """What stands in the file, short enough for a sentence and never a secret."""
    if place.text is None:
        return place.kind
    if _SECRET_KEY.search(_dotted(location)) or _SECRET_TEXT.search(place.text):
        return "a value that is not shown here"
    short = place.text if len(place.text) <= 60 else f"{place.text[:60]}…"
    return f"'{short}'" if place.kind == "str" else short


def _look_alike(text: str) -> str:
    """A sentence about a character that may be taken for another, with a space before it."""
    other = odd_text.look_alike(text[:60])
    return f" {odd_text.named(other)} stands in it." if other else ""


def _remedy(kind: str, place: Position) -> str:
    if place.kind == "nothing":
        return "Add it."
    if kind == "string_type" and place.text is not None:
        return f'Put it in quotes: "{place.text[:60]}".'
    if kind in ("int_type", "float_type", "bool_type") and place.quoted:
        return "Write it without quotes."
    if kind == "string_too_long":
        return "Shorten it."
    return ""


def _dotted(location: Location) -> str:
    """Keys and list positions as one path: ``tiers.SGW-10.recommended_users[1]``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step[:60]}" for step in location)
    return " ".join("".join(steps).removeprefix(".").split())


def _expected(model: type[Model], location: Location) -> tuple[Any, str]:
    """The type that is expected at a location, and what is allowed there in words."""
    annotation: Any = model
    allowed = ""
    for step in location:
        group = _group(annotation)
        if group:
            field = _keys(group)[str(step)]
            annotation, allowed = field.annotation, field.description or ""
        else:
            annotation = get_args(annotation)[-1]
    group = _group(annotation)
    if group:
        allowed = f"a group of the keys {', '.join(_keys(group))}"
    return annotation, allowed


def _keys(model: type[Model]) -> dict[str, Any]:
    """Its fields by their keys in the file, where `from` is no name for Python."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _group(annotation: Any) -> type[Model] | None:
    """The model behind a type, also behind ``Model | None``."""
    candidates = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    for candidate in candidates:
        if isinstance(candidate, type) and issubclass(candidate, Model):
            return candidate
    return None
