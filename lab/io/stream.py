"""A non-blocking stream socket for coroutines of the loop."""

from __future__ import annotations

import os
import select
import socket
import struct
from contextlib import suppress

from lab.io.loop import Loop, Signal

_READ = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR
_WRITE = select.EPOLLOUT | select.EPOLLHUP | select.EPOLLERR
_EVENTS = select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET
_PIECE = 65_536
_PIPE = 1 << 20
_RESET = struct.pack("ii", 1, 0)


class Closed(OSError):
    """The stream was closed by its own side."""


class Stream:
    """One socket. At most one coroutine reads from it and one writes to it at a time."""

    def __init__(self, loop: Loop, sock: socket.socket) -> None:
        self.loop, self.sock, self.closed = loop, sock, False
        self._readable, self._writable = Signal(loop), Signal(loop)
        sock.setblocking(False)
        loop.register(sock.fileno(), self._happened, _EVENTS)

    def _happened(self, events: int) -> None:
        if events & _READ:
            self._readable.wake()
        if events & _WRITE:
            self._writable.wake()

    def _check(self) -> None:
        if self.closed:
            raise Closed("the stream is closed")

    async def connect(self, address: tuple) -> None:
        """Connect.

        Raises:
            OSError: it could not.
        """
        try:
            self.sock.connect(address)
            return
        except BlockingIOError:
            pass
        while True:
            await self._writable.wait()
            self._check()
            error = self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error))
            with suppress(OSError):
                self.sock.getpeername()
                return

    async def recv(self, size: int = _PIECE) -> bytes:
        """What is there, at least a byte; nothing at the end."""
        while True:
            self._check()
            try:
                return self.sock.recv(size)
            except BlockingIOError:
                await self._readable.wait()

    async def recv_into(self, buffer: bytearray | memoryview) -> int:
        """The same into a buffer. Use it before the next wait where the buffer is shared."""
        while True:
            self._check()
            try:
                return self.sock.recv_into(buffer)
            except BlockingIOError:
                await self._readable.wait()

    async def readable_or(self, signal: Signal) -> bool:
        """Wait until there is something to read (True), the end included, or a signal came."""
        self._check()
        try:
            self.sock.recv(1, socket.MSG_PEEK)
            return True
        except BlockingIOError:
            signal.watch()
            await self._readable.wait()
            return False

    async def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of it."""
        self._check()
        with suppress(BlockingIOError):
            sent = self.sock.send(data)
            if sent == len(data):
                return
            data = memoryview(data)[sent:]
        view = memoryview(data)
        while view:
            await self._writable.wait()
            self._check()
            with suppress(BlockingIOError):
                view = view[self.sock.send(view) :]

    async def send_file(self, fd: int, offset: int, count: int) -> int:
        """Send a part of a file; returns how much, at least a byte."""
        while True:
            self._check()
            try:
                return os.sendfile(self.sock.fileno(), fd, offset, count)
            except BlockingIOError:
                await self._writable.wait()

    async def splice_to(self, other: Stream, count: int | None) -> int:
        """Pass bytes on to another stream without looking at them.

        Args:
            other: where to.
            count: how many; None for all until the end.

        Returns:
            How many went; fewer than `count` if the stream ended before.
        """
        reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        moved = 0
        try:
            while count is None or moved < count:
                size = _PIPE if count is None else min(_PIPE, count - moved)
                self._check()
                try:
                    got = os.splice(self.sock.fileno(), writing, size)
                except BlockingIOError:
                    await self._readable.wait()
                    continue
                if not got:
                    break
                moved += got
                while got:
                    other._check()
                    try:
                        got -= os.splice(reading, other.sock.fileno(), got)
                    except BlockingIOError:
                        await other._writable.wait()
            return moved
        finally:
            os.close(reading)
            os.close(writing)

    def end(self) -> None:
        """Say that no more will be sent."""
        if not self.closed:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close; whoever waits on the stream gets `Closed`."""
        if not self.closed:
            self.closed = True
            self.loop.forget(self.sock.fileno())
            self.sock.close()
            self._readable.wake()
            self._writable.wake()

    def reset(self) -> None:
        """Close with a reset: the other side gets no more, not even what is on its way."""
        if not self.closed:
            with suppress(OSError):
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close()
