"""A steady pulse of small datagrams, which tells when a path was open and when not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.figures import NotNegative, must_be_part
from gatepass.endpoint.answers import Count, of_json
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell

_GRACE_S = 20


@dataclass(frozen=True)
class Gap:
    """A time in which no datagram was answered.

    Attributes:
        at: when the first of them was sent, in seconds since the epoch by the sender's clock.
        seconds: until the next one after the last of them was due.
        most_s: from the last that was answered before them to the first after, which is more
            where the sender stood still.
    """

    at: float
    seconds: float
    most_s: float = 0.0


@dataclass(frozen=True)
class Pulses:
    """What became of the datagrams to one address.

    Attributes:
        sent, answered: how many.
        gaps: times without an answer, in their order.
        pauses: times in which the sender stood still, so that none could be answered.
    """

    sent: int
    answered: int
    gaps: tuple[Gap, ...] = ()
    pauses: tuple[Gap, ...] = ()

    @property
    def longest_gap_s(self) -> float:
        """The longest time without an answer."""
        return max((gap.seconds for gap in self.gaps), default=0.0)

    def __str__(self) -> str:
        lost = self.sent - self.answered
        gap = f", the longest gap lasted {self.longest_gap_s * 1000:.0f} ms" if lost else ""
        return f"{lost} of {self.sent:,} packets were lost{gap}"


class _Told(TypedDict):
    sent: Count
    answered: Count
    gaps: list[tuple[float, NotNegative, NotNegative]]
    pauses: list[tuple[float, NotNegative, NotNegative]]


def _pulses(told: _Told) -> Pulses:
    gaps, pauses = (tuple(Gap(*one) for one in told[kind]) for kind in ("gaps", "pauses"))
    return Pulses(told["sent"], told["answered"], gaps, pauses)


def start_echo(shell: Shell, port: int, addresses: Sequence[str], limit_s: float) -> Detached:
    """Have an endpoint send back what comes to these addresses of its own.

    Raises:
        NotProven: it could not be started, with its own words.
    """
    command = script(
        "python3 {program} {limit_s:.0f} {port} {addresses}",
        program=install(shell, "echo.py"),
        limit_s=limit_s,
        port=port,
        addresses=addresses,
    )
    ready = script(
        "[ $(ss -Hlun {ports} | grep -c .) -ge {count} ]",
        ports=f"sport = :{port}",
        count=len(addresses),
    )
    try:
        return Detached.start(shell, f"{shell.folder()}/echo", command, limit_s + 5, ready)
    except ProgramEnded as ended:
        raise NotProven(
            f"no echo could be started on the {shell.name} (UDP port {port}): {ended}. Free the "
            "port or name another (probe_port) in the testbed file."
        ) from ended


class Pulse:
    """Datagrams under way from an endpoint.

    Args:
        shell: from where they are sent.
        name: of the program's files in the run's folder.
        counts: how many to each address.
        port: where it is echoed.
        interval_s: between two to the same address.
    """

    def __init__(
        self, shell: Shell, name: str, counts: Mapping[str, int], port: int, interval_s: float
    ) -> None:
        self._shell = shell
        self._addresses = tuple(counts)
        self._length_s = max(counts.values()) * interval_s
        program = install(shell, "pulse.py")
        stem, limit_s = f"{shell.folder()}/{name}", self._length_s + 2 * _GRACE_S
        shell.run(script("rm -f {stem}.stop", stem=stem))
        command = script(
            "python3 {program} {interval_s:g} {port} {stem}.stop {targets}",
            program=program,
            interval_s=interval_s,
            port=port,
            stem=stem,
            targets=[f"{address}={count}" for address, count in counts.items()],
        )
        self._program = Detached.start(shell, stem, command, limit_s)

    def wait(self) -> dict[str, Pulses]:
        """Wait for its end; what became of them, by address.

        Raises:
            NotProven: the program failed, with its own words.
        """
        try:
            self._program.wait(self._length_s + _GRACE_S)
            answer = of_json(dict[str, _Told], self._program.output)
            for one in answer.values():
                must_be_part(one["answered"], one["sent"], "datagrams", self._shell.name)
            return {address: _pulses(answer[address]) for address in self._addresses}
        except (ProgramEnded, ValueError, KeyError):
            words = self._program.last_words() or "it wrote nothing"
            raise NotProven(f"the pulse failed on the {self._shell.name}: {words}.") from None

    def end(self) -> dict[str, Pulses]:
        """Send no more; what became of those that were sent, by address.

        Raises:
            NotProven: the program failed, with its own words.
        """
        self._shell.run(script(": >{stem}.stop", stem=self._program.stem), again=True)
        return self.wait()

    def stop(self) -> None:
        """End it without waiting for what came back."""
        self._program.stop()
