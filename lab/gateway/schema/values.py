"""How FortiOS reads and normalises the values of attributes.

Each function takes the attribute's name and the value a client sent, and returns the value that is
read back. It raises `CmdbError` where FortiOS refuses the value.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

from lab.gateway.errors import bad_value, not_here

Parser = Callable[[str, Any], Any]

_FQDN = re.compile(r"^(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*"
                   r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?$")
_MAC = re.compile("[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_FORBIDDEN_IN_NAMES = set("<>()#'\"")


def text(name: str, value: Any) -> str:
    """A scalar as text; lists and objects are refused."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise bad_value(name, value, "text")
    return str(value)


def string(size: int, *, is_name: bool = False) -> Parser:
    """Free text of at most `size` characters; a name has no characters special to the CLI."""

    def parse(name: str, value: Any) -> str:
        result = text(name, value)
        if len(result) > size:
            raise bad_value(name, value, f"at most {size} characters")
        if is_name and (_FORBIDDEN_IN_NAMES.intersection(result) or not result.isprintable()):
            raise bad_value(name, value, "printable text without any of < > ( ) # ' \"")
        return result

    return parse


def integer(low: int, high: int, other: int | None = None) -> Parser:
    """A whole number between `low` and `high`, or the `other`; also when sent as text."""

    def parse(name: str, value: Any) -> int:
        if isinstance(value, bool):
            raise bad_value(name, value, f"{low} to {high}")
        try:
            result = int(value)
        except (TypeError, ValueError, OverflowError):
            raise bad_value(name, value, f"{low} to {high}") from None
        if isinstance(value, float) and value != result:
            raise bad_value(name, value, f"{low} to {high}")
        if not low <= result <= high and result != other:
            raise bad_value(name, value, f"{low} to {high}")
        return result

    return parse


