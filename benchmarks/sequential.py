"""How many trials a verdict takes, beside a fixed number of them with the same error.

Gaussian trials, simulated: no lab is built. The fixed number is what the profile's budget pays for.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from benchmarks.table import show
from gatepass.inputs import load_profile
from gatepass.stats.sequential import hopeless
from gatepass.verdict.judgement import Rule

PROFILES = Path(__file__).parents[1] / "variables" / "profiles.yaml"
NAMES = ("quick", "standard", "smoke")
DISTANCES = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Of the true mean to the promise, in standard deviations of the trials."""
SERIES = 4_000


def main(args: Namespace) -> None:
    """Mean number of trials to the end of a series, by profile and distance."""
    rows = []
    for name in NAMES:
        profile = load_profile(PROFILES, name)
        rule = Rule(profile.min_trials, profile.most_trials, profile.confidence)
        for distance in DISTANCES:
            trials, right, wrong = _simulated(rule, distance)
            fixed_right = _fixed(rule, distance)
            rows.append(
                (
                    name,
                    f"{distance:g}",
                    f"{trials:.1f}",
                    rule.max_trials,
                    f"{trials / rule.max_trials:.2f}",
                    f"{right * 100:.1f}",
                    f"{fixed_right * 100:.1f}",
                    f"{wrong * 100:.2f}",
                )
            )
    show(
        (
            *("profile", "distance, sd", "trials", "fixed", "ratio"),
            *("decided right, %", "fixed, %", "decided wrong, %"),
        ),
        rows,
    )


def _simulated(rule: Rule, distance: float) -> tuple[float, float, float]:
    """Mean number of trials, and the shares of series that were decided right and wrong.

    At no distance a pass is called right and a fail wrong; each is an error there.
    """
    random = np.random.default_rng(7)
    spent, right, wrong = 0, 0, 0
    for row in random.standard_normal((SERIES, rule.max_trials)) + distance:
        for size in range(rule.min_trials, rule.max_trials + 1):
            seen = row[:size]
            value = rule.interval(list(seen))
            if value.lower >= 0 or value.fail_upper < 0:
                right, wrong = right + (value.lower >= 0), wrong + (value.fail_upper < 0)
                break
            if size > rule.min_trials and hopeless(
                seen.mean(), seen.std(ddof=1), size, rule.max_trials, rule.level
            ):
                break
        spent += size
    return spent / SERIES, right / SERIES, wrong / SERIES


def _fixed(rule: Rule, distance: float) -> float:
    """The share that one look at all trials of the budget decides right, at the same error."""
    random = np.random.default_rng(7)
    rows = random.standard_normal((SERIES * 10, rule.max_trials)) + distance
    statistic = rows.mean(1) / rows.std(1, ddof=1) * np.sqrt(rule.max_trials)
    return float((statistic >= -stdtrit(rule.max_trials - 1, rule.error)).mean())
