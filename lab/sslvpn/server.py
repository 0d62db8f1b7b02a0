"""The server: listeners, one TUN device for all users, and the sessions' time."""

from __future__ import annotations

import os
import select
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lab.io.loop import Loop
from lab.sslvpn.connection import Connection
from lab.sslvpn.merging import HEADER_BYTES, PLAIN, Merger
from lab.sslvpn.pace import PacketPace
from lab.sslvpn.packets import fragmentation_needed
from lab.sslvpn.plan import Listener, ServerPlan
from lab.sslvpn.sessions import Session, Sessions
from lab.sslvpn.tls import context_of
from lab.sslvpn.web import Peer, Web

_BACKLOG = 1024
_PACKET = 65_536
_IPV4 = 0x40
_PACKETS_A_TURN = 256
_ACCEPTS_A_TURN = 64
_SWEEP_S = 0.5
_REPEAT_S = 3.0
# A connection that leads to no tunnel is closed after this.
_LOGIN_S = 60.0
_MOST_CONNECTIONS = 8192
_IP_FREEBIND = 15


class Server:
    """Serves the users.

    Args:
        tun: descriptor of the TUN device.
        put: called with address and user when packets of the user may come.
        take: called with an address when it is nobody's any more.

    Attributes:
        loop: what everything runs on.
        sessions: who is logged in.
        web: answers requests.
        now: s that only go forward, taken at the beginning of a turn.
    """

    def __init__(
        self,
        tun: int,
        put: Callable[[int, Any], None] = lambda address, user: None,
        take: Callable[[int], None] = lambda address: None,
    ) -> None:
        self.loop = Loop()
        self.now = time.monotonic()
        self.sessions = Sessions(time.monotonic, time.time, self._session_ended)
        self.web = Web(self.sessions)
        self._tun, self._put, self._take = tun, put, take
        self._pace = PacketPace(self.loop)
        self._merger = Merger(self._write)
        self._tunnels: dict[bytes, Connection] = {}
        self._connections: set[Connection] = set()
        self._listeners: dict[Listener, socket.socket] = {}
        self._context = None
        self._repeat_at = 0.0
        self.most_connections = 0
        self.loop.register(tun, lambda _: self._read_tun(), select.EPOLLIN)
        self.loop.spawn(self._keep_time())

    # The plan

    def follow(self, plan: ServerPlan) -> None:
        """Go by a plan from now on. Sessions that it does not concern stay.

        Raises:
            OSError: an address cannot be listened on, or the certificate cannot be used.
        """
        before = self.sessions.plan
        what = ("certificate", "key", "lowest_tls", "highest_tls")
        if self._context is None or any(getattr(plan, one) != getattr(before, one) for one in what):
            self._context = context_of(
                plan.certificate, plan.key, plan.lowest_tls, plan.highest_tls
            )
        self._pace.mbps = plan.mbps
        self._listen(plan.listeners)
        for session in self.sessions.follow(plan):
            self.end(session, "Administrator has ended the session")
        self.refresh()

    def refresh(self) -> None:
        """Tell again whose the addresses are; groups may have changed."""
        for session in self.sessions:
            if session.address is not None and session.tunnel is not None:
                self._put(session.address, session.user)

    def _listen(self, wanted: tuple[Listener, ...]) -> None:
        for listener in [one for one in self._listeners if one not in wanted]:
            sock = self._listeners.pop(listener)
            self.loop.forget(sock.fileno())
            sock.close()
        for listener in wanted:
            if listener not in self._listeners:
                sock = _listening(listener)
                self._listeners[listener] = sock
                self.loop.register(
                    sock.fileno(),
                    lambda _, sock=sock, one=listener: self._accept(sock, one),
                    select.EPOLLIN,
                )

    def _accept(self, sock: socket.socket, listener: Listener) -> None:
        for _ in range(_ACCEPTS_A_TURN):
            try:
                accepted, (source, *_) = sock.accept()
            except BlockingIOError:
                return
            except OSError:  # the client is gone already
                continue
            if len(self._connections) >= _MOST_CONNECTIONS or self._context is None:
                accepted.close()
                continue
            peer = Peer(source, listener.interface)
            try:
                self._connections.add(Connection(self, accepted, self._context, peer))
            except OSError:  # likewise
                accepted.close()
            self.most_connections = max(self.most_connections, len(self._connections))

    # Tunnels

    def begin_tunnel(self, connection: Connection, session: Session) -> None:
        """A client asks for its tunnel; another connection of the session gives way."""
        before = self.sessions.attach(session, connection)
        if isinstance(before, Connection):
            before.close()

    def open_tunnel(self, connection: Connection, session: Session) -> None:
        """The client has its address; packets may flow."""
        assert session.address is not None
        self._put(session.address, session.user)
        self._tunnels[session.address.to_bytes(4)] = connection

    def closed(self, connection: Connection) -> None:
        """A connection is closed."""
        self._connections.discard(connection)
        session = connection.session
        if session is None or session.address is None:
            return
        address = session.address.to_bytes(4)
        if self._tunnels.get(address) is connection:
            del self._tunnels[address]
            if self.sessions.plan.logs_out:
                self._take(session.address)
        self.sessions.detach(session, connection)

    def _session_ended(self, session: Session) -> None:
        connection, session.tunnel = session.tunnel, None
        if isinstance(connection, Connection):
            connection.close()
        if session.address is not None:
            self._tunnels.pop(session.address.to_bytes(4), None)
            self._take(session.address)

    def end(self, session: Session, reason: str) -> None:
        """End a session from this side."""
        if isinstance(session.tunnel, Connection):
            session.tunnel.end(reason)
        self.sessions.end(session)

    # Packets

    def take(self, packet: bytes) -> None:
        """Let the gateway forward a user's packet, with the next `flush` at the latest."""
        if self._pace.mbps:
            self._pace.put(len(packet), lambda: self._write(PLAIN + packet))
        else:
            self._merger.add(packet)

    def flush(self) -> None:
        """Let the gateway forward what users have sent."""
        self._merger.flush()

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # no room, or no packet that the kernel would take
            os.write(self._tun, data)

    def _read_tun(self) -> None:
        """Share out what the gateway sends to the users."""
        read, tun, tunnels = os.read, self._tun, self._tunnels
        self.now = time.monotonic()
        batches: dict[bytes, list[bytes]] = {}
        try:
            for _ in range(_PACKETS_A_TURN):
                packet = read(tun, _PACKET)[HEADER_BYTES:]
                if not packet or packet[0] & 0xF0 != _IPV4:
                    continue
                address = packet[16:20]
                batch = batches.get(address)
                if batch is not None:
                    batch.append(packet)
                else:
                    batches[address] = [packet]
        except OSError:  # nothing more to read, or the interface is down
            pass
        for address, batch in batches.items():
            connection = tunnels.get(address)
            if connection is not None and self._pace.mbps:
                self._hold_back(connection, batch)
            elif connection is not None:
                connection.deliver(batch)

    def _hold_back(self, connection: Connection, packets: list[bytes]) -> None:
        for packet in packets:
            self._pace.put(len(packet), lambda packet=packet: connection.deliver((packet,)))

    def too_long(self, packet: bytes, mru: int) -> None:
        """Tell a sender that a packet is longer than the user takes."""
        answer = fragmentation_needed(packet, mru)
        if answer is not None:
            self._write(PLAIN + answer)

    # Time

    async def _keep_time(self) -> None:
        while True:
            await self.loop.sleep(_SWEEP_S)
            try:
                self._sweep()
            except Exception:  # time goes on
                traceback.print_exc(file=sys.stderr)

    def _sweep(self) -> None:
        """End what is over, and ask again what was not answered."""
        self.now = now = time.monotonic()
        for session, reason in self.sessions.expired():
            self.end(session, reason)
        for connection in list(self._connections):
            if connection.session is None and now - connection.began > _LOGIN_S:
                connection.close()
        if now >= self._repeat_at:
            self._repeat_at = now + _REPEAT_S
            for connection in list(self._connections):
                connection.repeat()

    # What the gateway asks

    def shown(self) -> dict[str, Any]:
        """Sessions and the highest numbers, for the monitors."""
        rows = [
            {
                "index": session.index,
                "user": session.user.name,
                "groups": list(session.user.groups),
                "source": session.source,
                "since": session.since,
                "address": session.address,
                "tunnel": session.tunnel_index if session.tunnel is not None else None,
                "in_bytes": session.in_bytes,
                "out_bytes": session.out_bytes,
            }
            for session in self.sessions
        ]
        most = self.sessions.most
        return {
            "sessions": rows,
            "connections": len(self._connections),
            "most": {
                "users": most.users,
                "tunnels": most.tunnels,
                "connections": self.most_connections,
            },
        }

    def disconnect(self, index: int | None) -> bool:
        """End the session, or the tunnel, of a number, or all; False where there is none."""
        chosen = [
            session
            for session in self.sessions
            if index is None or index in (session.index, session.tunnel_index)
        ]
        for session in chosen:
            self.end(session, "Administrator has ended the session")
        return bool(chosen)


def _listening(listener: Listener) -> socket.socket:
    family = socket.AF_INET6 if ":" in listener.address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # An address may come, or come back, later than the server.
        sock.setsockopt(socket.IPPROTO_IP, _IP_FREEBIND, 1)
        sock.bind((listener.address, listener.port))
        sock.listen(_BACKLOG)
    except OSError:
        sock.close()
        raise
    sock.setblocking(False)
    return sock