def option(choices: Sequence[str], elsewhere: Collection[str] = ()) -> Parser:
    """One of the choices.

    Args:
        choices: that FortiOS has.
        elsewhere: those of them that this gateway does not do; they are refused by name.
    """
    allowed = frozenset(choices)

    def parse(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise bad_value(name, value, " ".join(choices))
        if value in elsewhere:
            raise not_here(name, value)
        return value

    return parse


def options(choices: Sequence[str], elsewhere: Collection[str] = ()) -> Parser:
    """Several of the choices, separated by spaces (REST also takes a list), in schema order.

    Args:
        choices, elsewhere: see `option`.
    """

    def parse(name: str, value: Any) -> str:
        parts = value if isinstance(value, list) else text(name, value).split()
        if not all(isinstance(part, str) for part in parts) or not set(parts) <= set(choices):
            raise bad_value(name, value, " ".join(choices))
        for part in parts:
            if part in elsewhere:
                raise not_here(name, part)
        return " ".join(choice for choice in choices if choice in parts)

    return parse


def ordered_options(choices: Sequence[str], elsewhere: Collection[str] = ()) -> Parser:
    """Several of the choices as `options` takes them, in the order given: the preferred first.

    Args:
        choices, elsewhere: see `option`.
    """
    allowed = options(choices, elsewhere)

    def parse(name: str, value: Any) -> str:
        allowed(name, value)
        parts = value if isinstance(value, list) else text(name, value).split()
        return " ".join(dict.fromkeys(parts))

    return parse


def seconds(low: int, high: int) -> Parser:
    """A number of seconds, kept as text."""
    number = integer(low, high)

    def parse(name: str, value: Any) -> str:
        return str(number(name, value))

    return parse


@lru_cache(maxsize=65536)
def _network(value: str, strict_host: bool) -> str | None:
    """`ADDRESS MASK` in dotted form, host bits cleared unless `strict_host`."""
    parts = value.replace("/", " ").split()
    try:
        if len(parts) == 1:
            parts.append("255.255.255.255")
        interface = ipaddress.IPv4Interface("/".join(parts))
    except (ValueError, TypeError):
        return None
    if len(parts) != 2:
        return None
    address = interface.ip if strict_host else interface.network.network_address
    return f"{address} {interface.netmask}"


def _ipv4_pair(keep_host: bool) -> Parser:
    def parse(name: str, value: Any) -> str:
        if isinstance(value, list):
            value = " ".join(text(name, part) for part in value)
        result = _network(text(name, value), keep_host)
        if result is None:
            raise bad_value(name, value, "ADDRESS MASK or ADDRESS/LENGTH")
        return result

    return parse


ipv4_network = _ipv4_pair(keep_host=False)
ipv4_interface = _ipv4_pair(keep_host=True)


def ipv4_address(name: str, value: Any) -> str:
    """A dotted IPv4 address."""
    try:
        return str(ipaddress.IPv4Address(text(name, value)))
    except ValueError:
        raise bad_value(name, value, "an IPv4 address") from None


def mac_address(name: str, value: Any) -> str:
    """A hardware address, six bytes with colons between, in small letters."""
    found = text(name, value).lower().replace("-", ":")
    if not _MAC.fullmatch(found):
        raise bad_value(name, value, "six bytes, as in 00:09:0f:00:00:01")
    return found


def hardware_address(name: str, value: Any) -> str:
    """The hardware address of one host: of no group."""
    found = mac_address(name, value)
    if int(found[:2], 16) & 1:
        raise bad_value(name, value, "the hardware address of a host")
    return found


def ipv6_address(name: str, value: Any) -> str:
    """An IPv6 address, compressed."""
    try:
        return str(ipaddress.IPv6Address(text(name, value)))
    except ValueError:
        raise bad_value(name, value, "an IPv6 address") from None


def ipv6_network(name: str, value: Any) -> str:
    """An IPv6 prefix, compressed, host bits cleared."""
    try:
        return str(ipaddress.IPv6Network(text(name, value), strict=False))
    except ValueError:
        raise bad_value(name, value, "an IPv6 prefix") from None


def ipv6_interface(name: str, value: Any) -> str:
    """An IPv6 address with its prefix length."""
    try:
        return str(ipaddress.IPv6Interface(text(name, value)))
    except ValueError:
        raise bad_value(name, value, "ADDRESS/LENGTH") from None


def ipv4_range(name: str, value: Any) -> str:
    """One IPv4 address or `FIRST-LAST`."""
    parts = text(name, value).split("-")
    try:
        addresses = [ipaddress.IPv4Address(part.strip()) for part in parts]
    except ValueError:
        addresses = []
    if len(addresses) not in (1, 2) or addresses != sorted(addresses):
        raise bad_value(name, value, "an IPv4 address or FIRST-LAST")
    return "-".join(map(str, addresses))


def fqdn(name: str, value: Any) -> str:
    """A host name."""
    result = text(name, value)
    if result and (len(result) > 255 or not _FQDN.fullmatch(result)):
        raise bad_value(name, value, "a host name")
    return result


@lru_cache(maxsize=4096)
def _port_range(value: str) -> str | None:
    items = []
    for item in value.split():
        sides = item.split(":")
        if len(sides) > 2:
            return None
        for side in sides:
            ends = side.split("-")
            if len(ends) > 2 or not all(end.isdigit() for end in ends):
                return None
            numbers = [int(end) for end in ends]
            if numbers != sorted(numbers) or numbers[-1] > 65535:
                return None
        items.append(":".join(
            "-".join(dict.fromkeys(str(int(end)) for end in side.split("-"))) for side in sides
        ))
    return " ".join(items)


def port_ranges(name: str, value: Any) -> str:
    """Destination ports with optional source ports: `80 443 8000-8080:1024-65535`."""
    if isinstance(value, list):
        value = " ".join(text(name, part) for part in value)
    result = _port_range(text(name, value))
    if result is None:
        raise bad_value(name, value, "PORT or LOW-HIGH, with an optional :SOURCE, 0 to 65535")
    return result


def words(name: str, value: Any) -> str:
    """Words separated by one space each; REST also takes a list."""
    parts = value if isinstance(value, list) else text(name, value).split()
    return " ".join(text(name, part) for part in parts)


def ports(name: str, value: Any) -> str:
    """Ports, in the order given: `80 8080`; REST also takes a number or a list of numbers."""
    parts = words(name, value).split()
    if not all(part.isdecimal() and 0 < int(part) < 65536 for part in parts):
        raise bad_value(name, value, "ports, 1 to 65535")
    return " ".join(dict.fromkeys(str(int(part)) for part in parts))


def one_of(numbers: Collection[int]) -> Parser:
    """One of some numbers, also when sent as text."""

    def parse(name: str, value: Any) -> int:
        number = integer(0, 4294967295)(name, value)
        if number not in numbers:
            raise bad_value(name, value, " ".join(map(str, sorted(numbers))))
        return number

    return parse


def clock(name: str, value: Any) -> str:
    """A time of day, `hh:mm`."""
    match = re.fullmatch(r"(\d{1,2}):(\d{2})", text(name, value))
    if not match or int(match[1]) > 23 or int(match[2]) > 59:
        raise bad_value(name, value, "hh:mm")
    return f"{int(match[1]):02}:{match[2]}"


def bits(width: int) -> Parser:
    """A binary code such as a DSCP value."""

    def parse(name: str, value: Any) -> str:
        result = text(name, value)
        if not re.fullmatch(rf"[01]{{{width}}}", result):
            raise bad_value(name, value, f"{width} binary digits")
        return result

    return parse


def hexadecimal(low: int, high: int) -> Parser:
    """A byte such as a type of service: `0x1f`."""

    def parse(name: str, value: Any) -> str:
        try:
            number = int(text(name, value), 0)
        except ValueError:
            number = -1
        if not low <= number <= high:
            raise bad_value(name, value, f"{low:#04x} to {high:#04x}")
        return f"{number:#04x}"

    return parse


def uuid(name: str, value: Any) -> str:
    """A UUID in its usual form."""
    result = text(name, value).lower()
    if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", result):
        raise bad_value(name, value, "a UUID")
    return result
