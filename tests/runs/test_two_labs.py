"""Two runs side by side, each with a lab of its own."""

from __future__ import annotations

import pytest
import yaml

from faults.faulty_lab import FaultyLab
from gatepass.results.outcome import read
from gatepass.results.record import NOT_APPLICABLE, PASS
from runs.killing import Runs

SMALL = {
    "order": "small",
    "customer": "A customer with little traffic",
    "tier": "SGW-10",
    "service_level": "Bronze",
}
CHOSEN = (
    *("*.Before the test.*", "*.One Policy, With NAT"),
    *("*.Policy enforcement.Policies.*", "*.Handover.*"),
)


def test_two_labs_do_not_see_each_other(
    lab: FaultyLab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Both runs at once, of an order so small that one rig is no burden for the other's."""
    other = FaultyLab(tmp_path_factory.mktemp("other"))
    other.up()
    try:
        both = []
        for one in (lab, other):
            folder = tmp_path_factory.mktemp("side-by-side")
            order = folder / "order.yaml"
            order.write_text(yaml.safe_dump(SMALL))
            robot = (word for name in CHOSEN for word in ("--test", name))
            both.append(Runs(one.testbed, folder).start(*robot, order=order))
        said = [run.ended(patience_s=300)[1] for run in both]
        assert lab.is_as_delivered() and other.is_as_delivered()
    finally:
        other.down()
    outcomes = [read(run.folder / "output.xml") for run in both]
    for outcome in outcomes:
        verdicts = {check.verdict for check in outcome.checks if check.elapsed_s}
        assert verdicts == {PASS, NOT_APPLICABLE}, "".join(said)
    assert len({outcome.run["gateway"]["serial"] for outcome in outcomes}) == 2
    marks = [run.announced()[0]["mark"] for run in both]
    for run, foreign in zip(both, reversed(marks), strict=True):
        assert foreign not in (run.folder / "output.xml").read_text()
