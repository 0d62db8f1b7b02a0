"""Test profiles: how long, how often and with how many streams a throughput is measured."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from gatepass.base.errors import InputError
from gatepass.inputs.schema import (
    InputFile,
    Mistake,
    Model,
    did_you_mean,
    number,
    one_of,
    text,
    whole,
)

FEWEST_SAMPLES = 2
"""Student's t needs two samples for an interval."""
FEWEST_INTERVALS = 10
"""Neighbouring intervals of one trial are not independent, so a handful proves too little."""

LONGEST_TRIAL_S = 86_400
"""iperf3 takes no longer test; it is also the longest of Y.1564's durations."""

MOST_TENANTS = 128
"""That the addresses suffice for."""


class Profile(Model):
    """How thoroughly a gateway is tested."""

    description: str = text("one line of text")
    source: str = text("one line that names where the figures come from")
    trial_s: int = whole(1, LONGEST_TRIAL_S, "of seconds")
    """The measured part of one trial."""
    omit_s: int = whole(0, 60, "of seconds")
    """What runs before the measured part and is left out of it: TCP's slow start."""
    streams: int = whole(1, 128, "of parallel TCP streams")
    offered_ratio: float | None = number(1.05, 1000, "times the promise", default=2.0)
    """TCP is offered at most so many times what is promised, so that endpoints do not wear
    themselves out over what nobody ordered; None: as fast as it goes."""
    interval_s: float = number(0.1, 3600, "of seconds")
    """How often the endpoints report within a trial."""
    min_trials: int = whole(1, 100, "of trials")
    """No verdict is given before so many trials."""
    budget_s: int = whole(1, 8 * LONGEST_TRIAL_S, "of seconds")
    """Of traffic for one measurement, controls and what is left out included: spent where it
    decides; after it without a decision the check is not proven."""
    confidence: float = number(0.5, 0.999, "that is a probability")
    """Of the two-sided confidence interval around the mean."""
    max_loss_percent: float = number(0, 100, "of per cent", default=0.1)
    """Datagrams that may be lost at three quarters of the tier's rate (an objective of FLR)."""
    delay_trial_s: float = number(0.5, LONGEST_TRIAL_S, "of seconds", default=10.0)
    """Of probes, in a trial of how long packets take."""
    added_delay_ms: float = number(0.01, 60_000, "of milliseconds", default=5.0)
    """That the gateway may add to 99 of 100 packets, up to the whole of the tier's rate."""
    queue_delay_ms: float = number(0.01, 60_000, "of milliseconds", default=400.0)
    """That it may add where more comes than the tier's rate, or TCP fills its queue."""
    scan_pps: int = whole(100, 1_000_000, "of packets a second", default=50_000)
    """How fast each endpoint sends while a scan looks for leaks."""
    rekey_outage_ms: float = number(0, 60_000, "of milliseconds", default=60.0)
    """For how long nothing may get through a tunnel while its keys are renewed."""
    download_mib: int = whole(1, 65_536, "of MiB", default=1024)
    """Size of the file that is downloaded with security services off and on."""
    downloads: int = whole(2, 1000, "of downloads", default=10)
    """How often, each."""
    studies: Literal["whole", "short", "shortest"] = Field(
        default="whole", description="whole, short or shortest"
    )
    """Whether published methods are carried out by their own conditions, or by shorter ones."""
    most_tenants: int | None = whole(1, MOST_TENANTS, "of tenants", default=None)
    """How many of the tenants that the order names are tried; None: all of them."""
    gui_repeats: int = whole(1, 1000, "of repeats", default=12)
    """How often each step of work in the gateway's web page is taken."""
    step_s: float = number(0.3, 3600, "of seconds", default=10.0)
    """How long each step of a class's configuration test lasts."""
    service_s: int = whole(2, LONGEST_TRIAL_S, "of seconds", default=900)
    """How long all classes of service are sent at once."""
    sampling: Literal["trials", "intervals"] = Field(
        default="trials", description="trials or intervals"
    )
    """What the confidence interval is computed from: the means of the trials, or the intervals."""

    @model_validator(mode="after")
    def _enough_samples(self) -> Self:
        if self.most_trials < self.min_trials:
            raise Mistake(
                f"a number of seconds not under {self.min_trials * self.run_s}, which "
                f"{self.min_trials} trials of {self.run_s} s take",
                "Raise budget_s, lower min_trials or shorten the trials.",
                ["budget_s"],
            )
        if self.sampling == "trials" and self.min_trials < FEWEST_SAMPLES:
            raise Mistake(
                f"{FEWEST_SAMPLES} or more, because a confidence interval needs them",
                "Raise it, or set 'sampling: intervals' for one long trial.",
                ["min_trials"],
            )
        intervals = 1 if self.sampling == "trials" else FEWEST_INTERVALS
        if self.interval_s * intervals > self.trial_s:
            raise Mistake(
                f"a number of seconds up to {self.trial_s / intervals:g}, "
                f"because a trial of {self.trial_s} s must hold {intervals} or more",
                "Shorten the intervals or lengthen the trial.",
                ["interval_s"],
            )
        return self

    @property
    def run_s(self) -> int:
        """Seconds of traffic in one trial, the part that is left out included."""
        return self.omit_s + self.trial_s

    @property
    def most_trials(self) -> int:
        """As many as the budget pays for."""
        return self.budget_s // self.run_s

    def traffic_s(self, measurements: int) -> tuple[int, int]:
        """The shortest and the longest time of traffic for a number of measurements, in seconds."""
        return (
            measurements * self.min_trials * self.run_s,
            measurements * self.most_trials * self.run_s,
        )


class NamedProfile(Profile):
    """A profile with the name under which it was chosen."""

    name: str


class Profiles(InputFile):
    """``variables/profiles.yaml``."""

    default: str = text("the name of a profile")
    profiles: dict[str, Profile] = Field(min_length=1, description="a group of one profile or more")

    @model_validator(mode="after")
    def _default_exists(self) -> Self:
        if self.default not in self.profiles:
            allowed = one_of(self.profiles)
            raise Mistake(allowed, did_you_mean(self.default, self.profiles), ["default"])
        return self


def load_profile(path: Path | str, name: str | None = None) -> NamedProfile:
    """Read one profile, the file's default where none is named.

    Raises:
        InputError: the file is wrong or has no such profile, in one sentence.
    """
    file = Profiles.read(path)
    name = file.default if name is None else name
    if name not in file.profiles:
        allowed = one_of(file.profiles)
        hint = did_you_mean(name, file.profiles) or "Choose one of these."
        raise InputError(
            f"{path}, key 'profiles': found no profile '{name[:60]}'; allowed is {allowed}. {hint}"
        )
    return NamedProfile(name=name, **file.profiles[name].model_dump())
