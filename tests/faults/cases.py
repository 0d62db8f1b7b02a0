"""What a fault has to bring about: which checks end how, and the words that name it."""

from __future__ import annotations

from dataclasses import dataclass, field

from faulty_lab import Ended, FaultyLab, is_a_sentence

FAIL, NOT_PROVEN = "fail", "not proven"
AT_ONCE_S = 5

PREFLIGHT, HANDOVER = "*.Preflight.*", "*.Handover.*"
BASELINES = "*.Baseline *.*"
ENFORCEMENT, CEILING = "*.Policy Enforcement.*", "*.Tier Ceiling.*"
READY = "The Endpoints Are Ready"
PATH = "The Path Is Open Before Any Load"
ONE, ONE_NAT = "One Policy, Without NAT", "One Policy, With NAT"
LOSS = "Hardly Any Packet Is Lost"
DOWN, UP = "Downloads From The Client's View", "Uploads From The Client's View"
UDP = "An Overload Of Datagrams"
PERMITS = "A Policy Permits What It Names"
NOTHING_ELSE = "Nothing Else Gets Through To The Server"
NOTHING_BACK = "Nothing Gets Through To The Client"
COUNTS = "The Implicit Deny Counts What It Blocks"
ORDER, DISABLED = "The Order Of Policies Holds", "A Disabled Policy Does Nothing"
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


def prove(lab: FaultyLab, case: Case) -> None:
    """Have the fault, run the checks, hold the outcome against the case; whole again after."""
    with lab.fault(*case.fault):
        ended = lab.run(*case.tests, HANDOVER)
    restored = lab.restore(ended)
    whole = lab.is_as_delivered()
    _hold(ended, case)
    assert restored.returncode == 0, restored.stdout
    assert ("compares equal" in restored.stdout) == case.left, restored.stdout
    assert whole


def _hold(ended: Ended, case: Case) -> None:
    assert set(case.caught) <= set(ended.ran), ended.output
    for name, check in ended.ran.items():
        verdict, *words = case.caught.get(name, ("pass",))
        assert check.verdict == verdict, f"{name} is {check.verdict}: {check.message}"
        if name in case.caught:
            assert is_a_sentence(check.message), f"{name}: {check.message}"
            missing = [word for word in words if word not in check.message]
            assert not missing, f"{name} does not say {missing}: {check.message}"
    if case.lost:
        _, *later = (name for name in ended.ran if name in case.caught)
        assert all(ended.ran[name].elapsed_s < AT_ONCE_S for name in later), ended.output
    rejected = FAIL in (verdict for verdict, *_ in case.caught.values())
    assert ended.outcome.verdict == ("rejected" if rejected else "not proven")
    assert ended.exit_code == (1 if rejected else 2), ended.output
    assert "Traceback" not in ended.output
    restoration = ended.outcome.restoration
    # None: nothing was changed, as the gateway could not be asked at all
    assert (restoration is not None and not restoration.identical) == case.left, ended.output
