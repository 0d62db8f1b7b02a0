"""Which TCP ports of an address take connections: all of them are tried, many at a time.

A firewall drops what it does not serve, so most ports stay silent. Silence proves something only
where a port that is known to be open answered all the while: it is tried again between the others.
"""

from __future__ import annotations

import errno
import resource
import select
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gatepass.base.errors import NotProven

EVERY = range(1, 65536)
_SILENCE_S = 1.3
"""After which a port counts as silent: TCP has asked twice by then (RFC 6298: after 1 s)."""
_LIMIT_S = 120
_MOST_AT_ONCE, _KEPT_FREE = 16_384, 128
_A_TURN = 256
"""Tries that are begun before answers are looked at: more at a time would overrun a queue."""
_KNOWN_EVERY = 1024
_CLOSED = {
    *(errno.ECONNREFUSED, errno.ECONNRESET, errno.EHOSTUNREACH, errno.ENETUNREACH),
    *(errno.ETIMEDOUT, errno.EACCES, errno.EPERM, errno.ENOPROTOOPT),
}


@dataclass(frozen=True)
class Looked:
    """What became of the tries.

    Attributes:
        tried: how many ports.
        open: those that took the connection, ascending.
    """

    tried: int
    open: tuple[int, ...]


def look(host: str, known: int, ports: Iterable[int] = EVERY) -> Looked:
    """Try to connect to each of these ports.

    Args:
        host: name or address.
        known: a port that is open, by which silence is known to mean something.
        ports: to be tried.

    Raises:
        NotProven: not all could be tried, or the known port did not always answer.
    """
    family, *_, address = socket.getaddrinfo(host, known, type=socket.SOCK_STREAM)[0]
    tried = dict.fromkeys(ports)
    knocks = _Knocks(family, address)
    queue = _woven(tried, known)
    give_up = time.monotonic() + _LIMIT_S
    with _files() as room, knocks:
        more = True
        while more or knocks.under_way:
            if time.monotonic() > give_up:
                raise NotProven(
                    f"within {_LIMIT_S} s only a part of the {len(tried):,} TCP ports of {host} "
                    "could be tried. Allow the machine that runs the test more open files "
                    "(ulimit -n)."
                )
            for _ in range(min(_A_TURN, room - knocks.under_way)):
                if not (more := (port := next(queue, None)) is not None):
                    break
                knocks.begin(port)
            knocks.collect()
    asked, answered = knocks.asked[known], knocks.answered.get(known, 0)
    if answered < asked:
        raise NotProven(
            f"port {known} of {host}, which is open, answered {answered} of {asked} times while "
            "its other ports were tried, so their silence proves nothing: does something on the "
            "way limit new connections?"
        )
    return Looked(len(tried), tuple(sorted(knocks.answered.keys() & tried)))


class _Knocks:
    """Connections that are being tried.

    Attributes:
        asked, answered: how often, by port.
    """

    def __init__(self, family: int, address: tuple) -> None:
        self.asked: dict[int, int] = {}
        self.answered: dict[int, int] = {}
        self._family, self._address = family, address
        self._waiting: dict[int, tuple[socket.socket, int, float]] = {}  # oldest first
        self._poll = select.epoll()

    @property
    def under_way(self) -> int:
        return len(self._waiting)

    def begin(self, port: int) -> None:
        self.asked[port] = self.asked.get(port, 0) + 1
        one = socket.socket(self._family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        error = one.connect_ex((self._address[0], port, *self._address[2:]))
        if error == errno.EINPROGRESS:
            self._waiting[one.fileno()] = one, port, time.monotonic() + _SILENCE_S
            self._poll.register(one, select.EPOLLOUT)
        else:
            self._ended(one, port, error)

    def collect(self) -> None:
        """Take in answers; give up on those that were silent for long enough."""
        for number, _ in self._poll.poll(0.01):
            one, port, _ = self._waiting.pop(number)
            self._poll.unregister(one)
            self._ended(one, port, one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
        now = time.monotonic()
        while self._waiting:
            number, (one, _, until) = next(iter(self._waiting.items()))
            if until > now:
                break
            del self._waiting[number]
            one.close()  # takes it out of the poll as well

    def _ended(self, one: socket.socket, port: int, error: int) -> None:
        one.close()
        if not error:
            self.answered[port] = self.answered.get(port, 0) + 1
        elif error not in _CLOSED:
            raise OSError(error, f"port {port} could not be tried")

    def __enter__(self) -> _Knocks:
        return self

    def __exit__(self, *_: object) -> None:
        for one, *_ in self._waiting.values():
            one.close()
        self._poll.close()


def _woven(ports: Iterable[int], known: int) -> Iterator[int]:
    """The ports, and the known one at the beginning and again between them."""
    for number, port in enumerate(ports):
        if number % _KNOWN_EVERY == 0:
            yield known
        if port != known:
            yield port


@contextmanager
def _files() -> Iterator[int]:
    """As many open files as this process may have at most; how many of them can be used."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_AT_ONCE + _KEPT_FREE
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    try:
        yield max(1, most - _KEPT_FREE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
