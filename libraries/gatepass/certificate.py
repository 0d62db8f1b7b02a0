"""The certificate: one page that a service manager decides from and a customer keeps.

A function of ``output.xml`` alone. No clock and nothing of the environment goes into it, so the
same results make the same bytes, years later as well.
"""

from __future__ import annotations

import re
from functools import partial
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gatepass.certificate_facts import group
from gatepass.certificate_page import page
from gatepass.outcome import Outcome, read
from gatepass.wording import TEMPLATES, Wording, wording

LONGEST_MESSAGE = 700
"""Letters; a sentence with figures and remedy has 300."""

# Control characters, and the marks that turn the direction of text: a customer's name with such a
# mark could make the page read otherwise than it is written.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def render(outcome: Outcome, digest: str) -> str:
    """The certificate of a run as one self-contained HTML page.

    Args:
        outcome: what ``output.xml`` tells; facts may be missing where the run ended early.
        digest: SHA-256 of that ``output.xml``, hexadecimal.
    """
    words = wording(page_language(outcome))
    template = _environment(words).get_template("certificate.html")
    return template.render(page=page(outcome, words), t=words.texts, digest=digest)


def write(output_xml: Path, target: Path) -> Outcome:
    """Make the certificate of an ``output.xml``.

    Args:
        output_xml: of robot, rebot or pabot.
        target: the HTML file; an older one is replaced.

    Returns:
        The outcome that the certificate tells.

    Raises:
        robot.api.DataError: the file is missing or is no output of Robot Framework.
        OSError: the certificate cannot be written.
    """
    outcome = read(output_xml)
    digest = sha256(Path(output_xml).read_bytes()).hexdigest()
    Path(target).write_text(render(outcome, digest), encoding="utf-8", newline="\n")
    return outcome


def page_language(outcome: Outcome) -> object:
    """The language that the order asks for; None where the order is not known."""
    return group(outcome.run, "order").get("language")


def _environment(words: Wording) -> Environment:
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
    environment.filters["shorten"] = partial(_shorten, end=words["rest_in_report"])
    return environment


def _printable(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNPRINTABLE.sub("", value)
    return value


def _shorten(text: str, end: str) -> str:
    """A message without what would push everything else off the page."""
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE].rstrip() + end


def _css_string(text: str) -> Markup:
    """A text as a CSS string; all but letters and digits is escaped, so nothing can end it."""
    escaped = (
        sign if sign.isascii() and sign.isalnum() else f"\\{ord(sign):x} "
        for sign in _UNPRINTABLE.sub("", text)
    )
    return Markup(f'"{"".join(escaped)}"')
