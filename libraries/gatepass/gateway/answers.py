"""What a device answers, held against the API's shape: data from a stranger until then."""

from __future__ import annotations

import re
import ssl
from typing import Any, TypeVar

import requests
from pydantic import BaseModel, ValidationError

from gatepass.base.printable import shown
from gatepass.gateway import transport
from gatepass.gateway.transport import Answer

_LONGEST_REASON = 300
"""Characters of a device's own words in a sentence of ours."""
SERIAL = r"[A-Za-z0-9_-]{1,40}"
"""Of a device; a VM's evaluation has letters, digits and ``_`` at random."""
BROKEN_TLS = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ConnectionError)
"""At the root of a handshake that broke off; another try may come to its end."""
MOST_ROWS = 100_000
"""That a table is read with; the largest FortiGate holds as many policies."""
TABLE_FULL, NOT_FOUND = -4, -3
_FULL = (
    "its table is full (error -4). With an evaluation licence it holds 3 policies and 3 static "
    "routes, with another licence as many as its model's maximum values allow."
)
_BY_STATUS = {
    413: "the request is larger than it takes",
    424: "something that the call needs is not there, or a value of it is not valid",
}
"""What FortiOS means by a status, where it says no more."""
_LOCKED = (
    "What somebody changes in a transaction (workspace mode) is locked for all others: have it "
    "committed or aborted. Without a change it ends by itself after five minutes."
)


class GatewayLost(Exception):
    """The API gave no usable answer within the time allowed: the rig cannot tell why."""

    def __init__(self, message: str) -> None:
        super().__init__(shown(message))


class Malformed(GatewayLost):
    """An answer has another shape than the API's, so that it says nothing."""


class AnotherDevice(GatewayLost):
    """Another device answers than the one that was met first."""


class Refused(Exception):
    """The device understood the call and refused it.

    Attributes:
        code: FortiOS' own error number (-5 duplicate, -23 in use, …), or 0.
        status: the HTTP status.
    """

    def __init__(self, message: str, code: int = 0, status: int = 0) -> None:
        super().__init__(shown(message))
        self.code = code
        self.status = status

    @property
    def lacking(self) -> bool:
        """Whether the device has nothing of that name: no such table, attribute or row."""
        return self.status == 404 or self.code == NOT_FOUND


class Unanswered(Refused):
    """The device answers one question with an error of the server, each time, and others as ever.

    Some FortiGates do so where a monitor has nothing to show.

    Attributes:
        path: that was asked for: ``monitor/router/ipv6``.
    """

    def __init__(self, method: str, path: str, status: int) -> None:
        super().__init__(
            f"The gateway answers {method} {path} with HTTP {status} and gives no reason, each "
            "time, and answers other calls.",
            status=status,
        )
        self.path = path


def rows_of(answer: dict, call: str) -> list[dict]:
    """The rows among an answer.

    Raises:
        Malformed: there are none, or something else is among them.
    """
    results = answer.get("results")
    rows = results if isinstance(results, list) else [results]
    if len(rows) > MOST_ROWS:
        raise Malformed(
            f"the gateway answers {call} with {len(rows):,} rows; {MOST_ROWS:,} are the most that "
            "are looked at."
        )
    for row in rows:
        shaped(row, dict, call)
    return rows


def shaped(value: object, kind: type, call: str) -> Any:
    """A part of an answer, which has to be of this type.

    Raises:
        Malformed: it is not.
    """
    if isinstance(value, kind):
        return value
    came = "nothing" if value is None else type(value).__name__
    raise Malformed(
        f"the gateway's answer to {call} is not the API's: {kind.__name__} was expected where "
        f"{came} came."
    )


Shape = TypeVar("Shape", bound=BaseModel)


def validated(shape: type[Shape], answer: object, call: str) -> Shape:
    """A part of an answer as values of known types.

    Args:
        shape: what is used of it; more may be there.
        answer: the part.
        call: as a sentence names it: ``GET monitor/system/status``.

    Raises:
        Malformed: it is not of that shape.
    """
    try:
        return shape.model_validate(answer)
    except ValidationError as failure:
        first = failure.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        came = "" if first["type"] == "missing" else f", not {str(first['input'])[:40]!r}"
        raise Malformed(
            f"the gateway's answer to {call} is not the API's: {where}: "
            f"{first['msg'][0].lower()}{first['msg'][1:]}{came}."
        ) from None


def error_number(answer: object) -> int:
    code = answer.get("error", 0) if isinstance(answer, dict) else 0
    return code if isinstance(code, int) else 0


def transient(response: Answer) -> str:
    """Why the call is worth another try; empty where the answer stands.

    FortiOS answers a refused command with 500 and an error number of the CLI: that one is final.
    """
    if response.status == 429:
        return "it answers 429: locked out after failed logins, or too many calls"
    if response.status >= 500:
        try:
            final = error_number(response.json()) != 0
        except ValueError:
            final = False
        return "" if final else f"it answers HTTP {response.status} and gives no reason"
    return ""


def broken(error: Exception, timeout_s: float) -> str:
    """Why a call got no answer, in words.

    Args:
        error: of requests.
        timeout_s: how long an answer was waited for.
    """
    if isinstance(error, transport.TooLong | transport.TooLarge):
        return str(error)
    if isinstance(error, requests.exceptions.SSLError):
        return f"the TLS connection failed ({innermost(error)})"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "it broke the connection off in the middle of its answer"
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return (
            "no connection comes about; correct the address in the testbed file, or let a firewall "
            "that stands between permit it"
        )
    if isinstance(error, requests.exceptions.Timeout):
        # urllib3 tells how long it was: for the TLS handshake less than for an answer
        match = re.search(r"read timeout=([\d.]+)", str(error))
        return f"connected, but no answer within {float(match[1]) if match else timeout_s:g} s"
    return f"the connection broke ({innermost(error)})"


def root_of(error: BaseException) -> BaseException:
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error


def innermost(error: BaseException) -> str:
    root = root_of(error)
    return str(root.args[-1] if root.args else root)


def refusal(response: Answer, answer: object, known: bool = False) -> str:
    """One sentence for a refused call; the CLI's own words where it gave some.

    Args:
        response, answer: what came, and its content.
        known: whether the device has taken the token for an earlier call.
    """
    what = f"{response.method} {response.path}"
    if response.status == 401 and known:
        return (
            f"The gateway refuses {what} with 401, although it has taken the token for other "
            "calls. Widen the API user's access profile, and look whether the token was withdrawn."
        )
    if response.status == 401:
        return (
            f"The gateway refuses the API token (401 on {what}). Check the token, that the API "
            "user's trusted hosts include this machine's address, and that the gateway has a "
            "valid licence: without one it accepts no token."
        )
    if response.status == 403:
        return f"The API user may not do this (403 on {what}). Widen its access profile."
    if response.status < 400 and not (answer and isinstance(answer, dict)):
        return (
            f"What answers {what} (HTTP {response.status}) is not the REST API. Check the "
            "gateway's url in the testbed file."
        )
    refused = f"The gateway refuses {what} (HTTP {response.status}):"
    if error_number(answer) == TABLE_FULL:
        return f"{refused} {_FULL}"
    reason = str(answer.get("cli_error", "")) if isinstance(answer, dict) else ""
    words = shown(" ".join(reason.split()), _LONGEST_REASON).rstrip(".")
    why = _BY_STATUS.get(response.status, f"error {error_number(answer)}")
    told = f"{refused} {words or why}."
    return f"{told} {_LOCKED}" if "another transaction" in words else told
