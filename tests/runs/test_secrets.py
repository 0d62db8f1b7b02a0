"""No secret is anywhere below results/, in a process list or in an environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.faulty_lab import FaultyLab
from runs.killing import Runs
from runs.leaks import Watch, leaks, secrets_of


def test_the_search_finds_what_is_there(lab: FaultyLab) -> None:
    """Otherwise finding nothing below would prove nothing."""
    found = leaks(lab.testbed.parent, secrets_of(lab))
    assert any("API token" in leak for leak in found)
    assert any("private key, line 2" in leak for leak in found)
    assert any("password" in leak for leak in found)


@pytest.mark.parametrize("level", ["TRACE", "DEBUG"])
def test_no_secret_is_in_the_results_of_a_talkative_run(
    lab: FaultyLab, tmp_path: Path, level: str
) -> None:
    """Robot's finest log levels show arguments and answers of every keyword."""
    (tmp_path / "results").mkdir()
    runs = Runs(lab.testbed, tmp_path / "results")
    chosen = ("*.The Path Is Open*", "*.The Management Plane*", "*.One Policy, With NAT")
    run = runs.start(
        *(word for name in chosen for word in ("--test", name)),
        *("--loglevel", level, "--debugfile", str(tmp_path / "results" / "debug.txt")),
    )
    code, output = run.ended()
    assert code == 2, output
    assert "DEBUG" in (tmp_path / "results" / "debug.txt").read_text()
    assert leaks(tmp_path / "results", secrets_of(lab)) == []
    assert not [what for what, secret in secrets_of(lab).items() if secret in output]


def test_no_secret_shows_in_a_process(lab: FaultyLab) -> None:
    secrets = secrets_of(lab)
    del secrets["private key's frame"]
    with Watch([secret.encode() for secret in secrets.values()]).at_work() as watch:
        ended = lab.run("*.One Policy, With NAT", "*.Policy enforcement.Policies.*", "*.Handover.*")
    assert not watch.seen
    assert len(watch.processes) > 4, ended.output
