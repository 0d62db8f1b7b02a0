"""A program that looks at the interfaces of an endpoint until it is told to end, and reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from pydantic import ValidationError

from gatepass.base.errors import NotProven
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell

T = TypeVar("T")
_END_S = 10


class WireProgram(ABC, Generic[T]):
    """Such a program under way.

    Args:
        shell: the endpoint.
        words: of its command line, behind the file that ends it and its limit.
        limit_s: after which it ends by itself.

    Attributes:
        program: its file below `remote/`.

    Raises:
        NotProven: the endpoint cannot run it, with the program's own words.
    """

    program: ClassVar[str]

    def __init__(self, shell: Shell, words: Sequence[str | int], limit_s: float) -> None:
        self._shell = shell
        stem = f"{shell.folder()}/{self.program.removesuffix('.py').replace('_', '-')}"
        shell.run(script("rm -f {stop}", stop=f"{stem}.stop"))
        command = script(
            "python3 {program} {stop} {limit_s:.0f} {words}",
            program=install(shell, self.program),
            stop=f"{stem}.stop",
            limit_s=limit_s,
            words=words,
        )
        ready = script("grep -q ready {out}", out=f"{stem}.out")
        try:
            self._running = Detached.start(shell, stem, command, limit_s + 5, ready=ready)
        except ProgramEnded as ended:
            raise self.failed(str(ended)) from ended

    @abstractmethod
    def parsed(self, line: str) -> T:
        """Its report, of the line of JSON that it prints last.

        Raises:
            ValidationError: it is none.
        """

    @abstractmethod
    def failed(self, words: str) -> NotProven:
        """What cannot be told without it.

        Args:
            words: of the program.
        """

    def end(self) -> T:
        """End it; its report.

        Raises:
            NotProven: the program failed, with its own words.
        """
        self._shell.run(script("touch {stop}", stop=f"{self._running.stem}.stop"))
        try:
            self._running.wait(_END_S)
            return self.parsed(self._running.output.splitlines()[-1])
        except (ProgramEnded, ValidationError, IndexError):
            raise self.failed(self._running.last_words() or "it wrote nothing") from None

    def stop(self) -> None:
        """End it, whatever it does."""
        self._running.stop()
