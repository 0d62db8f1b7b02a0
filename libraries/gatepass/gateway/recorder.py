"""Records the conversation with a gateway: every exchange of a run, without its secrets.

Those of parallel connections are told apart, and tries that failed are kept like any other.
"""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary

import requests

from gatepass.base.errors import InputError
from gatepass.base.masking import MASK, Secrets
from gatepass.base.stop_signals import held_back
from gatepass.gateway import transport
from gatepass.gateway.exchange import asked, failure_of, text_without_secrets, without_secrets
from gatepass.gateway.recording import BOUND, LONGEST_LINE, MOST_BYTES, WHOLE, Head
from gatepass.gateway.transport import Answer

_COMPRESSED = ".gz"


def must_be_new(path: Path) -> None:
    """Try whether a recording can be made there; nothing is left of it.

    Raises:
        InputError: it cannot.
    """
    folder = path.absolute().parent
    if os.path.lexists(path):
        raise InputError(f"--record-api {path}: there is such a file. Name another one.")
    if not folder.is_dir():
        raise InputError(f"--record-api {path}: there is no folder {folder}. Name one that is.")
    with ExitStack() as files:
        _made(path, files)
    path.unlink()


class Recorder(transport.Way):
    """The way over HTTPS, with a record of what went by.

    Args:
        path: of the file, which is made; compressed where its name ends in ``.gz``.
        head: who talks to whom.
        secrets: that must not stand in it.
        most_bytes: at which it stops, not compressed.

    Raises:
        InputError: the file cannot be made.
    """

    def __init__(
        self, path: Path, head: Head, secrets: Iterable[str], most_bytes: int = MOST_BYTES
    ) -> None:
        self.mark = head.mark
        self._path, self._most = path, most_bytes
        self._secrets = Secrets(secrets)
        self._connections: WeakKeyDictionary[requests.Session, int] = WeakKeyDictionary()
        self._numbers = count(1)
        self._check = ""
        self._exchanges = self._size = self._too_long = 0
        self._full, self._trouble = False, ""
        self._writing = threading.Lock()
        self._files = ExitStack()
        self._file = _made(path, self._files)
        self._write(head.model_dump())

    def call(
        self, session: requests.Session, method: str, url: str, timeout_s: float, **more
    ) -> Answer:
        """Send a request, take in its answer, and keep both."""
        told = asked(session, method, url, more, self._secrets)
        number = self._number(session)
        sent_s, began = time.time(), self.elapsed_s()
        try:
            answer = super().call(session, method, url, timeout_s, **more)
        except requests.exceptions.RequestException as error:
            self._keep(told, number, sent_s, self.elapsed_s() - began, failure=failure_of(error))
            raise
        self._keep(told, number, answer.sent_s, answer.took_s, **self._told(answer, told))
        return answer

    def check_begins(self, check: str) -> None:
        """What comes belongs to this check."""
        self._check = check

    def check_ends(self, check: str, verdict: str) -> None:
        """Keep how it ended."""
        self._write({"check": check, "verdict": verdict})

    def close(self) -> str:
        """The run is over.

        Returns:
            What became of the recording, in sentences.
        """
        self._write({"end": BOUND if self._full else WHOLE}, last=True)
        self._try(self._files.close)
        if self._trouble:
            return f"The recording {self._path} is of no use: {self._trouble}."
        told = [f"Recorded: {self._exchanges:,} exchanges in {self._path}."]
        if self._full:
            told.append(f"It stops at its bound of {self._most / 2**20:g} MiB, before its end.")
        if self._too_long:
            told.append(f"{self._too_long} exchanges were too long and are left out.")
        told.append(
            "It tells of the gateway's configuration, without its secrets: look through it before "
            "you pass it on."
        )
        return " ".join(told)

    def _number(self, session: requests.Session) -> int:
        """Of a connection; none is used again when another has ended."""
        with self._writing:
            if session not in self._connections:
                self._connections[session] = next(self._numbers)
            return self._connections[session]

    def _told(self, answer: Answer, question: dict[str, Any]) -> dict[str, Any]:
        try:
            content = without_secrets(self._secrets.taken_from(answer.json()), question)
            return {"status": answer.status, "answer": content}
        except RecursionError:
            return {"status": answer.status, "text": MASK}
        except ValueError:  # a backup, a page
            text = self._secrets.taken_from_text(answer.content.decode(errors="replace"))
            return {"status": answer.status, "text": text_without_secrets(text, question)}

    def _keep(
        self, told: dict[str, Any], connection: int, sent_s: float, took_s: float, **came: Any
    ) -> None:
        self._write(
            {
                **({"check": self._check} if self._check else {}),
                "at": round(sent_s, 3),
                "connection": connection,
                **told,
                **came,
                "milliseconds": round(took_s * 1000, 1),
            }
        )

    @held_back  # half a line would make all of it unreadable
    def _write(self, line: dict[str, Any], last: bool = False) -> None:
        text = json.dumps(line, separators=(",", ":")) + "\n"
        with self._writing:
            if self._trouble or (self._full and not last):
                return
            if len(text) > LONGEST_LINE:
                self._too_long += 1
            elif self._size + len(text) > self._most and not last:
                self._full = True
            else:
                self._size += len(text)
                self._exchanges += "method" in line
                self._try(lambda: self._file.write(text.encode()))

    def _try(self, step: Callable[[], object]) -> None:
        """A run goes on whatever becomes of its recording."""
        try:
            step()
        except OSError as error:
            self._trouble = f"it could not be written whole ({error.strerror})"


def _made(path: Path, files: ExitStack) -> IO[bytes]:
    """A new file for its owner alone, who is the one that called sudo where that was called."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        file: IO[bytes] = files.enter_context(os.fdopen(handle, "wb"))
        if os.geteuid() == 0 and (user := os.environ.get("SUDO_UID", "")).isdecimal():
            os.fchown(handle, int(user), -1)
    except OSError as error:
        raise InputError(
            f"--record-api {path}: it cannot be written: {error.strerror}. Name a place that can "
            "be."
        ) from None
    if path.suffix != _COMPRESSED:
        return file
    packed = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
    return files.enter_context(packed)  # type: ignore[return-value]
