"""The one way to a shell: our own text, with each word from outside quoted.

What a gateway, an endpoint, an order or a testbed names reaches a command line as a word of its
own, whatever stands in it, and never as something that the shell acts upon. `Shell.run` takes
nothing but a `Script`, as a database's driver takes a query and its parameters apart.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import PurePath
from string import Formatter
from typing import Union

from gatepass.endpoint.shell_syntax import ARITHMETIC, context

Word = Union[str, int, float, PurePath, "Script", Iterable[Union[str, int, PurePath, "Script"]]]
"""A string or a path stands quoted, a number as it is, a script as a part of the whole; of several,
each for itself, with blanks between."""


class Script(str):
    """Text for a POSIX shell in which each word from outside stands quoted; see `script`."""

    __slots__ = ()


def script(template: str, **words: Word) -> Script:
    """Put words into a shell script.

    A script inside another is a part of it; ``str(inner)`` makes it one word, as ``sh -c`` takes.

    Args:
        template: our own text, in which ``{name}`` stands for a word, outside quotes, and ``{{``
            for a brace; a test holds that it is never put together.
        words: by name; a number may have a format (``{limit_s:.0f}``).

    Raises:
        TypeError: a word is of no such kind.
        ValueError: a word stands where its quotes would not hold (`shell_syntax`), or holds a NUL,
            which none can.
    """
    parts: list[str] = []
    before = ""
    for text, name, form, _ in Formatter().parse(template):
        parts.append(text)
        before += text
        if name is not None:
            _must_be_kept_apart(before, name, words[name])
            parts.append(_quoted(words[name], form or ""))
            before += "w"
    return Script("".join(parts))


def _must_be_kept_apart(before: str, name: str, word: Word) -> None:
    """The quotes of a word hold behind this text of the template."""
    where = context(before)
    if where and not (where == ARITHMETIC and isinstance(word, (int, float))):
        raise ValueError(f"the word {name} stands within {where}, where no quotes hold: {before}")


def joined(separator: str, scripts: Iterable[Script]) -> Script:
    """Several scripts as one.

    Args:
        separator: our own text between them, such as ``"; "``.
        scripts: the parts; empty ones are left out.

    Raises:
        TypeError: a part is none.
    """
    parts = list(scripts)
    if not all(isinstance(part, Script) for part in parts):
        raise TypeError("a part is no script")
    return Script(separator.join(part for part in parts if part))


def must_be_script(command: str) -> Script:
    """A command as it is, if its words are quoted.

    Raises:
        TypeError: it was put together by other means.
    """
    if not isinstance(command, Script):
        raise TypeError(f"a shell takes a Script, not {type(command).__name__}: {command!r}")
    return command


def _quoted(word: Word, form: str) -> str:
    if isinstance(word, Script):
        return word
    if isinstance(word, (int, float)) and not isinstance(word, bool):
        return format(word, form)
    if form:
        raise TypeError(f"only a number has a format: {word!r}")
    if isinstance(word, (str, PurePath)):
        if "\0" in str(word):
            raise ValueError(f"a word holds a NUL: {word!r}")
        return shlex.quote(str(word))
    if isinstance(word, Iterable) and not isinstance(word, (bytes, bytearray)):
        return " ".join(_quoted(each, "") for each in word)
    raise TypeError(f"no word of a shell: {word!r}")
