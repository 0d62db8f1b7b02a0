"""What an endpoint must offer, and commands that outlive the connection that started them.

A trial may last 24 hours and an SSH connection may break in the meantime. So programs are started
detached, with their output, their process id and their exit status in files of a folder of the
run on the endpoint; they are polled, and ended by that process id and never by name, and only while
it is still theirs (see `own_programs`).
"""

from __future__ import annotations

import math
import posixpath
import re
import signal
import time
from dataclasses import dataclass
from typing import Protocol

from gatepass.base.errors import NotProven
from gatepass.base.printable import shown
from gatepass.endpoint import own_programs, room
from gatepass.endpoint.completed import Completed
from gatepass.endpoint.looks import LOOK_OVER, begin_look
from gatepass.endpoint.script import Script, joined, must_be_script, script


class Shell(Protocol):
    """A Linux host on which commands can be run.

    Raises (each method):
        EndpointLost: the connection broke and could not be made again.
    """

    name: str

    def run(self, command: Script, timeout_s: float = 15, again: bool = False) -> Completed:
        """Run a POSIX shell command and wait for it; `again` allows a repeat if the line broke."""

    def put(self, text: str, path: str) -> None:
        """Write a text file."""

    def folder(self) -> str:
        """The run's own folder on the endpoint, made at first use, removed at the end."""

    def announce(self, name: str, sha256: str) -> None:
        """Tell the run's journal of a script that undoes a change of the host, before the change.

        Args:
            name: of its file in the folder.
            sha256: of its text, hexadecimal.
        """


class EndpointLost(NotProven):
    """An endpoint cannot be reached any more."""


def put_secret(shell: Shell, text: str, path: str) -> None:
    """Write a text file that nobody but the user there can read, from its first byte on."""
    shell.run(script("umask 077; rm -f {path}; : >{path}", path=path), again=True)
    shell.put(text, path)


def must_have_room(shell: Shell, folder: str) -> None:
    """Something can be written on an endpoint; to be asked where a program failed.

    Args:
        shell: the endpoint.
        folder: on it.

    Raises:
        NotProven: nothing can, with why and what to do.
    """
    tried = shell.run(room.trying(folder), again=True)
    if short := room.shortage(shell.name, folder, tried.output):
        raise NotProven(short)


