"""What hosts at the edge try, what has to become of it, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

BEFORE, WITH, AFTER = "before", "with", "after"
MOMENTS = (BEFORE, WITH, AFTER)
"""When it is tried: before the rules are there, with them, and after they were removed."""
TIMES = {
    BEFORE: "before the rules were there",
    WITH: "with the rules in force",
    AFTER: "after the rules were removed",
}
ANSWERED, LATE, OPENED = "answered", "late", "opened"


@dataclass(frozen=True)
class Attempt:
    """Something that a host tries.

    Attributes:
        name: by which it is asked for.
        protocol: tcp, udp, or icmp (an echo request).
        source, target: IPv4 addresses, as the host that tries it knows them.
        port: of TCP and UDP.
        passes: when it has to pass; at all other moments it must not.
        at: address and port where it has to arrive; None where the gateway itself answers.
        seen_from: addresses of which it has to come from one; empty where it may be any.
        moments: when it is tried.
        late_s: of UDP, after how many seconds without a packet it is answered once more; 0: never.
        outlives: whether that has to come back as well.
    """

    name: str
    protocol: str
    source: str
    target: str
    port: int = 0
    passes: frozenset[str] = frozenset()
    at: tuple[str, int] | None = None
    seen_from: frozenset[str] = frozenset()
    moments: tuple[str, ...] = MOMENTS
    late_s: float = 0
    outlives: bool = True

    def __str__(self) -> str:
        port = f" port {self.port}" if self.port else ""
        what = "an echo request" if self.protocol == "icmp" else self.protocol.upper()
        return f"{what} from {self.source} to {self.target}{port}"

    def changes(self, moment: str) -> bool:
        """Whether something else has to become of it than at the moment before."""
        tried = [one in self.passes for one in MOMENTS[: MOMENTS.index(moment) + 1]]
        return tried[-1] != (tried[-2] if len(tried) > 1 else False)


@dataclass(frozen=True)
class Arrival:
    """What arrived of it, at a host.

    Attributes:
        source: from where it seemed to come.
        target, port: where it arrived.
    """

    source: str
    target: str
    port: int


@dataclass(frozen=True)
class Seen:
    """What became of an attempt.

    Attributes:
        arrived: at any host but the one that tried it.
        outcome: what that one saw: answered, late (answered once more), opened, refused or silent.
        words: the same in the words of its kernel.
    """

    arrived: tuple[Arrival, ...]
    outcome: str
    words: str


def wrong(attempt: Attempt, moment: str, seen: Seen) -> str:
    """What is wrong with what became of an attempt, as a sentence; empty where nothing is."""
    if moment in attempt.passes:
        return _not_passed(attempt, moment, seen)
    if seen.arrived:
        first = seen.arrived[0]
        return (
            f"{_begun(attempt)} arrived at {_place(first)}, from {first.source}, {TIMES[moment]}."
        )
    if seen.outcome in (ANSWERED, LATE, OPENED):
        return f"{_begun(attempt)} was answered {TIMES[moment]}."
    return ""


def _not_passed(attempt: Attempt, moment: str, seen: Seen) -> str:
    if attempt.at is not None:
        if not seen.arrived:
            return f"{_begun(attempt)} arrived nowhere {TIMES[moment]} ({seen.words or 'silent'})."
        address, port = attempt.at
        for one in seen.arrived:
            if (one.target, one.port) != attempt.at:
                wanted = f"{address} port {port}"
                return f"{_begun(attempt)} arrived at {_place(one)}, and not at {wanted}."
            if attempt.seen_from and one.source not in attempt.seen_from:
                wanted = " or ".join(sorted(attempt.seen_from))
                return f"{_begun(attempt)} was seen from {one.source}, and not from {wanted}."
    if seen.outcome not in (ANSWERED, LATE):
        came = "arrived, and its answer did not come back" if seen.arrived else "got no answer"
        return f"{_begun(attempt)} {came} {TIMES[moment]} ({seen.words or seen.outcome})."
    if attempt.late_s and attempt.outlives != (seen.outcome == LATE):
        return f"{_begun(attempt)} was answered {seen.words} without a packet between."
    return ""


def told(attempt: Attempt, moment: str, seen: Seen) -> str:
    """What became of an attempt that was as it should be, in a few words."""
    if moment not in attempt.passes:
        return f"{_begun(attempt)} did not get through {TIMES[moment]}."
    if attempt.at is None:
        return f"{_begun(attempt)} was answered {TIMES[moment]}."
    if attempt.late_s:
        return f"{_begun(attempt)} was answered {seen.words} without a packet between."
    first = seen.arrived[0]
    return f"{_begun(attempt)} arrived at {_place(first)}, from {first.source}."


def _begun(attempt: Attempt) -> str:
    text = str(attempt)
    return text[0].upper() + text[1:]


def _place(arrival: Arrival) -> str:
    return f"{arrival.target} port {arrival.port}" if arrival.port else arrival.target
