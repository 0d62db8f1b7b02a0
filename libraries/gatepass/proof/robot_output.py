"""What Robot itself wrote into ``output.xml``: who ran when, how it ended, and what its log holds.

`results.outcome` reads the records out of that file; here is all that stands around them.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.results import record

STATUSES = ("pass", "fail", "skip")
"""As Robot's statistics name them."""


@dataclass(frozen=True)
class Message:
    """A message of the log.

    Attributes:
        text: of it.
        html: whether it is HTML.
        own: whether it was written where records are (see `gatepass.results.record.is_own`).
    """

    text: str
    html: bool
    own: bool = True

    @property
    def record(self) -> tuple[str, object] | None:
        """Kind and content of the record that it is; None where it is none, or a damaged one."""
        try:
            return record.parse(self.text) if self.own and not self.html else None
        except (ValueError, KeyError, TypeError):
            return None


@dataclass(frozen=True)
class Test:
    """A test case as Robot ended it.

    Attributes:
        name, status, message: of it; the status is PASS, FAIL or SKIP.
        span: when it began and ended, by the clock of the machine that ran it, which tells no zone.
        metadata: the columns of the report, by name.
        messages: of all of its keywords, in the order in which they were written.
    """

    name: str
    status: str
    message: str
    span: tuple[datetime, datetime]
    metadata: dict[str, str]
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class RobotOutput:
    """A whole run.

    Attributes:
        span: see `Test`.
        metadata: of the whole.
        tests: in the order in which they ran.
        totals: how many tests ended how, by `STATUSES`, as the file's own statistics tell.
        messages: of set-ups and teardowns, in the order in which they were written.
    """

    span: tuple[datetime, datetime]
    metadata: dict[str, str]
    tests: tuple[Test, ...]
    totals: dict[str, int]
    messages: tuple[Message, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many of the tests ended how, by `STATUSES`."""
        return {one: sum(test.status.lower() == one for test in self.tests) for one in STATUSES}


def read(path: Path) -> RobotOutput:
    """What a file holds.

    Raises:
        InputError: it is no output of Robot Framework.
    """
    try:
        root = ElementTree.fromstring(contents(path))
        suite = root.find("suite")
        statistics = root.find("statistics/total/stat")
        return RobotOutput(
            span=_span(suite),
            metadata=_metadata(suite),
            tests=tuple(map(_test, suite.iter("test"))),
            totals={one: int(statistics.get(one)) for one in STATUSES},
            messages=_messages_around(suite),
        )
    except (OSError, ElementTree.ParseError, AttributeError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: this is no whole output of Robot Framework: {error}. Take it from a copy."
        ) from None


def _test(element: ElementTree.Element) -> Test:
    status = element.find("status")
    return Test(
        element.get("name", ""),
        status.get("status", ""),
        status.text or "",
        _span(element),
        _metadata(element),
        _messages(element),
    )


def _span(element: ElementTree.Element) -> tuple[datetime, datetime]:
    status = element.find("status")
    began = datetime.fromisoformat(status.get("start"))
    return began, began + timedelta(seconds=float(status.get("elapsed")))


def _metadata(element: ElementTree.Element) -> dict[str, str]:
    return {one.get("name", ""): one.text or "" for one in element.findall("meta")}


def _messages(element: ElementTree.Element) -> tuple[Message, ...]:
    return tuple(_walked(element, element.get("owner")))


def _walked(element: ElementTree.Element, library: str | None) -> Iterator[Message]:
    for one in element:
        if one.tag == "msg":
            own = record.is_own(one.get("level", ""), library)
            yield Message(one.text or "", one.get("html") == "true", own)
        else:
            yield from _walked(one, one.get("owner"))


def _messages_around(suite: ElementTree.Element) -> tuple[Message, ...]:
    return tuple(
        message
        for part in suite.iter("suite")
        for keyword in part.findall("kw")
        for message in _messages(keyword)
    )
