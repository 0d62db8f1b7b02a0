"""A run of before phrases: all it says is known, and its figures join those of today.

``data/schema1`` has the records of a whole run against the lab, as the version before schema 2
wrote them.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from gatepass.base.phrase import say
from gatepass.results.outcome import read
from gatepass.results.promises import PROMISES
from gatepass.results.schema1 import AS_IT_STANDS

KEPT = Path(__file__).parent / "data" / "schema1"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with those results."""
    results = lzma.decompress((KEPT / "output.xml.xz").read_bytes())
    (tmp_path / "output.xml").write_bytes(results)
    return tmp_path


def test_all_it_says_is_known(kept: Path) -> None:
    checks = read(kept / "output.xml").checks
    measurements = [one for check in checks for one in check.measurements]
    assert len(measurements) > 30 and {one.promise for one in measurements} <= PROMISES.keys()
    phrases = [one.conditions for one in measurements]
    phrases += [one.claim for check in checks for one in check.evidence]
    assert len(phrases) > 100
    assert [str(one) for one in phrases if one.name == AS_IT_STANDS] == []


def test_its_figures_join_those_of_today(kept: Path) -> None:
    checks = read(kept / "output.xml").checks
    (check,) = (check for check in checks if check.name == "1000 Policies, With NAT")
    (rate,) = check.measurements
    assert rate.promise == "stateful_throughput"
    assert rate.conditions == say("rule_set", policies=1000, nat=say("on"))
    assert check.evidence[0].claim == say("counted")
