"""One client's connection: TLS, then requests, then frames with packets."""

from __future__ import annotations

import select
import socket
import ssl
import sys
import time
import traceback
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address
from typing import Protocol

from lab.io.loop import Loop
from lab.sslvpn.frames import IPV4 as IPV4_PROTOCOL
from lab.sslvpn.frames import IPV4_HEADS, MAGIC, Deframer, FrameError, frame
from lab.sslvpn.http import Answer, BadRequestError, Reader
from lab.sslvpn.ppp import Ppp
from lab.sslvpn.sessions import Session
from lab.sslvpn.web import Peer, Web

_READ = 262_144
_RECORD = 16_384
_OWN_ADDRESS = IPv4Address("169.254.2.1").packed
_READABLE, _BOTH = select.EPOLLIN, select.EPOLLIN | select.EPOLLOUT
# A device queues about as much; what is more waits too long to be of use.
_MOST_WAITING = 524_288
_MOST_UNSENT = 2_097_152
_FAST_BEGIN, _FAST_END = 6, 8
_WAKE_AFTER_S = 0.02


class Owner(Protocol):
    """What a connection asks of the server that it belongs to."""

    now: float
    loop: Loop
    web: Web

    def begin_tunnel(self, connection: Connection, session: Session) -> None:
        """It asks for the tunnel of a session."""

    def open_tunnel(self, connection: Connection, session: Session) -> None:
        """Packets may flow."""

    def take(self, packet: bytes) -> None:
        """A packet of its user."""

    def too_long(self, packet: bytes, mru: int) -> None:
        """A packet that is longer than its user takes."""

    def flush(self) -> None:
        """Nothing more for now."""

    def closed(self, connection: Connection) -> None:
        """It is closed."""


