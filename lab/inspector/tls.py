"""The server name in a TLS ClientHello (RFC 8446, 4.1.2; RFC 6066, 3)."""

from __future__ import annotations

_HANDSHAKE, _CLIENT_HELLO, _SERVER_NAME = 22, 1, 0
LARGEST_HELLO = 65_536


class NoHello(ValueError):
    """The stream does not begin with a ClientHello."""


def server_name(data: bytes) -> str | None:
    """The server name that the client asks for, "" where it names none.

    Args:
        data: the stream's beginning.

    Returns:
        None where more of the stream is needed.

    Raises:
        NoHello: it is no TLS, or broken.
    """
    hello = b""
    while True:
        if len(data) < 5:
            return None
        if data[0] != _HANDSHAKE or data[1] != 3:
            raise NoHello
        length = int.from_bytes(data[3:5], "big")
        if len(data) < 5 + length:
            return None
        hello += data[5 : 5 + length]
        data = data[5 + length :]
        if len(hello) >= 4:
            size = int.from_bytes(hello[1:4], "big")
            if hello[0] != _CLIENT_HELLO or size > LARGEST_HELLO:
                raise NoHello
            if len(hello) >= 4 + size:
                return _name(hello[4 : 4 + size])


def _name(hello: bytes) -> str:
    try:
        at = 34  # version, random
        at += 1 + hello[at]  # session
        at += 2 + int.from_bytes(hello[at : at + 2], "big")  # cipher suites
        at += 1 + hello[at]  # compression
        at += 2
        while at + 4 <= len(hello):
            kind = int.from_bytes(hello[at : at + 2], "big")
            size = int.from_bytes(hello[at + 2 : at + 4], "big")
            if kind == _SERVER_NAME:
                names = hello[at + 4 : at + 4 + size]
                length = int.from_bytes(names[3:5], "big")
                return names[5 : 5 + length].decode("ascii", "replace").lower().rstrip(".")
            at += 4 + size
    except IndexError:
        raise NoHello from None
    return ""
