"""How busy the endpoints were: what they could not send says nothing about a gateway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.results.trial import Trial

FULL_CPU_PERCENT = 95.0
"""iperf3 drives all streams from one thread up to 3.15: near one core it is itself the limit."""

STARVED_PERCENT = 50.0
"""Of a trial's time: an iperf3 that waits longer for a processor says nothing about a gateway."""


@dataclass(frozen=True)
class EndpointLoad:
    """What one endpoint's processors did in the trial in which they did most.

    Attributes:
        iperf_percent: of one core, by iperf3.
        waited_percent: of the trial's time, in which iperf3 was ready and got no processor; None
            where the endpoint did not tell.
        busy_percent: of all its processors, by whatever program; None where nobody looked.
    """

    iperf_percent: float = 0
    waited_percent: float | None = None
    busy_percent: float | None = None


@dataclass(frozen=True)
class EndpointLoads:
    """Both endpoints."""

    client: EndpointLoad = EndpointLoad()
    server: EndpointLoad = EndpointLoad()

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> EndpointLoads:
        """The endpoints over some trials."""
        return cls(*(_load_of(trials, name) for name in ("client", "server")))

    def both(self) -> list[tuple[str, EndpointLoad]]:
        """Each with its name."""
        return [("client", self.client), ("server", self.server)]

    def facts(self) -> dict[str, float | int | str | None]:
        """The figures for a record; None is what nobody looked at."""
        return {
            f"{name}_{what}_percent": None if figure is None else round(figure, 1)
            for name, end in self.both()
            for what, figure in (("waited", end.waited_percent), ("busy", end.busy_percent))
        }

    def limit(self) -> str:
        """Which endpoint was itself the limit, and how that showed; empty where none was."""
        for name, end in self.both():
            if end.iperf_percent >= FULL_CPU_PERCENT:
                return (
                    f"The {name} was at its own limit: iperf3 took {end.iperf_percent:.0f} % of "
                    "one core. Use a faster endpoint, or one with iperf3 3.16 or later."
                )
            if (end.waited_percent or 0) >= STARVED_PERCENT:
                busy = "" if end.busy_percent is None else (
                    f", and all processors were {end.busy_percent:.0f} % busy"
                )
                return (
                    f"The {name}'s CPU was taken by other programs: iperf3 waited for a processor "
                    f"for {end.waited_percent:.0f} % of the time{busy}. End what else runs there."
                )
        return ""


def _load_of(trials: Sequence[Trial], name: str) -> EndpointLoad:
    waited = [
        100 * waited_s / (trial.ended - trial.began)
        for trial in trials
        if (waited_s := getattr(trial, f"{name}_waited_s")) is not None
        and trial.ended > trial.began
    ]
    busy = [trial.conduct[name].busy_percent for trial in trials if name in trial.conduct]
    return EndpointLoad(
        max((getattr(trial, f"{name}_cpu") for trial in trials), default=0),
        min(100, max(waited)) if waited else None,
        max(busy, default=None),
    )


def at_its_limit(*busy: tuple[str, str, float]) -> str:
    """Which program was itself the limit, as a sentence; empty where none was.

    Args:
        busy: an endpoint, a program of one thread there, and per cent of one core that it took.
    """
    for endpoint, program, percent in busy:
        if percent >= FULL_CPU_PERCENT:
            return (
                f"The {endpoint} was at its own limit: {program} took {percent:.0f} % of one "
                "core. Use a faster endpoint."
            )
    return ""