class Connection:
    """A TCP connection of a client.

    Args:
        server: what it belongs to.
        sock: accepted.
        context: of TLS.
        peer: who is at the other end.

    Attributes:
        began: when it was accepted.
        session: the one whose tunnel this is; None before.
    """

    def __init__(
        self, server: Owner, sock: socket.socket, context: ssl.SSLContext, peer: Peer
    ) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server, self._sock, self._peer = server, sock, peer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_secure = False
        self._reader = Reader()
        self._deframer = Deframer()
        self._ppp: Ppp | None = None
        self._is_open = False
        self._source = b""
        self._unsent = memoryview(b"")
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._ends = False
        self._closed = False
        self.began = server.now
        self.session: Session | None = None
        self._fd, self._events = sock.fileno(), _READABLE
        server.loop.register(self._fd, self._on_event, _READABLE)

    # What the socket says

    def _on_event(self, events: int) -> None:
        self._server.now = time.monotonic()
        try:
            if events & select.EPOLLOUT:
                self._push()
            if events & ~select.EPOLLOUT and not self._closed:
                self._pull()
        except (OSError, FrameError):
            # An error of TLS is one of the system, too; whoever speaks no TLS gets no answer.
            self.close()
        except Exception:  # one client's end must not be everybody's
            traceback.print_exc(file=sys.stderr)
            self.close()

    def _pull(self) -> None:
        try:
            data = self._sock.recv(_READ)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        self._incoming.write(data)
        try:
            if not self._is_secure:
                self._tls.do_handshake()
                self._is_secure = True
            while not self._closed:
                plain = self._tls.read(_RECORD)
                if not plain:
                    self.close()
                elif self._is_open:
                    self._carry(plain)
                else:
                    self._talk(plain)
        except ssl.SSLWantReadError:
            pass
        self._server.flush()
        if not self._closed:
            self._push()

    # Requests

    def _talk(self, plain: bytes) -> None:
        if self._ppp is not None:
            self._carry(plain)
            return
        try:
            self._reader.feed(plain)
            while self.session is None and not self._ends:
                request = self._reader.request()
                if request is None:
                    return
                answer = self._server.web.answer(request, self._peer)
                if isinstance(answer, Answer):
                    self._ends = not request.keeps_open
                    self._tls.write(answer.encode(request.keeps_open))
                else:
                    self._begin_tunnel(answer)
        except BadRequestError as error:
            self._ends = True
            self._tls.write(Answer(error.status).encode(keeps_open=False))

    # The tunnel

    def _begin_tunnel(self, session: Session) -> None:
        assert session.address is not None
        self.session = session
        self._source = session.address.to_bytes(4)
        dns = [IPv4Address(server).packed for server in session.portal.dns]
        self._ppp = Ppp(self._source, dns, _OWN_ADDRESS)
        self._server.begin_tunnel(self, session)
        self._say(self._ppp.begin())
        rest = self._reader.take_rest()
        if rest:
            self._carry(rest)

    def _carry(self, plain: bytes) -> None:
        """Take frames from the user."""
        # As a rule a record holds one frame with one IPv4 packet of the user's own address.
        if (
            plain[2:4] == MAGIC
            and plain[_FAST_BEGIN:_FAST_END] == IPV4_PROTOCOL
            and self._is_open
            and self._deframer.is_empty
            and int.from_bytes(plain[:2]) == len(plain)
        ):
            self._take_ip(plain[_FAST_END:])
            return
        for packet in self._deframer.feed(plain):
            if packet[:2] == IPV4_PROTOCOL:
                self._take_ip(packet[2:])
            else:
                self._take_ppp(packet)
                if self._closed:
                    return

    def _take_ip(self, packet: bytes) -> None:
        if not self._is_open or packet[12:16] != self._source or packet[0] >> 4 != 4:
            return
        session = self.session
        assert session is not None
        session.in_bytes += len(packet)
        session.active = self._server.now
        self._server.take(packet)

    def _take_ppp(self, packet: bytes) -> None:
        ppp = self._ppp
        assert ppp is not None and self.session is not None
        answers = ppp.receive(packet)
        if ppp.opened and not self._is_open:
            # The packet filter knows the address before the user can send from it.
            self._is_open = True
            self._server.open_tunnel(self, self.session)
            self._server.loop.spawn(self._wake())
        self._say(answers)
        if ppp.closed:
            self._push()
            self.close()

    async def _wake(self) -> None:
        """Spare openconnect a wait of one second, which it begins when the link opens."""
        await self._server.loop.sleep(_WAKE_AFTER_S)
        if self._ppp is not None:
            self._say_now(self._ppp.echo())

    def _say(self, packets: Iterable[bytes]) -> None:
        data = b"".join(map(frame, packets))
        if data:
            self._tls.write(data)

    def _say_now(self, packets: Iterable[bytes]) -> None:
        """Say something that is no answer."""
        if not self._closed:
            try:
                self._say(packets)
                self._push()
            except OSError:
                self.close()

    def repeat(self) -> None:
        """Ask again what the client has not answered."""
        if self._ppp is not None and not self._is_open:
            self._say_now(self._ppp.repeat())

    def deliver(self, packets: Sequence[bytes]) -> None:
        """Send IPv4 packets to the user, as many together in a record as fit."""
        if not self._is_open or self._closed:
            return
        session, ppp = self.session, self._ppp
        assert session is not None and ppp is not None
        session.active = self._server.now
        batch, size = self._waiting, self._waiting_bytes
        for packet in packets:
            length = len(packet)
            if length > ppp.mru:
                self._server.too_long(packet, ppp.mru)
            elif size + length < _MOST_WAITING:
                batch.append(IPV4_HEADS[length])
                batch.append(packet)
                size += length
                session.out_bytes += length
        self._waiting_bytes = size
        if not self._unsent:
            try:
                self._flush()
            except OSError:
                self.close()

    def _flush(self) -> None:
        """Seal what waits and send it. A record holds whole frames only."""
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        write = self._tls.write
        first = size = 0
        for at in range(1, len(waiting), 2):
            size += len(waiting[at]) + 8
            if size > _RECORD:
                write(b"".join(waiting[first : at - 1]))
                first, size = at - 1, len(waiting[at]) + 8
        if first < len(waiting):
            write(b"".join(waiting[first:]))
        self._push()

    # Sending

    def _push(self) -> None:
        """Send what is sealed, as far as the socket takes it."""
        if self._outgoing.pending:
            sealed = self._outgoing.read()
            self._unsent = memoryview(bytes(self._unsent) + sealed if self._unsent else sealed)
        while self._unsent:
            try:
                self._unsent = self._unsent[self._sock.send(self._unsent) :]
            except BlockingIOError:
                self._watch(_BOTH)
                if len(self._unsent) > _MOST_UNSENT:  # it asks and does not listen
                    self.close()
                return
        self._watch(_READABLE)
        if self._waiting:
            self._flush()
        elif self._ends:
            self.close()

    def _watch(self, events: int) -> None:
        if events != self._events:
            self._events = events
            self._server.loop.epoll.modify(self._fd, events)

    def end(self, reason: str) -> None:
        """Tell the client that it is over, and close."""
        if self._ppp is not None:
            self._say_now(self._ppp.terminate(reason))
        self.close()

    def close(self) -> None:
        """Close at once."""
        if self._closed:
            return
        self._closed, self._is_open = True, False
        self._server.loop.forget(self._fd)
        self._sock.close()
        self._server.closed(self)
