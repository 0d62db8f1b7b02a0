"""How the pages are set: Jinja templates that escape all they are given."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from gatepass.base.paths import TEMPLATES
from gatepass.base.printable import printable

_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+")


def template(name: str) -> Template:
    """A template of a page; what cannot be seen is left out of whatever it is given.

    Args:
        name: of the file below ``templates/``.
    """
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )
    environment.filters["css_string"] = _css_string
    environment.filters["breakable"] = _breakable
    return environment


def _printable(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value)
    return value


def _breakable(text: str) -> Markup:
    """A text whose addresses go on in the next line at their signs, so that no word is torn.

    Who compares the printed page with this one would miss a word that is torn.
    """
    return Markup(_ADDRESS.sub(_parted, str(escape(_printable(text)))))


def _parted(address: re.Match[str]) -> str:
    return re.sub(r"([@.])(?=\w)", r"\1<wbr/>", address[0])


def _css_string(text: str) -> Markup:
    """A text as a CSS string; all but letters and digits is escaped, so nothing can end it."""
    escaped = (
        sign if sign.isascii() and sign.isalnum() else f"\\{ord(sign):x} "
        for sign in printable(text)
    )
    return Markup(f'"{"".join(escaped)}"')
