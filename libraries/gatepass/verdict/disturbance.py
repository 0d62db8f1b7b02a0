"""Which trials are set aside, as the rig itself could have caused what they show.

A trial is set aside for what its hosts did meanwhile and never for what its figure was, or the
figures that are left would lean to one side. The limits are shares of the trial's time: what a
program or a packet waits for a processor, the path cannot carry in that time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from gatepass.results.conduct import OWN, Conduct
from gatepass.results.trial import Trial

WAITED_PERCENT = 10.0
"""Of the trial: how long a program that wakes up all the time may wait for a processor."""
STARVED_PERCENT = 20.0
"""Of the trial: how long iperf3 may wait; up to there TCP kept its rate within 1 % when tried."""
PACKETS_WAITED_PERCENT = 30.0
"""Of the trial: how long the kernel's packet threads may wait, over all processors together."""
STOLEN_PERCENT = 10.0
"""Of the processors' time, by the hypervisor. TCP that was asked for 315 Mbit/s carried 315 in the
mean of 102 trials with less than 1 % stolen, 309 with 5 to 10 %, 306 with 10 to 15 %, 294 with 15
to 25 %: from here on a rate may be 3 % short for want of processors alone."""
STALLED_S = (0.05, 0.1)
"""A single wait of this length empties the queues on the way, which carry on until then. A trial of
1.1 s came to 283 Mbit/s of TCP payload, and its neighbours to 310, as its receiver stood still for
90 ms; another lost 2 % to 30 to 40 ms."""
STALLED_PERCENT = 5.0
"""Of the trial; what a single wait may take of it, within the limits above."""
OFF_PERCENT, OFF_S = 2.0, 0.15
"""By which iperf3's figure may differ from the interface's counters in the same seconds, and which
of these seconds cannot be told apart: what queues hold comes in at the edges of a trial."""
STEPPED_S = 0.05
"""A clock that is set meanwhile by more."""
FEWEST_LOST, LOST_SHARE = 5, 1e-4
"""Packets that a host may lose itself in a trial, and of how many; real interfaces count what they
do not know as lost."""
_PACKET = 1500
_RECEIVED = "received_bytes"
"""In a record: what came in on the interface of a host on which most came."""
_OWN = ("iperf3", "ksoftirqd", "nice")
_WORTH_A_WORD_PERCENT = 25
_OF_THE_TRANSFER = 0.1
"""Of the most that came between two looks: where less came there was no transfer yet."""
_MOST_OF_IT = 0.8
"""Of the measured time has to lie between the first and the last look."""
_TCP_HEADERS, _UDP_HEADERS = 66, 42
"""Bytes of Ethernet, IPv4 and TCP with time stamps, or UDP."""


def disturbance(trial: Trial) -> str:
    """What the rig did that could have caused the trial's figure; empty where it did nothing.

    Args:
        trial: with the conduct of its hosts.
    """
    return next(_disturbances(trial), "")


@dataclass(frozen=True)
class Watched:
    """Traffic that iperf3 did not send, with what the rig did meanwhile.

    Attributes:
        mbps: its rate, Mbit/s.
        conduct: see `Trial`.
    """

    mbps: float
    conduct: Mapping[str, Conduct]

    @property
    def disturbed(self) -> str:
        """What the rig did that could have caused the rate; empty where it did nothing."""
        return disturbed_by(self.conduct)


def disturbed_by(conduct: Mapping[str, Conduct]) -> str:
    """What hosts did that could have caused what is seen of traffic; empty where they did nothing.

    Args:
        conduct: of the rig's hosts, by their names.
    """
    found = (why for name, of_host in conduct.items() for why in _of_host(name, of_host))
    return next(found, "")