@dataclass
class Detached:
    """A program that runs on an endpoint by itself.

    Attributes:
        shell: the endpoint.
        stem: path without ending of its files: .out, .err, .rc, .pid.
        output: what it had written when it ended; empty before `wait` has returned.
        waited_s: how long it was ready to run and had to wait for a processor, all its threads
            together; None before it ended, and where the endpoint's kernel does not tell.
    """

    shell: Shell
    stem: str
    output: str = ""
    waited_s: float | None = None

    @classmethod
    def start(
        cls,
        shell: Shell,
        stem: str,
        command: Script,
        limit_s: float,
        ready: Script | None = None,
        busy: Script | None = None,
        ahead: bool = False,
    ) -> Detached:
        """Start a program in a session of its own.

        Args:
            shell: the endpoint.
            stem: where its files go, without ending; files of an earlier program are replaced.
            command: the program with its arguments.
            limit_s: after which it is ended whatever it does.
            ready: a shell test that holds once the program can be used; waited for up to 5 s.
            busy: a shell test that must not hold before.
            ahead: whether it gets a processor before other programs of the endpoint, where the
                user there may have that.

        Raises:
            Busy: `busy` holds.
            ProgramEnded: it ended before it was ready, with its own words.
        """
        # --foreground keeps the program in the session that `stop` ends
        inner = script(
            "{first}timeout --foreground -k 5 {limit_s:.0f} {command} >{stem}.out 2>{stem}.err; "
            "echo $? >{stem}.rc",
            first=_AHEAD if ahead else script(""),
            limit_s=limit_s,
            command=must_be_script(command),
            stem=stem,
        )
        steps = [script("rm -f {stem}.out {stem}.err {stem}.rc {stem}.pid", stem=stem)]
        if busy:
            steps.append(script("if {busy}; then exit 5; fi", busy=must_be_script(busy)))
        steps += [
            script(
                "setsid sh -c {inner} </dev/null >/dev/null 2>&1 & echo $! >{stem}.pid",
                inner=str(inner),
                stem=stem,
            ),
            _until(must_be_script(ready), stem) if ready else script("true"),
        ]
        done = shell.run(own_programs.marked(stem, joined("; ", steps)))
        program = cls(shell, stem)
        if done.status == 5:
            raise Busy
        if done.status:
            try:
                words = program.last_words()
            finally:
                program.stop()
            raise ProgramEnded(words or f"it was not ready after 5 s ({done.errors.strip()})")
        return program

    def wait(self, timeout_s: float) -> int:
        """Wait until the program has ended and keep its output; its exit status.

        Raises:
            ProgramEnded: it is still at work after `timeout_s`; it is stopped.
        """
        status = self.ended(timeout_s)
        if status is None:
            self.stop()
            must_have_room(self.shell, posixpath.dirname(self.stem))
            raise ProgramEnded(f"it had not ended after {timeout_s:.0f} s")
        return status

    def ended(self, timeout_s: float) -> int | None:
        """The same without an end by force: None where it is still at work after `timeout_s`."""
        give_up = time.monotonic() + timeout_s
        waited_ns = -1
        while time.monotonic() < give_up:
            # one round trip waits up to 5 s on the endpoint itself: few messages, quick answer
            patience_s = min(_LOOK_S, math.ceil(max(0, give_up - time.monotonic())))
            look = script(
                "{begin}; w=-1; until [ -s {stem}.rc ]; do {waited}; "
                "{over} && {{ echo $w; exit 9; }}; sleep 0.02; done; "
                "echo $w; cat {stem}.rc {stem}.out",
                begin=begin_look(patience_s),
                stem=self.stem,
                waited=script(_WAITED, stem=self.stem),
                over=LOOK_OVER,
            )
            done = self.shell.run(look, timeout_s=20, again=True)
            waited, _, rest = done.output.partition("\n")
            waited_ns = max(waited_ns, int(waited) if _NUMBER.fullmatch(waited) else 0)
            status, _, rest = rest.partition("\n")
            if done.status == 0 and _NUMBER.fullmatch(status):
                self.output = rest
                self.waited_s = round(waited_ns / 1e9, 4) if waited_ns >= 0 else None
                return int(status)
        return None

    def broken_off(self) -> str:
        """End the program; what it has written by then, its last words on that included.

        Raises:
            NotProven: there is no room for what it had to say.
        """
        self.stop()
        must_have_room(self.shell, posixpath.dirname(self.stem))
        look = script(
            "{begin}; until [ -s {stem}.out ]; do {over} && break; sleep 0.05; done; sleep 0.05; "
            "cat {stem}.out",
            begin=begin_look(_LAST_WORDS_S),
            stem=self.stem,
            over=LOOK_OVER,
        )
        return self.shell.run(look).output

    def last_words(self) -> str:
        """The end of what it said, on either channel, in one line; to be asked where it failed.

        Raises:
            NotProven: there is no room for what it had to say.
        """
        must_have_room(self.shell, posixpath.dirname(self.stem))
        look = script(
            "tail -n 3 {stem}.err {stem}.out 2>/dev/null | tail -c {most}",
            stem=self.stem,
            most=_MOST_WORDS,
        )
        both = self.shell.run(look)
        lines = [line for line in both.output.splitlines() if line and not line.startswith("==>")]
        return shown(" ".join(" ".join(lines).split()), _MOST_WORDS)

    def stop(self) -> None:
        """End the program and everything in its session, if it is still there."""
        end = own_programs.end(self.stem, f"{self.stem}.pid", session=True)
        self.shell.run(script("[ -f {stem}.rc ] || {end}", stem=self.stem, end=end))

    def kill(self) -> None:
        """The same for a program that does not listen; it can clean up nothing then."""
        self.shell.run(own_programs.end(self.stem, f"{self.stem}.pid", "KILL", session=True))

    def end(self, file: str) -> None:
        """Ask one of its processes to end, so that the session's shell writes down that it did.

        Args:
            file: in which that process has written its id.
        """
        self.shell.run(own_programs.end(self.stem, file))


_LOOK_S, _LAST_WORDS_S = 5, 1
_MOST_WORDS = 600
_NUMBER = re.compile("[0-9]{1,20}")

# Where the kernel groups by session (CONFIG_SCHED_AUTOGROUP), nice counts within the session alone,
# and the session's own weight among the others is set apart.
_AHEAD = script(
    "{{ echo -10 >/proc/self/autogroup; renice -n -10 -p $$; }} >/dev/null 2>&1; "
)

# The program is the child of `timeout`, which is the child of the shell whose id is kept. Each of
# its threads tells how long it ran and how long it waited for a processor, in nanoseconds.
_WAITED = (
    "{{ read -r p <{stem}.pid; read -r p x </proc/$p/task/$p/children; "
    "read -r p x </proc/$p/task/$p/children; v=0; "
    "for t in /proc/$p/task/*/schedstat; do read -r a b x <$t && v=$((v+b)); done; "
    '[ "$v" -gt "$w" ] && w=$v; }} 2>/dev/null'
)


def _until(ready: Script, stem: str) -> Script:
    """Wait on the endpoint until a program is ready; 3 where it has ended, 4 where it is not."""
    return script(
        "{begin}; until {ready}; do [ -f {stem}.rc ] && exit 3; {over} && exit 4; sleep 0.02; done",
        begin=begin_look(_LOOK_S),
        ready=ready,
        stem=stem,
        over=LOOK_OVER,
    )


class Busy(Exception):
    """What the program needs is taken by another."""


class ProgramEnded(Exception):
    """A program on an endpoint did not do its work; the message holds its own words."""


def signal_of(status: int) -> int:
    """The signal that ended a program, by its exit status in a shell; 0 where none did."""
    return status - 128 if 128 < status <= 128 + signal.SIGRTMAX else 0
