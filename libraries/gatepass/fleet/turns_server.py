"""pabot's lock server behind a Unix socket: whoever may open the file may take a lock.

pabot's own program listens on a TCP port, where every user of the machine reaches it.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

from gatepass.base.errors import InputError
from gatepass.base.unix_socket import short_name
from gatepass.run.lock_server import KEYWORDS, LockServer, ServerLost

_SILENCE_S = 2
"""Who says nothing for so long in seconds, as its process stands still, holds up nobody else."""


class _Handler(SimpleXMLRPCRequestHandler):
    disable_nagle_algorithm = False  # such a socket has none
    timeout = _SILENCE_S

    def log_error(self, *_: object) -> None:
        """Who was cut off asks again; nobody has to read of it."""


class _Server(SimpleXMLRPCServer):
    address_family = socket.AF_UNIX
    allow_reuse_address = False
    request_queue_size = 128  # callers: a whole fleet may ask at once


def serve(path: Path) -> None:
    """Serve until SIGTERM or SIGINT; the socket is its owner's alone, and removed at the end.

    Args:
        path: of the socket.

    Raises:
        InputError: there can be no socket, or a server is at work there.
    """
    # not at the top: pabot loads Robot
    from pabot.pabotlib import _PabotLib
    from pabot.robotremoteserver import RemoteLibraryFactory

    _must_be_free(path)
    os.umask(0o077)
    try:
        with short_name(path) as name, _Server(name, _Handler, logRequests=False) as server:
            _end_at_signals(server)
            keywords = RemoteLibraryFactory(_PabotLib(""))
            server.register_function(_known_alone(keywords.run_keyword), "run_keyword")
            print(f"The lock server is at work at {path}. Ctrl-C ends it.", flush=True)
            server.serve_forever()
    except OSError as error:
        why = f"no socket can be made ({error.strerror})"
        raise InputError(f"turns-server {path}: {why}. Name another place.") from None
    finally:
        path.unlink(missing_ok=True)


def _known_alone(run_keyword: Callable[..., Any]) -> Callable[..., Any]:
    """What runs a keyword of pabot's library, where it is one that takes turns need.

    Args:
        run_keyword: what runs any of them, by name, arguments and named arguments.
    """

    def run_known(name: object, arguments: list, named: object = None) -> Any:
        if name in KEYWORDS and not named:
            return run_keyword(name, arguments)
        return {"status": "FAIL", "error": "there is no such keyword here"}

    return run_known


def _must_be_free(path: Path) -> None:
    """A socket that a killed server left is removed."""
    if not path.exists():
        return
    if not path.is_socket():
        raise InputError(f"turns-server {path}: there is a file already. Name a new one.")
    try:
        LockServer(path).get("gatepass")
    except ServerLost:
        path.unlink()
    else:
        raise InputError(f"turns-server {path}: a lock server is at work there already. Use that.")


def _end_at_signals(server: _Server) -> None:
    def end(*_: object) -> None:  # an exception could end in an answer to somebody
        threading.Thread(target=server.shutdown).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