def _disturbances(trial: Trial) -> Iterator[str]:
    if trial.impossible:
        yield trial.impossible
    lasted = trial.ended - trial.began
    for name, waited_s in (("client", trial.client_waited_s), ("server", trial.server_waited_s)):
        # iperf3 that sends datagrams is always ready, so that its wait says nothing
        if trial.mss and waited_s and 100 * waited_s / lasted > STARVED_PERCENT:
            share = f"{100 * waited_s / lasted:.1f} %"
            yield f"iperf3 on the {name} waited for a processor {share} of the time"
    for name, conduct in trial.conduct.items():
        yield from _of_host(name, conduct)
    allowed = OFF_PERCENT / 100 + OFF_S / max(trial.seconds, OFF_S)
    if trial.wire_mbps and abs(trial.mbps / trial.wire_mbps - 1) > allowed:
        yield (
            f"iperf3 reported {trial.mbps:.1f} Mbit/s, but the receiver's interface counted "
            f"{trial.wire_mbps:.1f} in the same seconds"
        )


def _of_host(name: str, conduct: Conduct) -> Iterator[str]:
    if conduct.stolen_percent > STOLEN_PERCENT:
        yield f"the hypervisor took {conduct.stolen_percent:.1f} % of the {name}'s processors"
    # a lab may have a larger share of its machine than the watch on that machine has
    if conduct.late_percent > WAITED_PERCENT and name != OWN:
        waited = f"{conduct.late_percent:.1f} % of the time"
        yield f"programs on the {name} waited for a processor {waited}"
    least, most = STALLED_S
    stalled_s = min(most, max(least, STALLED_PERCENT / 100 * conduct.seconds))
    if conduct.longest_late_s > stalled_s and name != OWN:
        yield f"the {name} stood still for {conduct.longest_late_s * 1000:.0f} ms"
    if (conduct.packets_waited_percent or 0) > PACKETS_WAITED_PERCENT:
        waited = f"{conduct.packets_waited_percent:.1f} % of the time"
        yield f"the {name}'s packets waited for a processor {waited}"
    allowed = max(FEWEST_LOST, _received(conduct) / _PACKET * LOST_SHARE)
    if conduct.nic_lost > allowed:
        yield f"the {name}'s interfaces lost {conduct.nic_lost:,} packets"
    if conduct.socket_lost > allowed:
        yield f"the {name} lost {conduct.socket_lost:,} packets as a program did not fetch them"
    if abs(conduct.stepped_s) > STEPPED_S:
        yield f"the {name}'s clock was set by {conduct.stepped_s:+.2f} s"


def trial_facts(trial: Trial) -> dict:
    """One trial for the record: its figure and what its rig did meanwhile."""
    facts = {
        "mbps": trial.mbps,
        "wire_mbps": trial.wire_mbps,
        "client_waited_s": trial.client_waited_s,
        "server_waited_s": trial.server_waited_s,
        "began": trial.began or None,
        "lasted_s": trial.ended - trial.began,
    }
    return {
        **{name: round(value, 4) for name, value in facts.items() if value is not None},
        "hosts": host_facts(trial.conduct),
        "set_aside": disturbance(trial),
    }


def host_facts(conducts: Mapping[str, Conduct]) -> dict[str, dict]:
    """What each host of a trial did, for the record."""
    return {
        name: {
            key: round(value, 4) if isinstance(value, float) else value
            for key, value in asdict(conduct).items()
            if key != "links" and value is not None
        }
        | {_RECEIVED: round(_received(conduct))}
        for name, conduct in conducts.items()
    }


def conduct_of(noted: Mapping[str, Mapping[str, Any]]) -> dict[str, Conduct]:
    """What each host of a trial did, from its record; of its interfaces only what is held.

    Args:
        noted: see `host_facts`.

    Raises:
        TypeError: it is no such record.
    """
    unknown = {"packets_waited_percent": None, "pressure_percent": None}
    return {
        name: Conduct(
            **unknown | {key: value for key, value in of_host.items() if key != _RECEIVED},
            links=((0.0, {"": [0, 0, 0]}), (1.0, {"": [of_host.get(_RECEIVED, 0), 0, 0]})),
        )
        for name, of_host in noted.items()
    }


