"""The decorator of every keyword: an AssertionError is the gateway's fault, all else the rig's."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable

from robot.api import logger
from robot.api.deco import keyword as robot_keyword
from robot.errors import RobotError
from robot.utils import printable_name

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.report import robot_text
from gatepass.results import record
from support import first_failure
from support.keyword_library import KeywordLibrary


def keyword(name: str | None = None) -> Callable:
    """A Robot keyword of a `KeywordLibrary` whose every failure is one of the design's verdicts.

    An AssertionError fails the check. NotProven and NotApplicable skip it with their reason. Any
    other exception says nothing about the gateway, and becomes NotProven.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def guarded(library: KeywordLibrary, *args: object, **named: object) -> object:
            check = library.check
            try:
                return function(library, *args, **named)
            except AssertionError as error:
                error.args = (robot_text.message(str(error)),)
                check.asserted = str(error)
                first_failure.keep(check, error)
                raise
            except RobotError:
                raise  # it is Robot's own: the run is stopped, a time-out
            except NotApplicable as error:
                check.note("reason", record.Reason(str(error.reason), error.reason))
                raise
            except NotProven as error:
                first_failure.keep(check, error)
                raise
            except Exception as error:
                first_failure.keep(check, error)
                raise NotProven(sentence(error)) from error

        named = name or _spelled(function.__name__)
        guarded.__doc__ = _with_example(function, named)
        return robot_keyword(named)(guarded)

    return decorate


def _spelled(function: str) -> str:
    """A keyword's name from that of its function, with abbreviations as they are written."""
    words = printable_name(function, code_style=True).split()
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


_ABBREVIATIONS = {
    word.capitalize(): word
    for word in (
        *("API", "ARP", "DHCP", "DNS", "FTP", "HTTP", "HTTPS", "ICMP", "IPv4", "IPv6", "NAT"),
        *("TCP", "TLS", "UDP", "VPN"),
    )
}


def _with_example(function: Callable, name: str) -> str:
    """The documentation; a keyword without arguments is its own example."""
    doc = inspect.cleandoc(function.__doc__ or "")
    return doc if "Example: ``" in doc else f"{doc}\n\nExample: ``{name}``"


def sentence(error: Exception) -> str:
    """What a reader is told about an exception; the traceback goes to the log at DEBUG."""
    logger.debug("".join(traceback.format_exception(error)))
    if isinstance(error, (GatewayLost, Refused)) or type(error).__module__.startswith("gatepass"):
        return str(error)
    return (
        f"a tool stopped with an error ({type(error).__name__}: {error}). The details are in the "
        "log, at the level DEBUG."
    )
