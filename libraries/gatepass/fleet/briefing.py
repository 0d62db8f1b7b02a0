"""What the workers of a fleet have to know beside the plan: lock server, testbeds, resources."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gatepass.inputs.testbed import Testbed
from gatepass.run.turns import shared

NAME = "briefing.json"


@dataclass(frozen=True)
class SharedTestbed:
    """A testbed as its workers know it.

    Attributes:
        name: the testbed's.
        tiers: those that it is for; empty for all.
        resources: what other testbeds of the fleet use as well.
    """

    name: str
    tiers: Sequence[str]
    resources: Sequence[str]


@dataclass(frozen=True)
class Briefing:
    """For all workers of a fleet.

    Attributes:
        socket: path of that of the lock server.
        places: the testbeds by the path of their file.
    """

    socket: str
    places: dict[str, SharedTestbed]

    @classmethod
    def of(
        cls, socket: str, testbeds: Sequence[Testbed], known: Mapping[str, SharedTestbed]
    ) -> Briefing:
        """From the testbeds of all orders, on whatever machine they are run.

        Args:
            socket: path of that of the lock server.
            testbeds: those of all machines that the call names.
            known: places that an earlier part of the run knew better, as it knew more testbeds.
        """
        common = shared([one.resources for one in testbeds])
        places = {
            str(one.path.absolute()): SharedTestbed(one.testbed, one.tiers, resources)
            for one, resources in zip(testbeds, common, strict=True)
        }
        return cls(socket, places | {path: one for path, one in known.items() if path in places})

    def save(self, fleet: Path) -> None:
        """Write it into a fleet's folder."""
        (fleet / NAME).write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def known(cls, fleet: Path) -> dict[str, SharedTestbed]:
        """The places of a run that is resumed; none for a new one."""
        return cls.load(fleet).places if (fleet / NAME).exists() else {}

    @classmethod
    def load(cls, fleet: Path) -> Briefing:
        """Read it from a fleet's folder."""
        briefing = json.loads((fleet / NAME).read_text(encoding="utf-8"))
        places = {path: SharedTestbed(**one) for path, one in briefing["places"].items()}
        return cls(briefing.get("socket", ""), places)
