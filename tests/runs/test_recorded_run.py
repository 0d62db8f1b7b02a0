"""A whole run that was recorded: what only talks comes to the same verdicts without a gateway."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from faults.faulty_lab import Ended, FaultyLab
from recordings.talker import call
from runs.leaks import leaks, secrets_of


def test_a_recorded_run_is_replayed(whole_run: Ended, recording: Path, tmp_path: Path) -> None:
    """Also where the run has changed the gateway and put it back in between."""
    done = call(tmp_path, "replay", str(recording))
    assert done.returncode == 0, done.stdout + done.stderr
    (output,) = tmp_path.glob("replays/*/*/output.xml")
    replayed = {
        test.get("name"): test.find("meta[@name='Verdict']").text
        for test in ElementTree.parse(output).iter("test")
    }
    assert len(replayed) >= 12 and set(replayed.values()) >= {"pass"}
    assert replayed == {name: whole_run.ran[name].verdict for name in replayed}


def test_a_recorded_run_holds_no_secret(
    lab: FaultyLab, whole_run: Ended, recording: Path
) -> None:
    assert leaks(recording.parent, secrets_of(lab)) == []
    assert str(lab.testbed.parent) not in recording.read_text()
