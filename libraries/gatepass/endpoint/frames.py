"""Frames that an endpoint sends as they are, and that another takes down by the marks in them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import StringConstraints
from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.figures import NotNegative
from gatepass.endpoint.answers import Address, Count, Port, Words, of_json
from gatepass.endpoint.probe import install
from gatepass.endpoint.readiness import not_root
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell

_T = TypeVar("_T")
_ROOT = "0"
_STOP_S = 60


def must_be_root(shell: Shell) -> None:
    """Frames are made by hand, and taken down, by root alone.

    Raises:
        NotProven: the endpoint's user is another.
    """
    number, user = [*shell.run(script("id -u; id -un")).output.split(), "", ""][:2]
    if number != _ROOT:
        raise NotProven(str(not_root(shell.name, user)))


_Marks = dict[Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}$")], list[tuple[int, int]]]
"""By mark, in hexadecimal, rows of a first and a last number."""


class Captured(TypedDict):
    """What `remote/frame_capture.py` saw, as it says there."""

    arrived: _Marks
    quoted: _Marks
    answers: dict[Address, dict[Words, list[Port]]]
    busy: list[Address]
    dropped: Count
    cpu_s: NotNegative


class SentFrames(TypedDict):
    """What `remote/frame_sender.py` says of what it has sent."""

    sent: Count
    control: Count
    words: Count
    seconds: NotNegative
    cpu_s: NotNegative


class FrameCapture:
    """What arrives at an interface of an endpoint, from now on.

    Args:
        shell: the endpoint.
        name: of the program's files, which no other capture has that runs at the same time.
        told: what it is to look for (see `remote/frame_capture.py`).
        limit_s: after which it ends by itself.
    """

    def __init__(self, shell: Shell, name: str, told: Mapping, limit_s: float) -> None:
        self._shell, self._stem = shell, f"{shell.folder()}/{name}"
        self._marks = frozenset(told["marks"])
        program, stem = install(shell, "frame_capture.py"), self._stem
        shell.put(json.dumps(told), f"{stem}.json")
        # of an earlier one
        shell.run(script("rm -f {stem}.stop {stem}.stop.ready", stem=stem))
        command = script(
            "python3 {program} {stem}.json {stem}.stop {limit_s:.0f} {stem}.pcap",
            program=program,
            stem=stem,
            limit_s=limit_s,
        )
        self._program = Detached.start(shell, stem, command, limit_s + 10)

    def ready(self) -> set[str]:
        """Wait until it takes down what arrives.

        Returns:
            The addresses, of those that it was to answer for, that somebody else has.

        Raises:
            NotProven: it cannot, with its own words.
        """
        look = script(
            "n=0; until [ -s {stem}.stop.ready ]; do [ -f {stem}.rc ] && exit 3; "
            "n=$((n+1)); [ $n -gt 500 ] && exit 4; sleep 0.02; done; cat {stem}.stop.ready",
            stem=self._stem,
        )
        done = self._shell.run(look)
        if done.status:
            words = self._program.last_words() or "it was not ready after 10 s"
            self._program.stop()
            raise NotProven(f"the {self._shell.name} cannot record what arrives: {words}")
        return set(_read(list[Address], done.output, f"the {self._shell.name}'s capture"))

    def stop(self) -> Captured:
        """End it; what it saw.

        Raises:
            NotProven: it failed, with its own words.
        """
        name = self._shell.name
        self._shell.run(script(": >{stem}.stop", stem=self._stem), again=True)
        try:
            status = self._program.wait(_STOP_S)
        except ProgramEnded as ended:
            raise NotProven(f"the {name} did not report what arrived: {ended}.") from None
        if status:
            words = self._program.last_words()
            raise NotProven(f"the {name} did not report what arrived: {words}")
        captured = _read(Captured, self._program.output, f"the {name}'s capture")
        if not self._marks <= captured["arrived"].keys() & captured["quoted"].keys():
            raise NotProven(f"the {name}'s capture does not report on all that it was to look for.")
        return captured

    def pcap(self) -> bytes:
        """What it has kept of what arrived; empty where nothing did."""
        look = script("[ $(wc -c <{stem}.pcap) -le 24 ] || base64 {stem}.pcap", stem=self._stem)
        done = self._shell.run(look, timeout_s=60)
        try:
            return base64.b64decode(done.output)
        except ValueError:
            return b""


class FrameSender:
    """Frames under way from an endpoint.

    Args:
        shell: the endpoint.
        name: of the program's files.
        plan: what is sent (see `remote/frame_sender.py`).
        pace: frames a second.
        limit_s: after which it is ended.
        blocks: numbers of the blocks that are sent; all unless given.
        until_ended: whether it goes on until `end`, and leaves out what cannot be sent.
    """

    def __init__(
        self,
        shell: Shell,
        name: str,
        plan: str,
        pace: float,
        limit_s: float,
        blocks: Sequence[int] | None = None,
        until_ended: bool = False,
    ) -> None:
        self._shell, self._limit_s = shell, limit_s
        program = install(shell, "frame_sender.py")
        stem = f"{shell.folder()}/{name}"
        shell.put(plan, f"{stem}.json")
        chosen = "all" if blocks is None else ",".join(map(str, blocks))
        shell.run(script("rm -f {stem}.stop", stem=stem))
        command = script(
            "python3 {program} {stem}.json {pace:g} {words}",
            program=program,
            stem=stem,
            pace=pace,
            words=[chosen, *([f"{stem}.stop"] if until_ended else [])],
        )
        self._program = Detached.start(shell, stem, command, limit_s)

    def end(self) -> SentFrames:
        """Send no more; what it says of what it has sent.

        Raises:
            NotProven: it failed, with its own words.
        """
        self._shell.run(script(": >{stem}.stop", stem=self._program.stem), again=True)
        return self.wait()

    def stop(self) -> None:
        """End it, whatever it does."""
        self._program.stop()

    def wait(self) -> SentFrames:
        """Wait until all is sent; what it says of that.

        Raises:
            NotProven: it failed, with its own words.
        """
        name = self._shell.name
        try:
            status = self._program.wait(self._limit_s)
        except ProgramEnded as ended:
            raise NotProven(f"the {name} did not send all crafted packets: {ended}.") from None
        if status:
            words = self._program.last_words()
            raise NotProven(f"the {name} cannot send crafted packets: {words}")
        return _read(SentFrames, self._program.output, f"the {name}'s sender")


def looking_for(
    interface: str, marks: Mapping[str, int], taken: Sequence[str] = ()
) -> dict:
    """What a capture is told that looks for marks and for nothing else.

    Args:
        interface: where it listens.
        marks: how high the numbers after each go at most.
        taken: addresses that it answers for, where nobody else has them.
    """
    return {
        "interface": interface,
        "marks": dict(marks),
        "own": "00000000",
        "asked": [],
        "taken": list(taken),
        "serve": [],
    }


def members(rows: Sequence[Sequence[int]]) -> set[int]:
    """The numbers of rows, each a first and a last one."""
    return {number for first, last in rows for number in range(first, last + 1)}


def _read(kind: type[_T], text: str, whose: str) -> _T:
    try:
        return of_json(kind, text)
    except ValueError:
        raise NotProven(f"{whose} wrote something that is no report: {text[:100]}") from None
