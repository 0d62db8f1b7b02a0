"""The plan: which checks a whole run consists of, and about how long they take.

One of the few modules here that import Robot: its parser knows best which tests its files hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from robot.api import TestSuite
from robot.conf import RobotSettings
from robot.errors import DataError, Information
from robot.run import RobotFramework

from gatepass.base.chapters import called_now
from gatepass.base.errors import InputError
from gatepass.inputs.order import Order
from gatepass.inputs.profile import NamedProfile, Profile
from gatepass.inputs.studies import STUDIES
from gatepass.inputs.testbed import Testbed
from gatepass.results.chapters import chapter_of
from gatepass.results.planned import whole as whole_of
from gatepass.scenarios.objectives.streams import lasts_s
from gatepass.scenarios.planned_figures import DELAYED, LISTED, MEASURED, OF_CLASSES
from gatepass.scenarios.studies import (
    bazzi2011,
    berg2005,
    decusatis2014,
    hokkanen2016,
    rfc6349,
)
from gatepass.scenarios.studies.conditions import CONDITIONS

NAME = "Acceptance"
"""Of the whole suite, in reports and in the long names of its parts."""
COMPARED = "compared"
"""Tag of those that first send the fewest trials on the same path without a tunnel."""
DOWNLOADED = "large_file"
"""Tag of the checks that download a large file with security services off and on."""
AWAITED = "keylife"
"""Tag of the check that waits until a tunnel's keys have run out."""
_ALL_NAMES = "docs/faults.md has the names of all chapters and checks."
_WORK_S = 1.2
"""All steps of such work once, with what stands beside them, in seconds, as seen in the lab."""
_SHARED, _FEWEST_DELAYED, _MOST_DELAYED = 4, 3, 12
_AROUND_PROBES_S = 0.7
"""Starting the programs of such a trial and fetching what they told, in seconds, as seen."""
_AWAITED_S = 60
"""What is left of two minutes when other checks have run beside it, in seconds, as seen."""
_OTHER_S = 0.6
"""Time of a check without trials, in seconds, as seen in the lab."""
_AROUND_A_TRIAL_S = 0.15
"""Starting, polling and fetching around one trial, in seconds, as seen in the lab."""


_LASTS_S = {
    "rfc2544": lambda profile: CONDITIONS[profile.studies].lasts_s,
    "rfc6349": lambda profile: rfc6349.CONDITIONS[profile.studies].lasts_s,
    "hokkanen2016": lambda profile: hokkanen2016.CONDITIONS[profile.studies].lasts_s(profile),
    "bazzi2011": lambda profile: bazzi2011.CONDITIONS[profile.studies].lasts_s,
    "decusatis2014": lambda profile: decusatis2014.CONDITIONS[profile.studies].lasts_s,
    "berg2005": lambda profile: berg2005.CONDITIONS[profile.studies].lasts_s,
}
"""About how long each study takes, by the profile, in seconds."""


@dataclass(frozen=True)
class Chosen:
    """What a run will do.

    Attributes:
        checks: how many will run; `whole` is how many there are.
        whole: see `checks`.
        chapters: how many they stand in.
        measured: how many of them send trials.
        compared: how many of them send trials on a path for comparison as well.
        downloaded: how many of them download a large file.
        awaited: how many of them wait for a tunnel's keys.
        delayed: how many of them look how long packets take.
        of_classes: how many of them look at classes of service.
        listed: how many of them work on a list in the gateway's web page.
        studies: names of the studies that are among them.
    """

    checks: int
    whole: int
    chapters: int
    measured: int
    compared: int = 0
    downloaded: int = 0
    awaited: int = 0
    delayed: int = 0
    of_classes: int = 0
    listed: int = 0
    studies: tuple[str, ...] = ()


