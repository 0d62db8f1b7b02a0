"""What endpoints answer, as values of their types; whatever is of another kind is refused."""

from __future__ import annotations

import json
import math
from functools import cache
from ipaddress import IPv4Address, ip_address, ip_interface, ip_network
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter, ValidationError

from gatepass.base.figures import Count as Count
from gatepass.base.printable import shown
from gatepass.endpoint.completed import Completed

T = TypeVar("T")
_MOST_WORDS = 300



def _address(text: str) -> str:
    if "%" in text:  # a scope may be any text
        raise ValueError("an address with a scope")
    address = ip_address(text)
    return str(getattr(address, "ipv4_mapped", None) or address)


Address = Annotated[str, AfterValidator(_address)]
"""Of IPv4 or IPv6, without a scope; one of IPv4 that is mapped into IPv6 is one of IPv4."""
Address4 = Annotated[str, AfterValidator(lambda text: str(IPv4Address(text)))]
Network = Annotated[str, AfterValidator(lambda text: str(ip_network(text)))]
OwnAddress = Annotated[
    str, AfterValidator(lambda text: _address(text.partition("/")[0]) and str(ip_interface(text)))
]
"""Of an interface, with the prefix length of its network."""
_SIX_BYTES = r"^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$"
Mac = Annotated[str, StringConstraints(pattern=_SIX_BYTES), AfterValidator(str.lower)]
Interface = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,14}$")]
"""A name that Linux may give an interface (15 characters), of the usual alphabet."""
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256, hexadecimal."""
Nothing = Literal[""]
Port = Annotated[int, Field(ge=0, le=65535)]
Words = Annotated[str, AfterValidator(lambda text: shown(" ".join(text.split()), _MOST_WORDS))]
"""For people alone: bounded, on one line and without control characters."""


class Malformed(ValueError):
    """An answer is not of the shape that the program gives it; the message says where."""


def of_json(kind: type[T] | Any, text: str) -> T:
    """A text of JSON as a value.

    Args:
        kind: of the value: a type with types of this module in it.
        text: that a program wrote.

    Raises:
        Malformed: it is no JSON, not of that kind, or holds a number that is none.
    """
    try:
        json.loads(text, parse_constant=_finite, parse_float=_finite)
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Malformed(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from None


def number(text: str) -> float:
    """A finite number.

    Raises:
        Malformed: the text is none.
    """
    try:
        return _finite(text.strip())
    except ValueError as error:
        raise Malformed(str(error)) from None


def words_of(done: Completed) -> str:
    """The last line of what a program complained of, or else wrote, for a sentence."""
    lines = (done.errors.strip() or done.output.strip() or "it wrote nothing").splitlines()
    return shown(" ".join(lines[-1].split()), _MOST_WORDS)


@cache
def _adapter(kind: Any) -> TypeAdapter:
    return TypeAdapter(kind)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"no number: {text[:_MOST_WORDS]}")
    return value
