"""What a host did while a trial ran, as its watch saw it."""

from __future__ import annotations

from dataclasses import dataclass, field

OWN = "test machine"
"""The machine that runs the test, where an endpoint lies on it."""
_DECIMALS = 4
"""Of what is known of a host: what is decided by it follows from what is written down of it."""


@dataclass(frozen=True)
class Conduct:
    """What a host did over a time.

    Attributes:
        seconds: how long.
        busy_percent, stolen_percent, soft_percent: of all its processors: at work at all, taken by
            the hypervisor, in soft interrupts, where packets are carried.
        late_percent, longest_late_s: how much of the time, and at most, a program that wanted to
            run waited for a processor, as a program that wakes up 50 times a second saw it.
        packets_waited_percent: how much of the time the kernel's packet threads waited; None where
            they cannot be seen, as from inside a container.
        pressure_percent: how much of the time some program waited; None where the kernel does not
            tell.
        nic_lost, socket_lost: packets that were lost on the interface on which most came in or on
            their way up from it, and by sockets.
        stepped_s: by how much its clock was set.
        programs: the busiest ones by name, per cent of one core.
        links: what came in on each interface by its name, as bytes, packets and packets lost since
            the host was started, at each look; a look is told with its moment.
    """

    seconds: float
    busy_percent: float
    stolen_percent: float
    soft_percent: float
    late_percent: float
    longest_late_s: float
    packets_waited_percent: float | None
    pressure_percent: float | None
    nic_lost: int
    socket_lost: int
    stepped_s: float
    programs: dict[str, float] = field(default_factory=dict)
    links: tuple[tuple[float, dict[str, list[int]]], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, lines: list[dict]) -> Conduct | None:
        """From the watch's lines of that time and the one before; None with fewer than two."""
        if len(lines) < 2:
            return None
        first, last = lines[0], lines[-1]
        seconds = round(last["at"] - first["at"], _DECIMALS)

        def grown(name: str) -> float:
            return last[name] - first[name]

        def share(name: str, of: float) -> float | None:
            known = name in first and name in last
            return round(100 * grown(name) / of, _DECIMALS) if known else None

        spent = max(grown("all"), 0.01)
        programs: dict[str, float] = {}
        for line in lines[1:]:
            for name, percent in line.get("programs", {}).items():
                programs[name] = max(percent, programs.get(name, 0))
        return cls(
            seconds=seconds,
            busy_percent=round(min(100, max(0, 100 - 100 * grown("idle") / spent)), _DECIMALS),
            stolen_percent=share("steal", spent) or 0.0,
            soft_percent=share("soft", spent) or 0.0,
            late_percent=share("late", seconds) or 0.0,
            longest_late_s=round(max(line["longest"] for line in lines[1:]), _DECIMALS),
            packets_waited_percent=share("packets_waited", seconds),
            pressure_percent=share("pressure", seconds),
            nic_lost=int(grown("nic_lost")) + _lost_on_busiest(first, last),
            socket_lost=int(grown("socket_lost")),
            stepped_s=round(grown("stepped"), _DECIMALS),
            programs=programs,
            links=tuple((line["at"], line["links"]) for line in lines if "links" in line),
        )


def _lost_on_busiest(first: dict, last: dict) -> int:
    """Others lose what nobody is there to take, as a tunnel's interface does."""
    grown = {
        name: [after - before for before, after in zip(was, last["links"][name], strict=True)]
        for name, was in first.get("links", {}).items()
        if name in last.get("links", {})
    }
    return max(grown.values(), default=[0, 0, 0])[2]
