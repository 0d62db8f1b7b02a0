"""Datagrams that one endpoint sends to another, and when which of them arrived there."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.figures import must_be_part
from gatepass.endpoint.answers import Count, number, of_json
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.endpoint.taken_down import must_be_whole

_T = TypeVar("_T")
_END_S = 10
_LAST_S = 0.3
"""For what is still under way when the sender has ended."""


@dataclass(frozen=True)
class Arrivals:
    """What arrived, by when it was sent, in seconds since the epoch by the sender's clock.

    Attributes:
        sent, arrived: how many.
        stretches: first and last time of each stretch without a gap of a tenth of a second.
        came: the same by when they arrived, by the clock of the receiver's kernel.
        sendings: the same of all that was sent, whether it arrived or not.
    """

    sent: int
    arrived: int
    stretches: tuple[tuple[float, float], ...]
    came: tuple[tuple[float, float], ...] = ()
    sendings: tuple[tuple[float, float], ...] = ()

    @property
    def longest_gap_s(self) -> float:
        """The longest time in which nothing arrived, of those over a tenth of a second; else 0."""
        return max(
            (later[0] - before[1] for before, later in itertools.pairwise(self.came)), default=0.0
        )

    def must_have_been_sent(self, begin: float, end: float, sender: str) -> None:
        """That nothing arrived tells something only of a time in which something was sent.

        Args:
            begin, end: of that time, in seconds since the epoch, by the sender's clock.
            sender: the endpoint's name.

        Raises:
            NotProven: nothing was.
        """
        if not any(first <= end and last >= begin for first, last in self.sendings):
            raise NotProven(
                f"the {sender} stood still when it should have sent, so it proves nothing that "
                "nothing arrived. Give it more processors."
            )

    def last_before(self, moment: float) -> float | None:
        """When the last that arrived, of those sent before a moment, was sent."""
        return max(
            (min(last, moment) for first, last in self.stretches if first < moment), default=None
        )

    def first_after(self, moment: float) -> float | None:
        """When the first that arrived, of those sent after a moment, was sent."""
        return min(
            (max(first, moment) for first, last in self.stretches if last > moment), default=None
        )


_Stretches = tuple[tuple[float, float], ...]


class _Sent(TypedDict):
    sent: Count
    sendings: _Stretches


class _Taken(TypedDict):
    arrived: Count
    stretches: _Stretches
    came: _Stretches
    dropped: Count


class Stream:
    """Datagrams under way from one endpoint to another.

    Args:
        sender, receiver: the endpoints.
        address: the receiver's.
        port: a free UDP port there.
        mark: by which they are known, at most eight letters.
        interval_s: between two.
        limit_s: after which both end by themselves.

    Raises:
        NotProven: it cannot be started, with the program's own words.
    """

    def __init__(
        self,
        sender: Shell,
        receiver: Shell,
        address: str,
        port: int,
        mark: str,
        interval_s: float,
        limit_s: float,
    ) -> None:
        self._sender, self._receiver = sender, receiver
        where = [address, port, mark]
        ready = script("ss -Hlun {ports} | grep -q .", ports=f"sport = :{port}")
        self._taking = self._start(receiver, ["take", *where], limit_s, ready)
        sending = ["send", f"{interval_s:g}", *where]
        self._sending = self._start(sender, sending, limit_s, script("true"))

    def _start(
        self, shell: Shell, words: Sequence[str | int], limit_s: float, ready: Script
    ) -> Detached:
        program, stem = install(shell, "stream.py"), f"{shell.folder()}/stream"
        shell.run(script("rm -f {stem}.stop", stem=stem))
        command = script(
            "python3 {program} {words} {stem}.stop {limit_s:.0f}",
            program=program,
            words=words,
            stem=stem,
            limit_s=limit_s,
        )
        try:
            return Detached.start(shell, stem, command, limit_s + 5, ready=ready)
        except ProgramEnded as ended:
            raise NotProven(
                f"no stream of datagrams could be started on the {shell.name}: {ended}. Free the "
                "UDP port or name another (probe_port) in the testbed file."
            ) from ended

    def brings(self, since: float) -> bool:
        """Whether something has arrived that was sent after a moment.

        Args:
            since: in seconds since the epoch, by the sender's clock.
        """
        look = script("tail -n 2 {stem}.out", stem=self._taking.stem)
        for line in self._receiver.run(look).output.splitlines():
            # the last may still be written, or tell by the time limit what arrived
            with suppress(ValueError):
                if number(line) > since:
                    return True
        return False

    def end(self) -> Arrivals:
        """End it; what arrived.

        Raises:
            NotProven: a program failed, with its own words, or the receiver lost what arrived.
        """
        sent = _told(_Sent, self._sender, self._sending)
        self._receiver.run(script("sleep {seconds}", seconds=_LAST_S))
        taken = _told(_Taken, self._receiver, self._taking)
        must_be_whole(self._receiver.name, taken["dropped"])
        must_be_part(taken["arrived"], sent["sent"], "datagrams", self._receiver.name)
        times = taken["stretches"], taken["came"], sent["sendings"]
        return Arrivals(sent["sent"], taken["arrived"], *times)

    def stop(self) -> None:
        """End it, whatever it does."""
        self._sending.stop()
        self._taking.stop()


def _told(kind: type[_T], shell: Shell, program: Detached) -> _T:
    shell.run(script("touch {stem}.stop", stem=program.stem))
    try:
        program.wait(_END_S)
        return of_json(kind, program.output.splitlines()[-1])
    except (ProgramEnded, ValueError, IndexError):
        words = program.last_words() or "it wrote nothing"
        raise NotProven(f"the stream failed on the {shell.name}: {words}.") from None


def clock_of(shell: Shell) -> float:
    """The time on an endpoint, in seconds since the epoch."""
    told = shell.run(script("date +%s.%N")).output.strip()
    try:
        return number(told)
    except ValueError:
        raise NotProven(f"the {shell.name} does not report its time ({told[:40]}).") from None