def aside_in_words(aside: Sequence[tuple[Trial | Watched, str]]) -> str:
    """Why some trials were set aside, and what to do, in sentences; empty without any."""
    if not aside:
        return ""
    reasons = list(dict.fromkeys(why for _, why in aside))
    count = f"{len(aside)} trial{'' if len(aside) == 1 else 's'}"
    if all(isinstance(one, Trial) and one.impossible for one, _ in aside):
        return (
            f"{count} gave no figure, as one cannot be: {reasons[0]}. Install another version of "
            "iperf3 there."
        )
    return (
        f"The test machines disturbed {count}: {reasons[0]}. "
        f"{busy_with([trial for trial, _ in aside])}Run again when the test "
        "machines are idle."
    )


def busy_with(trials: Sequence[Trial | Watched]) -> str:
    """Which programs took the rig's processors meanwhile, in a sentence; empty where none did."""
    taken: dict[str, float] = {}
    for trial in trials:
        for conduct in trial.conduct.values():
            for name, percent in conduct.programs.items():
                if not name.startswith(_OWN) and percent >= _WORTH_A_WORD_PERCENT:
                    taken[name] = max(percent, taken.get(name, 0))
    if not taken:
        return ""
    sentence = ", ".join(
        f"{name} ({taken[name]:.0f} % of a core)"
        for name in sorted(taken, key=lambda name: -taken[name])[:3]
    )
    return f"The test machine was busy with {sentence}. "


def wire_mbps(trial: Trial, receiver: Conduct, omit_s: float) -> float | None:
    """What the receiver's interface counted in the trial's measured time, Mbit/s of payload.

    Args:
        trial: as iperf3 told it, of traffic that arrives as it was sent, not out of a tunnel.
        receiver: with the counters of its interfaces.
        omit_s: of the slow start, which is left out.

    Returns:
        None where the counters do not hold the trial.
    """
    times, payload = _payload(receiver, _UDP_HEADERS if trial.mss is None else _TCP_HEADERS)
    steps = [after - before for before, after in pairwise(payload)]
    least = max(steps, default=0) * _OF_THE_TRANSFER
    first = next((place for place, step in enumerate(steps) if step > least), None)
    if first is None:
        return None
    began = times[first + 1] + omit_s  # the look after the first bytes: surely within the transfer
    ended = began + trial.seconds - (times[first + 1] - times[first])
    if times[-1] - began < trial.seconds * _MOST_OF_IT:
        return None
    ended = min(ended, times[-1])
    return (_at(ended, times, payload) - _at(began, times, payload)) * 8 / (ended - began) / 1e6


def _received(conduct: Conduct) -> float:
    """Bytes, on the interface on which most came."""
    _, counts = _payload(conduct, 0)
    return counts[-1] - counts[0] if counts else 0


def _payload(conduct: Conduct, headers: int) -> tuple[list[float], list[float]]:
    """Moments, and the payload that had come in by then on the interface on which most came.

    Interfaces count headers, of several packets that were joined into one only once; so as many
    headers as packets are taken off, `headers` bytes each.
    """
    looks = [links for _, links in conduct.links]
    names = set(looks[0]).intersection(*looks) if looks else set()
    if not names:
        return [], []
    name = max(names, key=lambda one: looks[-1][one][0] - looks[0][one][0])
    return [at for at, _ in conduct.links], [
        links[name][0] - headers * links[name][1] for links in looks
    ]


def _at(moment: float, times: Sequence[float], counts: Sequence[float]) -> float:
    """The count at a moment between two looks."""
    after = min(max(bisect_left(times, moment), 1), len(times) - 1)
    span = times[after] - times[after - 1]
    part = (moment - times[after - 1]) / span if span else 0.0
    return counts[after - 1] + part * (counts[after] - counts[after - 1])
