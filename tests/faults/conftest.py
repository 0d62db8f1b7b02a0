"""The lab that all these tests share: a fault is taken back before the next one comes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from faulty_lab import STOLEN, FaultyLab, lab_in

from quiet import MOST_STOLEN, stolen
from shared_turns import nobody_measures
from turns import MEASURES, manner


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyLab]:
    """A lab that is whole; whoever makes it faulty makes it whole again."""
    if os.geteuid() != 0:
        pytest.skip("the lab needs root")
    with lab_in(tmp_path_factory.mktemp("faults")) as built:
        yield built


@pytest.fixture(autouse=True)
def _processors(request: pytest.FixtureRequest) -> None:
    """What needs a rate is not begun where the host would spoil it: that costs minutes."""
    if manner(request.node.nodeid) not in MEASURES:
        return
    with nobody_measures():
        spoilt = stolen() > MOST_STOLEN
    if spoilt:
        pytest.skip(STOLEN)
