"""Words of others in what Robot formats: documentation, metadata and messages of its pages.

Robot takes asterisks, underscores, brackets, bars and addresses in them for markup
(``robot.utils.htmlformatters``), so a customer's name could become a link, a picture, a table.
Robot's markup has no way to quote; so a word joiner, which nobody sees, parts what would be markup,
and the two signs that no joiner parts are written as others that look alike.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from robot.api import ResultVisitor

from gatepass.base.printable import printable

_JOINER = "\u2060"
"""WORD JOINER: it has no width and breaks no line."""
_LOOK_ALIKE = str.maketrans("[]|", "()\N{BROKEN BAR}")
"""What makes links, pictures and tables, and cannot be parted from what is around it."""
_MARKUP = re.compile(r"[*`]|(?<!\w)_|_(?!\w)|^[-=]")
"""What may begin or end bold, italic or code, or begin a list, a heading or a ruler."""
_SCHEME = "://"
_OF_PATHS = "/#?%"
_HTML = "*HTML*"
"""What a message begins with that Robot shows as HTML."""
_OWN_HTML = re.compile(
    r"""(?:[^<]|</?(?:a|b|img|svg|title|rect|path|polyline|text)
    (?:\ (?:(?:href|src)="(?!/)[\w./%+-]+"
    |(?:alt|role|xmlns|width|height|x|y|d|points|fill|stroke|text-anchor)="[^"<>]*"
    |(?:stroke|font)-[a-z]+="[^"<>]*"))*\ ?/?>)*""",
    re.VERBOSE,
)
"""What lines of the log are made of (`gatepass.report.log_lines`, `support.first_failure`)."""


def quoted(text: object) -> str:
    """Words of others as a part of documentation or metadata: on one line, and without markup.

    Args:
        text: whatever is to be told.
    """
    line = printable(" ".join(str(text).splitlines())).strip().translate(_LOOK_ALIKE)
    parted = _MARKUP.sub(lambda sign: f"{_JOINER}{sign[0]}{_JOINER}", line)
    return _unlinked(parted)


def bold(text: object) -> str:
    """The same in bold; empty where the text is."""
    words = quoted(text)
    return f"*{words}*" if words else ""


def link(place: str, text: str) -> str:
    """A link in Robot's markup.

    Args:
        place: of a file of the run, relative to the page; whatever it holds, it is no address.
        text: of ours.
    """
    return f"[{quote(place, safe=_OF_PATHS)}|{quoted(text)}]"


def message(text: str) -> str:
    """Words of others as a message, which is text: neither HTML nor with links in it.

    Args:
        text: of any length and number of lines.
    """
    words = printable(text)
    return _unlinked(_JOINER + words if words.lstrip().startswith(_HTML) else words)


def _unlinked(text: str) -> str:
    return text.replace(_SCHEME, f":{_JOINER}//")


class PlainMessages(ResultVisitor):
    """For Robot's ``--prerebotmodifier``: its pages show messages as text.

    ``output.xml`` keeps them as they were written.
    """

    def start_suite(self, suite: object) -> None:
        """The message of a suite."""
        suite.message = message(suite.message)

    def start_test(self, test: object) -> None:
        """The message of a check."""
        test.message = message(test.message)

    def start_keyword(self, keyword: object) -> None:
        """What a keyword was given, and how it ended."""
        keyword.args = [message(str(one)) for one in keyword.args]
        keyword.message = message(keyword.message)

    def start_message(self, entry: object) -> None:
        """A line of the log; HTML that Gatepass does not write, as in an output from elsewhere."""
        entry.html = entry.html and bool(_OWN_HTML.fullmatch(entry.message))
        if not entry.html:
            entry.message = message(entry.message)
