"""Labs side by side for one command: each with a gateway of its own tier."""

import itertools
from collections.abc import Callable, Mapping, Sequence

from lab.base.errors import LabMistake
from lab.base.faults import Fault, Value
from lab.faults.injection import Injection
from lab.lifecycle.state import Lab, check_name
from lab.lifecycle.takedown import down
from lab.lifecycle.tiers import tiers
from lab.run import run_command, undisturbed

MOST = 200
"""Labs of one command; each takes some memory and processes."""


def several(name: str, number: int | None, wanted: Sequence[str]) -> dict[str, str | None]:
    """The names of the labs that a call asks for, each with its tier.

    Args:
        name: of the lab where it is one; what all names begin with where they are more.
        number: how many; None for one a tier, or one without a tier.
        wanted: the tiers, taken in turn; those of the catalogue where none is named.

    Raises:
        LabMistake: a name cannot be one, or the number is out of bounds.
    """
    if number is None and len(wanted) < 2:
        return {check_name(name): wanted[0] if wanted else None}
    number = len(wanted) if number is None else number
    if not 1 <= number <= MOST:
        raise LabMistake(f"{number} gateways cannot be had; ask for 1 to {MOST} with --gateways.")
    taken = itertools.islice(itertools.cycle(wanted or tiers()), number)
    return {check_name(f"{name}-{at}"): tier for at, tier in enumerate(taken, start=1)}


def run_in_labs(
    wanted: Mapping[str, str | None],
    build: Callable[[str, str | None], Lab],
    faults: Sequence[tuple[Fault, dict[str, Value]]],
    command: Sequence[str],
) -> int:
    """Build labs, run a command against all of them, and take them down however that ends.

    Args:
        wanted: the labs' names, each with its tier.
        build: makes one of them.
        faults: put in force in each before the command.
        command: see `run_command`.

    Returns:
        The command's exit code.
    """
    labs: list[Lab] = []
    try:
        for name, tier in wanted.items():
            labs.append(build(name, tier))
            for chosen, values in faults:
                Injection(labs[-1]).inject(chosen, values)
        return run_command(command, [one.testbed for one in labs])
    finally:
        with undisturbed():
            for one in labs:
                down(one.name)
