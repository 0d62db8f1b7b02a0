"""How long steps of work took, and whether the browser's own machine could be the reason.

A time is a user's wait, from before the request until the page shows what was asked for: network,
gateway, page and browser together. Times are skewed, so the median is told, between the samples
that bound it whatever their distribution is (David and Nagaraja 2003, 7.1).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from gatepass.base.phrase import Phrase, say
from gatepass.gui import control
from gatepass.gui.control import REFERENCE_MS
from gatepass.gui.policy_list import STEPS, PolicyList
from gatepass.gui.window import Window
from gatepass.results.measurements import estimated
from gatepass.results.record import Measurement, figure
from gatepass.stats.intervals import Interval
from gatepass.stats.percentiles import ranks
from gatepass.verdict.judgement import UNDECIDED, Rule, decide

PROMISE, LAYER = "gui_time", "what a user waits"
WITHOUT_PROMISE_S = 5.0
"""In which a step should be done where nothing was ordered: else it was waited for in vain."""
_SPENT = (0.625, 0.1875, 0.1875)
"""Of the error of a pass, by looks (Bonferroni); the first has what the extremes of six take."""
LOOKS = len(_SPENT)
FOUND_UNUSABLE = (
    'Hokkanen 2016 found the GUI of a virtual firewall "nearly unusable when there were 100 or '
    'more policies".'
)


@dataclass
class Worked:
    """Work on a list of so many policies, again and again.

    Attributes:
        policies: how many there were.
        looks: how often it was asked what follows; see `is_open`.
        seconds: of each step, by its name.
        rest_s: of the REST API for the same list, seconds.
        control_ms: of a page of the browser's own machine; see `gatepass.gui.control`.
    """

    policies: int
    seconds: dict[str, list[float]] = field(default_factory=lambda: {step: [] for step in STEPS})
    rest_s: list[float] = field(default_factory=list)
    control_ms: list[float] = field(default_factory=list)
    looks: int = 1

    def once_more(self, window: Window, pages: PolicyList, ask: Callable[[], object]) -> None:
        """One more repeat: the control, the REST API, then the work itself.

        Args:
            window: logged in.
            pages: the list in it.
            ask: has the REST API tell the same list.

        Raises:
            NotDone: a step did not come to its end; control and REST API are kept.
        """
        self.control_ms.append(control.took_ms(window))
        begun = time.monotonic()
        ask()
        self.rest_s.append(time.monotonic() - begun)
        for step, seconds in pages.worked_with().items():
            self.seconds[step].append(seconds)

    @property
    def slowdown(self) -> float:
        """How many times as long as elsewhere the browser took; at least 1."""
        return max(1.0, median(self.control_ms) / REFERENCE_MS)

    def measured(self, rule: Rule, threshold: float | None) -> dict[str, Measurement]:
        """The median of each step, by its name.

        A fail waits for the last look: fewer samples could not show one so surely.

        Args:
            rule: whose errors hold, however often it was looked at.
            threshold: not to be passed, seconds; None where none was ordered.
        """
        spent = 1.0 if threshold is None else _SPENT[self.looks - 1]
        fail_error = rule.fail_error if self.looks == LOOKS else 0.0
        beside = {
            "rest_s": round(median(self.rest_s), 4),
            "control_ms": round(median(self.control_ms), 1),
            "policies": self.policies,
        }
        return {
            step: estimated(
                PROMISE,
                self._conditions(step),
                seconds,
                median_of(seconds, rule.error * spent, fail_error),
                rule.confidence,
                layer=LAYER,
                threshold=threshold,
                facts=beside,
            )
            for step, seconds in self.seconds.items()
        }

    def is_open(self, rule: Rule, threshold: float | None) -> bool:
        """Whether a step is undecided, so that as many repeats again may tell.

        One page that came late among six makes their longest wait say nothing of the median.

        Args:
            rule: see `measured`.
            threshold: see `measured`; None decides nothing.
        """
        return threshold is not None and any(
            decide(one, threshold, one.relation) == UNDECIDED
            for one in self.measured(rule, threshold).values()
        )

    def _conditions(self, step: str) -> Phrase:
        if self.policies == 1:
            return say("gui_step_one", step=say(step))
        return say("gui_step", step=say(step), policies=self.policies)


def median_of(samples: Sequence[float], error: float, fail_error: float = 0.0) -> Interval:
    """The median with its bounds, the farther of which counts on both sides.

    Args:
        samples: at least one.
        error: one-sided, of each bound that a pass takes.
        fail_error: one-sided, of each bound that a fail takes; 0 where none may fail yet.
    """
    middle, width = median(samples), _reach(samples, error)
    wider = _reach(samples, fail_error) if fail_error else None
    if width is None:
        return Interval(middle, None)
    wider = max(middle, width) if wider is None else wider  # down to no wait at all
    return Interval(middle, width, fail_half_width=wider, fail_error=fail_error)


def _reach(samples: Sequence[float], error: float) -> float | None:
    """How far the farther bound lies from the median; None where so few samples have none."""
    low, high = ranks(len(samples), 50, error)
    if low < 1 or high > len(samples):
        return None
    middle, ordered = median(samples), sorted(samples)
    return max(middle - ordered[low - 1], ordered[high - 1] - middle)


@dataclass(frozen=True)
class BrowsersMachine:
    """Whether it could itself have caused that a step took too long (a `RigLimit`).

    What it makes slower it makes slower by as much as the page that needs no gateway. Of a wait
    that network or gateway have a part in that is too much, which is in the gateway's favour.

    Attributes:
        worked: with the page's times.
    """

    worked: Worked
    controls: None = None

    def explains(self, waited_s: float, within_s: float) -> bool:
        """Whether a browser as quick as elsewhere might have been done in time.

        Args:
            waited_s: how long a step took here, or was waited for in vain.
            within_s: in which it should be done.
        """
        return waited_s / self.worked.slowdown <= within_s

    def limits(self, held: Measurement) -> str:
        """Why it could; empty where it could not."""
        if not self.explains(held.lower, held.threshold or 0):
            return ""
        return (
            f"The browser needed {figure(median(self.worked.control_ms))} ms for a page of "
            "Gatepass's own, which needs no gateway; on an idle machine it needs "
            f"{REFERENCE_MS:g}. The browser's machine alone can make the list slower by as much. "
            "Run again when the test machines are idle."
        )


def growth(by_policies: Mapping[int, Worked], step: str) -> str:
    """The medians of a step by the number of policies, as a sentence; empty where there is none."""
    told = [
        f"with {count:,} {'policy' if count == 1 else 'policies'} "
        f"{figure(median(worked.seconds[step]))} s"
        for count, worked in sorted(by_policies.items())
        if worked.seconds[step]
    ]
    return f"{say(step):capital}: {', '.join(told)}. {FOUND_UNUSABLE}" if told else ""


def compared(worked: Worked, step: str) -> str:
    """What else took how long, in a sentence: whose the time is."""
    rest, all_of = median(worked.rest_s), median(worked.seconds[step])
    whose = (
        "so the device itself is slow to return it"
        if rest > all_of / 2
        else "so the page itself takes the time"
    )
    return f"{beside(worked)[:-1]}, {whose}."


def beside(worked: Worked) -> str:
    """What stands beside the steps, in a sentence: a page without the gateway, and REST."""
    return (
        f"The browser needed {figure(median(worked.control_ms))} ms for a page of Gatepass's own, "
        f"and the REST API returned the same list in {figure(1000 * median(worked.rest_s))} ms."
    )
