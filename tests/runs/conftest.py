"""A lab that is whole, and one smoke run against it that several tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from faults.faulty_lab import PROJECT, Ended, FaultyLab, lab_in
from runs.leaks import Watch, secrets_of
from runs.listeners import Listeners
from runs.printed_user import printed_user

_PERIOD_S = 0.5
"""Of looks at a run that measures: often enough for every chapter, seldom enough for figures."""


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyLab]:
    """A lab without a fault."""
    with lab_in(tmp_path_factory.mktemp("runs")) as built:
        yield built


@pytest.fixture(scope="module")
def own_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyLab]:
    """A lab that only the tests of one file look at."""
    with lab_in(tmp_path_factory.mktemp("own")) as built:
        yield built


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the whole run is recorded."""
    return tmp_path_factory.mktemp("recorded") / "whole.jsonl"


@dataclass(frozen=True)
class Watches:
    """What is looked at while the whole run is at work.

    Attributes:
        secrets: command lines and environments of all processes.
        listeners: of the run's processes.
    """

    secrets: Watch
    listeners: Listeners


@pytest.fixture(scope="session")
def watches(lab: FaultyLab) -> Watches:
    """Of the whole run."""
    secrets = secrets_of(lab)
    del secrets["private key's frame"]
    control = Path(yaml.safe_load(lab.testbed.read_text())["network_namespace"])
    found = Watch([secret.encode() for secret in secrets.values()], _PERIOD_S)
    return Watches(found, Listeners(control))


@pytest.fixture(scope="session")
def whole_run(
    lab: FaultyLab, recording: Path, watches: Watches, tmp_path_factory: pytest.TempPathFactory
) -> Ended:
    """All checks, with the profile for tests, and recorded.

    One cipher of site-to-site tunnels stands for all: nobody else may be at work meanwhile. Its API
    user has the rights that were printed for the order, and no others.
    """
    order = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
    order["vpn"]["ipsec"] = ["aes256gcm-dh14"]
    file = recording.with_name("order.yaml")
    file.write_text(yaml.safe_dump(order))
    watched = watches.secrets.at_work(), watches.listeners.at_work()
    with printed_user(lab, file) as testbed, watched[0], watched[1]:
        return lab.run(order=file, testbed=testbed, recording=recording)