def selected(
    suites: Path, robot: Sequence[str], studies: Sequence[str] = ()
) -> tuple[TestSuite, Chosen]:
    """The checks of a run with these options for Robot, as Robot itself understands them.

    Args:
        suites: the folder of the suites.
        robot: options as typed after ``--``.
        studies: that the order names; the checks of others are no part of it.

    Returns:
        The suites with these checks alone, and what they will do.

    Raises:
        InputError: Robot does not take an option, or nothing is chosen, also by one of several
            names alone.
    """
    try:
        options, _ = RobotFramework().parse_arguments([*robot, str(suites)])
        root = whole_of(suites, studies)
        whole = root.test_count
        _each_chooses(root, options)
        root.configure(**RobotSettings(options, name=NAME).suite_config)
    except (DataError, Information) as error:
        words = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"after --: {words}. Robot says so; see `robot --help`.") from None
    tests = list(root.all_tests)
    chapters = dict.fromkeys(chapter_of(test).name for test in tests)
    tagged = (
        sum(tag in test.tags for test in tests)
        for tag in (MEASURED, COMPARED, DOWNLOADED, AWAITED, DELAYED, OF_CLASSES, LISTED)
    )
    carried_out = tuple(name for name in STUDIES if any(name in test.tags for test in tests))
    return root, Chosen(len(tests), whole, len(chapters), *tagged, studies=carried_out)


def _each_chooses(root: TestSuite, options: Mapping[str, Sequence[str]]) -> None:
    """Robot itself tells a name that chooses nothing only where no other one chooses anything.

    Raises:
        InputError: one of the names of suites or tests chooses nothing.
    """
    for option, kind in (("suite", "included_suites"), ("test", "included_tests")):
        for name in options.get(option, ()):
            alone = root.deepcopy(name=NAME)
            alone.filter(**{kind: [name]})
            if not alone.test_count:
                chapter = called_now(name)
                remedy = f"That chapter is called '{chapter}'." if chapter != name else _ALL_NAMES
                raise InputError(f"after --: '--{option} {name[:80]}' chooses no check. {remedy}")


def estimate_s(chosen: Chosen, order: Order, profile: Profile) -> tuple[float, float]:
    """Shortest and longest time of a run in seconds, without the lab's set-up."""
    shortest, longest = profile.traffic_s(chosen.measured)
    comparison, _ = profile.traffic_s(chosen.compared)
    shortest, longest = shortest + comparison, longest + comparison
    if order.options.security_services:  # once off, once on, at the tier's rates
        megabits = profile.download_mib * profile.downloads * 2**20 * 8 / 1e6
        fast, slow = order.promise.stateful_mbps, order.promise.security_services_mbps
        shortest += chosen.downloaded * megabits * 2 / fast
        longest += chosen.downloaded * megabits * (1 / fast + 1 / slow)
    others_s = sum(_LASTS_S[name](profile) for name in chosen.studies)
    if chosen.of_classes:
        others_s += lasts_s(order.classes, profile.step_s, profile.service_s)
    others_s += chosen.listed * profile.gui_repeats * _WORK_S
    shortest, longest = shortest + others_s, longest + others_s
    others = (chosen.checks - chosen.measured) * _OTHER_S + chosen.awaited * _AWAITED_S
    probes = chosen.delayed / _SHARED * (profile.delay_trial_s + _AROUND_PROBES_S)
    around = chosen.measured * _AROUND_A_TRIAL_S
    return (
        shortest + others + around * profile.min_trials + probes * _FEWEST_DELAYED,
        longest + others + around * profile.most_trials + probes * _MOST_DELAYED,
    )


def sentence(
    order: Order,
    testbed: Testbed,
    profile: NamedProfile,
    chosen: Chosen,
) -> str:
    """The plan, as it is told before the first check."""
    shortest, longest = estimate_s(chosen, order, profile)
    left_out = chosen.whole - chosen.checks
    warning = f";\n         {left_out} are left out: not proven at best" if left_out else ""
    return (
        f"Order    {order.order}: {order.tier}, {order.customer}\n"
        f"Testbed  {testbed.testbed}: {testbed.gateway.url}\n"
        f"Profile  {profile.name}: {profile.description}\n"
        f"Plan     {chosen.checks} checks in {chosen.chapters} chapters, {chosen.measured} of them "
        f"with trials of {profile.run_s} s{warning};\n"
        f"         about {duration(shortest)} if the first {profile.min_trials} trials of each "
        f"decide, {duration(longest)} at most"
    )


def duration(seconds: float) -> str:
    """A time for people, of about that length."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
