"""Runs a command against a lab of its own, and takes the lab down however that ends."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from lab.base.errors import Interrupted, LabMistake
from lab.base.process import die_with_parent

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE_SECONDS = 180
PLACEHOLDER = "{testbed}"

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def _handling(handler: Handler | int) -> Iterator[None]:
    """Let this handler have the signals that ask a program to end."""
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn the first signal into `Interrupted` and ignore further ones: clean-up comes next."""
    this = os.getpid()

    def stop(number: int, frame: FrameType | None) -> None:
        if os.getpid() != this:  # a short-lived fork, as pyroute2 makes: nothing to clean up there
            os._exit(128 + number)
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    with _handling(stop):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore the signals: what happens now is short and must happen."""
    with _handling(signal.SIG_IGN):
        yield


def run_command(command: Sequence[str], testbeds: Sequence[Path]) -> int:
    """Run a command to its end, and hand on to it the signals that ask for an end.

    On a terminal the command gets the keyboard, as a shell would give it, so Ctrl-C reaches it
    and not the lab. It has three minutes to end after the first signal.

    Args:
        command: program and arguments; `{testbed}` in them stands for a testbed's path, and a
            word that holds it is there once for each.
        testbeds: the labs' testbed files.

    Returns:
        The command's exit code; 128 and the signal's number where a signal ended it.

    Raises:
        LabMistake: the program cannot be started.
    """
    words = [
        word.replace(PLACEHOLDER, str(testbed))
        for word in command
        for testbed in (testbeds if PLACEHOLDER in word else testbeds[:1])
    ]
    terminal = _Terminal()
    not_to_outlive = die_with_parent(os.getpid())

    def before_program() -> None:
        not_to_outlive()
        terminal.give(os.getpid())  # before the program may want to read from it

    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)

    with _handling(note):
        try:
            child = subprocess.Popen(words, process_group=0, preexec_fn=before_program)
        except OSError as error:
            raise LabMistake(f"{words[0]} cannot be run: {error.strerror}.") from None
        terminal.give(child.pid)
        timer = threading.Timer(_GRACE_SECONDS, _end_group, (child.pid,))
        timer.daemon = True

        def hand_on(number: int, frame: FrameType | None) -> None:
            with suppress(ProcessLookupError):
                # Ctrl-C concerns all that the command started, as it does at a terminal.
                (os.killpg if number == signal.SIGINT else os.kill)(child.pid, number)
            if not timer.is_alive():
                with suppress(RuntimeError):  # it has been started before and has run
                    timer.start()

        with _handling(hand_on):
            for number in received:
                hand_on(number, None)
            _wait(child.pid, terminal)
    timer.cancel()
    _end_group(child.pid)  # its leader is not reaped yet, so the number is still its own
    terminal.take()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _wait(pid: int, terminal: "_Terminal") -> None:
    """Wait for the command's end without reaping it; a stop at the keyboard stops the lab too."""
    while True:
        what = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
        if what is None or what.si_code != os.CLD_STOPPED:
            return
        os.waitid(os.P_PID, pid, os.WSTOPPED)
        terminal.take()
        os.kill(os.getpid(), signal.SIGSTOP)
        terminal.give(pid)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGCONT)


def _end_group(group: int) -> None:
    """End what is left of the command: it would live on beside a lab that is gone."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


class _Terminal:
    """The keyboard, if there is one and it is ours: a group of processes holds it at a time."""

    def __init__(self) -> None:
        self._descriptor: int | None = None
        with suppress(OSError, ValueError, AttributeError):
            descriptor = sys.stdin.fileno()
            if os.tcgetpgrp(descriptor) == os.getpgrp():
                self._descriptor = descriptor

    def give(self, group: int) -> None:
        """Let that group have the keyboard."""
        if self._descriptor is None:
            return
        # Whoever is not in the foreground is stopped for this, unless it says that it knows.
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(OSError):
            os.tcsetpgrp(self._descriptor, group)
        signal.signal(signal.SIGTTOU, before)

    def take(self) -> None:
        """Have the keyboard back."""
        self.give(os.getpgrp())
