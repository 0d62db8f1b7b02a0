"""Delays and losses that `verify` makes again from what the trials' files have of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from probes import KIND, carried, trial
from test_causes import TRIAL

from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import say
from gatepass.inputs import load_profile
from gatepass.proof import recomputed
from gatepass.proof.delays_and_losses import (
    delays,
    is_delay,
    is_loss,
    kept_delays,
    losses,
    profile_of,
)
from gatepass.proof.folder import INPUTS
from gatepass.proof.trial_files import TrialFiles
from gatepass.results.delays import DelayTrial, pairs_of
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import PASS, Measurement
from gatepass.verdict.delay_trials import added_by, delay, facts_of, rule_of_delays
from gatepass.verdict.judgement import Rule
from gatepass.verdict.loss import loss

PROFILE, LIMIT_MS = "quick", 5.0


def made(longest_us: int, *more: int) -> DelayTrial:
    """A trial with a path beside; the delays of some of its 1,250 probes are given."""
    return trial([*range(100, 100 + 1249 - len(more)), longest_us, *more], beside=[60] * 1250)


TRIALS = [made(900), made(2_900, 1_400), made(700), made(4_100)]


def kept(folder: Path, trials: list[DelayTrial] = TRIALS) -> Outcome:
    """A run of these trials, of which the last is set aside."""
    (folder / "trials").mkdir(parents=True)
    (folder / INPUTS).mkdir()
    shutil.copy(VARIABLES / "profiles.yaml", folder / INPUTS / "profiles.yaml")
    for number, one in enumerate(trials, 1):
        path = folder / "trials" / f"{number:03d}-delays.json"
        path.write_text(json.dumps(one.record()), encoding="utf-8")
    profile = load_profile(VARIABLES / "profiles.yaml", PROFILE)
    rule = rule_of_delays(Rule.of(profile))
    added = added_by(KIND, trials[:-1])
    figure = delay("added_delay", say("at_rest"), added, rule, LIMIT_MS)
    noted = [{"number": number, **facts_of(one)} for number, one in enumerate(trials, 1)]
    check = Check("Delay", "Small Packets", PASS, measurements=[figure], trials=noted)
    return Outcome({"profile": {"name": PROFILE}}, [check], {}, None, 1.0)


def figure_of(outcome: Outcome) -> Measurement:
    return outcome.checks[0].measurements[0]


def wrong(outcome: Outcome, folder: Path) -> list[str]:
    # what a record has went through JSON
    check = outcome.checks[0]
    check.trials[:] = json.loads(json.dumps(check.trials))
    return list(delays(outcome, kept_delays(folder), Rule.of(profile_of(outcome, folder))))


def test_a_record_has_each_delay() -> None:
    again = pairs_of(json.loads(json.dumps(TRIALS[1].record())))
    assert again.keys() == TRIALS[1].pairs.keys()
    for kind, pair in again.items():
        first = TRIALS[1].pairs[kind]
        assert list(pair.through.delay.counts()) == list(first.through.delay.counts())
        assert list(pair.beside.delay.counts()) == list(first.beside.delay.counts())
        assert pair.through.lost == first.through.lost


def test_what_follows_from_its_trials_is_not_accused(tmp_path: Path) -> None:
    outcome = kept(tmp_path)
    assert kept_delays(tmp_path) and is_delay(figure_of(outcome))
    assert wrong(outcome, tmp_path) == []


def test_also_where_probes_got_lost(tmp_path: Path) -> None:
    through = carried([300] * 1245, lost=5)
    lossy = [DelayTrial({KIND: replace(one.pairs[KIND], through=through)}) for one in TRIALS]
    assert wrong(kept(tmp_path, lossy), tmp_path) == []


def _other(**given: object) -> Callable[[Measurement], Measurement]:
    return lambda one: replace(one, **given)  # type: ignore[arg-type]


def _with_fact(name: str, value: float) -> Callable[[Measurement], Measurement]:
    return lambda one: replace(one, facts=one.facts | {name: value})


def _one_less(one: Measurement) -> Measurement:
    return replace(one, trials=one.trials[:-1])


@pytest.mark.parametrize(
    "forge",
    [
        _other(value=0.3),
        _other(half_width=0.001),
        _other(trials=(0.2, 0.2, 0.2)),
        _with_fact("through_p50_ms", 0.01),
        _with_fact("added_p99_ms_at_most", 0.4),
        _one_less,
    ],
)
def test_a_figure_that_was_altered_is_named(
    tmp_path: Path, forge: Callable[[Measurement], Measurement]
) -> None:
    outcome = kept(tmp_path)
    outcome.checks[0].measurements[0] = forge(figure_of(outcome))
    (found,) = wrong(outcome, tmp_path)
    assert found.startswith("Small Packets: ") and "make no such figure" in found


def test_a_trial_that_was_altered_is_named(tmp_path: Path) -> None:
    outcome = kept(tmp_path)
    outcome.checks[0].trials[1][f"{KIND.name}_through_us"]["p99"] = 200.0
    assert wrong(outcome, tmp_path) == [
        f"Small Packets: trial 2 is recorded with other delays ({KIND.name}, through) than its "
        "file tells."
    ]


def test_a_file_that_was_altered_is_named(tmp_path: Path) -> None:
    outcome = kept(tmp_path)
    path = tmp_path / "trials" / "002-delays.json"
    path.write_text(json.dumps(made(800).record()), encoding="utf-8")
    assert len(wrong(outcome, tmp_path)) == 2


def test_another_program_may_have_another_method(tmp_path: Path) -> None:
    outcome = kept(tmp_path)
    outcome.checks[0].measurements[0] = replace(figure_of(outcome), value=0.3)
    assert list(delays(outcome, kept_delays(tmp_path), None)) == []


def test_a_run_of_before_kept_some_percentiles_alone(tmp_path: Path) -> None:
    outcome = kept(tmp_path)
    for path in (tmp_path / "trials").iterdir():
        told = json.loads(path.read_text(encoding="utf-8"))
        for one in told.values():
            del one["delays"]
        path.write_text(json.dumps(told), encoding="utf-8")
    assert not kept_delays(tmp_path)
    assert wrong(outcome, tmp_path) == []


@pytest.mark.parametrize("damage", ["{", "[]", '{"small4 through": {"delays": 3}}', "null"])
def test_a_damaged_file_is_left_to_its_digest(tmp_path: Path, damage: str) -> None:
    kept(tmp_path)
    for path in (tmp_path / "trials").iterdir():
        path.write_text(damage, encoding="utf-8")
    assert not kept_delays(tmp_path)


# losses

RULE = Rule(3, 12, 0.95)
SENT = {
    number: replace(TRIAL, lost_percent=percent, datagrams=40_000)
    for number, percent in ((3, 0.0), (4, 0.02), (5, 0.0), (9, 0.1))
}


def lossy(**given: object) -> Check:
    """A check whose loss stands on its first three trials."""
    figure = loss([SENT[3], SENT[4], SENT[5]], say("datagrams", mbps=225.0), RULE, 0.1)
    forged = replace(figure, **given)  # type: ignore[arg-type]
    return Check("Stateful firewall", "Lost", PASS, measurements=[forged])


def test_a_loss_that_follows_from_its_trials_is_not_accused() -> None:
    check = lossy()
    assert is_loss(check.measurements[0])
    assert list(losses(check, SENT, RULE)) == []


@pytest.mark.parametrize(
    "given", [{"value": 0.001}, {"half_width": 0.001}, {"trials": (0.0, 0.0, 0.0)}]
)
def test_a_loss_that_was_altered_is_named(given: dict[str, object]) -> None:
    (found,) = losses(lossy(**given), SENT, RULE)
    assert found.startswith("Lost: ") and "the reports of iperf3 that" in found


def test_a_loss_without_its_trial_is_named() -> None:
    assert len(list(losses(lossy(), {3: SENT[3], 4: SENT[4]}, RULE))) == 1


# what `verify` asks of a whole run


def whole(outcome: Outcome, folder: Path, same_program: bool = True) -> list[str]:
    """What does not follow, as the whole run is looked at; inputs that a test has not are named."""
    probes = kept_delays(folder)
    found = recomputed.contradictions(outcome, folder, probes, same_program)
    return [one for one in found if "make no such figure" in one]


def test_delays_of_a_whole_run(tmp_path: Path) -> None:
    outcome = kept(tmp_path)
    assert whole(outcome, tmp_path) == []
    assert recomputed.recomputed(outcome, kept_delays(tmp_path), same_program=True) == 1
    assert recomputed.recomputed(outcome, kept_delays(tmp_path), same_program=False) == 0
    outcome.checks[0].measurements[0] = replace(figure_of(outcome), value=0.3)
    assert len(whole(outcome, tmp_path)) == 1
    assert whole(outcome, tmp_path, same_program=False) == []


def test_losses_of_a_whole_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {number: TrialFiles({}, {}, one) for number, one in SENT.items()}
    monkeypatch.setattr(recomputed, "files_of", lambda check, folder, profile: made)
    outcome = kept(tmp_path, [])
    check = lossy()
    check.trials += [{"number": number} for number in SENT]
    outcome.checks[:] = [check]
    assert whole(outcome, tmp_path) == []
    assert recomputed.recomputed(outcome, {}, same_program=True) == 1
    check.measurements[0] = replace(check.measurements[0], value=0.001)
    assert len(whole(outcome, tmp_path)) == 1
