"""The two halves of an inspected session, as sockets with addresses that are not the gateway's."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from lab.inspector.marks import PLAIN_LEG, SERVER_LEG, SLOT
from lab.io.loop import Loop
from lab.io.stream import Stream

_SO_MARK = 36
_IP_TRANSPARENT, _IPV6_TRANSPARENT = 19, 75
_IP_BIND_ADDRESS_NO_PORT = 24


@dataclass(slots=True)
class Leg:
    """The half towards whoever opened the session.

    Attributes:
        stream: its socket.
        source: address and port of whoever opened it.
        dest: address and port that it was opened to.
        slot: of the policy that let it in.
    """

    stream: Stream
    source: tuple[str, int]
    dest: tuple[str, int]
    slot: int


def listener(family: int, port: int = 0) -> socket.socket:
    """A socket that the packet filter hands sessions to.

    It is bound to the loopback address, so that no packet from outside finds it by its port.
    """
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _transparent(sock)
    sock.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", port))
    sock.listen(4096)
    sock.setblocking(False)
    return sock


def accepted(loop: Loop, sock: socket.socket) -> Leg:
    """The leg of a session that a listener gave.

    The socket inherits the mark of the packet that opened it (net.ipv4.tcp_fwmark_accept).
    """
    source, dest = sock.getpeername(), sock.getsockname()
    mark = sock.getsockopt(socket.SOL_SOCKET, _SO_MARK)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Leg(Stream(loop, sock), source[:2], dest[:2], mark & SLOT)


async def opened(
    loop: Loop, leg: Leg, dest: tuple[str, int] | None = None, plain: bool = False
) -> Stream:
    """Open the other half, with the address of whoever opened the session.

    Args:
        loop: the loop.
        leg: the first half.
        dest: where to, if it is not where the first half went.
        plain: whether the policy's translation leaves this half alone.

    The port is another one, even where the first half's is a service's: the session table could
    not tell two halves with all addresses and ports in common apart.

    Raises:
        OSError: it cannot be opened.
    """
    mark = (PLAIN_LEG if plain else SERVER_LEG) | leg.slot
    to = dest or leg.dest
    family = socket.AF_INET6 if ":" in to[0] else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        _transparent(sock)
        sock.setsockopt(socket.SOL_SOCKET, _SO_MARK, mark)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The port is chosen at connect, among those free for this destination.
        sock.setsockopt(socket.SOL_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
        sock.bind((leg.source[0], 0))
        stream = Stream(loop, sock)
    except OSError:
        sock.close()
        raise
    try:
        await stream.connect(to)
    except BaseException:
        stream.close()
        raise
    return stream


def _transparent(sock: socket.socket) -> None:
    if sock.family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, _IPV6_TRANSPARENT, 1)
    else:
        sock.setsockopt(socket.SOL_IP, _IP_TRANSPARENT, 1)
