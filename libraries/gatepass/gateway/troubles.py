"""States of the gateway that commands of the testbed bring about, and end.

No call of FortiOS's REST API takes a gateway's inspection, licence or memory away. Who runs the
testbed can: by the hypervisor, by the device's command line, by a rule on the way to the licence
servers.
"""

from __future__ import annotations

import os
import signal
import subprocess

from gatepass.base.environment import without_secrets
from gatepass.base.errors import NotProven
from gatepass.base.stop_signals import held_back
from gatepass.gateway.journal import Journal
from gatepass.inputs.testbed import Testbed, Trouble

_LIMIT_S = 120
"""How long a command may take."""
_WORDS = 200
"""So much of what a command said is told."""


class Troubles:
    """The troubles of one testbed's gateway.

    Args:
        testbed: that names their commands (`gateway.troubles`).
        journal: of the run, which remembers what was not ended.
    """

    def __init__(self, testbed: Testbed, journal: Journal) -> None:
        self._testbed, self._journal = testbed, journal

    def commands(self, name: str) -> Trouble | None:
        """The commands of a trouble; None where the testbed names none.

        Args:
            name: `inspection`, `licence` or `memory`.
        """
        return getattr(self._testbed.gateway.troubles, name, None)

    def begin(self, name: str) -> None:
        """Bring it about; it is there when this returns.

        Raises:
            NotProven: the command failed, with its own words.
        """
        self._journal.begins(name)
        self._run(name, "begin")

    def end(self, name: str) -> None:
        """End it.

        Raises:
            NotProven: the command failed, with its own words.
        """
        self._run(name, "end")
        self._journal.ended(name)

    def _run(self, name: str, which: str) -> None:
        commands = self.commands(name)
        key = f"gateway.troubles.{name}.{which}"
        if commands is None:
            raise NotProven(f"{self._testbed.path} has no {key} any more. Write it there again.")
        code, words = _ended(
            getattr(commands, which), without_secrets(*self._testbed.environment)
        )
        if code:
            came = "did not end in time" if code is _LATE else f"ended with exit code {code}"
            raise NotProven(
                f"the testbed's command {key} {came}"
                + (f": {words}" if words else "")
                + f". Try it yourself and correct it in {self._testbed.path}."
            )


def end_left(testbed: Testbed, journal: Journal) -> list[str]:
    """End what a killed run brought about; a sentence for each that could not be ended."""
    problems = []
    for name in list(journal.troubles):
        try:
            Troubles(testbed, journal).end(name)
        except NotProven as error:
            problems.append(f"The gateway is still in the disturbance “{name}”: {error}")
    return problems


_LATE = -1000


@held_back
def _ended(command: str, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code of a shell command, and the last line that it wrote."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a signal for the run is none for it
    )
    try:
        output, _ = process.communicate(timeout=_LIMIT_S)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = _LATE
    lines = output.decode(errors="replace").split("\n")
    words = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return code, words[:_WORDS].rstrip(".")
