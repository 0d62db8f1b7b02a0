"""Why trials differ: which of them were odd, and what was different in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median, pstdev

from gatepass.results.record import figure
from gatepass.results.trial import Trial

_ODD = 2.5
"""Times the median distance to the median, from which a trial is odd."""
_ODD_PERCENT = 0.5
"""And by how much of the median at least."""
_CLEARLY = 1.5
"""Times as much in the odd trials as in the others is a difference."""


def odd_trials(rates: Sequence[float]) -> list[int]:
    """The places of those that stand out; none where all scatter alike or there are too few.

    Args:
        rates: of all trials, in the order they ran.
    """
    if len(rates) < 3:
        return []
    middle = median(rates)
    distances = [abs(rate - middle) for rate in rates]
    least = max(_ODD * median(distances), middle * _ODD_PERCENT / 100)
    return [place for place, distance in enumerate(distances) if distance > least]


def explained(trials: Sequence[Trial]) -> str:
    """What an undecided figure's scatter comes from, in a sentence or two; empty without trials."""
    rates = [trial.mbps for trial in trials]
    if len(rates) < 2 or not fmean(rates):
        return ""
    odd = odd_trials(rates)
    if not odd:
        return (
            f"No trial stands out; they scatter by {pstdev(rates) / fmean(rates) * 100:.1f} % "
            "(standard deviation)."
        )
    others = [trial for place, trial in enumerate(trials) if place not in odd]
    names = " and ".join(str(place + 1) for place in odd)
    which = f"Trial{'s' * (len(odd) > 1)} {names} stood out: "
    came = ", ".join(figure(rates[place]) for place in odd)
    usual = figure(median(t.mbps for t in others))
    sentence = f"{which}{came} Mbit/s against {usual} in the others"
    differences = _differences([trials[place] for place in odd], others)
    told = "; ".join(differences)
    return f"{sentence}. {told[:1].upper()}{told[1:]}." if told else (
        f"{sentence}, and nothing observed on the test machines was different in "
        f"{'it' if len(odd) == 1 else 'them'}."
    )


def _differences(odd: Sequence[Trial], others: Sequence[Trial]) -> list[str]:
    """What the rig did more in the odd trials, the clearest first."""
    found: list[tuple[float, str]] = []
    for words, unit, least, of in _watched(odd[0]):
        there, else_where = _mean(odd, of), _mean(others, of)
        if there is None or else_where is None or there - else_where < least:
            continue
        if there >= _CLEARLY * else_where:
            ratio = there / max(else_where, least)
            found.append(
                (ratio, f"{words} {there:.1f}{unit} in {_them(odd)}, {else_where:.1f}{unit} else")
            )
    return [text for _, text in sorted(found, reverse=True)[:2]]


def _them(odd: Sequence[Trial]) -> str:
    return "it" if len(odd) == 1 else "them"


Reading = Callable[[Trial], float | None]


def _watched(example: Trial) -> list[tuple[str, str, float, Reading]]:
    """What is compared: words, unit, the least difference worth a word, and where it is read."""

    def of_host(host: str, name: str) -> Reading:
        return lambda trial: (
            getattr(trial.conduct[host], name) if host in trial.conduct else None
        )

    def waited(end: str) -> Reading:
        def read(trial: Trial) -> float | None:
            seconds, lasted = getattr(trial, f"{end}_waited_s"), trial.ended - trial.began
            return None if seconds is None or lasted <= 0 else 100 * seconds / lasted

        return read

    found: list[tuple[str, str, float, Reading]] = [
        (f"iperf3 on the {end} waited for a processor", " % of the time", 0.2, waited(end))
        for end in ("client", "server")
    ]
    for host in example.conduct:
        found += [
            (f"the {host}'s processors were busy", " %", 10, of_host(host, "busy_percent")),
            (
                f"programs on the {host} waited for a processor",
                " % of the time",
                0.2,
                of_host(host, "late_percent"),
            ),
            (
                f"the {host}'s packets waited for a processor",
                " % of the time",
                0.2,
                of_host(host, "packets_waited_percent"),
            ),
        ]
    found.append(("segments sent again were", "", 10, lambda trial: trial.retransmits))
    return found


def _mean(trials: Sequence[Trial], of: Reading) -> float | None:
    values = [value for trial in trials if (value := of(trial)) is not None]
    return fmean(values) if values else None
