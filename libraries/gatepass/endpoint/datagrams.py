"""Streams of numbered datagrams from one endpoint to another."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from gatepass.base.errors import NotProven
from gatepass.base.figures import must_be_part
from gatepass.endpoint.answers import of_json
from gatepass.endpoint.datagram_reports import Sent, Taken
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.endpoint.wire_count import Arrived, must_be_taken
from gatepass.results.datagrams import Carried, Stream, carried

_T = TypeVar("_T")
_PARTS = ("datagram_wire.py", "datagram_tally.py", "wire_count.py")
_GRACE_S, _END_S = 10, 30
_NUMBERS = 1 << 23
"""Of runs: what comes late from another is not taken for this one's."""


class DatagramTrial:
    """Streams under way, all at once.

    Args:
        sender, receiver: the endpoints.
        streams: what is sent; the receiver has all their addresses.
        name: of the programs' files, which no other trial has that runs at the same time.

    Raises:
        NotProven: a program cannot be started, with its own words.
    """

    def __init__(
        self, sender: Shell, receiver: Shell, streams: Sequence[Stream], name: str = "datagrams"
    ) -> None:
        self._streams = {stream.name: stream for stream in streams}
        self._sender, self._receiver, self._name = sender, receiver, name
        self._run = random.randrange(1, _NUMBERS)
        self._lasts = max(stream.after_s + stream.seconds for stream in streams)
        for shell, program in ((receiver, "datagram_take.py"), (sender, "datagram_send.py")):
            for part in (*_PARTS, program):
                install(shell, part)
        places = {one.name: one.place() for one in streams}
        self._taking = self._start(receiver, "take", places, _GRACE_S)
        try:
            plans = {one.name: one.plan() for one in streams}
            self._sending = self._start(sender, "send", plans)
        except NotProven:
            self._taking.stop()
            raise

    def wait(self) -> dict[str, Carried]:
        """Wait until all is sent and has arrived; what became of it, by the streams' names.

        Raises:
            NotProven: a program failed, with its own words, or the receiver itself dropped what
                came to it.
        """
        try:
            sent = _told(Sent, self._sender, self._sending, self._lasts + _END_S)
            self._end_taking({name: one["sent"] for name, one in sent.items()})
            taken = _told(Taken, self._receiver, self._taking, _END_S)
        finally:
            self.stop()
        for name, stream in self._streams.items():
            if name in sent and name in taken:
                self._must_be_possible(stream, sent[name], taken[name])
        try:
            return {
                name: carried(stream, sent[name], taken[name])
                for name, stream in self._streams.items()
            }
        except (KeyError, ZeroDivisionError):
            raise _failed(self._receiver, self._taking) from None

    def _must_be_possible(self, stream: Stream, sent: Sent, taken: Taken) -> None:
        """No more was received than sent, and what came to the receiver was taken there.

        Raises:
            NotProven: it was not so.
        """
        must_be_part(taken["received"], sent["sent"], "datagrams", self._receiver.name)
        got = taken["received"] + taken["doubled"] + taken["foreign"]
        came = Arrived(
            interface=taken.get("interface", ""),
            arrived=taken.get("arrived", 0),
            no_room=taken["socket_lost"],
        )
        must_be_taken(self._receiver.name, stream.port, came, came.arrived - got)

    def _end_taking(self, sent: Mapping[str, int]) -> None:
        """Tell the receiver how many there are of each stream: it knows when all have come."""
        tell = script(
            "printf '%s\\n' {counts} >{stop}.new && mv {stop}.new {stop}",
            counts=json.dumps(sent),
            stop=f"{self._taking.stem}.stop",
        )
        self._receiver.run(tell, again=True)

    def stop(self) -> None:
        """End it, whatever it does."""
        self._sending.stop()
        self._taking.stop()

    def _start(
        self, shell: Shell, way: str, streams: dict, more_s: float = 0
    ) -> Detached:
        stem = f"{shell.folder()}/{self._name}-{way}"
        shell.put(json.dumps({"run": self._run, "streams": streams}), f"{stem}.json")
        shell.run(script("rm -f {stem}.stop", stem=stem))
        limit_s = self._lasts + more_s + _GRACE_S
        command = script(
            "python3 {program} {stem}.json {stem}.stop {limit_s:.0f}",
            program=f"{shell.folder()}/datagram_{way}.py",
            stem=stem,
            limit_s=limit_s,
        )
        ready = script("grep -q ready {stem}.out", stem=stem) if way == "take" else script("true")
        try:
            return Detached.start(shell, stem, command, limit_s + _END_S, ready=ready, ahead=True)
        except ProgramEnded as ended:
            raise NotProven(
                f"datagrams cannot be handled on the {shell.name}: {ended}. Free the UDP port or "
                "name another (probe_port) in the testbed file."
            ) from ended


def _told(
    kind: type[_T], shell: Shell, program: Detached, patience_s: float
) -> dict[str, _T]:
    try:
        program.wait(patience_s)
        return of_json(dict[str, kind], program.output.splitlines()[-1])
    except (ProgramEnded, ValueError, IndexError):
        raise _failed(shell, program) from None


def _failed(shell: Shell, program: Detached) -> NotProven:
    words = program.last_words() or "it wrote nothing"
    return NotProven(f"datagrams failed on the {shell.name}: {words}.")
