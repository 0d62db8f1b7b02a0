"""Commands and replies of FTP that say where a data connection will be (RFC 959, RFC 2428)."""

from __future__ import annotations

import ipaddress
import re

Address = tuple[str, int]

_SIX = re.compile(rb"(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})")
_EXTENDED_REPLY = re.compile(rb"\(([!-~])\1\1(\d{1,5})\1\)")
_EXTENDED = re.compile(r"([!-~])([12])\1([0-9A-Fa-f:.]+)\1(\d{1,5})\1")
_REPLY = re.compile(rb"(\d\d\d)([ -])")


def command(line: bytes) -> tuple[str, str]:
    """The command in capitals and its argument."""
    text = line.rstrip(b"\r\n").decode("utf-8", "replace")
    word, _, argument = text.partition(" ")
    return word.upper(), argument


def reply(line: bytes) -> tuple[int, bool] | None:
    """The code of a reply's line, and whether more lines follow; None for a line in between."""
    found = _REPLY.match(line)
    return (int(found[1]), found[2] == b"-") if found else None


def _six(data: bytes) -> Address | None:
    found = _SIX.search(data)
    if found is None:
        return None
    numbers = [int(part) for part in found.groups()]
    if max(numbers) > 255:
        return None
    return ".".join(map(str, numbers[:4])), numbers[4] * 256 + numbers[5]


def passive(line: bytes) -> Address | None:
    """Where a reply 227 says that the server listens."""
    return _six(line[3:])


def extended_passive(line: bytes) -> int | None:
    """The port where a reply 229 says that the server listens."""
    found = _EXTENDED_REPLY.search(line)
    return int(found[2]) if found and 0 < int(found[2]) < 65536 else None


def active(word: str, argument: str) -> Address | None:
    """Where PORT or EPRT says that the client listens."""
    if word == "PORT":
        return _six(argument.encode("ascii", "replace"))
    found = _EXTENDED.fullmatch(argument.strip())
    if found is None or not 0 < int(found[4]) < 65536:
        return None
    try:
        return str(ipaddress.ip_address(found[3])), int(found[4])
    except ValueError:
        return None


def as_command(word: str, address: Address) -> bytes:
    """PORT or EPRT with an address."""
    host, port = address
    if word == "PORT":
        return f"PORT {host.replace('.', ',')},{port >> 8},{port & 255}\r\n".encode()
    return f"EPRT |{2 if ':' in host else 1}|{host}|{port}|\r\n".encode()
