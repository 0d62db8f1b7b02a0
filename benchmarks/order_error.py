"""How often the verdict of an order of 132 figures is wrong, by how its trials scatter.

Simulated, no lab is built: each figure is a series of trials around exactly what is promised, and
judged after each trial by the profile's rule. Rejected: of orders all of whose figures only just
reach it, those in which one fails. Approved: of single figures just under it, those that pass.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from benchmarks.table import show
from gatepass.inputs import load_profile
from gatepass.verdict.judgement import Rule

PROFILES = Path(__file__).parents[1] / "variables" / "profiles.yaml"
NAMES = ("quick", "standard", "smoke")
FIGURES = 132
SCATTERS = ("even", "skewed up", "skewed down", "hanging together")
"""As in Gaussian trials; with a skewness of 0.5 either way; neighbours correlated by 0.15."""
_SHAPE, _CORRELATION = 16.0, 0.15
BEYOND = ("skewed up by 1", "skewed down by 1", "hanging together by 0.3")
"""More than the rules are made for: how much they err then."""


def of_profile(name: str, figures: int) -> Rule:
    """The rule of a profile, for an order of so many figures."""
    return Rule.of(load_profile(PROFILES, name), figures)


def scattered(random: np.random.Generator, how: str, rows: int, size: int) -> np.ndarray:
    """Series of trials with mean 0 and standard deviation 1.

    Args:
        random: the source of chance.
        how: of `SCATTERS` or `BEYOND`.
        rows, size: how many series, and trials of each.
    """
    if how.startswith("hanging"):
        r = 0.3 if how in BEYOND else _CORRELATION
        noise = random.standard_normal((rows, size))
        for place in range(1, size):
            noise[:, place] = r * noise[:, place - 1] + np.sqrt(1 - r * r) * noise[:, place]
        return noise
    if how.startswith("skewed"):
        shape = 4.0 if how in BEYOND else _SHAPE
        up = (random.gamma(shape, 1, (rows, size)) - shape) / np.sqrt(shape)
        return up if "up" in how else -up
    return random.standard_normal((rows, size))


def decided(rule: Rule, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which series pass and which fail against 0, looked at as `until_decided` does.

    Without giving up early, which makes no verdict of either kind more frequent, and without the
    trials that are worth less (from ten on), which makes them rarer.

    Args:
        rule: of a profile.
        trials: a series a row.
    """
    passed, failed = np.zeros(len(trials), bool), np.zeros(len(trials), bool)
    total = trials[:, : rule.min_trials - 1].sum(1)
    squares = (trials[:, : rule.min_trials - 1] ** 2).sum(1)
    for size in range(rule.min_trials, rule.max_trials + 1):
        total = total + trials[:, size - 1]
        squares = squares + trials[:, size - 1] ** 2
        spread = np.sqrt(np.maximum(squares - total**2 / size, 1e-30) / (size - 1))
        statistic = total / np.sqrt(size) / spread
        open_ones = ~(passed | failed)
        passed |= open_ones & (statistic >= -stdtrit(size - 1, rule.level))
        failed |= open_ones & (statistic < stdtrit(size - 1, rule.fail_level))
    return passed, failed


def main(args: Namespace) -> None:
    """Wrong verdicts by profile and scatter, per cent of orders."""
    orders = (args.times or 10) * 1_000
    rows = []
    for name in NAMES:
        rule = of_profile(name, FIGURES)
        for how in (*SCATTERS, *BEYOND):
            random = np.random.default_rng(39)
            wrong = 0
            for _ in range(orders // 1_000):
                _, failed = decided(
                    rule, scattered(random, how, 1_000 * FIGURES, rule.max_trials)
                )
                wrong += int(failed.reshape(1_000, FIGURES).any(axis=1).sum())
            passed, _ = decided(rule, scattered(random, how, 20 * orders, rule.max_trials))
            told = f"{wrong / orders * 100:.2f}", f"{passed.mean() * 100:.2f}"
            rows.append((name, how, *told, f"{rule.error * 100:g}"))
    show(("profile", "trials", "rejected, %", "approved, %", "page 1 says, %"), rows)
