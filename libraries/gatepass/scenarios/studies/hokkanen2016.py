"""Hokkanen 2016, "Evaluation of Virtual Firewall in Private Cloud", chapter 6: its four tests.

They are what the chapters do with other trials: each is measured by their own keywords, under the
source's conditions in place of the profile's. Here is what these are, and what was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.inputs.profile import NamedProfile, Profile
from gatepass.inputs.proposals import PROPOSALS
from gatepass.results.record import Measurement, figure
from gatepass.results.study import IN_STUDY
from gatepass.stats.intervals import interval
from gatepass.verdict.disturbance import disturbance
from gatepass.verdict.endpoint_load import EndpointLoads
from gatepass.verdict.throughput import Trials

NAME, CITED = "hokkanen2016", "Hokkanen 2016"
POLICIES, NAT = (1, 100, 1000), ("off", "on")
CIPHERS = ("aes256-sha256-dh14", "aes128-sha256-dh5", "3des-sha1-dh2")
"""Of test 3, as orders name them."""
LABELS = tuple(PROPOSALS[name].label for name in CIPHERS)
SSL_VPN = "SSL VPN"
DOWNLOADS = ("beside", "off", "on")
"""Of test 2: beside the gateway, through it with services off, and with services on."""
_FULL = 0.95
"""Of what the rig carries beside the gateway: one that lets through so much may carry more."""
_BESIDE, _ROWS, _COMPARED, _AROUND_S = 1, 10, 6, 1.5
"""Measured without the gateway, through it, once each for comparison; and around each trial, s."""
_DOWNLOADED_MBPS = 200.0


@dataclass(frozen=True)
class Conditions:
    """What of a profile is the source's instead.

    Attributes:
        name: as a profile calls them.
        asked: values of the profile, by their keys.
        plain: further ones where no tunnel is in the way.
    """

    name: str
    asked: Mapping[str, object]
    plain: Mapping[str, object]

    def applied(self, profile: NamedProfile) -> NamedProfile:
        """A profile with these conditions, and room for its fewest trials."""
        changed = profile.model_copy(update=dict(self.asked))
        least = changed.min_trials * changed.run_s
        return changed.model_copy(update={"budget_s": max(changed.budget_s, least)})

    def lasts_s(self, profile: Profile) -> float:
        """About how long it takes with a profile, in seconds."""
        changed = profile.model_copy(update=dict(self.asked))
        trials = (_BESIDE + _ROWS) * changed.min_trials + _COMPARED
        megabits = 3 * changed.downloads * changed.download_mib * 2**20 * 8 / 1e6
        return trials * (changed.run_s + _AROUND_S) + megabits / _DOWNLOADED_MBPS


_TEN_STREAMS, _AS_IT_GOES = {"streams": 10}, {"offered_ratio": None}
_WITH_SLOW_START = {"omit_s": 0}
"""The source leaves nothing out."""
CONDITIONS = {
    one.name: one
    for one in (
        # a trial that the rig disturbed is repeated, up to twice
        Conditions("whole", {
            **_WITH_SLOW_START, **_TEN_STREAMS, "trial_s": 900, "interval_s": 10.0,
            "min_trials": 1, "budget_s": 2700, "sampling": "intervals",
            "downloads": 10, "download_mib": 1024,
        }, _AS_IT_GOES),
        # so many streams at once begin with a burst, which ESP in user space loses some of: that
        # is too much of a short trial
        Conditions("short", {**_WITH_SLOW_START, "trial_s": 2, "interval_s": 0.25},
                   _TEN_STREAMS | _AS_IT_GOES),
        Conditions("shortest", {**_WITH_SLOW_START, "trial_s": 1, "interval_s": 0.5}, _AS_IT_GOES),
    )
}  # fmt: skip
"""By the names that a profile calls them."""


@dataclass(frozen=True)
class Rate:
    """A rate as it is told.

    Attributes:
        mbps: mean over the trials, Mbit/s of TCP goodput.
        half_width: of its interval; None where there is none.
        trials: that it is of.
        held: by which shapers, in words.
        known: what a reader has to know of it.
    """

    mbps: float | None
    half_width: float | None = None
    trials: int = 0
    held: str = ""
    known: str = ""


@dataclass
class Found:
    """What was found so far, for the tables.

    Attributes:
        beside: between the endpoints without the gateway; None before it was looked at.
        stateful: by number of policies and NAT ("on" or "off").
        downloads: rates of single downloads, Mbit/s of content, by `DOWNLOADS`.
        averages: of these, which keep to their order.
        tunnels: by the label of their encryption.
        remote: of one user, by the way in.
    """

    beside: Rate | None = None
    stateful: dict[tuple[int, str], Rate] = field(default_factory=dict)
    downloads: dict[str, Sequence[float]] = field(default_factory=dict)
    averages: dict[str, Rate] = field(default_factory=dict)
    tunnels: dict[str, Rate] = field(default_factory=dict)
    remote: dict[str, Rate] = field(default_factory=dict)

    def keep_downloads(
        self, rates: Mapping[str, Sequence[float]], confidence: float, held: str
    ) -> None:
        """Keep single downloads and their averages.

        Args:
            rates: Mbit/s of content, by `DOWNLOADS`; of those beside the gateway there may be none.
            confidence: of the averages' two-sided interval.
            held: by which shapers those through the gateway are, in words.
        """
        self.downloads = {name: tuple(several) for name, several in rates.items() if several}
        for name, several in self.downloads.items():
            value = interval(several, confidence)
            through = held if name != "beside" else ""
            self.averages[name] = Rate(value.mean, value.half_width, len(several), through)

    def keep(self, measurement: Measurement, rate: Rate) -> None:
        """Keep a rate where its measurement belongs, which tells that by promise and conditions.

        Raises:
            NotProven: it is none of the study's.
        """
        under = _own(measurement.conditions)
        if under.name == "fastest":
            under = under.part("what")
        if measurement.promise == "stateful_throughput":
            self.stateful[under.part("policies"), under.part("nat").name] = rate
        elif measurement.promise == "ipsec_throughput":
            self.tunnels[under.part("label")] = rate
        elif measurement.promise == "remote_access_throughput":
            self.remote[str(under.part("what"))] = rate
        else:
            raise NotProven(f"{measurement.subject} is no figure of {CITED}.")


def told(measurement: Measurement, by_rig: str, held: str, beside: Rate | None) -> Rate:
    """A rate with what a reader has to know of it.

    Args:
        measurement: as it was noted, Mbit/s.
        by_rig: what the rig did that could have caused it; empty where it did nothing.
        held: by which shapers, in words.
        beside: the rate without the gateway; None where it is not known.
    """
    known = f"at least: {by_rig}" if by_rig else _all_of_the_rig(measurement.value, beside)
    trials = len(measurement.trials)
    return Rate(measurement.value, measurement.half_width, trials, held, known)


def by_rig_in(trials: Trials) -> str:
    """What the rig did in trials that could have caused their rate; empty where it did nothing."""
    disturbed = next(filter(None, map(disturbance, trials.trials)), "")
    return disturbed or EndpointLoads.of(trials.trials).limit()


def as_fast_as_it_goes(noted: Sequence[object], measurement: Measurement) -> Measurement:
    """What is told of a tunnel: not the rate at which it was paced to hold it against the order.

    Args:
        noted: in the check.
        measurement: that is held against the order, where it has a figure.
    """
    if measurement.threshold is None or measurement.promise == "stateful_throughput":
        return measurement
    fastest = say("fastest", what=_own(measurement.conditions))
    for one in noted:
        if isinstance(one, Measurement) and _own(one.conditions) == fastest:
            return one
    raise NotProven(f"{measurement.subject} was not tried at its highest rate.")


def _all_of_the_rig(mbps: float, beside: Rate | None) -> str:
    if beside and beside.mbps and mbps >= beside.mbps * _FULL:
        return f"at least: the rig itself carries {figure(beside.mbps)} Mbit/s beside the gateway"
    return ""


def _own(conditions: Phrase) -> Phrase:
    """A measurement's conditions, without the study that they are of."""
    return conditions.part("what") if conditions.name == IN_STUDY else conditions


def percent_less(rate: float | None, than: float | None) -> float | None:
    """By how many per cent a rate is less than another (the source's chapter 7)."""
    return (1 - rate / than) * 100 if rate is not None and than else None
