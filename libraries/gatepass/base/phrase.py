"""What checks say, by identity: every language writes it in its own words.

A phrase has a name and parts, which may be phrases themselves. ``phrases.yaml`` has the English of
the log and of the messages; the certificate's languages have theirs. What belongs together is
joined by name and parts, never by words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import Any

from gatepass.base.own_yaml import own_yaml

CAPITAL = "capital"
"""Format specification of a part that begins a sentence: ``{what:capital}``."""

@dataclass(frozen=True)
class Phrase:
    """A text by its identity.

    Attributes:
        name: a key of ``phrases.yaml``; empty for no text at all.
        parts: what stands in it, by name, sorted.
    """

    name: str
    parts: tuple[tuple[str, Part], ...] = ()

    def __str__(self) -> str:
        return english(self)

    def __format__(self, spec: str) -> str:
        text = str(self)
        return text[:1].upper() + text[1:] if spec == CAPITAL else format(text, spec)

    def __bool__(self) -> bool:
        return bool(self.name)

    def part(self, name: str) -> Any:
        """One of its parts; None where it has none of that name."""
        return dict(self.parts).get(name)

    def has(self, name: str, **parts: Part) -> bool:
        """Whether it is of this name and has at least these parts."""
        return self.name == name and all(self.part(key) == part for key, part in parts.items())

    def as_json(self) -> dict[str, Any]:
        """What `from_json` reads."""
        return {"say": self.name} | {
            key: part.as_json() if isinstance(part, Phrase) else part for key, part in self.parts
        }


Part = Phrase | str | int | float


def say(name: str, **parts: Part) -> Phrase:
    """A phrase.

    Args:
        name: a key of ``phrases.yaml``.
        parts: what its text has in {braces}.
    """
    return Phrase(name, tuple(sorted(parts.items())))


def listed(names: Sequence[Phrase]) -> Phrase:
    """Several phrases as one, in their order.

    Args:
        names: at least one.
    """
    return reduce(lambda first, rest: say("listed", first=first, rest=rest), names)


NOTHING = Phrase("")
"""Where there is nothing to say, as of conditions that do not vary."""


def from_json(content: Mapping[str, Any]) -> Phrase:
    """A phrase as `Phrase.as_json` wrote it.

    Raises:
        ValueError: it is none, or one that nobody knows.
    """
    name = content.get("say") if isinstance(content, Mapping) else None
    if not isinstance(name, str) or (name and name not in texts()):
        raise ValueError(f"{str(content)[:60]} is no phrase")
    parts = {key: part for key, part in content.items() if key != "say"}
    for key, part in parts.items():
        if isinstance(part, Mapping):
            parts[key] = from_json(part)
        elif not isinstance(part, str | int | float):
            raise ValueError(f"{key} is no part of a phrase")
    phrase = say(name, **parts)
    str(phrase)  # a part of another type would be found only where it is shown
    return phrase


def english(phrase: Phrase) -> str:
    """A phrase in the words of the log."""
    if not phrase:
        return ""
    return texts()[phrase.name].format_map(Parts(phrase.parts))


class Parts(dict):
    """What stands in a text; a part that is left out is empty."""

    def __missing__(self, key: str) -> str:
        return ""


@cache
def texts() -> Mapping[str, str]:
    """The English texts by name, promises' included."""
    return _table("phrases") | {name: one["text"] for name, one in promises().items()}


@cache
def promises() -> Mapping[str, Mapping[str, Any]]:
    """The table of promises, as ``promises.yaml`` has it."""
    return _table("promises")


def _table(name: str) -> dict[str, Any]:
    return own_yaml(Path(__file__).with_name(f"{name}.yaml"))
