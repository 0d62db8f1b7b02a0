"""pabot's lock server, spoken to from outside of Robot.

Its named locks and its values are the only things that the runs of a fleet share, also where they
run on several machines. The methods are those of pabot's own library, called over XML-RPC as
Robot's remote interface does.
"""

from __future__ import annotations

import http.client
import socket
import struct
import xmlrpc.client
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from xml.parsers.expat import ExpatError

from gatepass.base.unix_socket import short_name

KEYWORDS = frozenset(
    (
        *("acquire_lock", "release_lock", "release_locks"),
        *("get_parallel_value_for_key", "set_parallel_value_for_key", "add_value_to_set"),
        *("acquire_value_set", "disable_value_set", "release_value_set"),
    )
)
"""Of pabot's library what is called here; another one of them imports any module by its name."""
_ANSWER_S = 5
"""How long one answer may take, in seconds."""
_NO_POOL = ("Value set cannot be aquired", "No value set matching given tags")
"""pabot's words where nothing in the pool could ever be had."""
_NOT_HELD = ("AssertionError", "KeyError")


class ServerLost(Exception):
    """The lock server does not answer; the message is a sentence."""


class NotHeld(Exception):
    """Somebody else has the lock, or nobody."""


class LockServer:
    """A client of one lock server; used by one thread at a time.

    Args:
        path: of its Unix socket; see `gatepass.fleet.turns_server`.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def acquire(self, lock: str, caller: str) -> bool:
        """Take a lock if it is free; a second time where the caller has it already.

        Raises:
            ServerLost: the server does not answer.
        """
        return bool(self._call("acquire_lock", lock, caller))

    def release(self, lock: str, caller: str) -> None:
        """Give back a lock, where the caller still has it.

        Raises:
            ServerLost: the server does not answer.
        """
        with suppress(NotHeld):
            self._call("release_lock", lock, caller)

    def release_all(self, caller: str) -> None:
        """Give back each lock of a caller, once.

        Raises:
            ServerLost: the server does not answer.
        """
        self._call("release_locks", caller)

    def get(self, key: str) -> object:
        """A value that all callers share; empty text where there is none.

        Raises:
            ServerLost: the server does not answer.
        """
        return self._call("get_parallel_value_for_key", key)

    def put(self, key: str, value: str | int | Sequence[str]) -> None:
        """Set such a value.

        Raises:
            ServerLost: the server does not answer.
        """
        self._call("set_parallel_value_for_key", key, value)

    def add_value_set(self, name: str, values: dict[str, str]) -> None:
        """Put a set of values into the pool; its `tags` are words with commas between.

        Raises:
            ServerLost: the server does not answer.
        """
        self._call("add_value_to_set", name, values)

    def acquire_value_set(self, caller: str, tag: str) -> str:
        """Take a set with a tag out of the pool; its name, empty where none is free.

        Raises:
            ServerLost: the server does not answer.
        """
        name, _ = self._call("acquire_value_set", caller, tag)
        return str(name or "")

    def drop_value_set(self, name: str, caller: str) -> None:
        """Take a set that a caller has out of the pool for good.

        Raises:
            ServerLost: the server does not answer.
        """
        self._call("disable_value_set", name, caller)

    def release_value_set(self, caller: str) -> None:
        """Give back the set that a caller has, if any.

        Raises:
            ServerLost: the server does not answer.
        """
        self._call("release_value_set", caller)

    def _call(self, keyword: str, *arguments: object) -> object:
        try:
            with xmlrpc.client.ServerProxy("http://localhost", _OverSocket(self.path)) as server:
                answer = server.run_keyword(keyword, arguments, {})
        except OSError as error:
            raise ServerLost(
                f"the lock server at {self.path} does not answer ({error.strerror or error})"
            ) from None
        except (http.client.HTTPException, xmlrpc.client.Error, ExpatError):
            answer = None
        if isinstance(answer, dict) and answer.get("error") in _NOT_HELD:
            raise NotHeld
        said = str(answer.get("error", "")) if isinstance(answer, dict) else ""
        if any(words in said for words in _NO_POOL):
            raise ServerLost(
                f"the lock server at {self.path} knows no testbed that fits, as it was restarted"
            )
        if not isinstance(answer, dict) or answer.get("status") != "PASS":
            raise ServerLost(f"what answers at {self.path} is not pabot's lock server")
        return answer.get("return", "")


class _OverSocket(xmlrpc.client.Transport):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def make_connection(self, host: str) -> http.client.HTTPConnection:
        return _Connection(self._path)


class _Connection(http.client.HTTPConnection):
    """It does not wait for ever."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=_ANSWER_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        # Where the server's queue is full, one that may not block is refused at once (unix(7)).
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(_ANSWER_S))
        try:
            with short_name(self._path) as name:
                self.sock.connect(name)
        except BlockingIOError:
            raise TimeoutError(f"its queue was full for {_ANSWER_S} s") from None
        self.sock.settimeout(self.timeout)


def _timeval(seconds: int) -> bytes:
    return struct.pack("@ll", seconds, 0)
