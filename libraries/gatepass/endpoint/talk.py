"""Connections that go on talking between two endpoints, and how they fare meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.base.figures import Count, NotNegative, must_be_part
from gatepass.base.flight_recorder import recorder
from gatepass.endpoint.answers import of_json
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.results.exchanges import ConnectionTry

_END_S = 10


@dataclass(frozen=True)
class Talked:
    """How connections fared.

    Attributes:
        opened: how many were answered at all.
        said, heard: words, and answers to them.
        longest_s: for how long at most an opened one had no answer.
        silent_s: how long before the end the last word was said that was answered, of the one
            where that is longest.
        still_s: for how long at most the program itself stood still and read no answer.
    """

    opened: Count
    said: Count
    heard: Count
    longest_s: NotNegative
    silent_s: NotNegative = 0.0

    def __str__(self) -> str:
        return (
            f"{self.opened} opened; {self.heard:,} of {self.said:,} words answered; without an "
            f"answer for {self.longest_s:.3g} s at most"
        )
    still_s: NotNegative = 0.0


class Answering:
    """A TCP port of an endpoint that answers every word, until it is stopped.

    Args:
        shell: the endpoint.
        address, port: its own, free.
        limit_s: after which it ends by itself.

    Raises:
        NotProven: it cannot be started, with its own words.
    """

    def __init__(self, shell: Shell, address: str, port: int, limit_s: float) -> None:
        self._program = _started(shell, "answer", [address, port], limit_s)

    def stop(self) -> None:
        """End it."""
        self._program.stop()


class Asking:
    """Connections to such a port, open and talking.

    Args:
        shell: the endpoint that opens them.
        address, port: where they go.
        count: how many.
        interval_s: between two words on each.
        limit_s: after which they end by themselves.
        name: of these, among others at the same time.
    """

    def __init__(
        self,
        shell: Shell,
        address: str,
        port: int,
        count: int,
        interval_s: float,
        limit_s: float,
        name: str = "",
    ) -> None:
        self._shell = shell
        self._target = f"{count} connections, TCP to {address} port {port}"
        words = [address, port, count, f"{interval_s:g}"]
        self._program = _started(shell, "ask", words, limit_s, name)

    def end(self) -> Talked:
        """Close them; how they fared.

        Raises:
            NotProven: the program failed, with its own words.
        """
        self._shell.run(script("touch {stem}.stop", stem=self._program.stem))
        try:
            self._program.wait(_END_S)
            talked = of_json(Talked, self._program.output)
        except (ProgramEnded, ValueError):
            words = self._program.last_words() or "it wrote nothing"
            raise NotProven(f"connections failed on the {self._shell.name}: {words}.") from None
        must_be_part(talked.heard, talked.said, "answers", self._shell.name)
        recorder.note(ConnectionTry(self._shell.name, self._target, str(talked)))
        return talked

    def stop(self) -> None:
        """End them, whatever they do."""
        self._program.stop()


def _started(
    shell: Shell, what: str, words: Sequence[str | int], limit_s: float, name: str = ""
) -> Detached:
    program, stem = install(shell, "talk.py"), f"{shell.folder()}/talk-{what}{name}"
    shell.run(script("rm -f {stem}.stop {stem}.stop.ready", stem=stem))
    command = script(
        "python3 {program} {what} {words} {stem}.stop {limit_s:.0f}",
        program=program,
        what=what,
        words=words,
        stem=stem,
        limit_s=limit_s,
    )
    ready = script("[ -s {stem}.stop.ready ]", stem=stem)
    try:
        return Detached.start(shell, stem, command, limit_s + 5, ready=ready)
    except ProgramEnded as ended:
        raise NotProven(
            f"connections could not be tried on the {shell.name}: {ended}. Free the TCP port or "
            "name another (probe_port) in the testbed file."
        ) from ended
