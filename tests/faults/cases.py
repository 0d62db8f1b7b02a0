"""What a fault has to bring about: which checks end how, and the words that name it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faulty_lab import SMOKE, Ended, FaultyLab, hold, is_a_sentence

from gatepass.results.outcome import Check

FAIL, NOT_PROVEN, NOT_APPLICABLE = "fail", "not proven", "not applicable"
AT_ONCE_S = 5

PREFLIGHT, HANDOVER = "*.Before the test.*", "*.Handover.*"
BASELINES = "*.The test set-up *.*"
ENFORCEMENT, CEILING = "*.Policy enforcement.*", "*.The tier's ceiling.*"
READY, CLOCKS = "The Endpoints Are Ready", "The Endpoints' Clocks Agree"
GATEWAY_READY = "The Gateway Is Ready"
KNOWN = "The Gateway Knows All That Will Be Set On It"
ADDED_DELAYS = "The Added Delays Are Known Without The Gateway"
BEFORE, AFTER = "The Rig Carries The Tier Without The Gateway", "The Rig Has Not Drifted"
PATH = "The Path Is Open Before Any Load"
ONE, ONE_NAT = "One Policy, Without NAT", "One Policy, With NAT"
MANY = tuple(f"{count} Policies, {nat} NAT" for count in (100, 1000) for nat in ("Without", "With"))
LOSS = "Hardly Any Packet Is Lost"
DOWN, UP = "Downloads From The Client's View", "Uploads From The Client's View"
UDP, UP6 = "An Overload Of Datagrams", "Uploads Over IPv6"
NAT6 = "With Address Translation, Over IPv6"
ONE6, LOSS6 = "One Policy, Over IPv6", "Hardly Any Packet Is Lost Over IPv6"
PERMITS = "A Policy Permits What It Names"
ANSWERS = "The Gateway's Nearest Address Answers Only Where It Was Told To"
OTHER_TCP = "No Other TCP Port Lets A Connection Begin"
OTHER_UDP = "No Other UDP Port Lets A Datagram Through"
SESSIONLESS = "No Segment Without A Session Reaches A Well-Known Port"
SOURCE_PORTS = "No Trusted Source Port Opens A Well-Known One"
PROTOCOLS = "No Other IP Protocol Gets Through"
ICMP = "No ICMP Message Of Any Type Gets Through"
FRAGMENTS = "No Fragment, Tiny Or Overlapping, Gets Through"
OPTIONS = "No Source Route Or Option Opens A Way"
ADDRESSES = "No Neighbouring Host, Broadcast Or Group Is Reached"
SOURCES = "No Bogus Or Borrowed Source Gets Through"
BY_ONE_BIT = "No Neighbour Of A Permitted Service Gets Through"
HELPERS = "No Helper Of FTP, SIP Or TFTP Opens A Way Unasked"
BLOCKED = (
    *(OTHER_TCP, OTHER_UDP, SESSIONLESS, SOURCE_PORTS, PROTOCOLS, ICMP, FRAGMENTS, OPTIONS),
    *(ADDRESSES, SOURCES, BY_ONE_BIT, HELPERS),
)
"""What one scan of all ways is about."""
IPV6 = "A Policy For IPv6 Permits Its TCP Port, Which Is Blocked Without It"
COUNTS = "The Implicit Deny Counts What It Blocks"
IN_TIME = "A New Policy Is In Force In Time"
ORDER, DISABLED = "The Order Of Policies Holds", "A Disabled Policy Does Nothing"
STORIES = (PERMITS, IPV6, COUNTS, ORDER, IN_TIME, DISABLED)
"""The checks of policies that need no scan."""
CLEAN, BACK = "Nothing Is Left Running On The Endpoints", "The Configuration Is Back As It Was"


@dataclass(frozen=True)
class Case:
    """One fault.

    Attributes:
        fault: its name and parameters, as the lab's command line has them.
        tests: patterns of the checks that run; those of the handover always do.
        caught: by the name of a check, its verdict and words of its message. All other checks
            that run have to pass.
        left: whether the gateway cannot be restored before the fault is gone.
        lost: whether what the first of `caught` has lost makes the others of them end at once.
    """

    fault: tuple[str, ...]
    tests: tuple[str, ...]
    caught: dict[str, tuple[str, ...]] = field(default_factory=dict)
    left: bool = False
    lost: bool = False

    def __str__(self) -> str:
        return " ".join(self.fault)

    @property
    def name(self) -> str:
        """Of the fault, without its parameters."""
        return self.fault[0]


def together(*cases: Case) -> pytest.param:
    """Cases that one run proves, as a parameter of a test: no two of them concern one check."""
    names = [name for case in cases for name in case.caught]
    assert len(names) == len(set(names)), names
    return pytest.param(cases, id=" + ".join(map(str, cases)))


def alone(*cases: Case) -> list[pytest.param]:
    """Cases with a run each."""
    return [together(case) for case in cases]


def for_long(run: pytest.param) -> pytest.param:
    """The same where long tests are: the chapter has other faults in each run of the tests."""
    return pytest.param(*run.values, id=run.id, marks=pytest.mark.long)


def cases_of(runs: Iterable[pytest.param]) -> list[Case]:
    """The cases of all these runs."""
    return [case for run in runs for case in run.values[0]]


def prove(
    lab: FaultyLab, *cases: Case, order: Path | None = None, profile: str = SMOKE
) -> None:
    """Have the faults, run the checks, hold the outcome against the cases; whole again after.

    Args:
        lab: whole.
        cases: each with a fault whose checks are its own.
        order: path of the order's file; the lab's own unless given.
        profile: with which they run.
    """
    tests = dict.fromkeys(test for case in cases for test in case.tests)
    _prove(lab, cases, *tests, HANDOVER, order=order, profile=profile)


def prove_whole(lab: FaultyLab, *cases: Case) -> None:
    """The same with the whole suite: all else that the order asks for has to pass."""
    _prove(lab, cases)


def _prove(
    lab: FaultyLab,
    cases: Sequence[Case],
    *tests: str,
    order: Path | None = None,
    profile: str = SMOKE,
) -> None:
    with lab.faults(*(case.fault for case in cases)):
        ended = lab.run(*tests, order=order, profile=profile)
    restored = lab.restore(ended) if any(case.left for case in cases) else None
    whole = lab.is_as_delivered()
    _hold(ended, cases, ("pass",) if tests else ("pass", NOT_APPLICABLE))
    if restored:
        assert restored.returncode == 0, restored.stdout
        assert "compares equal" in restored.stdout, restored.stdout
    assert whole


def _hold(ended: Ended, cases: Sequence[Case], others: Collection[str]) -> None:
    """Hold the outcome of a run against the cases whose faults it met.

    Args:
        ended: the run.
        cases: all that were in force.
        others: how the checks may end that none of the cases is about.
    """
    caught = {name: wanted for case in cases for name, wanted in case.caught.items()}
    assert set(caught) <= set(ended.ran), ended.output
    told = [(check, _wrong(check, caught, others)) for check in ended.ran.values()]
    hold((check, wrong) for check, wrong in told if wrong)
    for case in cases:
        if case.lost:
            _, *later = (name for name in ended.ran if name in case.caught)
            assert all(ended.ran[name].elapsed_s < AT_ONCE_S for name in later), ended.output
    rejected = FAIL in (verdict for verdict, *_ in caught.values())
    assert ended.outcome.verdict == ("rejected" if rejected else "not proven")
    assert ended.exit_code == (1 if rejected else 2), ended.output
    assert "Traceback" not in ended.output
    restoration = ended.outcome.restoration
    left = any(case.left for case in cases)
    # None: nothing was changed, as the gateway could not be asked at all
    assert (restoration is not None and not restoration.identical) == left, ended.output


def _wrong(
    check: Check, caught: Mapping[str, tuple[str, ...]], others: Collection[str]
) -> str:
    """What is wrong with how a check ended; empty where nothing is."""
    verdict, *words = caught.get(check.name, ("",))
    if check.verdict not in ([verdict] if verdict else others):
        return f"{check.name} is {check.verdict}: {check.message}"
    if verdict and not is_a_sentence(check.message):
        return f"{check.name} says no sentence: {check.message}"
    missing = [word for word in words if word not in check.message]
    return f"{check.name} does not say {missing}: {check.message}" if missing else ""
