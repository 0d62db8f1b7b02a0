"""What a run was decided by: its input files and the program itself, kept beside its results."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gatepass.base.digests import as_list, digests
from gatepass.base.paths import ROOT
from gatepass.inputs.order import Order
from gatepass.inputs.profile import NamedProfile
from gatepass.inputs.provider import NAME as PROVIDER
from gatepass.inputs.provider import provider_file
from gatepass.proof.folder import INPUTS

ORDER, TESTBED = "order.yaml", "testbed.yaml"
CATALOGUE, PROFILES = "service_catalogue.yaml", "profiles.yaml"
PROGRAM = "program.sha256"
_OF_PROGRAM = ("libraries", "resources", "suites", "variables")
_BESIDE = ("requirements.txt", "run.sh")


def keep(folder: Path, order: Path, testbed: Path, variables: Path) -> dict[str, str]:
    """Copy the files that decide a run into its folder, with the list of all that the program is.

    A testbed's file never holds a secret, it names where each lies (see `inputs.secret`).

    Args:
        folder: of the run.
        order, testbed: their files.
        variables: the folder of catalogue and profiles.

    Returns:
        Their digests, by the names of the copies.

    Raises:
        OSError: one cannot be read or written.
    """
    target = folder / INPUTS
    target.mkdir(exist_ok=True)
    of_all = {CATALOGUE: variables / CATALOGUE, PROFILES: variables / PROFILES}
    if provider := provider_file(testbed, variables):
        of_all[PROVIDER] = provider
    for name, path in {ORDER: order, TESTBED: testbed, **of_all}.items():
        shutil.copyfile(path, target / name)
    (target / PROGRAM).write_text(as_list(digests(ROOT, program())), encoding="utf-8")
    return digests(target, target.iterdir())


def program() -> Iterator[Path]:
    """The files of which this copy of Gatepass consists."""
    for room in _OF_PROGRAM:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    yield from (ROOT / name for name in _BESIDE)


def facts_of(order: Order, profile: NamedProfile) -> Mapping[str, Any]:
    """What a run's record says of what was ordered, and how thoroughly it was looked at."""
    return {
        "order": {
            **order.model_dump(exclude={"gateway", "flows", "objectives"}),
            "flows": [f"{flow}: {flow.expect}" for flow in order.flows],
            "objectives": [str(one) for one in order.classes],
            "objectives_proposed": order.objectives_are_proposals,
            "flows_expected": sorted({flow.expect for flow in order.flows}),
            "classes": {one.name: list(one.promises) for one in order.classes},
        },
        "tier": order.promise.model_dump(),
        "profile": profile.model_dump() | {"max_trials": profile.most_trials},
    }
