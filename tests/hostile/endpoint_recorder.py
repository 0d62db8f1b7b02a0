"""`python -m hostile.endpoint_recorder FILE run …`: a run whose endpoints' answers are kept."""

from __future__ import annotations

import gzip
import json
import re
import runpy
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gatepass.endpoint.shell import Completed
from gatepass.endpoint.ssh import SshShell
from gatepass.gateway import transport

MOST = 200_000
"""Characters of an answer that are kept; captures of packets may be larger."""
_CHANGING = re.compile(r"gp[0-9a-f]{6}|[0-9a-f]*\d[0-9a-f]*")
_LONG_WORD = re.compile(r'"[^"]{12,}"')


class Shapes:
    """What commands are, without what changes from run to run: marks, digests, numbers, secrets.

    A command that reads a job, which is a file of JSON, is another for each that was written there.
    """

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, str], str] = {}

    def written(self, name: str, path: str, text: str) -> None:
        """A file was written on an endpoint."""
        try:
            json.loads(text)
        except ValueError:
            return
        self._jobs[name, path] = _CHANGING.sub("#", _LONG_WORD.sub('"#"', text))

    def of(self, name: str, command: str) -> tuple[str, str]:
        """The shape of a command for an endpoint, and that of the jobs it reads."""
        jobs = [
            job for (where, path), job in self._jobs.items() if where == name and path in command
        ]
        plain = command.translate({ord("'"): None, ord('"'): None})
        return _CHANGING.sub("#", plain), "\n".join(jobs)


@contextmanager
def recording(path: Path) -> Iterator[None]:
    """Keep what endpoints answer, a JSON list a line: endpoint, check, shape of the command
    and of its jobs, seconds that it took, exit status, output, errors."""
    asked, put, shapes = SshShell.run, SshShell.put, Shapes()
    with gzip.open(path, "wt", encoding="utf-8") as file:

        def run(shell: SshShell, command: str, *rest: object, **more: object) -> Completed:
            begun = time.monotonic()
            done = asked(shell, command, *rest, **more)
            took_s = round(time.monotonic() - begun, 3)
            check = getattr(transport.current, "_check", "")
            answer = [took_s, done.status, done.output[:MOST], done.errors[:MOST]]
            line = [shell.name, check, *shapes.of(shell.name, command), *answer]
            file.write(json.dumps(line) + "\n")
            return done

        def write(shell: SshShell, text: str, path: str) -> None:
            shapes.written(shell.name, path, text)
            put(shell, text, path)

        SshShell.run, SshShell.put = run, write
        try:
            yield
        finally:
            SshShell.run, SshShell.put = asked, put


if __name__ == "__main__":
    _, answered, *own = sys.argv
    sys.argv[1:] = own
    with recording(Path(answered)):
        runpy.run_module("gatepass", run_name="__main__", alter_sys=True)
