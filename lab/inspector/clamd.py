"""Asks clamd about files, over its unix socket, by handing it the file itself."""

from __future__ import annotations

import array
import re
import socket
from collections import deque

from lab.io.loop import Loop, Signal
from lab.io.stream import Stream

_AT_ONCE = 8
_ANSWER = re.compile(rb"\d+: .*?: (?:(?P<virus>.+) FOUND|(?P<clean>OK)|(?P<error>.*))\0", re.DOTALL)


class ScannerFailed(OSError):
    """There is no verdict; what was to be scanned may not pass."""


class Clamd:
    """A pool of sessions with clamd; each has one question at a time."""

    def __init__(self, loop: Loop, path: str) -> None:
        self._loop, self._path = loop, path
        self._idle: deque[Stream] = deque()
        self._open = 0
        self._free = Signal(loop)

    async def scan(self, fd: int) -> str | None:
        """The name of the virus in a file, or None.

        Raises:
            ScannerFailed: clamd is gone or has trouble with the file.
        """
        while self._open >= _AT_ONCE and not self._idle:
            await self._free.wait()
        try:
            return await self._ask(fd)
        finally:
            self._free.wake()

    async def _ask(self, fd: int) -> str | None:
        # One that has been idle may have been closed by the other side: then a new one is asked.
        while self._idle:
            stream = self._idle.pop()
            try:
                return await self._asked(stream, fd)
            except ScannerFailed:
                continue
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._open += 1
        stream = Stream(self._loop, sock)
        try:
            await stream.connect(self._path)
            await stream.send(b"zIDSESSION\0")
        except OSError as error:
            self._drop(stream)
            raise ScannerFailed(f"clamd does not answer: {error}") from None
        return await self._asked(stream, fd)

    async def _asked(self, stream: Stream, fd: int) -> str | None:
        answer = b""
        try:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
            stream.sock.sendmsg([b"zFILDES\0"])
            stream.sock.sendmsg([b"\0"], rights)
            while not answer.endswith(b"\0"):
                piece = await stream.recv(4096)
                if not piece:
                    raise OSError("clamd closed the session")
                answer += piece
        except OSError as error:
            self._drop(stream)
            raise ScannerFailed(f"clamd does not answer: {error}") from None
        self._idle.append(stream)
        found = _ANSWER.fullmatch(answer)
        if found is None or found["error"] is not None:
            raise ScannerFailed(f"clamd says {answer!r}")
        virus = found["virus"]
        return virus.decode(errors="replace").removesuffix(".UNOFFICIAL") if virus else None

    def _drop(self, stream: Stream) -> None:
        self._open -= 1
        stream.close()
