"""Streams of numbered datagrams from one endpoint to another."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Mapping, Sequence

from gatepass.base.errors import NotProven
from gatepass.endpoint.probe import install
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.results.datagrams import Carried, Stream, carried

_PARTS = ("datagram_wire.py", "datagram_tally.py")
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
        for shell, script in ((receiver, "datagram_take.py"), (sender, "datagram_send.py")):
            for part in (*_PARTS, script):
                install(shell, part)
        places = {one.name: one.place() for one in streams}
        self._taking = self._start(receiver, "take", places, _GRACE_S, "grep -q ready {}.out")
        try:
            plans = {one.name: one.plan() for one in streams}
            self._sending = self._start(sender, "send", plans, 0, "true")
        except NotProven:
            self._taking.stop()
            raise

    def wait(self) -> dict[str, Carried]:
        """Wait until all is sent and has arrived; what became of it, by the streams' names.

        Raises:
            NotProven: a program failed, with its own words.
        """
        try:
            sent = _told(self._sender, self._sending, self._lasts + _END_S)
            self._end_taking({name: one["sent"] for name, one in sent.items()})
            taken = _told(self._receiver, self._taking, _END_S)
        finally:
            self.stop()
        return {
            name: carried(stream, sent[name], taken[name])
            for name, stream in self._streams.items()
        }

    def _end_taking(self, sent: Mapping[str, int]) -> None:
        """Tell the receiver how many there are of each stream: it knows when all have come."""
        stem = f"{self._taking.stem}.stop"
        words = shlex.quote(json.dumps(sent))
        self._receiver.run(f"echo {words} >{stem}.new && mv {stem}.new {stem}", again=True)

    def stop(self) -> None:
        """End it, whatever it does."""
        self._sending.stop()
        self._taking.stop()

    def _start(
        self, shell: Shell, way: str, streams: dict, more_s: float, ready: str
    ) -> Detached:
        stem = f"{shell.folder()}/{self._name}-{way}"
        shell.put(json.dumps({"run": self._run, "streams": streams}), f"{stem}.json")
        shell.run(f"rm -f {stem}.stop")
        limit_s = self._lasts + more_s + _GRACE_S
        script = f"{shell.folder()}/datagram_{way}.py"
        command = f"python3 {script} {stem}.json {stem}.stop {limit_s:.0f}"
        try:
            return Detached.start(
                shell, stem, command, limit_s + _END_S, ready=ready.format(stem), ahead=True
            )
        except ProgramEnded as ended:
            raise NotProven(
                f"datagrams cannot be handled on the {shell.name}: {ended}. Free the UDP port or "
                "name another (probe_port) in the testbed file."
            ) from ended


def _told(shell: Shell, program: Detached, patience_s: float) -> dict:
    try:
        program.wait(patience_s)
        return json.loads(program.output.splitlines()[-1])
    except (ProgramEnded, ValueError, IndexError):
        words = program.last_words() or "it wrote nothing"
        raise NotProven(f"datagrams failed on the {shell.name}: {words}.") from None
