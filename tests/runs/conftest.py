"""A lab that is whole, and one smoke run against it that several tests look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.faulty_lab import Ended, FaultyLab, lab_in


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyLab]:
    """A lab without a fault."""
    with lab_in(tmp_path_factory.mktemp("runs")) as built:
        yield built


@pytest.fixture(scope="session")
def whole_run(lab: FaultyLab) -> Ended:
    """All checks, with the profile for tests."""
    return lab.run()
