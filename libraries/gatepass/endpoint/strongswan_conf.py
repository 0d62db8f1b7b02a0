"""The one way to a configuration of strongSwan: sections and values of a known alphabet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Union

Section = Mapping[str, Union[str, int, "Section"]]
"""Values, and sections in it, by name."""
_NAME = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_VALUE = re.compile(r"[A-Za-z0-9_./:-]+( [A-Za-z0-9_./:-]+)*", re.ASCII)


def settings(section: Section) -> str:
    """A text as strongswan.conf(5) has it.

    Args:
        section: the whole; a value has letters, digits, blanks and ``_./:-``, which mean themselves
            there.

    Raises:
        ValueError: a name or a value has others.
    """
    return "".join(f"{line}\n" for line in _lines(section))


def _lines(section: Section) -> Iterator[str]:
    for name, value in section.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"no name for strongSwan: {name!r}")
        if isinstance(value, Mapping):
            yield f"{name} {{"
            yield from (f"  {line}" for line in _lines(value))
            yield "}"
        elif _VALUE.fullmatch(str(value)):
            yield f"{name} = {value}"
        else:
            raise ValueError(f"no value for strongSwan: {value!r}")
