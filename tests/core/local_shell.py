"""An endpoint's shell on this very machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from gatepass.endpoint.completed import Completed
from gatepass.endpoint.script import Script, must_be_script


class LocalShell:
    """Runs commands with `sh`.

    Args:
        name: of the endpoint that it stands for.
        folder: of the run on it.
        inside: words that come before `sh`, such as those that enter a namespace.
        impatient: polling on the endpoint ends after a moment.
    """

    def __init__(
        self, name: str, folder: Path, inside: tuple[str, ...] = (), impatient: bool = False
    ) -> None:
        self.name = name
        self.inside = inside
        self.impatient = impatient
        self._folder = folder
        self.announced: dict[str, list[str]] = {}

    def run(self, command: Script, timeout_s: float = 15, again: bool = False) -> Completed:
        """Run a script and wait for it; other text is refused, as `SshShell` refuses it."""
        must_be_script(command)
        if self.impatient:
            command = Script(re.sub(r"(%%\.\*}\+)\d+", r"\g<1>0", command))
        done = subprocess.run(
            [*self.inside, "sh", "-c", command],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return Completed(done.returncode, done.stdout, done.stderr)

    def put(self, text: str, path: str) -> None:
        """Write a text file."""
        Path(path).write_text(text)

    def folder(self) -> str:
        """The run's folder."""
        return str(self._folder)

    def announce(self, script: str, sha256: str) -> None:
        """Keep what a journal would be told."""
        self.announced.setdefault(script, []).append(sha256)
